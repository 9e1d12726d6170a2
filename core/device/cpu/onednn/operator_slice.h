#pragma once

// What one rTask of a fused stage makes of an operator (schedule/rtasks/rprogram.h): some images, rows or channels of
// what a task of it writes. Slices are dense tensors of their own, so that the kernels are those of whole operators.

#include "device/cpu/onednn/step.h"
#include "graph/graph.h"
#include "plan/task.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft::cpu {

struct ChannelRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

// Of a separable convolution; between the two, all rTasks wait.
enum class OperatorPart { All, Depthwise, Pointwise };

struct OperatorSlice {
    OperatorPart part = OperatorPart::All;
    std::optional<ChannelRange> channels = {}; // of what the part writes, for its constants; empty: all
    std::optional<Place> output = {};          // in place of the operator's tensor
    std::optional<Place> between = {};         // of a part: what the depthwise convolution writes
};

// One of the slices of a task: what it reads and writes, and the operator as it computes that.
struct TaskSlice {
    plan::Task task;
    Operator op;
    std::optional<ChannelRange> channels = {};
    std::optional<plan::View> between = {};
};

enum class SliceAxis { None, Images, Rows, Channels }; // of a batch above 1: images

struct TaskSlices {
    SliceAxis axis = SliceAxis::None;
    std::vector<TaskSlice> slices; // empty: the task cannot be cut
};

// A task of an operator in up to `count` slices of about the same size. `between`: of a part.
[[nodiscard]] TaskSlices slicesOf(const Operator &op, const plan::Task &task, OperatorPart part,
                                  const std::optional<plan::View> &between, std::int64_t count);

} // namespace stagecraft::cpu
