#pragma once

// Manual edits of a schedule, as plain values, applied completely or not at all. The result has passed the verifier
// (schedule/verify.h); its refusals are returned unchanged, and the stages stay as they were.
//
// A person chooses the operators of a stage and its strategy, but not its groups: those follow from the edges
// (schedule/stage_groups.h). Stages without operators disappear; a merge stage with a single operator left runs it
// concurrently. Stages are counted from 0 here, and from 1 in every text.
//
// Of streams a person chooses where launches run, and in which order; the events that edges need follow, and those that
// were added stay. Launches are named by an operator of theirs: merged ones stay together.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace stagecraft {

// Moves operators to an existing stage. A merge stage takes what can be merged; with `unmerge` it becomes concurrent.
struct MoveToStage {
    std::vector<OperatorId> operators;
    std::size_t stage = 0;
    bool unmerge = false;
};

// Moves operators to a new stage before stage `before`; if that is the number of stages, at the end. The new stage
// merges if all of them were merged with each other.
struct MoveToNewStage {
    std::vector<OperatorId> operators;
    std::size_t before = 0;
};

// Moves each operator to the stage before or after its own.
struct ShiftOperators {
    std::vector<OperatorId> operators;
    bool later = false;
};

// Splits operators off into a new stage, before the rest if that is legal, otherwise after. Both parts of a merge stay
// merges.
struct SplitStage {
    std::size_t stage = 0;
    std::vector<OperatorId> operators;
};

// Joins stages into one, at the first of their places where that is legal. If one of them merges, so does the result,
// unless `unmerge` is set.
struct JoinStages {
    std::vector<std::size_t> stages;
    bool unmerge = false;
};

struct SetStrategy {
    std::vector<std::size_t> stages;
    Strategy strategy = Strategy::Concurrent;
};

// Moves stages unchanged, one after another, before stage `before`; if that is the number of stages, to the end.
struct MoveStages {
    std::vector<std::size_t> stages;
    std::size_t before = 0;
};

// Makes this stage and keeps the others as far as possible. The stage is legal by itself.
struct TryStage {
    Stage stage;
};

// Replaces `count` stages by others with the same operators: to take a span from another schedule, or to reset one.
struct ReplaceStages {
    std::size_t first = 0;
    std::size_t count = 0;
    std::vector<Stage> stages;
    std::string words; // "Reset stage 3"
};

// Moves launches to a stream, or to a new one if that is their number, and in launch order, one after another, before
// launch `before`; if that is the number of launches, to the end. A stream without launches disappears.
struct MoveLaunches {
    std::vector<OperatorId> operators;
    std::optional<std::uint32_t> stream; // as they are
    std::optional<std::size_t> before;   // as they are
};

// Exchanges the streams of two launches and their places in launch order.
struct SwapLaunches {
    OperatorId one;
    OperatorId other;
};

// A launch waits for one that is launched before it, on another stream.
struct AddEvent {
    OperatorId from;
    OperatorId to;
};

// Refused with the edge that needs it.
struct DropEvent {
    OperatorId from;
    OperatorId to;
};

using Edit = std::variant<MoveToStage, MoveToNewStage, ShiftOperators, SplitStage, JoinStages, SetStrategy, MoveStages,
                          TryStage, ReplaceStages, MoveLaunches, SwapLaunches, AddEvent, DropEvent>;

// Whether it changes streams; else it changes stages.
[[nodiscard]] bool isOfStreams(const Edit &edit);

struct EditedStages {
    std::vector<Stage> stages;
    std::vector<std::size_t> changed;    // indices of stages that did not exist before: only they need to be measured
    std::string words;                   // for undo: "Move conv3 to stage 2"
    std::optional<Streams> streams = {}; // instead of stages
};

// `stages` are those of a legal schedule. InvalidInput: a stage or operator that does not exist, or the verifier's
// error.
[[nodiscard]] Result<EditedStages> applyEdit(const Graph &graph, const Blocks &blocks, const std::vector<Stage> &stages,
                                             const Edit &edit);
// Of stages or streams. WrongUse: an edit of the other kind.
[[nodiscard]] Result<EditedStages> applyEdit(const Graph &graph, const Blocks &blocks, const Schedule &schedule,
                                             const Edit &edit);

// For every stage of `after`, the index of the equal stage of `before`, or kNoStage.
inline constexpr std::size_t kNoStage = ~std::size_t{0};
[[nodiscard]] std::vector<std::size_t> sameStages(const std::vector<Stage> &before, const std::vector<Stage> &after);

} // namespace stagecraft
