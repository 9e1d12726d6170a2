#include "model/rewrite/reachability.h"

namespace stagecraft {

std::vector<OperatorRow> ancestors(const Graph &graph)
{
    std::vector<OperatorRow> rows(graph.size(), OperatorRow(graph.size()));
    for (std::size_t i = 0; i < graph.size(); ++i) {
        rows[i].insert(OperatorId::fromIndex(i));
        for (const OperatorId predecessor : graph.predecessors(OperatorId::fromIndex(i)))
            rows[i] |= rows[predecessor.index()];
    }
    return rows;
}

std::vector<OperatorRow> descendants(const Graph &graph)
{
    std::vector<OperatorRow> rows(graph.size(), OperatorRow(graph.size()));
    for (std::size_t i = graph.size(); i-- > 0;) {
        rows[i].insert(OperatorId::fromIndex(i));
        for (const OperatorId successor : graph.successors(OperatorId::fromIndex(i)))
            rows[i] |= rows[successor.index()];
    }
    return rows;
}

} // namespace stagecraft
