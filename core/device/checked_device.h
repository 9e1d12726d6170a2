#pragma once

// A device whose outputs are compared with those of another one before its first latency of a graph: who computes
// something else has no latencies of it.

#include "device/device.h"

#include <functional>
#include <memory>
#include <string>

namespace stagecraft {

struct OutputCheck {
    std::function<std::unique_ptr<Device>()> reference;
    double tolerance = 1e-3;                         // of the largest magnitude of an output
    double mostFlops = 2e11;                         // of a graph: more would keep people waiting
    std::function<void(const std::string &)> tell{}; // that outputs were not compared, and why

    // Graphs whose outputs were equal before need no comparison. Without them nothing is remembered.
    std::function<std::string(const Graph &)> digest{}; // of all that the outputs follow from; empty: not known
    std::function<bool(const std::string &digest)> wereEqual{};
    std::function<void(const std::string &digest)> keepEqual{};
};

// Its sessions answer with DeviceFailed, naming the output, where it differs. Graphs with numbers of 16 bits may differ
// by a hundredth (bfloat16: a twentieth) at least.
[[nodiscard]] std::unique_ptr<Device> checkedDevice(std::unique_ptr<Device> device, OutputCheck check);

} // namespace stagecraft
