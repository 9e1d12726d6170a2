#pragma once

// One node of a model file with its operands resolved: what the rules of the schema read, and where it comes from.

#include "model/onnx/file/constant.h"
#include "operators/node_facts.h"

#include <string>
#include <string_view>
#include <vector>

namespace onnx {
class AttributeProto;
class NodeProto;
} // namespace onnx

namespace stagecraft {

struct OnnxNode : NodeFacts {
    const onnx::NodeProto *proto = nullptr;
    std::string name;
    std::vector<std::string_view> outputs; // see OutputUse; as many as outputCount, or none

    [[nodiscard]] const onnx::AttributeProto *attribute(std::string_view key) const;
};

// How the operator table names the node's type: with its domain, but for ONNX's own, and for operators of com.microsoft
// that are ONNX's by another name: ONNX Runtime's quantiser writes conversions of 16 bits with them.
[[nodiscard]] std::string typeOf(const onnx::NodeProto &proto);

// Sorted by name.
[[nodiscard]] std::vector<NamedAttribute> attributesOf(const onnx::NodeProto &proto);

} // namespace stagecraft
