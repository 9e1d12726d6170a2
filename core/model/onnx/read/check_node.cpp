#include "model/onnx/read/check_node.h"

#include "model/onnx/read/node_order.h"
#include "model/onnx/refusal.h"
#include "operators/schema.h"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace stagecraft {
namespace {

constexpr std::int64_t kFirstOpset = 7; // whose inputs are those of the table

// Names at the end that are left out do not count.
template <typename Names>
std::size_t namedOf(const Names &names)
{
    auto count = static_cast<std::size_t>(names.size());
    while (count > 0 && names[static_cast<int>(count) - 1].empty())
        --count;
    return count;
}

Result<void> checkInputs(const onnx::NodeProto &node, const std::string &type, std::int64_t opset)
{
    using Need = OperandSchema::Need;
    const OperatorSchema *schema = schemaOf(type);
    if (!schema || schema->operands.empty() || opset < kFirstOpset || type.find(':') != std::string::npos)
        return {};
    const auto &operands = schema->operands;
    const auto &names = node.input();
    const std::size_t named = namedOf(names);
    if (operands.back().need != Need::Several && named > operands.size())
        return refuseModel(fmt::format("it has {} inputs, but operators of its type take {}", named, operands.size()));
    if (operands.front().need == Need::Several && named == 0)
        return refuseModel("it has no input");
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].need == Need::Always && (i >= named || names[static_cast<int>(i)].empty()))
            return refuseModel(
                fmt::format("it lacks the input {}, which operators of its type always have", operands[i].name));
    }
    return {};
}

std::string placeOf(const onnx::NodeProto &node)
{
    return fmt::format("operator {} ({})", nodeLabel(node), node.op_type());
}

} // namespace

Result<void> checkNode(const OnnxNode &node)
{
    const auto &attributes = node.attributes; // by name
    const auto twice = std::ranges::adjacent_find(attributes, {}, &NamedAttribute::first);
    if (twice != attributes.end())
        return refuseModel(fmt::format("it gives its attribute {} twice", twice->first));
    return checkInputs(*node.proto, node.type, node.opset);
}

Result<void> checkNodesWithin(const onnx::NodeProto &node, std::int64_t opset)
{
    for (const auto &attribute : node.attribute()) {
        if (!attribute.has_g())
            continue;
        for (const auto &inner : attribute.g().node()) {
            auto fits = checkInputs(inner, typeOf(inner), opset);
            fits = fits ? checkNodesWithin(inner, opset) : within(placeOf(inner), std::move(fits.error()));
            if (!fits)
                return within(placeOf(node), std::move(fits.error()));
        }
    }
    return {};
}

std::optional<std::size_t> mostOutputs(const std::string &type)
{
    const OperatorSchema *schema = schemaOf(type);
    return schema && schema->outputs > 0 ? std::optional(schema->outputs) : std::nullopt;
}

Result<void> checkOutputCount(const OnnxNode &node, std::optional<std::size_t> most)
{
    const std::size_t named = namedOf(node.outputs);
    if (most && named > *most)
        return refuseModel(fmt::format("it has {} outputs, but operators of its type make {}", named, *most));
    return {};
}

} // namespace stagecraft
