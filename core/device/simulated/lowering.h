#pragma once

// From operators to kernels: the kernels that a cuDNN-based runtime launches for an operator, with their grids and the
// needs of their thread blocks. Every rule names its source in lowering.cpp and kernel_rules.cpp. The rules depend on
// the operator, its shapes and the device, not on the network.

#include "device/simulated/block_scheduler.h"
#include "device/simulated/device_description.h"
#include "device/simulated/kernel.h"
#include "device/simulated/kernel_rules.h"
#include "graph/graph.h"
#include "support/result.h"

#include <span>
#include <vector>

namespace stagecraft {

class Lowering {
public:
    explicit Lowering(const DeviceDescription &device, Tf32Use tf32 = {});

    // Kernels in launch order. Empty for an operator that moves no data (a reshape). `arithmetic`: Float32 or Float16,
    // for storage and computation of floating-point operands (graph/cost_basis.h, arithmeticTypes); Int8: of a
    // convolution or product on integers of 8 bits. For rTasks, each kernel is an rKernel: none is launched by itself.
    [[nodiscard]] std::vector<Kernel> lower(const Graph &graph, OperatorId id, DataType arithmetic,
                                            KernelChoice choice = KernelChoice::Library);

    // The operators as one (schedule/merge.h). Refuses what the merge rules refuse. The split costs nothing: channels
    // and columns are read where they lie, as cuDNN's and cuBLAS's descriptors and copies can.
    [[nodiscard]] Result<std::vector<Kernel>> lowerMerged(const Graph &graph, std::span<const OperatorId> operators,
                                                          DataType arithmetic);

    [[nodiscard]] const DeviceDescription &device() const { return m_device; }

private:
    [[nodiscard]] std::vector<Kernel> lowerFused(const Graph &graph, OperatorId id, const Graph &body,
                                                 DataType arithmetic, KernelChoice choice);

    [[nodiscard]] KernelRules rulesFor(DataType type, DataType result, KernelChoice choice = KernelChoice::Library);

    DeviceDescription m_device;
    Tf32Use m_tf32;
    SmLimits m_limits;
    BlockScheduler m_scheduler; // simulates convolution kernels alone
};

} // namespace stagecraft
