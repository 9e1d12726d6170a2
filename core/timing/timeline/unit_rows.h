#pragma once

// What the virtual units of a fused stage ran, and when, in the words of Rammer (schedule/rtasks/rprogram.h).

#include "support/ids.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

struct TimedRKernel {
    std::string name;
    std::int64_t rTasks = 0;
    double aloneNs = 0;     // with the device to itself; 0: not known
    double deviceShare = 0; // of the device's units that its rTasks take alone, at most 1

    friend bool operator==(const TimedRKernel &, const TimedRKernel &) = default;
};

struct TimedROperator {
    OperatorId op;
    std::vector<TimedRKernel> rKernels; // the fastest alone first, the thriftiest last
    std::uint32_t chosen = 0;           // of the rKernels

    friend bool operator==(const TimedROperator &, const TimedROperator &) = default;
};

struct UnitTask {
    std::uint32_t rOperator = 0;
    std::int64_t startNs = 0; // from the start of the schedule
    std::int64_t endNs = 0;

    friend bool operator==(const UnitTask &, const UnitTask &) = default;
};

// Units that run rTasks of the same rOperators at the same times. Between its rTasks a unit waits for others.
struct UnitRow {
    std::uint32_t units = 1;
    std::vector<UnitTask> tasks; // one after another

    friend bool operator==(const UnitRow &, const UnitRow &) = default;
};

struct FusedUnits {
    std::uint32_t stage = 0;
    std::vector<TimedROperator> rOperators;
    std::vector<UnitRow> rows;

    friend bool operator==(const FusedUnits &, const FusedUnits &) = default;
};

// From `fromNs` on, until the next one.
struct BusyUnits {
    std::int64_t fromNs = 0;
    std::int64_t units = 0;

    friend bool operator==(const BusyUnits &, const BusyUnits &) = default;
};

[[nodiscard]] std::int64_t unitCount(const FusedUnits &fused);
// The number of units that run an rTask, over time; the last one is 0. Empty without rTasks.
[[nodiscard]] std::vector<BusyUnits> busyUnits(const FusedUnits &fused);
// The time that all units are busy, of the time from the first rTask to the end of the last one; 0 without rTasks.
[[nodiscard]] double busyShare(const FusedUnits &fused);

} // namespace stagecraft
