#pragma once

// Simulates an rProgram over time: a persistent kernel whose blocks are the virtual units, placed on the SMs in turn
// when it is launched, each running its rTasks one after another. An rTask goes as fast as a block of its rKernel
// beside what else runs (device/simulated/sm_rates.h); a unit that waits takes nothing.

#include "device/simulated/block_scheduler.h"
#include "schedule/rtasks/rprogram.h"

#include <memory>
#include <span>

namespace stagecraft {

// From the end of the last rTask that a unit waits for until it goes on: a counter in the L2 that others raise and it
// polls. Assumed, since no source has it for these devices and kernels; a grid-wide barrier of CUDA takes 1 to 2 us.
inline constexpr double kUnitBarrierNs = 1500;

// How many units with these needs are on the device together.
[[nodiscard]] std::int64_t residentUnits(const SmLimits &limits, const UnitNeeds &needs);

// Threads: used by one thread at a time.
class UnitScheduler {
public:
    explicit UnitScheduler(SmLimits limits);

    // Time from the launch until the last rTask ends, in ns. `kernels`: by rOperator, its chosen rKernel as a kernel of
    // as many blocks. The program is verified (schedule/rtasks/verify_rprogram.h). Fills the samples and units of
    // `trace` if given.
    [[nodiscard]] double run(const RProgram &program, std::span<const Kernel *const> kernels,
                             BlockTrace *trace = nullptr) const;

private:
    SmLimits m_limits;
};

} // namespace stagecraft
