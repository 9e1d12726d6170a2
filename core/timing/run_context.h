#pragma once

// What a latency depends on beside the schedule: only latencies with equal contexts are compared and pooled. Devices
// whose stored latencies count for each other are equal: of one fingerprint, and the same but for machine and number
// (storedDeviceId).

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

    [[nodiscard]] bool isOnSameDevice(const RunContext &other) const;

    friend bool operator==(const RunContext &one, const RunContext &other)
    {
        return one.model == other.model && one.batch == other.batch && one.precision == other.precision &&
               one.isOnSameDevice(other);
    }
};

} // namespace stagecraft
