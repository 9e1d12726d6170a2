#pragma once

// Devices answer three questions about a stage or a schedule: how long, what happened when, and what came out.
// A Device is a description that can be listed; a DeviceSession is a device opened on one graph.
// Threads: a session is used by one thread at a time.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "search/stage_latency_source.h"
#include "support/provenance.h"
#include "support/result.h"
#include "support/timing.h"
#include "timeline/timeline.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

// Of a schedule in one go.
struct ScheduleLatency {
    Timing timing;
    bool isSumOfStages = false; // its stages' latencies added up, never timed in one go
};

struct ScheduleMeasurement {
    ScheduleLatency whole;
    std::vector<StageLatency> stages; // each stage alone
    double boundariesUs = 0;          // what the device model charges between stages
};

struct HostTensor {
    std::string name;
    Shape shape;
    std::vector<float> values;
};

struct DeviceInfo {
    std::string id;    // "sim:v100", "cpu", "gpu:0", "rec:path"
    std::string title; // "NVIDIA Tesla V100 (simulated)"
    Provenance provenance = Provenance::Simulated;
    bool available = true;
    std::string unavailableReason; // what is missing and how to get it
    std::string fingerprint; // measuring devices: what a kept latency depends on beside the stage; empty: none kept
    std::string calibration; // simulated devices: what their numbers rest on
    std::string precision = "fp32";                         // of arithmetic and tensors: "fp32", "tf32", "fp16"
    std::vector<std::pair<std::string, std::string>> facts; // shown to people: SMs, clock, bandwidth, with units
};

// What devices add that execute.
class Executor {
public:
    virtual ~Executor() = default;

    // Outputs of the graph in its order. Errors: WrongUse (an input is missing or has another shape), naming it.
    [[nodiscard]] virtual Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                                              std::stop_token stop) = 0;
};

// What the process that holds a session needs to know where it uses hardware of this machine (app/worker/server.h).
class LocalHardware {
public:
    virtual ~LocalHardware() = default;

    // What no two sessions of the machine may use at a time, lest they time each other (see DeviceLock).
    [[nodiscard]] virtual std::string name() const = 0;
    // It broke (an illegal address on a GPU): no call succeeds until the process ends.
    [[nodiscard]] virtual bool isBroken() const { return false; }
    // A profiler was at work in this process and may still slow it down: better measured in another one.
    [[nodiscard]] virtual bool wasProfiled() const { return false; }
};

// Latencies that a session gave although something disturbed them.
class DisturbedLatencies {
public:
    virtual ~DisturbedLatencies() = default;

    // Measures them once more, one after the other as long as `goOn` says so, until it sees that it does not help. How
    // many are known better now: what was decided on them is to be decided again.
    [[nodiscard]] virtual Result<std::int64_t> measureAgain(const std::function<bool()> &goOn,
                                                            std::stop_token stop) = 0;
};

// What every device does: latencies and timelines. A stage's latency comes from stageLatency. What is not legal
// (schedule/verify.h) is refused, and the session goes on; a recording has what it has, and refuses the rest.
class DeviceSession : public StageLatencySource {
public:
    // Of one stage, measured now, whatever was kept of it. Errors: those of stageLatency.
    [[nodiscard]] virtual Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop)
    {
        return stageLatency(stage, std::move(stop));
    }
    // Every stage by itself, then the schedule in one go. The first error ends it.
    [[nodiscard]] virtual Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop);
    // The schedule in one go, without its stages.
    [[nodiscard]] virtual Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) = 0;
    [[nodiscard]] virtual Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) = 0;

    // What only some devices have: null where this one does not. They live as long as the session.
    [[nodiscard]] virtual Executor *executor() { return nullptr; }
    [[nodiscard]] virtual const LocalHardware *hardware() const { return nullptr; }
    [[nodiscard]] virtual DisturbedLatencies *disturbed() { return nullptr; }
};

// By the session's executor. Errors: WrongUse where the device computes no outputs.
[[nodiscard]] Result<std::vector<HostTensor>> runOn(DeviceSession &session, const Schedule &schedule,
                                                    std::vector<HostTensor> inputs, std::stop_token stop);

class Device {
public:
    virtual ~Device() = default;

    [[nodiscard]] virtual DeviceInfo info() const = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const = 0;

    // Called by sessions opened later, with the name of each operator before it is made ready to run and with an empty
    // one behind the last: whoever outlives a crash can then name the operator. On the thread that opens or asks.
    using Preparing = std::function<void(const std::string &operatorName)>;
    void onPreparing(Preparing told) { m_preparing = std::move(told); }

protected:
    Preparing m_preparing;
};

} // namespace stagecraft
