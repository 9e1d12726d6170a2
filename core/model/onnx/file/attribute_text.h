#pragma once

// Attributes of operators that are kept as in the file, as text and back. Floating-point numbers always have a point or
// an exponent, so that they differ from whole numbers.

#include <string>

namespace onnx {
class AttributeProto;
}

namespace stagecraft {

[[nodiscard]] std::string attributeText(const onnx::AttributeProto &attribute);

// Sets type and value from the text. False if there is no text form (tensors, graphs).
[[nodiscard]] bool parseAttribute(const std::string &text, onnx::AttributeProto &attribute);

} // namespace stagecraft
