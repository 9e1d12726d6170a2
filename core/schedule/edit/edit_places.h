#pragma once

// Where operators that are dragged can go: into every stage and between every two, with the reason if they cannot. Fast
// enough to compute for every selection: only what a place would change is checked, yet answers and messages equal
// those of applyEdit and the verifier.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/edit/edit.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft {

struct EditPlace {
    std::size_t stage = 0;
    bool isNew = false; // in a new stage before `stage` (the number of stages: at the end)

    friend bool operator==(const EditPlace &, const EditPlace &) = default;
};

struct EditPlaceAnswer {
    EditPlace place;
    Result<void> legal;
};

// Top to bottom: before the first stage, into it, between it and the second, ... `stages` are those of a legal
// schedule. `operators`: at least one, all in the graph.
[[nodiscard]] std::vector<EditPlaceAnswer> editPlaces(const Graph &graph, const Blocks &blocks,
                                                      std::span<const Stage> stages,
                                                      std::span<const OperatorId> operators);

[[nodiscard]] Edit editTo(const EditPlace &place, std::vector<OperatorId> operators);

// Other operators that have to move along so that no operator runs before its inputs: producers from stages after the
// place, readers from stages before it. Ascending; may be empty.
[[nodiscard]] std::vector<OperatorId> companions(const Graph &graph, std::span<const Stage> stages,
                                                 std::span<const OperatorId> operators, const EditPlace &place);

} // namespace stagecraft
