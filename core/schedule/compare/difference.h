#pragma once

// Where schedules of one graph differ in time: the whole, every block and every common span (schedule/compare/spans.h).
// Stage latencies are those of stages timed alone, so the rest of a schedule's latency is a part of its own: parts add
// up.

#include "graph/block.h"
#include "schedule/compare/spans.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

class TimelineIndex;
struct TimedSchedule;

using LatenciesUs = std::vector<std::optional<double>>; // per schedule; empty if unknown

struct SpanDifference {
    CommonSpan span; // of streams: launches, in launch order
    LatenciesUs us; // sum of its stages; of launches: from the end of all before it to its own (compare/stream_times.h)
    LatenciesUs eventUs; // of launches: what their streams wait for events (StreamTimes::eventUs); empty for stages
    // By the operators alone, no schedule without merges takes less for them; empty: not known (addLongestPaths).
    std::optional<double> pathUs = {};
};

// What barriers take (schedule/compare/latency_parts.h), per schedule.
struct BarrierDifference {
    std::vector<std::size_t> barriers;
    LatenciesUs us; // empty if unknown, on measuring devices
};

struct BlockDifference {
    std::size_t block = 0;
    std::vector<StageRange> sides; // per schedule
    LatenciesUs us;                // sum of its stages
    std::vector<SpanDifference> spans;
    BarrierDifference inside; // between its stages: not in `us`

    [[nodiscard]] bool isEqual() const; // whether all of its spans are equal
};

struct ScheduleDifference {
    LatenciesUs wholeUs;
    LatenciesUs betweenStagesUs; // the whole minus its stages: the barriers, and the rest
    BarrierDifference betweenBlocks;
    LatenciesUs restUs; // what stages gain or lose next to others, and barriers whose cost is not known

    [[nodiscard]] bool areBarriersKnown() const; // what they take, in all schedules
    std::vector<BlockDifference> blocks;
};

// The schedules are legal for one graph; at least one. `timelines`: by schedule; null, or fewer: streams have no
// latencies but that of the whole. `blocks`: of the graph, for streams without stages beside them; none: one block.
[[nodiscard]] ScheduleDifference scheduleDifference(std::span<const TimedSchedule *const> schedules,
                                                    std::span<const TimelineIndex *const> timelines = {},
                                                    const Blocks &blocks = {});

// Of each span the longest path through its operators, whose latencies alone `operatorUs` has; `first`: the first of
// the schedules that were compared.
void addLongestPaths(ScheduleDifference &difference, const Graph &graph, const TimedSchedule &first,
                     std::span<const double> operatorUs);

// The sum of the stages in a range; empty if one is unknown.
[[nodiscard]] std::optional<double> sumOfStagesUs(const TimedSchedule &schedule, StageRange range);

} // namespace stagecraft
