#include "model/onnx/file/node.h"

#include "model/onnx/file/attribute_text.h"

#include <algorithm>
#include <onnx/onnx_pb.h>

namespace stagecraft {
const onnx::AttributeProto *OnnxNode::attribute(const char *key) const
{
    const auto &attributes = proto->attribute();
    const auto found = std::ranges::find_if(attributes, [&](const auto &attribute) { return attribute.name() == key; });
    return found == attributes.end() ? nullptr : &*found;
}

std::int64_t OnnxNode::integer(const char *key, std::int64_t fallback) const
{
    const auto *found = attribute(key);
    return found && found->has_i() ? found->i() : fallback;
}

float OnnxNode::real(const char *key, float fallback) const
{
    const auto *found = attribute(key);
    return found && found->has_f() ? found->f() : fallback;
}

std::string OnnxNode::text(const char *key, const std::string &fallback) const
{
    const auto *found = attribute(key);
    return found && found->has_s() ? found->s() : fallback;
}

std::vector<std::int64_t> OnnxNode::integers(const char *key) const
{
    const auto *found = attribute(key);
    return found ? std::vector<std::int64_t>(found->ints().begin(), found->ints().end()) : std::vector<std::int64_t>{};
}

OnnxNode::Integers OnnxNode::integersFrom(const char *key, std::size_t input) const
{
    if (has(input)) {
        const Constant *given = constant(input);
        return {true, given ? std::optional(given->asInts()) : std::nullopt};
    }
    if (attribute(key))
        return {true, integers(key)};
    return {};
}

GenericAttributes OnnxNode::genericAttributes() const
{
    GenericAttributes attributes;
    for (const auto &attribute : proto->attribute())
        attributes.values.emplace_back(attribute.name(), attributeText(attribute));
    std::ranges::sort(attributes.values);
    return attributes;
}

std::optional<std::size_t> axisWithin(std::int64_t axis, std::size_t rank)
{
    const auto size = static_cast<std::int64_t>(rank);
    if (axis < -size || axis >= size)
        return std::nullopt;
    return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

} // namespace stagecraft
