#include "model/onnx/file/node.h"

#include "model/onnx/file/attribute_proto.h"

#include <algorithm>
#include <onnx/onnx_pb.h>

namespace stagecraft {

const onnx::AttributeProto *OnnxNode::attribute(std::string_view key) const
{
    const auto &all = proto->attribute();
    const auto found = std::ranges::find_if(all, [&](const auto &each) { return each.name() == key; });
    return found == all.end() ? nullptr : &*found;
}

std::string typeOf(const onnx::NodeProto &proto)
{
    const std::string &domain = proto.domain();
    const std::string &type = proto.op_type();
    const bool isAlike = domain == "com.microsoft" && (type == "QuantizeLinear" || type == "DequantizeLinear");
    return domain.empty() || domain == "ai.onnx" || isAlike ? type : domain + "::" + type;
}

std::vector<NamedAttribute> attributesOf(const onnx::NodeProto &proto)
{
    std::vector<NamedAttribute> attributes;
    attributes.reserve(static_cast<std::size_t>(proto.attribute_size()));
    for (const auto &attribute : proto.attribute())
        attributes.emplace_back(attribute.name(), attributeValue(attribute));
    std::ranges::stable_sort(attributes, {}, &NamedAttribute::first);
    return attributes;
}

} // namespace stagecraft
