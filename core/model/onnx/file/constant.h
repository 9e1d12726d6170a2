#pragma once

// The constants of a model file.

#include "operators/values/constant.h"
#include "support/result.h"

#include <filesystem>

namespace onnx {
class TensorProto;
} // namespace onnx

namespace stagecraft {

// The values of a tensor in the file. External data is only read from `folder`, and if there is much of it, when
// something needs it.
[[nodiscard]] Result<Constant> decodeTensor(const onnx::TensorProto &tensor, const std::filesystem::path &folder);

} // namespace stagecraft
