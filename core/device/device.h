#pragma once

// Devices answer three questions about a stage or a schedule: how long, what happened when, and what came out.
// A Device is a description that can be listed; a DeviceSession is a device opened on one graph.
// Threads: a session is used by one thread at a time.

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "search/stage_latency_source.h"
#include "support/clock_rates.h"
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

struct LatencySample {
    double meanUs = 0;
    double medianUs = 0;
    double stddevUs = 0;
    int runs = 1;
    bool cached = false;        // from the latency store
    ClockRates clocks{};        // while it was timed
    bool isSumOfStages = false; // of a schedule: its stages' latencies added up, never timed in one go

    // Nothing is known of a single run: it was simulated, recorded or added up.
    [[nodiscard]] Timing timing() const
    {
        return runs > 1 ? Timing{meanUs, stddevUs, runs, clocks} : Timing{0, 0, 0, clocks};
    }
    [[nodiscard]] bool isDisturbed() const { return timing().isDisturbed(); }
};

struct ScheduleMeasurement {
    LatencySample whole;               // the schedule in one go
    std::vector<LatencySample> stages; // each stage alone
    double boundariesUs = 0;           // what the device model charges between stages
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

class DeviceSession : public StageLatencySource {
public:
    [[nodiscard]] virtual Result<LatencySample> measureStage(const Stage &stage, std::stop_token stop) = 0;
    [[nodiscard]] virtual Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule,
                                                                      std::stop_token stop) = 0;
    // The schedule in one go, without its stages; unless a device can do with less, `whole` of the above.
    [[nodiscard]] virtual Result<LatencySample> measureWhole(const Schedule &schedule, std::stop_token stop);
    [[nodiscard]] virtual Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) = 0;
    // Outputs of the graph in its order. Devices that do not compute say so (WrongUse).
    [[nodiscard]] virtual Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                                              std::stop_token stop);

    // Measures stages of this session once more whose latencies are disturbed still, until it sees that it does not
    // help. How many are known better now: what was decided on them is to be decided again.
    [[nodiscard]] virtual Result<std::int64_t> measureDisturbedAgain(std::stop_token) { return 0; }

    // What the device runs on broke (an illegal address on a GPU): no call succeeds until the process ends.
    [[nodiscard]] virtual bool isBroken() const { return false; }
    // What no two sessions of the machine may use at a time, lest they time each other (see DeviceTurn); empty:
    // nothing.
    [[nodiscard]] virtual std::string hardware() const { return {}; }
    // A profiler was at work in this process and may still slow it down: better measured in another one.
    [[nodiscard]] virtual bool wasProfiled() const { return false; }

    [[nodiscard]] Result<double> stageLatencyUs(const Stage &stage, std::stop_token stop) override;
    [[nodiscard]] bool lastWasKept() const override { return m_lastWasKept; }

private:
    bool m_lastWasKept = false;
};

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
