#pragma once

// NumPy's .npy files, format versions 1 to 3 (numpy.lib.format): little-endian, row-major numbers and truths. bfloat16,
// which NumPy does not have, is written as float32.

#include "device/device.h"

#include <functional>
#include <string>
#include <string_view>

namespace stagecraft {

// Of float32, whatever type of numbers the file has. InvalidInput: not a .npy file, cut short, another type,
// column-major, an absurd shape.
[[nodiscard]] Result<HostTensor> tensorFromNpy(std::string_view bytes);
// In the type that the file has.
[[nodiscard]] Result<HostTensor> typedTensorFromNpy(std::string_view bytes);
[[nodiscard]] std::string toNpy(const HostTensor &tensor);

// Read and write files; errors name the file. Writing is all or nothing. `accepts`, if given, is asked about the shape
// before the numbers are read: a file may say that it has any number of them.
using AcceptShape = std::function<Result<void>(const Shape &shape)>;
[[nodiscard]] Result<HostTensor> readNpy(const std::string &path, const AcceptShape &accepts = {});
[[nodiscard]] Result<HostTensor> readTypedNpy(const std::string &path, const AcceptShape &accepts = {});
[[nodiscard]] Result<void> writeNpy(const std::string &path, const HostTensor &tensor);

} // namespace stagecraft
