#pragma once

// Measured kernels on a simulated device: what each takes by itself.
//
// What counts is the time on the device, ramp and drain included. Of the host nothing counts: the kernels were measured
// one after the other on a stream that the host filled ahead of the device, or by the device itself.

#include "device/simulated/device_description.h"
#include "device/simulated/fit/measured_kernels.h"
#include "device/simulated/simulated_options.h"
#include "graph/graph.h"
#include "operators/values/tensor.h"
#include "support/result.h"

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace stagecraft {

class KernelSimulation {
public:
    // `run`: tensors are of float16 where it computes in that, else of float32. Errors: InvalidInput, naming the
    // kernel that has no shape.
    [[nodiscard]] static Result<KernelSimulation> of(std::vector<MeasuredKernel> kernels, SimulatedRun run);

    [[nodiscard]] const std::vector<MeasuredKernel> &kernels() const { return m_kernels; }

    // Microseconds, by kernel. Errors: Cancelled. Threads: any number at a time.
    [[nodiscard]] Result<std::vector<double>> simulatedUs(const DeviceDescription &device,
                                                          const std::stop_token &stop = {}) const;
    // The same for these alone, by their places among the kernels.
    [[nodiscard]] Result<std::vector<double>> simulatedUs(const DeviceDescription &device,
                                                          std::span<const std::size_t> places,
                                                          const std::stop_token &stop) const;

private:
    SimulatedRun m_run;
    std::vector<MeasuredKernel> m_kernels;
    std::vector<std::shared_ptr<const Graph>> m_graphs; // by kernel: one operator, shared by equal ones
};

} // namespace stagecraft
