#pragma once

// Recorded latencies (.latencies.jsonl), version 1: see DESIGN.md, "Files". A header line, then one line per stage.
// Latencies are in microseconds and keep every digit through a round trip. Whole schedules that were timed in one go
// stand in the header, as its member "schedules": programs that do not know it pass over it and read every stage.

#include "schedule/schedule.h"
#include "support/result.h"
#include "support/timing.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

class Graph;

struct RecordedStage {
    Strategy strategy = Strategy::Concurrent;
    std::vector<std::vector<std::string>> groups; // of operator names, in any order
    Timing timing{};                              // of latency 0 where the record only names a stage
    std::string signature{};                      // in exports of a latency store; empty elsewhere
    std::size_t line = 0; // of the file, counted from 1; 0 for a record that was not read from one
};

// A schedule that was timed in one go.
struct RecordedSchedule {
    std::vector<RecordedStage> stages; // in the order they run, strategy and groups alone
    Timing whole;
};

struct RecordedLatencies {
    std::string device;
    std::int64_t batch = 1;
    std::string precision = "fp32";
    std::string model;
    std::string fingerprint; // of the device, with `engine` in exports of a latency store; empty elsewhere
    std::string engine;
    std::vector<RecordedStage> stages;
    std::vector<RecordedSchedule> schedules{};
};

// Refuses with the line (InvalidInput): text that is not JSON, a missing or foreign header, another version, a stage
// without operators, an operator twice in a stage, a latency that is not a positive number, a stage or a
// schedule that comes twice with different latencies.
[[nodiscard]] Result<RecordedLatencies> recordedLatenciesFromText(std::string_view text);

[[nodiscard]] std::string toText(const RecordedLatencies &latencies);

// The same for every order of groups and of operators within a group. A merge stage counts each operator as a group.
[[nodiscard]] std::string recordKey(Strategy strategy, std::vector<std::vector<std::string>> groups);

// The same of a schedule, whose stages are in order.
[[nodiscard]] std::string recordKey(const std::vector<RecordedStage> &schedule);

// Strategies and names of a schedule's stages, without latencies.
[[nodiscard]] std::vector<RecordedStage> namedStages(const Graph &graph, const Schedule &schedule);

[[nodiscard]] std::vector<std::vector<std::string>> operatorNames(const Graph &graph, const Stage &stage);

} // namespace stagecraft
