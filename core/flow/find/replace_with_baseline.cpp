#include "flow/find/replace_with_baseline.h"

#include "schedule/compare/latency_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stagecraft {

double sumUs(const TimedSchedule &schedule, const BoundaryCost &boundary)
{
    double us = 0;
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        us += i > 0 ? boundary.between(schedule.stages[i - 1], schedule.stages[i]) : 0;
        us += schedule.measured.stages[i].latencyUs;
    }
    return us;
}

void replaceWithBaseline(TimedSchedule &found, std::vector<BlockSearch> &blocks, const TimedSchedule &other,
                         const BoundaryCost &boundary)
{
    SearchRecord record = std::move(found.search);
    const double optimumUs = record.sumUs / (1 + record.gap); // a lower bound
    found = other;
    found.search = std::move(record);
    found.search.sumUs = sumUs(other, boundary);
    found.search.launchOrders.reset();
    if (optimumUs > 0)
        found.search.gap = std::max(0.0, found.search.sumUs / optimumUs - 1);
    for (BlockSearch &block : blocks) {
        block.runnersUp.clear();
        block.inPlaceBoundUs = 0; // it was of other neighbours
        const StageRange own = stagesOfBlock(other.stages, block.block);
        block.latencyUs = 0;
        for (std::size_t i = own.first; i < own.end(); ++i) {
            block.latencyUs += i > own.first ? boundary.between(other.stages[i - 1], other.stages[i]) : 0;
            block.latencyUs += other.measured.stages[i].latencyUs;
        }
    }
}

std::vector<std::size_t> keepFasterBaselines(std::vector<FoundSchedule> &all, std::vector<TimingInRounds> &times,
                                             std::size_t baselines, const BoundaryCost &boundary)
{
    std::vector<std::size_t> winner(all.size());
    std::iota(winner.begin(), winner.end(), std::size_t{0});
    for (std::size_t i = baselines; i < all.size(); ++i) {
        if (all[i].blocks.empty() || all[i].schedule.search.pinnedStages > 0)
            continue;
        for (std::size_t b = 0; b < baselines; ++b) {
            if (times[b].timing.latencyUs < times[winner[i]].timing.latencyUs)
                winner[i] = b;
        }
        if (winner[i] == i)
            continue;
        replaceWithBaseline(all[i].schedule, all[i].blocks, all[winner[i]].schedule, boundary);
        all[i].schedule.search.termination = Termination::BaselineKept;
        times[i] = times[winner[i]];
    }
    return winner;
}

} // namespace stagecraft
