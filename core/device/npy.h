#pragma once

// NumPy's .npy files, format versions 1 to 3 (numpy.lib.format). Reads little-endian, row-major numbers of the types
// float32, float64, int64, int32 and uint8 as float32; writes float32.

#include "device/device.h"

#include <string>
#include <string_view>

namespace stagecraft {

// InvalidInput: not a .npy file, cut short, another type, column-major, an absurd shape.
[[nodiscard]] Result<HostTensor> tensorFromNpy(std::string_view bytes);
[[nodiscard]] std::string toNpy(const HostTensor &tensor);

// Read and write files; errors name the file. Writing is all or nothing.
[[nodiscard]] Result<HostTensor> readNpy(const std::string &path);
[[nodiscard]] Result<void> writeNpy(const std::string &path, const HostTensor &tensor);

} // namespace stagecraft
