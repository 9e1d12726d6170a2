#pragma once

// The points of a pruning study as comma-separated values, one line each, with a header.

#include "schedule/schedule.h"
#include "search/pruning_points.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

struct PruningRow {
    PruningPoint point;
    const Schedule *schedule = nullptr; // with a latency
    std::optional<std::size_t> livePeakBytes{};
    bool isOnFront = false;       // of stage measurements and latency
    bool isOnMemoryFront = false; // of live peak and latency
};

// Marks the rows that no other one beats. Without a live peak a row is on no front of memory.
void markFronts(std::vector<PruningRow> &rows);

[[nodiscard]] std::string pruningCsv(std::span<const PruningRow> rows);

} // namespace stagecraft
