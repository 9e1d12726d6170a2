#pragma once

// Devices answer three questions about a stage or a schedule: how long, what happened when, and what came out.
// A Device is a description that can be listed; a DeviceSession is a device opened on one graph.
// Threads: a session is used by one thread at a time.

#include "device/kernel_tuning.h"
#include "device/member_counts.h"
#include "graph/graph.h"
#include "graph/model_file.h"
#include "schedule/schedule.h"
#include "schedule/stage_latency_source.h"
#include "support/result.h"
#include "timing/measurement.h"
#include "timing/provenance.h"
#include "timing/run_context.h"
#include "timing/simulation_error.h"
#include "timing/timeline/timeline.h"
#include "timing/timing.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

// A whole schedule, timed in one go.
struct ScheduleLatency {
    Timing timing;
    MeasuredHow how = MeasuredHow::Alone; // or its stages' latencies added up, never timed in one go
};

struct ScheduleMeasurement {
    ScheduleLatency whole;
    std::vector<StageLatency> stages; // each stage alone
    double boundariesUs = 0;          // what the device model charges between stages
};

struct HostTensor {
    std::string name;
    Shape shape;
    std::vector<float> values; // of float32
    DataType type = DataType::Float32;
    std::vector<std::byte> bytes = {}; // of any other type: values as in memory, truths as one byte
};

struct DeviceInfo {
    std::string id;            // "sim:v100", "cpu", "gpu:0", "rec:path"
    std::string countsAs = {}; // of a pool: the id of the equal device that its latencies count as those of; else empty
    std::string title;         // "NVIDIA Tesla V100 (simulated)"
    Provenance provenance = Provenance::Simulated;
    bool available = true;
    std::string unavailableReason; // what is missing and how to get it
    std::string
        fingerprint; // measuring devices: what a stored latency depends on besides the stage; empty: none are stored
    std::string fileHash;                   // devices from a file: its SHA-256
    std::string calibration;                // simulated devices: what their numbers are based on
    SimulationErrors simulationErrors = {}; // simulated devices: how far they are from measured kernels
    // Of arithmetic and tensors: "fp32", "tf32", "fp16"; of a simulated device also what it depends on
    // (device/simulated/simulated_options.h).
    std::string precision = "fp32";
    std::string launches; // simulated devices: "from the host", "from one CUDA graph"
    std::string version;  // simulated devices: the simulator's (timing/simulator_version.h)
    std::vector<std::pair<std::string, std::string>> facts; // shown to people: SMs, clock, bandwidth, with units

    // Device and its version in the contexts of its latencies (timing/run_context.h).
    [[nodiscard]] const std::string &contextDevice() const { return countsAs.empty() ? id : countsAs; }
    [[nodiscard]] std::string contextVersion() const;
    // Its latencies count for those of the context.
    [[nodiscard]] bool isDeviceOf(const RunContext &context) const;
};

// For devices that compute outputs.
class Executor {
public:
    virtual ~Executor() = default;

    // The outputs of the graph, in its order. Errors: WrongUse, naming an input that is missing or has another shape.
    [[nodiscard]] virtual Result<std::vector<HostTensor>> run(const Schedule &schedule, std::vector<HostTensor> inputs,
                                                              std::stop_token stop) = 0;
};

// For devices that know what scratch memory their kernels take.
class WorkspaceSource {
public:
    virtual ~WorkspaceSource() = default;

    // By group of the stage, in its order; one for a merge; of a fused stage by operator, ascending. Measures nothing.
    // Errors: those of compiling the stage.
    [[nodiscard]] virtual Result<std::vector<std::size_t>> workspaceBytes(const Stage &stage, std::stop_token stop) = 0;
};

// For devices that use hardware of this machine: what the process that holds a session needs to know
// (app/worker/server.h).
class LocalHardware {
public:
    virtual ~LocalHardware() = default;

    // Hardware that only one session of the machine may use at a time, or they would disturb each other's timings
    // (DeviceLock).
    [[nodiscard]] virtual std::string name() const = 0;
    // The hardware is in a failed state (an illegal address on a GPU): no call succeeds until the process ends.
    [[nodiscard]] virtual bool isBroken() const { return false; }
    // A profiler ran in this process and may still slow it down: measure in another process.
    [[nodiscard]] virtual bool wasProfiled() const { return false; }
};

// Latencies that a session returned although something disturbed them.
class DisturbedLatencies {
public:
    virtual ~DisturbedLatencies() = default;

    // Measures them again, one after the other, while `goOn` returns true and it helps. Returns how many improved:
    // decisions based on them have to be made again.
    [[nodiscard]] virtual Result<std::int64_t> measureAgain(const std::function<bool()> &goOn,
                                                            std::stop_token stop) = 0;
};

