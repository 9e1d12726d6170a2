#pragma once

// How far a simulated device is from kernels that somebody measured on the device it stands for. A latency that was
// simulated is never shown without it, or without saying that nobody has judged it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

// Of kernels of one precision. An error is |simulated / measured - 1|.
struct SimulationError {
    std::string precision; // in which the kernels ran: "fp32", "fp16"
    std::int64_t kernels = 0;
    double medianError = 0;
    double meanError = 0;
    bool isOnLeftOut = false; // each kernel was simulated by a device that was fitted to others; else by this device

    friend bool operator==(const SimulationError &, const SimulationError &) = default;
};

// One for each precision; none: the device was never judged.
using SimulationErrors = std::optional<std::vector<SimulationError>>;

// "within 12 % on kernels left out in fp32 (median of 254), 9 % in fp16 (median of 94)", or "on measured kernels" where
// none was left out; "never judged by measured kernels" for none.
[[nodiscard]] std::string withinText(std::span<const SimulationError> errors);

// "simulated, within 12 % on kernels left out in fp32 (median of 254)"
[[nodiscard]] std::string simulatedText(std::span<const SimulationError> errors);

} // namespace stagecraft
