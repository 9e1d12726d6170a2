#include "model/onnx/read/repeated_nodes.h"

#include "operators/schema.h"

#include <algorithm>
#include <onnx/onnx_pb.h>

namespace stagecraft {
namespace {

bool areDistinct(std::span<const TensorId> ids)
{
    for (std::size_t i = 1; i < ids.size(); ++i) {
        const auto before = ids.first(i);
        if (std::ranges::find(before, ids[i]) != before.end())
            return false;
    }
    return true;
}

} // namespace

bool RepeatedNodes::mayRepeat(const onnx::NodeProto &node)
{
    return node.attribute_size() == 0 && node.input_size() > 0 && node.output_size() == 1 && !node.output(0).empty() &&
           (node.domain().empty() || node.domain() == "ai.onnx");
}

const RepeatedNodes::Made *RepeatedNodes::find(const std::string &type, std::span<const TensorId> operands,
                                               const GraphBuilder &graph)
{
    if (!m_last || m_last->first != type) {
        const auto found = m_made.find(type);
        if (found == m_made.end())
            return nullptr;
        m_last = &*found;
    }
    const Made &made = m_last->second;
    if (made.shapes.size() != operands.size() || !areDistinct(operands))
        return nullptr;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Tensor &operand = graph.tensor(operands[i]);
        if (operand.type != made.types[i] || operand.shape != made.shapes[i])
            return nullptr;
    }
    return &made;
}

void RepeatedNodes::remember(const std::string &type, std::span<const TensorId> operands, const Operator &op,
                             TensorId output, const GraphBuilder &graph)
{
    const Tensor &made = graph.tensor(output);
    if (!op.parameters.empty() || !made.shape.known || !hasArithmetic(op) || !areDistinct(operands))
        return;
    Made kept;
    for (const TensorId id : operands) {
        kept.shapes.push_back(graph.tensor(id).shape);
        kept.types.push_back(graph.tensor(id).type);
    }
    kept.op = op;
    kept.op.name.clear();
    kept.op.outputs.clear();
    for (auto &part : kept.op.inputs) {
        for (TensorId &input : part)
            input =
                TensorId::fromIndex(static_cast<std::size_t>(std::ranges::find(operands, input) - operands.begin()));
    }
    kept.output = {{}, made.shape, made.type, {}};
    m_made[type] = std::move(kept);
}

Operator repeated(const Operator &made, std::string name, std::span<const TensorId> operands)
{
    Operator op = made;
    op.name = std::move(name);
    for (auto &part : op.inputs) {
        for (TensorId &input : part)
            input = operands[input.index()];
    }
    return op;
}

} // namespace stagecraft
