#pragma once

// Schedules as tables for other programs: one row per stage, or, for several schedules, one row per schedule.

#include "export/table_text.h"
#include "graph/graph.h"
#include "results/rated_result.h"
#include "schedule/timed_schedule.h"

#include <optional>
#include <span>
#include <string>

namespace stagecraft {

// Columns: stage (from 1), block (from 1), strategy, groups, operators, latency_us, provenance, device, batch,
// precision. Latencies are empty if the schedule has none. Of streams, by launch: launch (from 1, in launch order),
// stream (from 1), operators, waits_for (the operators that it waits for by events). RFC 4180.
[[nodiscard]] std::string scheduleCsv(const Graph &graph, const TimedSchedule &schedule);
// The same for readers: a heading, the table, and the latency. The results of all that follow have schedules.
[[nodiscard]] std::string scheduleMarkdown(const Graph &graph, const RatedResult &result);

// Columns: schedule, latency_us, speedup, stages, provenance, device, batch, precision, r, s,
// stage_measurements.
[[nodiscard]] std::string comparisonCsv(std::span<const RatedResult> results);
// `baseline`: what speed-ups are over; empty: there are none.
[[nodiscard]] std::string comparisonMarkdown(const Graph &graph, std::span<const RatedResult> results,
                                             const std::string &baseline);

[[nodiscard]] std::string boundText(const std::optional<int> &bound); // r or s: "3", "none"
[[nodiscard]] std::string latencyOf(const TimedSchedule &schedule);   // "3.922 ms", "at least ..."; empty: not measured
[[nodiscard]] std::string stagesCell(const Schedule &schedule);       // "12", "4 streams"
[[nodiscard]] std::string orderText(const Schedule &schedule); // "12 stages", "4 streams, 17 events, no barriers"
[[nodiscard]] std::string settingsText(const TimedSchedule &schedule); // "batch 1, fp32, on sim:v100, simulated"
// How many times faster than the first; empty if one is not measured, or only one is a sum of stages.
[[nodiscard]] std::optional<double> speedupOver(const TimedSchedule &first, const TimedSchedule &schedule);

} // namespace stagecraft
