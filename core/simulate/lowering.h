#pragma once

// From operators to kernels: which kernels a cuDNN-based engine launches for an operator, with their grids and what a
// thread block of each needs. Every rule names its source in lowering.cpp and kernel_rules.cpp. The rules know
// nothing of networks; they read the operator, its shapes and the device.

#include "graph/graph.h"
#include "simulate/block_scheduler.h"
#include "simulate/device_description.h"
#include "simulate/kernel.h"
#include "support/result.h"

#include <span>
#include <vector>

namespace stagecraft {

class Lowering {
public:
    explicit Lowering(const DeviceDescription &device);

    // Kernels in launch order. Empty for an operator that moves no data (a reshape). `arithmetic`: Float32 or Float16,
    // what floating-point operands are stored and computed in (graph/cost_basis.h, arithmeticTypes).
    [[nodiscard]] std::vector<Kernel> lower(const Graph &graph, OperatorId id, DataType arithmetic);

    // The operators as one merged convolution (schedule/merge.h). Refuses what the merge rules refuse.
    [[nodiscard]] Result<std::vector<Kernel>> lowerMerged(const Graph &graph, std::span<const OperatorId> operators,
                                                          DataType arithmetic);

private:
    DeviceDescription m_device;
    SmLimits m_limits;
    BlockScheduler m_scheduler; // tries convolution kernels alone
};

} // namespace stagecraft
