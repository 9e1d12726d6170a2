#pragma once

// Schedules as tables for other programs: a row per stage, or, of several schedules, a row per schedule.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <span>
#include <string>

namespace stagecraft {

struct NamedSchedule {
    std::string name; // "IOS-Both"
    const Schedule &schedule;
};

// Columns: stage (from 1), block (from 1), strategy, groups, operators, latency_us, provenance, device, batch,
// precision. Latencies are empty where the schedule has none. RFC 4180.
[[nodiscard]] std::string scheduleCsv(const Graph &graph, const Schedule &schedule);
// The same for a reader: what the schedule is, the table, and its latency.
[[nodiscard]] std::string scheduleMarkdown(const Graph &graph, const NamedSchedule &named);

// Columns: schedule, latency_us, speedup (against the first), stages, provenance, device, batch, precision, r, s,
// stage_measurements.
[[nodiscard]] std::string comparisonCsv(std::span<const NamedSchedule> schedules);
[[nodiscard]] std::string comparisonMarkdown(const Graph &graph, std::span<const NamedSchedule> schedules);

} // namespace stagecraft
