#pragma once

// Attributes of operators the program keeps as they are, as text and back. Floating-point numbers always carry a point
// or an exponent, so that the text tells them from whole numbers.

#include <string>

namespace onnx {
class AttributeProto;
}

namespace stagecraft {

[[nodiscard]] std::string attributeText(const onnx::AttributeProto &attribute);

// Sets type and value from the text. False for what has no text form (tensors, graphs).
[[nodiscard]] bool parseAttribute(const std::string &text, onnx::AttributeProto &attribute);

} // namespace stagecraft
