#pragma once

// A fused stage on the processor: its operators as rTasks that are slices (device/cpu/onednn/operator_slice.h), placed
// on units, which are cores, by the wavefront policy (schedule/rtasks/wavefront.h). An rOperator is an operator, or a
// step of it behind which all slices have to wait: joining what it reads, or half of a separable convolution.

#include "device/cpu/onednn/emitter.h"
#include "schedule/rtasks/rprogram.h"

#include <span>
#include <string>
#include <vector>

namespace stagecraft::cpu {

struct FusedSteps {
    RProgram program;
    std::vector<std::vector<OperatorSteps>> rTasks; // by rOperator, by index
    std::vector<double> shares;                     // by rOperator: of the work of its operator
};

// `stage`: planned as a fused one, a group for each operator. Errors name the operator.
[[nodiscard]] Result<FusedSteps> emitFused(EmitContext &context, std::span<const Place> places, plan::Plan &plan,
                                           const plan::StagePlan &stage, int units);

} // namespace stagecraft::cpu
