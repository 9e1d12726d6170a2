#include "model/onnx/node.h"

#include <algorithm>
#include <cstdio>
#include <onnx/onnx_pb.h>

namespace stagecraft {
namespace {

std::string listing(const std::vector<std::string> &items)
{
    std::string line = "[";
    for (const std::string &item : items)
        line += (line.size() > 1 ? ", " : "") + item;
    return line + "]";
}

std::string number(float value)
{
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", static_cast<double>(value));
    return buffer;
}

std::string asText(const onnx::AttributeProto &attribute)
{
    std::vector<std::string> items;
    switch (attribute.type()) {
    case onnx::AttributeProto::INT: return std::to_string(attribute.i());
    case onnx::AttributeProto::FLOAT: return number(attribute.f());
    case onnx::AttributeProto::STRING: return attribute.s();
    case onnx::AttributeProto::INTS:
        for (const std::int64_t value : attribute.ints())
            items.push_back(std::to_string(value));
        return listing(items);
    case onnx::AttributeProto::FLOATS:
        for (const float value : attribute.floats())
            items.push_back(number(value));
        return listing(items);
    case onnx::AttributeProto::STRINGS: return listing({attribute.strings().begin(), attribute.strings().end()});
    case onnx::AttributeProto::TENSOR: return "(tensor)";
    case onnx::AttributeProto::GRAPH: return "(graph)";
    default: return "(other)";
    }
}

} // namespace

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
        attributes.values.emplace_back(attribute.name(), asText(attribute));
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