// For devices that consist of several (device/pool/pool_device.h). Threads: any.
class DeviceMembers {
public:
    virtual ~DeviceMembers() = default;

    [[nodiscard]] virtual std::vector<MemberCounts> counts() const = 0; // at this moment, in the order of the members
};

// What every device does: latencies and timelines. A stage's latency comes from stageLatency. An illegal stage
// (schedule/verify.h) is refused, and the session goes on; a recording also refuses every stage it does not have.
class DeviceSession : public StageLatencySource {
public:
    // Measures one stage now, even if its latency is stored. Errors: those of stageLatency.
    [[nodiscard]] virtual Result<StageLatency> measureStage(const Stage &stage, std::stop_token stop)
    {
        return stageLatency(stage, std::move(stop));
    }
    // Measures every stage by itself, if it can (measuresStages), then the schedule in one go. Stops at the first
    // error.
    [[nodiscard]] virtual Result<ScheduleMeasurement> measureSchedule(const Schedule &schedule, std::stop_token stop);
    // Measures the schedule in one go, without its stages.
    [[nodiscard]] virtual Result<ScheduleLatency> measureWhole(const Schedule &schedule, std::stop_token stop) = 0;
    [[nodiscard]] virtual Result<Timeline> timeline(const Schedule &schedule, std::stop_token stop) = 0;

    // False: whole schedules are measured, and operators alone as far as they have a latency of their own; other stages
    // have none (WrongUse), so that IOS cannot search on this device.
    [[nodiscard]] virtual bool measuresStages() const { return true; }

    // Null if this device has none. They live as long as the session.
    [[nodiscard]] virtual Executor *executor() { return nullptr; }
    [[nodiscard]] virtual WorkspaceSource *workspace() { return nullptr; }
    [[nodiscard]] virtual const LocalHardware *hardware() const { return nullptr; }
    [[nodiscard]] virtual DisturbedLatencies *disturbed() { return nullptr; }
    [[nodiscard]] virtual const DeviceMembers *members() const { return nullptr; }
    [[nodiscard]] virtual KernelTuner *tuner() { return nullptr; }

protected:
    [[nodiscard]] Result<std::vector<StageLatency>> stageLatencies(const Schedule &schedule,
                                                                   const std::stop_token &stop);
};

// A session waits for its turn on hardware that others use (DeviceLock), or for a machine elsewhere.
struct DeviceWait {
    std::string device; // id
    std::string holder; // the program that has its turn, for people; empty: not known
    bool isOwn = false; // this program has it, elsewhere
    double seconds = 0; // so far
    std::string reason =
        {}; // of a machine elsewhere: "job 12 waits in the queue of Slurm (Resources)"; empty: others measure
};

// Runs on the session's executor. Errors: WrongUse if the device computes no outputs.
[[nodiscard]] Result<std::vector<HostTensor>> runOn(DeviceSession &session, const Schedule &schedule,
                                                    std::vector<HostTensor> inputs, std::stop_token stop);

class Device {
public:
    virtual ~Device() = default;

    [[nodiscard]] virtual DeviceInfo info() const = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const = 0;

    // Called by sessions opened later, on the thread that opens or asks: with the name of each operator before it is
    // made ready to run, and with an empty name after the last. A process that survives a crash can then name the
    // operator.
    using Preparing = std::function<void(const std::string &operatorName)>;
    void onPreparing(Preparing told) { m_preparing = std::move(told); }

    // Called by sessions opened later, on the thread that asks: about twice a second while it waits for its turn, then
    // once with nothing. A requested stop ends the wait: the question is answered with Cancelled.
    using Waiting = std::function<void(const std::optional<DeviceWait> &)>;
    void onWaiting(Waiting told) { m_waiting = std::move(told); }

    // Of the graphs of sessions opened later. Without it, a device that writes them for another program refuses what
    // they do not hold.
    void setModelFile(std::optional<ModelFile> file) { m_file = std::move(file); }

    // Which of the device's own kernels sessions opened later run. A device without such kernels ignores them.
    void setKernels(std::shared_ptr<const TunedKernels> kernels) { m_kernels = std::move(kernels); }

protected:
    // What a device in front of another one passes on before it opens a session.
    void passOnSettings(Device &device) const
    {
        device.onPreparing(m_preparing);
        device.onWaiting(m_waiting);
        device.setModelFile(m_file);
        if (m_kernels)
            device.setKernels(m_kernels);
    }

    Preparing m_preparing;
    Waiting m_waiting;
    std::optional<ModelFile> m_file;
    std::shared_ptr<const TunedKernels> m_kernels; // null: none
};

} // namespace stagecraft
