#include "gpu/profile/sampled_counters.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft::gpu {
namespace {

constexpr std::int64_t kCoarseNs = 10'000; // above it, short kernels are missed
constexpr double kReportedStretch = 0.02;  // a smaller difference is not reported

std::int64_t lengthOf(std::span<const CounterSample> burst)
{
    return burst.back().endNs - burst.front().startNs;
}

CounterSeries series(std::string name, std::string unit, double maximum)
{
    return {std::move(name), std::move(unit), "sampled", maximum, {}, {}};
}

std::string rounded(double value)
{
    const auto tenths = static_cast<long long>(std::llround(value * 10));
    return fmt::format("{}.{}", tenths / 10, std::abs(tenths % 10));
}

} // namespace

std::vector<std::span<const CounterSample>> burstsOf(std::span<const CounterSample> samples, std::int64_t gapNs)
{
    std::vector<std::span<const CounterSample>> bursts;
    std::size_t begin = 0;
    std::size_t end = 0; // after the last active one; 0: no burst is open
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (!(samples[i].activePercent > 0)) // also true for NaN
            continue;
        if (end > 0 && samples[i].startNs - samples[end - 1].endNs > gapNs) {
            bursts.push_back(samples.subspan(begin, end - begin));
            end = 0;
        }
        if (end == 0)
            begin = i;
        end = i + 1;
    }
    if (end > 0)
        bursts.push_back(samples.subspan(begin, end - begin));
    return bursts;
}

void addSampled(Timeline &timeline, std::span<const CounterSample> samples, std::int64_t intervalNs, std::int64_t gapNs,
                const SampledMaxima &maxima)
{
    auto bursts = burstsOf(samples, gapNs);
    if (bursts.empty() || timeline.durationNs <= 0) {
        timeline.notes.emplace_back(
            "active warps could not be sampled: no sample saw a busy SM; modelled ones are shown");
        return;
    }
    std::ranges::stable_sort(bursts, {}, lengthOf);
    const std::span<const CounterSample> burst = bursts[bursts.size() / 2];
    const double stretch = static_cast<double>(timeline.durationNs) / static_cast<double>(lengthOf(burst));
    std::vector<CounterSeries> counters{series("active warps", "warps", maxima.warps), series("SM active", "%", 100),
                                        series("DRAM bandwidth", "B/s", maxima.dramBytesPerSecond)};
    for (const CounterSample &sample : burst) {
        const auto time = static_cast<std::int64_t>(
            std::llround(static_cast<double>(sample.startNs - burst.front().startNs) * stretch));
        const double values[]{sample.activeWarps, sample.activePercent, sample.dramBytesPerSecond};
        for (std::size_t i = 0; i < counters.size(); ++i) {
            counters[i].timesNs.push_back(time);
            counters[i].values.push_back(values[i]);
        }
    }
    timeline.counters.insert(timeline.counters.begin(), counters.begin(), counters.end());
    std::string note = fmt::format("counters sampled every {} us{} in a run of its own",
                                   rounded(static_cast<double>(intervalNs) / 1000),
                                   intervalNs > kCoarseNs ? ", which is coarse," : ",");
    if (std::abs(stretch - 1) > kReportedStretch)
        note += fmt::format(" that took {} us; drawn over the traced {} us",
                            rounded(static_cast<double>(lengthOf(burst)) / 1000),
                            rounded(static_cast<double>(timeline.durationNs) / 1000));
    timeline.notes.push_back(std::move(note));
}

} // namespace stagecraft::gpu
