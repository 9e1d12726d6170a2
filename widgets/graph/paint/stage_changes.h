#pragma once

// How the stages of two schedules of one graph differ, per operator.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft {

enum class StageChange : std::uint8_t {
    Same,    // the same operators in its stage, with the same strategy
    Moved,   // other operators in its stage
    Merged,  // the same operators, merged in only one of the two
    Missing, // in only one of the two
};

struct StageChanges {
    std::vector<StageChange> of;                        // per operator; empty: nothing is compared
    std::vector<std::optional<std::size_t>> otherStage; // of the other schedule
    std::array<std::size_t, 4> counts{};                // operators, by change
};

[[nodiscard]] StageChanges stageChanges(const Graph &graph, const Schedule &shown, const Schedule &other);

} // namespace stagecraft
