#include "schedule/unit_order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace stagecraft {

std::vector<std::size_t> unitOrder(const Graph &graph, std::span<const std::vector<OperatorId>> units)
{
    const std::size_t none = units.size();
    std::vector<std::size_t> unitOf(graph.size(), none);
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        for (const OperatorId id : units[unit])
            unitOf[id.index()] = unit;
    }
    std::vector<std::size_t> waits(units.size(), 0); // edges from units that are not in the order yet
    const auto forEachReader = [&](std::size_t unit, const auto &visit) {
        for (const OperatorId id : units[unit]) {
            for (const OperatorId reader : graph.successors(id)) {
                if (unitOf[reader.index()] != none)
                    visit(unitOf[reader.index()]);
            }
        }
    };
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        forEachReader(unit, [&](std::size_t reader) { ++waits[reader]; });
    using Ready = std::pair<OperatorId, std::size_t>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    const auto addIfReady = [&](std::size_t unit) {
        if (waits[unit] == 0)
            ready.emplace(units[unit].front(), unit);
    };
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        addIfReady(unit);
    std::vector<std::size_t> order;
    while (!ready.empty()) {
        const std::size_t unit = ready.top().second;
        ready.pop();
        order.push_back(unit);
        forEachReader(unit, [&](std::size_t reader) {
            --waits[reader];
            addIfReady(reader);
        });
    }
    return order;
}

} // namespace stagecraft
