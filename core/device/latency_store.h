#pragma once

// Measured stage latencies, kept for good in one SQLite file (write-ahead log). A latency is on disk, as far as the
// death of this process is concerned, when keep() returns. Several programs may use the file at once. A damaged file is
// set aside under another name, never deleted, and a new one begun: notice() then says so. A file of an older
// Stagecraft is brought up to date and keeps its latencies. Threads: an object is used by one thread at a time.

#include "device/recorded_latencies.h"
#include "schedule/stage_signature.h"
#include "support/clock_rates.h"
#include "support/result.h"
#include "support/timing.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace stagecraft {

// What a measurement depends on beside the stage.
struct MeasurementContext {
    std::string fingerprint; // of the device
    std::string deviceTitle; // for people
    std::string engine;      // options: precision, layout, ...
    std::int64_t batch = 1;
    std::string model; // so that exports can name operators; not part of the key

    friend bool operator==(const MeasurementContext &, const MeasurementContext &) = default;
};

// The latencies of one model on one device.
struct StoredSet {
    MeasurementContext context;
    std::int64_t stages = 0;
    std::string newest; // UTC, "2026-11-21 09:55:01"
    ClockRates lowest;  // among the latencies that say at which clocks they were taken
    ClockRates highest;
};

// Which latencies are meant; what is empty or 0 means all.
struct StoredSelection {
    std::string fingerprint{};
    std::string engine{};
    std::int64_t batch = 0;
    std::string model{};
};

class LatencyStore {
public:
    // Folders are made as needed. Errors: DeviceFailed, naming the file (no permission, no space; no path at all).
    [[nodiscard]] static Result<LatencyStore> open(const std::string &path);
    // Gone with the object: for a run without a file.
    [[nodiscard]] static Result<LatencyStore> inMemory();

    LatencyStore(LatencyStore &&) noexcept;
    LatencyStore &operator=(LatencyStore &&) noexcept;
    ~LatencyStore();

    [[nodiscard]] const std::string &path() const;
    [[nodiscard]] const std::string &notice() const; // empty: nothing to tell

    // `stage` carries the operator names, for exports; its timing is ignored. A latency that cannot be one
    // (somebody wrote into the file) is not found.
    [[nodiscard]] Result<std::optional<Timing>> find(const MeasurementContext &context, StageSignature signature,
                                                     const RecordedStage &stage);
    // Of two measurements the better one stays: none that is disturbed takes the place of one that is not.
    [[nodiscard]] Result<void> keep(const MeasurementContext &context, StageSignature signature,
                                    const RecordedStage &stage, const Timing &timing);
    // The latency of a schedule in one go, for exports. Stages have their signatures: those of a model that was changed
    // under its name make it begin anew.
    [[nodiscard]] Result<void> keepWhole(const MeasurementContext &context, const RecordedSchedule &schedule);
    // Every latency on the device at the batch, by signature, whichever model it was measured for.
    [[nodiscard]] Result<std::unordered_map<std::string, Timing>> kept(const MeasurementContext &context);

    [[nodiscard]] Result<std::vector<StoredSet>> list();
    [[nodiscard]] Result<RecordedLatencies> exported(const MeasurementContext &context);
    // How many stages came in. InvalidInput, naming the line: the latencies were not exported from a store.
    [[nodiscard]] Result<std::int64_t> import(const RecordedLatencies &latencies);
    // How many latencies went. Those of a model go although other models have the same stages.
    [[nodiscard]] Result<std::int64_t> clear(const StoredSelection &meant);
    [[nodiscard]] Result<std::int64_t> count(const StoredSelection &meant);

private:
    struct State;
    explicit LatencyStore(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;
};

// Below the data folder (support/user_folders.h). Empty: there is none.
[[nodiscard]] std::string defaultLatencyStorePath();

} // namespace stagecraft
