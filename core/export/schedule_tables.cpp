#include "export/schedule_tables.h"

#include "results/schedule_words.h"
#include "schedule/stage_text.h"
#include "schedule/streams/streams_text.h"
#include "support/number_text.h"

#include <fmt/format.h>
#include <vector>

namespace stagecraft {
namespace {

// Stream schedules: by launch, in launch order.
void addLaunches(Table &table, const Graph &graph, const Streams &streams)
{
    const auto namesOf = [&](const StreamLaunch &launch, std::string_view between) {
        std::vector<std::string> names;
        for (const OperatorId id : launch.operators)
            names.push_back(graph.op(id).name);
        return fmt::to_string(fmt::join(names, between));
    };
    table.columns = {"launch", "stream", "operators", "waits for"};
    table.numbers = 0;
    for (std::size_t i = 0; i < streams.launches.size(); ++i) {
        const StreamLaunch &launch = streams.launches[i];
        std::vector<std::string> waits;
        for (const std::uint32_t before : launch.waits)
            waits.push_back(namesOf(streams.launches[before], " + "));
        table.rows.push_back({fmt::to_string(i + 1), fmt::to_string(launch.stream + 1), namesOf(launch, " + "),
                              fmt::to_string(fmt::join(waits, ", "))});
    }
}

} // namespace

std::string boundText(const std::optional<int> &bound)
{
    return bound ? fmt::to_string(*bound) : "none";
}

std::string settingsText(const TimedSchedule &schedule)
{
    const std::string batch = fmt::format("batch {}, {}", schedule.context.batch, schedule.context.precision);
    return schedule.context.device.empty()
               ? batch
               : fmt::format("{}, on {}, {}", batch, schedule.context.device, provenanceWords(schedule));
}

std::optional<double> speedupOver(const TimedSchedule &first, const TimedSchedule &schedule)
{
    if (!first.latencyUs() || !schedule.latencyUs() || !areComparable(first, schedule))
        return std::nullopt;
    return *first.latencyUs() / *schedule.latencyUs();
}

std::string latencyOf(const TimedSchedule &schedule)
{
    const auto latency = schedule.latencyUs();
    return !latency ? "" : (schedule.leavesOutWork() ? "at least " : "") + plainLatency(*latency);
}

std::string stagesCell(const Schedule &schedule)
{
    return schedule.streams ? counted(static_cast<std::int64_t>(schedule.streams->count), "stream")
                            : fmt::to_string(schedule.stages.size());
}

std::string orderText(const Schedule &schedule)
{
    return schedule.streams ? synchronisationText(synchronisationOf(schedule))
                            : fmt::format("{} stages", schedule.stages.size());
}

std::string scheduleCsv(const Graph &graph, const TimedSchedule &schedule)
{
    Table table{.columns = {"stage", "block", "strategy", "groups", "operators", "latency_us", "provenance", "device",
                            "batch", "precision"}};
    if (schedule.streams) {
        addLaunches(table, graph, *schedule.streams);
        table.columns.back() = "waits_for";
    }
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        table.rows.push_back({fmt::to_string(i + 1), fmt::to_string(stage.block + 1),
                              std::string(toString(stage.strategy)), fmt::to_string(stage.groups.size()),
                              groupsText(graph, stage),
                              schedule.hasStageLatencies() ? exactText(schedule.measured.stages[i].latencyUs) : "",
                              provenanceOf(schedule), schedule.context.device, fmt::to_string(schedule.context.batch),
                              schedule.context.precision});
    }
    return csvText(table);
}

std::string scheduleMarkdown(const Graph &graph, const RatedResult &result)
{
    const TimedSchedule &schedule = *result.schedule;
    Table table{.title = graph.name() + ": " + result.name,
                .facts = settingsText(schedule) + ".",
                .columns = {"stage", "block", "strategy", "operators", "latency"},
                .numbers = 1};
    if (schedule.latencyUs())
        table.facts += fmt::format(" Latency: {}. {}.", latencyOf(schedule), orderText(schedule));
    if (schedule.streams)
        addLaunches(table, graph, *schedule.streams);
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        table.rows.push_back({fmt::to_string(i + 1), fmt::to_string(stage.block + 1),
                              std::string(toString(stage.strategy)), groupsText(graph, stage),
                              schedule.hasStageLatencies() ? plainLatency(schedule.measured.stages[i].latencyUs) : ""});
    }
    return markdownText(table);
}

std::string comparisonCsv(std::span<const RatedResult> results)
{
    Table table{.columns = {"schedule", "latency_us", "speedup", "stages", "provenance", "device", "batch", "precision",
                            "r", "s", "stage_measurements"}};
    for (const RatedResult &result : results) {
        const TimedSchedule &schedule = *result.schedule;
        table.rows.push_back({result.name, schedule.latencyUs() ? exactText(*schedule.latencyUs()) : "",
                              result.speedup ? exactText(*result.speedup) : "", fmt::to_string(schedule.stages.size()),
                              provenanceOf(schedule), schedule.context.device, fmt::to_string(schedule.context.batch),
                              schedule.context.precision, boundText(schedule.search.r), boundText(schedule.search.s),
                              fmt::to_string(schedule.search.stageMeasurements)});
    }
    return csvText(table);
}

std::string comparisonMarkdown(const Graph &graph, std::span<const RatedResult> results, const std::string &baseline)
{
    Table table{.title = graph.name(), .columns = {"schedule", "latency", "speed-up", "stages"}, .numbers = 3};
    if (!results.empty())
        table.facts = settingsText(*results.front().schedule) + ".";
    if (!baseline.empty())
        table.facts += fmt::format(" Speed-up over {}.", baseline);
    for (const RatedResult &result : results)
        table.rows.push_back({result.name, latencyOf(*result.schedule),
                              result.speedup ? speedupText(*result.speedup) : "", stagesCell(*result.schedule)});
    return markdownText(table);
}

} // namespace stagecraft
