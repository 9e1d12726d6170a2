#pragma once

// Where operators that are being dragged can go: every stage, and between every two, with the reason where they cannot.
// Fast enough to ask anew for every selection: only what a place would change is looked at, yet the answer and its
// words are those of applyEdit and the verifier.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/edit.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <cstddef>
#include <span>
#include <vector>

namespace stagecraft {

struct EditPlace {
    std::size_t stage = 0;
    bool isNew = false; // as a stage of their own before `stage` (as many as there are stages: behind the last)

    friend bool operator==(const EditPlace &, const EditPlace &) = default;
};

struct EditPlaceAnswer {
    EditPlace place;
    Result<void> legal;
};

// Top to bottom: before the first stage, into it, between it and the second, ... `stages`: of a legal schedule; at
// least one operator, each of the graph.
[[nodiscard]] std::vector<EditPlaceAnswer> editPlaces(const Graph &graph, const Blocks &blocks,
                                                      std::span<const Stage> stages,
                                                      std::span<const OperatorId> operators);

[[nodiscard]] Edit editTo(const EditPlace &place, std::vector<OperatorId> operators);

// Operators beside these that have to move along so that no operator runs before what it reads: producers from stages
// behind the place, readers from stages before it. Ascending; empty where none has to.
[[nodiscard]] std::vector<OperatorId> companions(const Graph &graph, std::span<const Stage> stages,
                                                 std::span<const OperatorId> operators, const EditPlace &place);

} // namespace stagecraft
