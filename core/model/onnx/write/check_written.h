#pragma once

// Checks a model that is about to be written against the schemas of the installed ONNX library.

#include "support/result.h"

namespace onnx {
class ModelProto;
}

namespace stagecraft {

// Refuses, naming the operator, what a schema or type inference does not allow. Weights may be inputs without values.
// Models with an opset that the library does not know (version 1.12: above 17) are not checked.
[[nodiscard]] Result<void> checkWritten(onnx::ModelProto model);

} // namespace stagecraft
