#pragma once

// A point of a pruning study (search/pruning_points.h) with the schedule that was found for it, and which points no
// other one beats.

#include "schedule/timed_schedule.h"
#include "search/pruning_points.h"
#include "search/result.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

struct StudyPoint {
    PruningPoint point;
    std::shared_ptr<const TimedSchedule> schedule; // with a latency; its record counts the cost of this search alone
    std::vector<BlockSearch> blocks;               // of the search
    std::int64_t stagesAsked = 0;                  // distinct stages it asked for, including those that a store had
    std::optional<Error> refusal = {};             // why a stage was left out
    std::optional<std::size_t> livePeakBytes{};    // of its schedule, planned; nullopt: a tensor's shape is not known
};

struct StudyFronts {
    std::vector<bool> ofMeasurements; // by point: of stage measurements and latency
    std::vector<bool> ofMemory;       // of live peak and latency; without a live peak a point is not on it
};

[[nodiscard]] StudyFronts frontsOf(std::span<const StudyPoint> points);

} // namespace stagecraft
