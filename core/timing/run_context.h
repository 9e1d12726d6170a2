#pragma once

// What a latency depends on beside the schedule: only latencies with equal contexts are compared and pooled.

#include "graph/model_reference.h"

#include <cstdint>
#include <string>

namespace stagecraft {

struct RunContext {
    ModelReference model;
    std::string device;        // id; empty until measured
    std::string deviceVersion; // identifies what the id stood for: the driver, the device file; empty: not known
    std::int64_t batch = 1;
    std::string precision = "fp32";

    friend bool operator==(const RunContext &, const RunContext &) = default;
};

} // namespace stagecraft
