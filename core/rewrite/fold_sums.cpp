// A sum read only by one concat or Relu-SepConv, or a concat read only by one concat, becomes part of the reader's
// input expression, as in the published graphs.

#include "rewrite/graph_edit.h"
#include "rewrite/passes.h"

#include <algorithm>
#include <optional>

namespace stagecraft {
namespace {

// The part of the reader's expression that consists of the tensor, if the reader reads it once.
std::optional<std::size_t> wholePart(const InputExpression &inputs, TensorId tensor)
{
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (std::ranges::count(inputs[i], tensor) == 0)
            continue;
        if (found || inputs[i].size() != 1)
            return std::nullopt;
        found = i;
    }
    return found;
}

bool takes(const Operator &reader, const Operator &join)
{
    return (join.isConcat() && reader.isConcat()) || (join.isSum() && (reader.isConcat() || reader.sepConv()));
}

} // namespace

void foldSums(GraphEdit &graph)
{
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        if (!graph.isAlive(id) || graph.isKeptApart(id))
            continue;
        const OperatorId reader = graph.onlyReader(id);
        if (!reader.isValid() || !takes(graph.op(reader), graph.op(id)))
            continue;
        InputExpression inputs = graph.op(reader).inputs;
        const auto part = wholePart(inputs, graph.op(id).outputs.front());
        if (!part)
            continue;
        const InputExpression folded = graph.op(id).inputs;
        const auto place = inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(*part));
        inputs.insert(place, folded.begin(), folded.end());
        graph.setInputs(reader, std::move(inputs));
        graph.remove(id, reader);
    }
}

} // namespace stagecraft
