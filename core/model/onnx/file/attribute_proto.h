#pragma once

// Attributes of nodes as typed values, and back.

#include "operators/values/attribute_value.h"

namespace onnx {
class AttributeProto;
}

namespace stagecraft {

[[nodiscard]] AttributeValue attributeValue(const onnx::AttributeProto &attribute);

// Sets type and value. False if the program does not keep the value.
[[nodiscard]] bool setValue(onnx::AttributeProto &attribute, const AttributeValue &value);

} // namespace stagecraft
