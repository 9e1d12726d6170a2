#pragma once

// Recorded latencies (.latencies.jsonl), version 1. A header line, then one line per stage.
// Latencies are in microseconds and keep every digit through a round trip. Schedules timed in one go are in the header,
// in its member "schedules": programs that do not know it ignore it and still read every stage.
//
// A recording that a kit made (flow/kit) has the member "kit" in its header, and may have lines that say "refused",
// with the reason, instead of a latency. It is written line by line, so its last line may be cut off: that one is left
// out.

#include "schedule/schedule.h"
#include "schedule/stage_latency_source.h"
#include "support/result.h"
#include "timing/timing.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

class Graph;

struct RecordedStage {
    Strategy strategy = Strategy::Concurrent;
    std::vector<std::vector<std::string>> groups; // of operator names, in any order
    Timing timing{};                              // latency 0 if the record only names a stage
    std::string signature{};                      // in exports of a latency store; empty elsewhere
    std::size_t line = 0;                         // line of the file, counted from 1; 0 if not read from a file
};

// A schedule timed in one go.
struct RecordedSchedule {
    std::vector<RecordedStage> stages; // in the order they run; only strategy and groups are set
    Timing whole;
};

struct RefusedStage {
    RecordedStage stage; // without a timing
    std::string reason;
};

// What a kit's recording says beside latencies.
struct KitContext {
    std::string modelHash;   // SHA-256, of the model whose operators it names
    std::int64_t round = 1;  // of the last kit whose stages are in it
    BoundaryCost boundary{}; // of the device
    bool chainsAddUp = false;
};

struct RecordedLatencies {
    std::string device;
    std::int64_t batch = 1;
    std::string precision = "fp32";
    std::string model;
    std::string fingerprint; // of the device; set, like `deviceId`, in exports of a latency store
    std::string deviceId;
    std::vector<RecordedStage> stages;
    std::vector<RecordedSchedule> schedules{};
    std::optional<KitContext> kit{};     // of a kit's recording
    std::vector<RefusedStage> refused{}; // by the device
    std::size_t cutLine = 0;             // a last line that was cut off, and left out; 0: none
};

// Refuses, naming the line (InvalidInput): text that is not JSON, a missing or foreign header, another version, a stage
// without operators, an operator twice in a stage, a latency that is not a positive number, a stage or schedule that
// occurs twice with different latencies, a kit that is none.
[[nodiscard]] Result<RecordedLatencies> recordedLatenciesFromText(std::string_view text);

[[nodiscard]] std::string toText(const RecordedLatencies &latencies);

// The same for every order of groups and of operators within a group. In a merge stage every operator counts as a
// group.
[[nodiscard]] std::string recordKey(Strategy strategy, std::vector<std::vector<std::string>> groups);

// The key of a schedule, whose stages are in order.
[[nodiscard]] std::string recordKey(const std::vector<RecordedStage> &schedule);

// Strategy and operator names of a schedule's stages, without latencies.
[[nodiscard]] std::vector<RecordedStage> namedStages(const Graph &graph, const Schedule &schedule);

[[nodiscard]] std::vector<std::vector<std::string>> operatorNames(const Graph &graph, const Stage &stage);

} // namespace stagecraft
