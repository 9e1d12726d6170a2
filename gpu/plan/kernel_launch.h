#pragma once

// Tasks as launches of our own kernels: name, grid, block, shared memory and parameters. A function gives the address
// of a view, so the same launches run on the device and, in tests, on the host.

#include "gpu/plan/task.h"

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace stagecraft::gpu {

struct KernelLaunch {
    std::string kernel; // name of a function in gpu/kernels
    std::array<unsigned, 3> grid{1, 1, 1};
    std::array<unsigned, 3> block{1, 1, 1};
    std::size_t sharedBytes = 0;
    std::vector<std::byte> parameters;
};

using Address = std::function<void *(const View &)>;

// Our own kernels that can compute a convolution: without timing, take the first. "convParts_32_32/4" sums four parts
// of the reduced dimension apart, in a workspace, and adds them in a second launch.
[[nodiscard]] std::vector<std::string> convKernels(const ConvTask &conv);
[[nodiscard]] std::size_t convWorkspaceBytes(const ConvTask &conv, const std::string &kernel);
[[nodiscard]] std::vector<KernelLaunch> convLaunches(const ConvTask &conv, const std::string &kernel,
                                                     const Address &address, void *workspace);

[[nodiscard]] KernelLaunch launchOf(const DepthwiseTask &conv, TensorLayout layout, const Address &address);
[[nodiscard]] KernelLaunch launchOf(const PoolTask &pool, const Address &address);
[[nodiscard]] KernelLaunch launchOf(const ElementwiseTask &task, const Address &address);
[[nodiscard]] KernelLaunch launchOf(const SoftmaxTask &task, const Address &address);
[[nodiscard]] KernelLaunch fillLaunch(void *to, std::int64_t elements, unsigned seed);

} // namespace stagecraft::gpu
