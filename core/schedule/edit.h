#pragma once

// Edits of a schedule by hand, as plain values: what a person wants, applied all or not at all. What comes out has
// passed the verifier (schedule/verify.h); what it refuses is refused in its words, and the stages stay as they were.
//
// A person chooses the operators of a stage and its strategy, never its groups: those follow from what reads what
// (schedule/stage_groups.h). Stages that are left without operators vanish; a merge stage with a single operator left
// runs it concurrently. Stages are counted from 0 here, and from 1 in every text.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace stagecraft {

// Into a stage that is there. One that merges takes what can be merged; with `unmerge` it stops merging.
struct MoveToStage {
    std::vector<OperatorId> operators;
    std::size_t stage = 0;
    bool unmerge = false;
};

// Into a stage of their own before that one; as many as there are stages: behind the last. It merges where all of them
// were merged with each other before.
struct MoveToNewStage {
    std::vector<OperatorId> operators;
    std::size_t before = 0;
};

// Each into the stage before or after its own.
struct ShiftOperators {
    std::vector<OperatorId> operators;
    bool later = false;
};

// Operators of the stage become a stage of their own, before the rest where that is legal, else after. Both parts of a
// merge go on merging.
struct SplitStage {
    std::size_t stage = 0;
    std::vector<OperatorId> operators;
};

// Into one, which stands where the first of them stands that it can stand for. If one of them merges it does, too,
// unless told to `unmerge`.
struct JoinStages {
    std::vector<std::size_t> stages;
    bool unmerge = false;
};

struct SetStrategy {
    std::vector<std::size_t> stages;
    Strategy strategy = Strategy::Concurrent;
};

// As they are, one behind the other, before that stage; as many as there are stages: behind the last.
struct MoveStages {
    std::vector<std::size_t> stages;
    std::size_t before = 0;
};

// This stage, and as much of the others as can stay as it is. The stage is legal by itself.
struct TryStage {
    Stage stage;
};

// Others in place of `count` stages, of the same operators: what a span of another schedule is taken with, or reset.
struct ReplaceStages {
    std::size_t first = 0;
    std::size_t count = 0;
    std::vector<Stage> stages;
    std::string words; // "Reset stage 3"
};

using Edit = std::variant<MoveToStage, MoveToNewStage, ShiftOperators, SplitStage, JoinStages, SetStrategy, MoveStages,
                          TryStage, ReplaceStages>;

struct EditedStages {
    std::vector<Stage> stages;
    std::vector<std::size_t> changed; // of them, those that were not there before: only they have to be measured
    std::string words;                // "Move conv3 to stage 2", for undo
};

// `stages`: of a legal schedule. InvalidInput: a stage or operator that is not there, or the verifier's refusal.
[[nodiscard]] Result<EditedStages> applyEdit(const Graph &graph, const Blocks &blocks, const std::vector<Stage> &stages,
                                             const Edit &edit);

// For every stage of `after`, the same one of `before`; kNoStage where there is none.
inline constexpr std::size_t kNoStage = ~std::size_t{0};
[[nodiscard]] std::vector<std::size_t> sameStages(const std::vector<Stage> &before, const std::vector<Stage> &after);

} // namespace stagecraft
