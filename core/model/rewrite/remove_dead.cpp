// Operators whose outputs nothing needs go away, back to front.

#include "model/rewrite/graph_edit.h"
#include "model/rewrite/passes.h"

#include <algorithm>

namespace stagecraft {

void removeDead(GraphEdit &graph)
{
    for (std::size_t i = graph.size(); i-- > 0;) {
        const OperatorId id = OperatorId::fromIndex(i);
        const auto isNeeded = [&](TensorId output) { return !graph.readers(output).empty() || graph.isOutput(output); };
        if (graph.isAlive(id) && std::ranges::none_of(graph.op(id).outputs, isNeeded))
            graph.remove(id, {});
    }
}

} // namespace stagecraft
