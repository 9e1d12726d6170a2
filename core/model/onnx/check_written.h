#pragma once

// Holds a model that is about to be written against the schemas of the installed ONNX library.

#include "support/result.h"

namespace onnx {
class ModelProto;
}

namespace stagecraft {

// Refuses, naming the operator, what a schema or the inference of types does not allow. Weights may be inputs without
// values here. Models of opsets that the library does not know (1.12: beyond 17) pass unchecked.
[[nodiscard]] Result<void> checkWritten(onnx::ModelProto model);

} // namespace stagecraft
