#include "device/simulated/simulated_timeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stagecraft {

namespace {

enum Counter : std::size_t { ActiveWarps, SmActive, FlopRate, DramRate, kCounters };

std::int64_t wholeNs(double ns)
{
    return static_cast<std::int64_t>(std::floor(ns + 0.5));
}

CounterSeries series(std::string name, std::string unit, double maximum)
{
    return CounterSeries{std::move(name), std::move(unit), "simulated", maximum, {}, {}};
}

} // namespace

SimulatedTimeline::SimulatedTimeline(const DeviceDescription &device, std::string deviceId, double fmaPerClockPerSm)
    : m_device(device)
{
    m_timeline.provenance = Provenance::Simulated;
    m_timeline.device = std::move(deviceId);
    const double flopsPerSecond = device.smCount * fmaPerClockPerSm * 2 * device.smClockMhz * 1e6;
    m_timeline.counters = {series("active warps", "warps", device.smCount * device.maxWarpsPerSm),
                           series("SM active", "%", 100), series("FLOP/s", "FLOP/s", flopsPerSecond),
                           series("DRAM bandwidth", "B/s", device.dramGbPerSecond * 1e9)};
}

void SimulatedTimeline::appendGap(double us)
{
    m_nowNs += wholeNs(us * 1000);
}

void SimulatedTimeline::appendSample(std::int64_t timeNs, const DeviceSample &sample)
{
    const std::array<double, kCounters> values{sample.activeWarps, 100 * sample.busySms / m_device.smCount,
                                               sample.flopsPerNs * 1e9, sample.dramBytesPerNs * 1e9};
    for (std::size_t i = 0; i < kCounters; ++i) {
        CounterSeries &counter = m_timeline.counters[i];
        if (!counter.timesNs.empty() &&
            counter.timesNs.back() >= timeNs) { // shorter than a nanosecond: the later value wins
            counter.values.back() = values[i];
        } else if (counter.values.empty() || counter.values.back() != values[i]) {
            counter.timesNs.push_back(timeNs);
            counter.values.push_back(values[i]);
        }
    }
}

void SimulatedTimeline::appendStage(const StageProgram &program, const BlockTrace &trace, double latencyNs,
                                    std::vector<TimedROperator> rOperators)
{
    const std::size_t stage = m_timeline.stages.size();
    const std::int64_t startNs = m_nowNs;
    append(program, trace, latencyNs, static_cast<std::uint32_t>(stage));
    m_timeline.stages.push_back({stage, startNs, m_nowNs});
    if (rOperators.empty())
        return;
    FusedUnits &fused = m_timeline.fused.emplace_back();
    fused.stage = static_cast<std::uint32_t>(stage);
    fused.rOperators = std::move(rOperators);
    fused.rows = trace.units;
    for (UnitRow &row : fused.rows) {
        for (UnitTask &task : row.tasks) {
            task.startNs += startNs;
            task.endNs += startNs;
        }
    }
}

void SimulatedTimeline::appendStreams(const StageProgram &program, const BlockTrace &trace, double latencyNs)
{
    append(program, trace, latencyNs, kOfNoStage);
}

void SimulatedTimeline::append(const StageProgram &program, const BlockTrace &trace, double latencyNs,
                               std::uint32_t stage)
{
    for (std::size_t i = 0; i < program.launches.size(); ++i) {
        const Kernel &kernel = *program.launches[i].kernel;
        KernelSpan span;
        span.name = kernel.name;
        span.operators = program.operators[i];
        span.stage = stage;
        span.group = span.stream = program.launches[i].stream;
        span.startNs = m_nowNs + wholeNs(trace.launches[i].startNs);
        span.endNs = m_nowNs + wholeNs(trace.launches[i].endNs);
        span.grid = kernel.grid;
        span.threadsPerBlock = kernel.threadsPerBlock;
        span.registersPerThread = kernel.registersPerThread;
        span.sharedBytesPerBlock = kernel.sharedBytesPerBlock;
        span.flops = kernel.flops;
        span.bytes = kernel.bytes;
        m_timeline.streams = std::max(m_timeline.streams, std::size_t{span.stream} + 1);
        m_timeline.kernels.push_back(std::move(span));
    }
    if (trace.samples.empty() || trace.samples.front().fromNs > 0)
        appendSample(m_nowNs, {});
    for (const DeviceSample &sample : trace.samples)
        appendSample(m_nowNs + wholeNs(sample.fromNs), sample);
    m_nowNs += wholeNs(latencyNs);
}

Timeline SimulatedTimeline::finish() &&
{
    m_timeline.durationNs = m_nowNs;
    std::ranges::stable_sort(m_timeline.kernels, {}, &KernelSpan::startNs);
    return std::move(m_timeline);
}

} // namespace stagecraft
