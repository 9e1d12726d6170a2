#pragma once

// What a schedule executes: stages of groups of operators, each a list of tasks over views. A backend turns a task into
// a primitive or into kernels.

#include "operators/operator.h"
#include "plan/view.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::plan {

// Channels of a tensor, from `channel` on: the sum of these views.
struct Part {
    std::vector<View> summands; // of the same dims
    std::int64_t channel = 0;

    [[nodiscard]] std::int64_t channels() const
    {
        const Extent &dims = summands.front().dims;
        return dims.size() > kChannelAxis ? dims[kChannelAxis] : 1;
    }
};

struct Task {
    enum class Kind {
        Run,    // the operator itself, its input expression resolved as the backend asked
        Merged, // the merged operator
        Join, // the parts, each to its channels of the output, then the activation; what lies there already is left out
        Slice, // the output, out of the only summand of the only part: channels from there on, or all that it is
    };

    Kind kind = Kind::Run;
    std::vector<Part> reads;
    std::vector<View> writes;
    TensorLayout layout = TensorLayout::RowMajor; // of the first one written
    Activation activation;                        // Join only

    [[nodiscard]] const View &input() const { return reads.front().summands.front(); }
    [[nodiscard]] const View &output() const { return writes.front(); }
};

// A merge: the members as one operator, and its weights.
struct MergedOperator {
    using Values = std::shared_ptr<const std::vector<float>>;

    Operator op; // without parameters
    std::string weightKey;
    std::function<Values()> weight; // row-major
    std::function<Values()> bias;   // empty: no member has one
};

struct OperatorTasks {
    std::vector<OperatorId> operators; // several for a merge
    std::optional<MergedOperator> merged;
    std::vector<Task> tasks;        // one after another
    std::size_t temporaryBytes = 0; // of the group's scratch buffer, from its start: joined inputs
};

struct GroupPlan {
    std::vector<OperatorTasks> operators; // one after another
    std::size_t scratchBuffer = 0;        // for the temporaries of each operator in turn
};

struct StagePlan {
    std::vector<GroupPlan> groups; // side by side; one for a merge; of a fused stage one for each operator, ascending
};

} // namespace stagecraft::plan
