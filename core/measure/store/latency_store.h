#pragma once

// Measured stage latencies, stored permanently in one SQLite file (write-ahead log). When add() returns, the latency
// survives the death of this process. Several programs may use the file at once. A damaged file is renamed, never
// deleted, and a new one is created: notice() then says so. A file of an older Stagecraft is upgraded and keeps its
// latencies. Threads: an object is used by one thread at a time.

#include "device/kernel_tuning.h"
#include "device/recorded/recorded_latencies.h"
#include "schedule/stage_features.h"
#include "schedule/stage_signature.h"
#include "support/result.h"
#include "timing/clock_rates.h"
#include "timing/timing.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace stagecraft {

// What a measurement depends on besides the stage.
struct MeasurementContext {
    std::string fingerprint; // of the device
    std::string deviceTitle; // for people
    std::string deviceId;    // with its options (storedDeviceId): "gpu:0:tf32:streams"
    std::int64_t batch = 1;
    std::string model; // so that exports can name operators; not part of the key

    friend bool operator==(const MeasurementContext &, const MeasurementContext &) = default;
};

// The latencies of one model on one device.
struct StoredSet {
    MeasurementContext context;
    std::int64_t stages = 0;
    std::string newest; // UTC, "2026-11-21 09:55:01"
    ClockRates lowest;  // among the latencies that have clocks
    ClockRates highest;
};

// Selects latencies; an empty field or 0 selects all.
struct StoredSelection {
    std::string fingerprint{};
    std::string deviceId{};
    std::int64_t batch = 0;
    std::string model{};
};

// What tuning found of a kernel (device/kernel_tuning.h) on a device.
struct StoredKernel {
    std::string key;
    KernelParameters parameters; // empty: the library's kernel stays
    double tunedUs = 0;          // of the best parameters
    double libraryUs = 0;
    double speedup = 1; // library over tuned, with its 95 % confidence interval
    double speedupLow = 1;
    double speedupHigh = 1;
    std::int64_t trials = 0;
};

class LatencyStore {
public:
    // Creates missing folders. Errors: DeviceFailed, naming the file (no permission, no space, no path at all).
    [[nodiscard]] static Result<LatencyStore> open(const std::string &path);
    // Lost when the object is destroyed: for a run without a file.
    [[nodiscard]] static Result<LatencyStore> inMemory();

    LatencyStore(LatencyStore &&) noexcept;
    LatencyStore &operator=(LatencyStore &&) noexcept;
    ~LatencyStore();

    [[nodiscard]] const std::string &path() const;
    [[nodiscard]] const std::string &notice() const; // empty: nothing to report

    // `stage` gives the operator names, for exports; its timing is ignored. A latency that cannot be valid (the file
    // was edited) is not found.
    [[nodiscard]] Result<std::optional<Timing>> find(const MeasurementContext &context, StageSignature signature,
                                                     const RecordedStage &stage);
    // Of two measurements the better one stays (latency_quality.h).
    [[nodiscard]] Result<void> add(const MeasurementContext &context, StageSignature signature,
                                   const RecordedStage &stage, const Timing &timing);
    // Adds the latency of a schedule timed in one go, for exports. Its stages have signatures: if the model changed but
    // kept its name, its old entries are removed.
    [[nodiscard]] Result<void> addSchedule(const MeasurementContext &context, const RecordedSchedule &schedule);
    // What a learned model sees of the stage, kept beside its latency (schedule/stage_features.h): of the graph, and
    // the signatures of its parts.
    [[nodiscard]] Result<void> describe(const MeasurementContext &context, StageSignature signature,
                                        std::span<const float> ofGraph, std::span<const StageSignature> parts);
    // The described stages of the device and the batch, of any model, whose latency and those of whose parts are known:
    // at most kMostSamples, always the same ones. Another fingerprint, or another version of the features: none.
    [[nodiscard]] Result<std::vector<StageSample>> samples(const MeasurementContext &context);
    static constexpr std::size_t kMostSamples = 8000;
    // That the device computed the outputs of a graph as another device does. `digest`: of what it computed.
    [[nodiscard]] Result<void> addEqualOutputs(const std::string &fingerprint, const std::string &digest);
    [[nodiscard]] Result<bool> hasEqualOutputs(const std::string &fingerprint, const std::string &digest);
    // Every latency of the device at this batch, by signature, for any model.
    [[nodiscard]] Result<std::unordered_map<std::string, Timing>> latencies(const MeasurementContext &context);

    // Tuned kernels, by the fingerprint that the device has with the library's kernels. A later result replaces an
    // earlier one.
    [[nodiscard]] Result<void> addKernel(const std::string &fingerprint, const StoredKernel &kernel);
    [[nodiscard]] Result<std::vector<StoredKernel>> kernels(const std::string &fingerprint);
    [[nodiscard]] Result<void> forgetKernels(const std::string &fingerprint);

    [[nodiscard]] Result<std::vector<StoredSet>> list();
    [[nodiscard]] Result<RecordedLatencies> exported(const MeasurementContext &context);
    // Returns the number of stages imported. InvalidInput, naming the line: the latencies were not exported from a
    // store.
    [[nodiscard]] Result<std::int64_t> import(const RecordedLatencies &latencies);
    // Returns the number of latencies removed. A model's latencies are removed even if other models have the same
    // stages.
    [[nodiscard]] Result<std::int64_t> clear(const StoredSelection &meant);
    [[nodiscard]] Result<std::int64_t> count(const StoredSelection &meant);

private:
    struct State;
    explicit LatencyStore(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;
};

// In the data folder (support/user_folders.h). Empty if there is none.
[[nodiscard]] std::string defaultLatencyStorePath();

} // namespace stagecraft
