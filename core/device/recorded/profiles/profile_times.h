#pragma once

// What the times of a profile add up to, run by run. Rows of a trace are not trusted: a stream may hold kernels that
// overlap (all of a CUDA graph lie on one), so everything follows from starts and ends.
//
//   sum - overlap = busy, busy + gaps = span: overlap is the time that running beside each other saved, gaps that in
//   which nothing ran between the first start and the last end. Copies and fills of memory are counted apart.

#include "device/recorded/profiles/profile.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

using KernelPlaces = std::vector<std::uint32_t>; // of Profile::kernels, ascending

// The runs of the model that a profile holds.
struct ProfiledRuns {
    enum class FoundBy {
        Marks,    // of the program: ProfilerStep#n, model_run
        Sequence, // the same kernels over and over
        Nothing,  // taken as one run
    };

    FoundBy foundBy = FoundBy::Nothing;
    std::vector<KernelPlaces> runs;        // at least one, which may be empty
    std::vector<std::uint32_t> iterations; // of each run, where marks told them: of Profile::iterations
    std::size_t leftOut = 0;               // kernels of no complete run
};

// `leastKernels`: a sequence of fewer is no run of the model, but part of one that repeats itself.
[[nodiscard]] ProfiledRuns runsOf(const Profile &profile, std::size_t leastKernels = 2);

struct RunTimes {
    std::size_t kernels = 0;
    std::int64_t sumNs = 0;
    std::int64_t memoryNs = 0; // of copies and fills
    // Empty where kernels have no starts, or those of the host.
    std::optional<std::int64_t> busyNs, overlapNs, gapsNs, spanNs;
};

[[nodiscard]] RunTimes timesOf(const Profile &profile, std::span<const std::uint32_t> kernels);

// The longest chain of kernels that had to follow each other.
struct KernelChain {
    std::int64_t lengthNs = 0;  // of its kernels, without the gaps between
    KernelPlaces kernels;       // in the order in which they ran
    bool followsEvents = false; // not only the order of each stream
};

// Along streams, and the events by which one waited for another. Empty where kernels have no starts.
[[nodiscard]] KernelChain longestChain(const Profile &profile, std::span<const std::uint32_t> kernels);

// Why the latency is not the sum of the kernels.
enum class TimeCause { Overlap, Gaps, Host, Profiler };

[[nodiscard]] std::string_view toString(TimeCause cause);

struct TimeDifference {
    TimeCause cause = TimeCause::Overlap;
    double us = 0; // added to the sum; negative: taken from it
};

// Latencies of the runs, in microseconds.
struct LatencySpread {
    double leastUs = 0;
    double mostUs = 0;
    double meanUs = 0;
    std::optional<double> stddevUs; // of two runs or more
    std::size_t runs = 0;           // 0: the file states the others without their number
};

struct ProfileTimes {
    ProfiledRuns runs;
    std::size_t typical = 0; // the run with the median latency; of an even number, the faster of the middle two
    RunTimes times{};        // of that run
    std::optional<double> latencyUs{}; // of that run, or as the file states it
    std::optional<LatencySpread> spread{};
    std::vector<double> runsUs{}; // latencies of all runs, in the order in which they ran; empty: not known
    std::vector<TimeDifference> differences{}; // the sum and these add up to the latency
};

[[nodiscard]] ProfileTimes profileTimes(const Profile &profile, std::size_t leastKernels = 2);

} // namespace stagecraft
