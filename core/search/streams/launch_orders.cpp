#include "search/streams/launch_orders.h"

#include "schedule/launched_groups.h"
#include "schedule/stage_groups.h"
#include "search/streams/opara.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

constexpr double kWorthwhile = 1e-9; // relative; less is another order of the same sum

using Order = std::vector<OperatorId>;

class Choosing {
public:
    Choosing(const Graph &graph, const Stage &stage, double latencyUs, std::span<const double> operatorsUs,
             const StageTime &time, const LaunchOrderLimits &limits, const std::stop_token &stop)
        : m_graph(graph), m_operators(operatorsOf(stage)), m_operatorsUs(operatorsUs), m_time(time), m_limits(limits),
          m_stop(stop), m_choice{stage, latencyUs}
    {
        for (const OperatorId id : m_operators) {
            auto &inside = m_predecessors.emplace_back();
            for (const OperatorId before : graph.predecessors(id)) {
                const auto found = std::ranges::lower_bound(m_operators, before);
                if (found != m_operators.end() && *found == before)
                    inside.push_back(static_cast<std::size_t>(found - m_operators.begin()));
            }
        }
    }

    Result<LaunchOrderChoice> choose()
    {
        std::vector<Order> all;
        Order begun;
        std::vector<bool> isDone(m_operators.size(), false);
        m_choice.areAllTried = addOrders(begun, isDone, all);
        if (!m_choice.areAllTried)
            all = starts();
        for (const Order &order : all) {
            if (m_stop.stop_requested()) {
                m_choice.areAllTried = false;
                return std::move(m_choice);
            }
            TRY(tryOrder(order));
        }
        if (!m_choice.areAllTried)
            TRY(move());
        return std::move(m_choice);
    }

private:
    [[nodiscard]] bool isReady(std::size_t op, const std::vector<bool> &isDone) const
    {
        return !isDone[op] &&
               std::ranges::all_of(m_predecessors[op], [&](std::size_t before) { return isDone[before]; });
    }

    // False if there are more than the limit.
    bool addOrders(Order &begun, std::vector<bool> &isDone, std::vector<Order> &all) const
    {
        if (begun.size() == m_operators.size()) {
            all.push_back(begun);
            return all.size() <= m_limits.exact;
        }
        for (std::size_t op = 0; op < m_operators.size(); ++op) {
            if (!isReady(op, isDone))
                continue;
            isDone[op] = true;
            begun.push_back(m_operators[op]);
            const bool areFew = addOrders(begun, isDone, all);
            begun.pop_back();
            isDone[op] = false;
            if (!areFew)
                return false;
        }
        return true;
    }

    // Of those that are ready, in turn the one with the highest priority; of equal ones the first.
    template <typename Priority>
    [[nodiscard]] Order ordered(Priority priority) const
    {
        Order order;
        std::vector<bool> isDone(m_operators.size(), false);
        while (order.size() < m_operators.size()) {
            std::size_t best = m_operators.size();
            for (std::size_t op = 0; op < m_operators.size(); ++op) {
                if (isReady(op, isDone) && (best == m_operators.size() || priority(op, order) > priority(best, order)))
                    best = op;
            }
            isDone[best] = true;
            order.push_back(m_operators[best]);
        }
        return order;
    }

    [[nodiscard]] std::vector<Order> starts() const
    {
        const auto us = [&](std::size_t op) { return m_operatorsUs[m_operators[op].index()]; };
        std::vector<std::size_t> depth(m_operators.size(), 0); // in its group
        std::vector<double> pathUs(m_operators.size(), 0);     // the longest from here
        for (std::size_t op = 0; op < m_operators.size(); ++op) {
            for (const std::size_t before : m_predecessors[op])
                depth[op] = std::max(depth[op], depth[before] + 1);
        }
        for (std::size_t op = m_operators.size(); op-- > 0;) {
            pathUs[op] += us(op);
            for (const std::size_t before : m_predecessors[op])
                pathUs[before] = std::max(pathUs[before], pathUs[op]);
        }
        const auto isMemoryBound = [&](std::size_t op) { return isMemoryBoundFor(m_graph.op(m_operators[op])); };
        const auto path = [&](std::size_t op, const Order &) { return pathUs[op]; };
        const auto inTurns = [&](std::size_t op, const Order &) { return -static_cast<double>(depth[op]); };
        const auto alternating = [&](std::size_t op, const Order &order) {
            const bool wantsMemory = !order.empty() && !isMemoryBoundFor(m_graph.op(order.back()));
            return std::pair(isMemoryBound(op) == wantsMemory, pathUs[op]);
        };
        return {ordered(path), ordered(inTurns), ordered(alternating)};
    }

    Result<bool> tryOrder(const Order &order)
    {
        if (!m_seen.insert(order).second)
            return false;
        Stage stage = m_choice.stage;
        stage.launchOrder = order;
        TRY_AS(const double us, m_time(stage));
        ++m_choice.tried;
        if (us >= m_choice.latencyUs * (1 - kWorthwhile))
            return false;
        m_choice.stage = std::move(stage);
        m_choice.latencyUs = us;
        return true;
    }

    [[nodiscard]] bool isLegal(const Order &order) const
    {
        std::vector<bool> isDone(m_operators.size(), false);
        for (const OperatorId id : order) {
            const auto op = static_cast<std::size_t>(std::ranges::lower_bound(m_operators, id) - m_operators.begin());
            if (!isReady(op, isDone))
                return false;
            isDone[op] = true;
        }
        return true;
    }

    // One operator to another place, as long as that makes the stage faster: from the fastest so far.
    Result<void> move()
    {
        std::size_t left = m_limits.moves;
        for (bool isFaster = true; isFaster;) {
            isFaster = false;
            Order from;
            for (const GroupLaunch &launch : launchesOf(m_choice.stage))
                from.push_back(launch.op);
            for (std::size_t i = 0; i < from.size() && !isFaster; ++i) {
                for (std::size_t to = 0; to < from.size() && !isFaster; ++to) {
                    Order order = from;
                    order.erase(order.begin() + static_cast<std::ptrdiff_t>(i));
                    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), from[i]);
                    if (!isLegal(order) || m_seen.contains(order))
                        continue;
                    if (left-- == 0 || m_stop.stop_requested())
                        return {};
                    TRY_AS(isFaster, tryOrder(order));
                }
            }
        }
        return {};
    }

    const Graph &m_graph;
    std::vector<OperatorId> m_operators;                  // of the stage, ascending
    std::vector<std::vector<std::size_t>> m_predecessors; // inside the stage, as indices of m_operators
    std::span<const double> m_operatorsUs;
    const StageTime &m_time;
    const LaunchOrderLimits &m_limits;
    const std::stop_token &m_stop;
    LaunchOrderChoice m_choice;
    std::set<Order> m_seen;
};

} // namespace

bool hasLaunchOrders(const Stage &stage)
{
    return stage.concurrentGroups() > 1;
}

Result<LaunchOrderChoice> chooseLaunchOrder(const Graph &graph, const Stage &stage, double latencyUs,
                                            std::span<const double> operatorsUs, const StageTime &time,
                                            const LaunchOrderLimits &limits, const std::stop_token &stop)
{
    return Choosing(graph, stage, latencyUs, operatorsUs, time, limits, stop).choose();
}

} // namespace stagecraft
