#include "model/onnx/write/write_rules.h"
#include "operators/schema.h"

#include "model/onnx/file/attribute_proto.h"
#include "model/onnx/file/node.h"
#include "model/onnx/refusal.h"
#include "model/onnx/unit_mark.h"
#include "operators/generic_operands.h"
#include "operators/parameter_roles.h"

#include <onnx/onnx_pb.h>
#include <optional>
#include <unordered_set>

namespace stagecraft::write_rules {
namespace {

using Names = NodeSteps::Names;

// Sizes along the axis; empty if the rank is unknown.
std::optional<std::vector<std::int64_t>> splitSizes(const NodeSteps &nodes)
{
    const Operator &op = nodes.op();
    std::vector<std::int64_t> sizes;
    for (const TensorId id : op.outputs) {
        const Shape &shape = nodes.shape(id);
        const auto axis = axisWithin(generic::integer(op, "axis"), shape.dims.size());
        if (!shape.known || !axis)
            return std::nullopt;
        sizes.push_back(shape.dims[*axis]);
    }
    return sizes;
}

Names operands(NodeSteps &nodes)
{
    const Operator &op = nodes.op();
    Names names;
    for (const auto &operand : generic::operandsOf(op))
        names.push_back(!operand            ? std::string()
                        : operand->constant ? nodes.weight(*operand->constant)
                                            : nodes.name(operand->tensor));
    if (op.type == "Split" && names.size() == 1) {
        if (auto sizes = splitSizes(nodes)) {
            const auto count = static_cast<std::int64_t>(sizes->size());
            names.push_back(nodes.weight("split", Shape{{count}}, shared(std::move(*sizes)), DataType::Int64));
        }
    }
    return names;
}

} // namespace

// Puts tensors and constants back in their places.
Result<void> writeAsIs(NodeSteps &nodes)
{
    const Operator &op = nodes.op();
    static const std::unordered_set<std::string> wellKnown{
        "Conv",           "ConvTranspose", "MaxPool", "AveragePool",    "LpPool", "GlobalMaxPool", "GlobalAveragePool",
        "MatMul",         "Gemm",          "Concat",  "GatherElements", "CumSum", "TopK",          "ScatterND",
        "ScatterElements"};
    const auto *attributes = std::get_if<GenericAttributes>(&op.attributes);
    if (!attributes || (op.kind == OperatorKind::Unknown && !wellKnown.contains(op.type)))
        return refuseToWrite("the program does not know operators of type " + displayType(op) +
                             " well enough to write them");
    Names outputs;
    for (const TensorId id : op.outputs)
        outputs.push_back(nodes.name(id));
    onnx::NodeProto &added = nodes.node(op.type, op.name, {}, outputs);
    for (const auto &[key, value] : attributes->values) {
        onnx::AttributeProto attribute;
        attribute.set_name(key);
        if (!setValue(attribute, value))
            return refuseToWrite("its attribute " + key + " is not kept");
        if (op.type != "Split" || key != "num_outputs") // opset 18; the sizes are written below
            *added.add_attribute() = std::move(attribute);
    }
    for (const std::string &name : operands(nodes))
        added.add_input(name);
    if (op.kind == OperatorKind::Elementwise)
        added.set_doc_string(kUnitMark);
    return {};
}

} // namespace stagecraft::write_rules
