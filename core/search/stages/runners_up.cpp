#include "search/stages/runners_up.h"

#include "search/infinity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft {

namespace {

// Relative difference below which two sums of the same latencies count as equal.
constexpr double kSameSum = 1e-12;

} // namespace

std::optional<std::vector<std::vector<double>>> cheapestThrough(std::span<const StateSpace> spaces, const Chain &chain,
                                                                const BoundaryCost &boundary,
                                                                const std::function<SpaceCosts(std::size_t)> &costs,
                                                                const Interrupt &interrupt)
{
    std::vector<std::vector<double>> result(spaces.size());
    CostByNeighbour behind{0, 0}; // cost of all later spaces, by whether the last stage here is concurrent
    std::vector<CostByNeighbour> after;
    for (std::size_t s = spaces.size(); s-- > 0;) {
        const StateSpace &space = spaces[s];
        const std::span<const double> us = costs(s).us;
        const auto &before = chain.solution(s).cost;
        result[s].assign(space.stages.size(), kInfinity);
        after.assign(space.states.count(), {kInfinity, kInfinity});
        after.back() = behind;
        for (std::uint32_t state = space.states.full(); state > 0; --state) {
            if ((state & 255) == 0 && interrupt.raised())
                return std::nullopt;
            for (std::size_t i = space.firstTransition[state]; i < space.firstTransition[state + 1]; ++i) {
                const Transition &transition = space.transitions[i];
                const bool concurrent = i >= space.firstConcurrent[state];
                const double onwards = us[transition.stage] + after[state][concurrent];
                double &through = result[s][transition.stage];
                through = std::min(through, chain.offsetUs(s) + before[transition.rest][concurrent] + onwards);
                CostByNeighbour &rest = after[transition.rest];
                rest[0] = std::min(rest[0], onwards + (concurrent ? boundary.barrierUs : boundary.chainUs));
                rest[1] = std::min(rest[1], onwards + boundary.barrierUs);
            }
        }
        behind = after.front();
    }
    return result;
}

std::vector<std::vector<RunnerUp>> findRunnersUp(std::span<const StateSpace> spaces, const StageTable &table,
                                                 const BoundaryCost &boundary, const TimedSchedule &schedule,
                                                 std::size_t count, const Interrupt &interrupt)
{
    std::vector<std::vector<RunnerUp>> result(spaces.size());
    const auto atLeast = [&](std::size_t s) { return SpaceCosts{table.atLeast(s), table.version(s)}; };
    std::vector<std::vector<double>> knownUs(spaces.size());
    for (std::size_t s = 0; s < spaces.size(); ++s) {
        for (std::uint32_t stage = 0; stage < spaces[s].stages.size(); ++stage) {
            const StageClass &entry = table.at(table.classOf(s, stage));
            knownUs[s].push_back(entry.known() ? entry.latencyUs : kInfinity);
        }
    }
    const auto known = [&](std::size_t s) { return SpaceCosts{knownUs[s], 1}; };

    Chain optimistic(spaces, boundary), measured(spaces, boundary);
    if (!optimistic.solve(atLeast, interrupt) || !measured.solve(known, interrupt) ||
        !std::isfinite(measured.totalUs()))
        return result;
    const auto least = cheapestThrough(spaces, optimistic, boundary, atLeast, interrupt);
    const auto surely = cheapestThrough(spaces, measured, boundary, known, interrupt);
    if (!least || !surely)
        return result;

    const double bestUs = schedule.latencyUs().value_or(measured.totalUs());
    for (std::size_t s = 0; s < spaces.size(); ++s) {
        std::vector<std::uint32_t> order;
        for (std::uint32_t stage = 0; stage < spaces[s].stages.size(); ++stage) {
            if (std::isfinite((*least)[s][stage]))
                order.push_back(stage);
        }
        // Asks for more than `count`, because stages of the schedule itself are among the best.
        const std::size_t most = std::min(order.size(), count + schedule.stages.size());
        std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(most), {},
                                  [&](std::uint32_t stage) { return std::pair((*least)[s][stage], stage); });
        for (std::size_t i = 0; i < most && result[s].size() < count; ++i) {
            RunnerUp runner{spaces[s].stage(order[i]), 0, 0, false};
            if (std::ranges::find(schedule.stages, runner.stage) != schedule.stages.end())
                continue;
            runner.latencyUs = table.atLeast(s)[order[i]];
            runner.extraUs = std::max(0.0, (*least)[s][order[i]] - bestUs);
            runner.measured = (*surely)[s][order[i]] <= (*least)[s][order[i]] * (1 + kSameSum);
            result[s].push_back(std::move(runner));
        }
    }
    return result;
}

} // namespace stagecraft
