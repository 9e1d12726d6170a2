#include "widgets/graph/graph_paths.h"

#include <span>

namespace stagecraft {
namespace {

template <typename Neighbours>
std::vector<bool> reached(const Graph &graph, OperatorId from, const Neighbours &neighbours)
{
    std::vector<bool> marks(graph.size(), false);
    std::vector<OperatorId> left{from};
    while (!left.empty()) {
        const OperatorId op = left.back();
        left.pop_back();
        for (const OperatorId next : neighbours(op)) {
            if (!marks[next.index()]) {
                marks[next.index()] = true;
                left.push_back(next);
            }
        }
    }
    return marks;
}

} // namespace

std::vector<bool> ancestorsOf(const Graph &graph, OperatorId op)
{
    return reached(graph, op, [&](OperatorId each) { return graph.predecessors(each); });
}

std::vector<bool> descendantsOf(const Graph &graph, OperatorId op)
{
    return reached(graph, op, [&](OperatorId each) { return graph.successors(each); });
}

std::vector<bool> pathsBetween(const Graph &graph, OperatorId a, OperatorId b)
{
    std::vector<bool> after = descendantsOf(graph, a);
    if (!after[b.index()]) {
        std::swap(a, b);
        after = descendantsOf(graph, a);
    }
    std::vector<bool> between(graph.size(), false);
    if (!after[b.index()])
        return between;
    const std::vector<bool> before = ancestorsOf(graph, b);
    for (std::size_t i = 0; i < between.size(); ++i)
        between[i] = after[i] && before[i];
    between[a.index()] = between[b.index()] = true;
    return between;
}

} // namespace stagecraft
