#pragma once

// The points of a pruning study as comma-separated values, one line each, with a header.

#include "schedule/schedule.h"
#include "search/pruning_points.h"

#include <span>
#include <string>

namespace stagecraft {

struct PruningRow {
    PruningPoint point;
    const Schedule *schedule = nullptr; // with a latency
    bool isOnFront = false;             // of stage measurements and latency
};

[[nodiscard]] std::string pruningCsv(std::span<const PruningRow> rows);

} // namespace stagecraft
