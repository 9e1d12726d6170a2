// A Relu that only one convolution reads becomes part of it (Relu-Conv), unless it is the only reader of a sum: then
// sum and Relu belong to what comes before.

#include "rewrite/graph_edit.h"
#include "rewrite/passes.h"

namespace stagecraft {
namespace {

bool closesSum(const GraphEdit &graph, OperatorId relu, TensorId input)
{
    const OperatorId before = graph.producer(input);
    return before.isValid() && graph.op(before).kind == OperatorKind::Join && graph.op(before).inputs.size() == 1 &&
           graph.op(before).inputs.front().size() > 1 && graph.onlyReader(before) == relu;
}

} // namespace

void formReluConvs(GraphEdit &graph)
{
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId relu = OperatorId::fromIndex(i);
        if (!graph.isAlive(relu) || graph.op(relu).kind != OperatorKind::Activation || graph.isKeptApart(relu))
            continue;
        const auto *activation = std::get_if<Activation>(&graph.op(relu).attributes);
        const TensorId input = graph.onlyInput(relu);
        const OperatorId reader = graph.onlyReader(relu);
        if (!activation || activation->kind != ActivationKind::Relu || !input.isValid() || !reader.isValid() ||
            closesSum(graph, relu, input))
            continue;
        auto *conv = std::get_if<ConvAttributes>(&graph.op(reader).attributes);
        if (!conv || graph.op(reader).kind != OperatorKind::Conv || conv->before.kind != ActivationKind::None ||
            graph.isKeptApart(reader) || !graph.onlyInput(reader).isValid())
            continue;
        conv->before = *activation;
        graph.setInputs(reader, {{input}});
        graph.remove(relu);
    }
}

} // namespace stagecraft
