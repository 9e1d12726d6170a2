#pragma once

// NumPy's .npy files, format versions 1 to 3 (numpy.lib.format). Little-endian numbers of the types float32, float64,
// int64, int32 and uint8 are read, row-major, and become float32; float32 is written.

#include "device/device.h"

#include <string>
#include <string_view>

namespace stagecraft {

// InvalidInput: not a .npy file, cut short, another type, column-major, an absurd shape.
[[nodiscard]] Result<HostTensor> tensorFromNpy(std::string_view bytes);
[[nodiscard]] std::string toNpy(const HostTensor &tensor);

// The same for files; the error names the file. All or nothing is written.
[[nodiscard]] Result<HostTensor> readNpy(const std::string &path);
[[nodiscard]] Result<void> writeNpy(const std::string &path, const HostTensor &tensor);

} // namespace stagecraft
