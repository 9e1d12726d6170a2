// A Relu that only one convolution reads becomes part of it (Relu-Conv), unless it is the only reader of a sum: then
// sum and Relu belong to what comes before.

#include "model/rewrite/graph_edit.h"
#include "model/rewrite/passes.h"

namespace stagecraft {
namespace {

bool closesSum(const GraphEdit &graph, OperatorId relu, TensorId input)
{
    const OperatorId before = graph.producer(input);
    return before.isValid() && graph.op(before).isSum() && graph.onlyReader(before) == relu;
}

} // namespace

void formReluConvs(GraphEdit &graph)
{
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId relu = OperatorId::fromIndex(i);
        if (!graph.isAlive(relu) || graph.isKeptApart(relu))
            continue;
        const Activation *activation = graph.op(relu).activation();
        const TensorId input = graph.onlyInput(relu);
        const OperatorId reader = graph.onlyReader(relu);
        if (!activation || activation->kind != ActivationKind::Relu || !input.isValid() || !reader.isValid() ||
            closesSum(graph, relu, input))
            continue;
        ConvAttributes *conv = graph.op(reader).conv();
        if (!conv || conv->before.kind != ActivationKind::None || graph.isKeptApart(reader) ||
            !graph.onlyInput(reader).isValid())
            continue;
        conv->before = *activation;
        graph.setInputs(reader, {{input}});
        graph.remove(relu, reader);
    }
}

} // namespace stagecraft
