#pragma once

// What happened when: kernels on streams and counters over time. Simulated and profiled timelines fill the same types.

#include "graph/graph.h"
#include "support/ids.h"
#include "timing/provenance.h"
#include "timing/timeline/unit_rows.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// Of a kernel in a schedule of streams, or one that another program recorded and that was mapped to nothing.
inline constexpr std::uint32_t kOfNoStage = 0xffffffff;

// One kernel from start to end on one stream (a thread on a CPU). Times in nanoseconds from the start of the schedule.
struct KernelSpan {
    std::string name;
    std::vector<OperatorId> operators; // several for a merged convolution
    std::uint32_t stage = 0;           // or kOfNoStage. These are short: there may be a million spans
    std::uint32_t group = 0;
    std::uint32_t stream = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::array<std::int64_t, 3> grid{1, 1, 1}; // thread blocks
    int threadsPerBlock = 0;
    int registersPerThread = 0;
    std::int64_t sharedBytesPerBlock = 0;
    double flops = 0;
    double bytes = 0;

    [[nodiscard]] std::optional<std::size_t> stageOrNone() const
    {
        return stage == kOfNoStage ? std::nullopt : std::optional<std::size_t>(stage);
    }
    [[nodiscard]] std::optional<std::size_t> stageNumber() const // from 1
    {
        return stage == kOfNoStage ? std::nullopt : std::optional<std::size_t>(std::size_t{stage} + 1);
    }
};

// A step function: `values[i]` holds from `timesNs[i]` to `timesNs[i + 1]` (to the end of the timeline for the last).
struct CounterSeries {
    std::string name;   // "active warps", "SM active", "FLOP/s", "DRAM bandwidth"
    std::string unit;   // "warps", "%", "FLOP/s", "B/s"
    std::string kind;   // how it was obtained: "simulated", "modelled", "sampled"
    double maximum = 0; // of the device; 0 if there is none
    std::vector<std::int64_t> timesNs;
    std::vector<double> values;
};

struct StageSpan {
    std::size_t stage = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
};

struct Timeline {
    Provenance provenance = Provenance::Simulated;
    std::string device;
    std::int64_t durationNs = 0;
    std::size_t streams = 0;
    std::vector<std::string> streamNames; // as a profile names them; empty: they are numbered from 1
    std::vector<StageSpan> stages;
    std::vector<KernelSpan> kernels; // ascending by start
    std::vector<CounterSeries> counters;
    std::vector<std::string> notes;     // what a reader has to know: a missing counter, and the permission it needs
    std::vector<FusedUnits> fused = {}; // of its fused stages, ascending
    bool areStartsKnown = true;         // of kernels; else only how long they took, and they lie one after the other

    [[nodiscard]] bool isOfProfile() const { return !streamNames.empty(); }
    [[nodiscard]] const CounterSeries *counter(std::string_view name) const;
    [[nodiscard]] const FusedUnits *fusedUnits(std::size_t stage) const; // null: not a fused stage
};

[[nodiscard]] std::string operatorNames(const Graph &graph, const KernelSpan &kernel); // "conv1 + conv2"

// Time in which at least one kernel of these operators ran; one that computed several counts for its first.
[[nodiscard]] std::int64_t busyNsOf(const Timeline &timeline, std::span<const OperatorId> operators);

// Time-weighted mean of a counter over the timeline.
[[nodiscard]] double mean(const CounterSeries &series, std::int64_t durationNs);

} // namespace stagecraft
