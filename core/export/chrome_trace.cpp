#include "export/trace_rows.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace stagecraft {
namespace {

using Json = nlohmann::ordered_json;

// Perfetto reads a time as the whole part of us * 1000.0, and 2057.336 * 1000.0 is less than 2057336: a slice would
// begin before the one in front of it ends, and be dropped. This is the least number that it reads as `ns`.
double us(std::int64_t ns)
{
    double us = static_cast<double>(ns) / 1000;
    while (static_cast<std::int64_t>(us * 1000.0) < ns)
        us = std::nextafter(us, std::numeric_limits<double>::infinity());
    return us;
}

Json named(const char *what, std::size_t pid, std::size_t tid, const char *key, Json value)
{
    return {{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{key, std::move(value)}}}};
}

Json factsJson(const TraceSlice &slice)
{
    Json facts = Json::object();
    for (const auto &[name, value] : slice.facts)
        std::visit([&, &key = name](const auto &plain) { facts[key] = plain; }, value);
    return facts;
}

void addRow(Json &events, const TraceRow &row, std::size_t pid, std::size_t tid)
{
    events.push_back(named("thread_name", pid, tid, "name", row.name));
    events.push_back(named("thread_sort_index", pid, tid, "sort_index", tid));
    for (const TraceSlice &slice : row.slices)
        events.push_back({{"ph", "X"},
                          {"name", slice.name},
                          {"cat", row.category},
                          {"pid", pid},
                          {"tid", tid},
                          {"ts", us(slice.startNs)},
                          {"dur", us(slice.endNs - slice.startNs)},
                          {"args", factsJson(slice)}});
}

void addCounter(Json &events, const CounterSeries &series, std::size_t pid)
{
    for (std::size_t i = 0; i < series.values.size(); ++i)
        events.push_back({{"ph", "C"},
                          {"name", nameInTrace(series)},
                          {"pid", pid},
                          {"ts", us(series.timesNs[i])},
                          {"args", {{series.unit, series.values[i]}}}});
}

} // namespace

std::string chromeTrace(const Graph &graph, std::span<const RatedResult> results)
{
    Json events = Json::array();
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::size_t pid = i + 1;
        const TraceProcess process = traceProcess(graph, results[i]);
        events.push_back(named("process_name", pid, 0, "name", process.name));
        events.push_back(named("process_labels", pid, 0, "labels", fmt::to_string(fmt::join(process.notes, "; "))));
        for (std::size_t row = 0; row < process.rows.size(); ++row)
            addRow(events, process.rows[row], pid, row + 1);
        for (const CounterSeries &series : process.counters)
            addCounter(events, series, pid);
    }
    const Json trace{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}};
    return trace.dump() + '\n';
}

} // namespace stagecraft
