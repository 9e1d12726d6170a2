#pragma once

// What a schedule executes, computed once for all backends: tasks over views, how long each buffer is needed, and where
// it lies in one arena. A plan of all stages of a schedule executes the model; one of a single stage measures it.
//
//   planTensors   per graph: layouts, tensors that are written straight into the tensor that joins them
//   planStages    per schedule: buffers and tasks; asks the backend how its tasks read their inputs
//   (the backend turns tasks into primitives or kernels, and says what scratch memory they need: GroupScratch)
//   arrangeArena  where every buffer begins
//
// A tensor that is joined once lies in its channels of the joined tensor; members of a merged convolution are views of
// its output where their readers can read them there. All operators of a stage's groups live at once.

#include "plan/arena.h"
#include "plan/task.h"
#include "plan/tensors.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft::plan {

// How a backend's task of an operator reads its input expression.
enum class InputForm {
    Apart,    // each tensor as it is
    Summands, // the summands of the only part, with the activation before the operator
    Joined,   // one tensor, after the activation before the operator
};

// What a backend says of an operator; an error if it has no task for it.
using Capability = std::function<Result<InputForm>(const Graph &graph, OperatorId id)>;

// Image operators read one tensor, the others each tensor as it is. A backend that has no kernel for an operator
// refuses it when it writes its primitives.
[[nodiscard]] Result<InputForm> usualInputForm(const Graph &graph, OperatorId id);

// Which launches use a buffer, and whether it is filled before the first or read after the last of all.
struct BufferUse {
    std::vector<std::uint32_t> launches = {}; // ascending
    bool isFromStart = false;
    bool isToEnd = false;
};

// What streams add: buffers share bytes only where one has been used by all its launches before any of the other's
// begins, by streams and events.
struct StreamBuffers {
    std::vector<BufferUse> uses; // by buffer
    Conflicts conflicts;
};

struct Plan {
    std::size_t alignment = 1;
    std::vector<TensorLayout> layouts;        // by TensorId
    std::vector<std::optional<View>> tensors; // by TensorId; only those of the stages
    std::vector<TensorId> outside;            // read but not produced by the stages, ascending
    std::vector<BufferLife> buffers;
    std::vector<StagePlan> stages;    // of streams: one for each launch, in launch order
    StreamBuffers streamBuffers = {}; // of streams; empty for stages
    Arena arena = {};                 // once it is arranged

    // Bytes live in each stage.
    [[nodiscard]] std::vector<std::size_t> liveBytes() const { return plan::liveBytes(buffers, stages.size()); }
    // Scratch memory, by stage and group; not padded.
    [[nodiscard]] std::vector<std::vector<std::size_t>> workspaceBytes() const;
};

// Outputs of the graph live to the last stage, tensors from outside from the first one on (MemoryRules::keepsOutside).
// Errors name the operator.
[[nodiscard]] Result<Plan> planStages(const Graph &graph, const TensorPlan &tensors, std::span<const Stage> stages,
                                      const Capability &capability);

// Where every buffer begins; after the scratch memory of every group is known.
void arrangeArena(Plan &plan);

// The scratch memory of a group while a backend writes its primitives or kernels: what an operator takes, the next one
// takes again.
class GroupScratch {
public:
    GroupScratch(Plan &plan, const GroupPlan &group) : m_plan(plan), m_buffer(group.scratchBuffer) {}

    void begin(const OperatorTasks &op) { m_used = op.temporaryBytes; }
    [[nodiscard]] std::size_t buffer() const { return m_buffer; }
    [[nodiscard]] std::size_t used() const { return m_used; }
    [[nodiscard]] std::size_t reserve(std::size_t bytes); // its offset in the buffer, aligned

private:
    Plan &m_plan;
    std::size_t m_buffer;
    std::size_t m_used = 0;
};

} // namespace stagecraft::plan
