#include "services/stand_in.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

double sumUs(const Schedule &schedule, const BoundaryCost &boundary)
{
    double us = 0;
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        us += i > 0 ? boundary.between(schedule.stages[i - 1], schedule.stages[i]) : 0;
        us += schedule.stageTimings[i].latencyUs;
    }
    return us;
}

void standIn(Schedule &found, std::vector<BlockSearch> &blocks, const Schedule &other, const BoundaryCost &boundary)
{
    SearchRecord record = std::move(found.search);
    const double optimumUs = record.sumUs / (1 + record.gap); // a lower bound
    found = other;
    found.search = std::move(record);
    found.search.sumUs = sumUs(other, boundary);
    if (optimumUs > 0)
        found.search.gap = std::max(0.0, found.search.sumUs / optimumUs - 1);
    for (BlockSearch &block : blocks) {
        block.latencyUs = 0;
        block.runnersUp.clear();
        for (std::size_t i = 0; i < other.stages.size(); ++i) {
            if (other.stages[i].block == block.block)
                block.latencyUs += other.stageTimings[i].latencyUs;
        }
    }
}

} // namespace stagecraft
