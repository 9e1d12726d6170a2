#pragma once

// The members of a timing (timing/timing.h) for JSON, rows and messages.

#include "support/records/record.h"
#include "timing/provenance.h"
#include "timing/timing.h"

#include <optional>
#include <string_view>

namespace stagecraft {

void eachMember(Of<Timing> auto &timing, auto &&visit)
{
    auto &clocks = timing.clocks;
    visit({"latency_us", "the latency itself", Unit::Us, "median_us"}, timing.latencyUs);
    visit({"mean_us", "mean of the runs", Unit::Us}, timing.meanUs, timing.hasSpread());
    visit({"stddev_us", "spread of the runs: standard deviation", Unit::Us}, timing.stddevUs, timing.hasSpread());
    visit({"runs", "how often it was run", Unit::Count}, timing.runs, timing.hasSpread());
    visit({"clock_mhz", "clock while it was timed", Unit::MHz}, clocks.coreMhz, clocks.coreMhz > 0);
    visit({"memory_clock_mhz", "clock of the memory", Unit::MHz}, clocks.memoryMhz, clocks.memoryMhz > 0);
    visit({"slowed_by", "what slowed the device: power, temperature"}, clocks.slowedBy, !clocks.slowedBy.empty());
}

// Null for what is not known.
struct TimingInFull {
    Timing timing;
};

void eachMember(Of<TimingInFull> auto &full, auto &&visit)
{
    eachMember(full.timing, [&]<typename T, typename... Known>(const Field &field, const T &value, Known... isKnown) {
        if constexpr (sizeof...(Known) > 0)
            visit(field, (isKnown && ...) ? std::optional<T>(value) : std::nullopt);
        else
            visit(field, value);
    });
}
template <>
inline constexpr std::string_view kPartName<TimingInFull> = "timing";

template <>
struct Words<Provenance> {
    static constexpr Word<Provenance> table[]{{Provenance::Measured, "measured"},
                                              {Provenance::Recorded, "recorded"},
                                              {Provenance::Simulated, "simulated"},
                                              {Provenance::Assumed, "assumed"}};
};

} // namespace stagecraft
