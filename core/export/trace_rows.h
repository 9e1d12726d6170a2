#pragma once

// The content of both trace formats.

#include "export/trace.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft {

using TraceValue = std::variant<std::string, std::int64_t, double>;

struct TraceSlice {
    std::string name;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::vector<std::pair<std::string, TraceValue>> facts;
};

// Slices of a row do not overlap and are ascending by start.
struct TraceRow {
    std::string name;
    std::string category; // of all its slices: "stage", "kernel"
    std::vector<TraceSlice> slices;
};

struct TraceProcess {
    std::string name;               // "IOS-Both, 3.922 ms, simulated"
    std::vector<std::string> notes; // device, provenance and other facts a reader needs
    std::vector<TraceRow> rows;     // stages, then the streams
    const std::vector<CounterSeries> &counters;
};

[[nodiscard]] TraceProcess traceProcess(const Graph &graph, const RatedResult &result);

} // namespace stagecraft
