#include "export/schedule_tables.h"

#include "schedule/schedule_words.h"
#include "schedule/stage_text.h"
#include "support/number_text.h"
#include "support/shown_text.h"

#include <vector>

namespace stagecraft {
namespace {

std::string csvCell(const std::string &text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char letter : text)
        quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    return quoted + '"';
}

std::string csvRow(const std::vector<std::string> &cells)
{
    std::string row;
    for (std::size_t i = 0; i < cells.size(); ++i)
        row += (i == 0 ? "" : ",") + csvCell(cells[i]);
    return row + "\r\n";
}

// Escapes characters that are markup in Markdown or HTML.
std::string markdownText(const std::string &text)
{
    std::string escaped;
    for (const char letter : shownText(text)) {
        if (std::string_view("\\`*_{}[]<>#|&~").find(letter) != std::string_view::npos)
            escaped += '\\';
        escaped += letter;
    }
    return escaped;
}

std::string markdownRow(const std::vector<std::string> &cells)
{
    std::string row = "|";
    for (const std::string &cell : cells)
        row += ' ' + cell + " |";
    return row + '\n';
}

// `numbers`: how many of the last columns are numbers, which are right-aligned.
std::string markdownHeader(const std::vector<std::string> &names, std::size_t numbers)
{
    std::string row = markdownRow(names) + '|';
    for (std::size_t i = 0; i < names.size(); ++i)
        row += i + numbers < names.size() ? " :--- |" : " ---: |";
    return row + '\n';
}

std::string latencyCell(const Schedule &schedule)
{
    const auto latency = schedule.latencyUs();
    return !latency ? "" : (schedule.leavesOutWork() ? "at least " : "") + plainLatency(*latency);
}

// "batch 1, fp32, on sim:v100, simulated"
std::string settings(const Schedule &schedule)
{
    std::string text = "batch " + std::to_string(schedule.batch) + ", " + schedule.precision;
    if (!schedule.device.empty())
        text += ", on " + schedule.device + ", " + latencyOrigin(schedule);
    return text;
}

std::string provenanceCell(const Schedule &schedule)
{
    return schedule.provenance ? std::string(toString(*schedule.provenance)) : "";
}

std::optional<double> speedup(const Schedule &first, const Schedule &schedule)
{
    if (!first.latencyUs() || !schedule.latencyUs() || !areComparable(first, schedule))
        return std::nullopt;
    return *first.latencyUs() / *schedule.latencyUs();
}

} // namespace

std::string boundText(const std::optional<int> &bound)
{
    return bound ? std::to_string(*bound) : "none";
}

std::string scheduleCsv(const Graph &graph, const Schedule &schedule)
{
    std::string text = csvRow({"stage", "block", "strategy", "groups", "operators", "latency_us", "provenance",
                               "device", "batch", "precision"});
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        text += csvRow({std::to_string(i + 1), std::to_string(stage.block + 1), std::string(toString(stage.strategy)),
                        std::to_string(stage.groups.size()), groupsText(graph, stage),
                        schedule.hasStageLatencies() ? exactText(schedule.stageTimings[i].latencyUs) : "",
                        provenanceCell(schedule), schedule.device, std::to_string(schedule.batch), schedule.precision});
    }
    return text;
}

std::string scheduleMarkdown(const Graph &graph, const NamedSchedule &named)
{
    const Schedule &schedule = named.schedule;
    std::string text = "## " + markdownText(graph.name()) + ": " + markdownText(named.name) + "\n\n" +
                       markdownText(settings(schedule)) + ".\n\n";
    if (schedule.latencyUs())
        text += "Latency: " + latencyCell(schedule) + ". " + std::to_string(schedule.stages.size()) + " stages.\n\n";
    text += markdownHeader({"stage", "block", "strategy", "operators", "latency"}, 1);
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        text += markdownRow({std::to_string(i + 1), std::to_string(stage.block + 1),
                             std::string(toString(stage.strategy)), markdownText(groupsText(graph, stage)),
                             schedule.hasStageLatencies() ? plainLatency(schedule.stageTimings[i].latencyUs) : ""});
    }
    return text;
}

std::string comparisonCsv(std::span<const NamedSchedule> schedules)
{
    std::string text = csvRow({"schedule", "latency_us", "speedup", "stages", "provenance", "device", "batch",
                               "precision", "r", "s", "stage_measurements"});
    for (const auto &[name, schedule] : schedules) {
        const auto times = speedup(schedules.front().schedule, schedule);
        text +=
            csvRow({name, schedule.latencyUs() ? exactText(*schedule.latencyUs()) : "", times ? exactText(*times) : "",
                    std::to_string(schedule.stages.size()), provenanceCell(schedule), schedule.device,
                    std::to_string(schedule.batch), schedule.precision, boundText(schedule.search.r),
                    boundText(schedule.search.s), std::to_string(schedule.search.stageMeasurements)});
    }
    return text;
}

std::string comparisonMarkdown(const Graph &graph, std::span<const NamedSchedule> schedules)
{
    std::string text = "## " + markdownText(graph.name()) + "\n\n";
    if (!schedules.empty())
        text += markdownText(settings(schedules.front().schedule)) + ".\n\n";
    text += markdownHeader({"schedule", "latency", "speed-up", "stages"}, 3);
    for (const auto &[name, schedule] : schedules) {
        const auto times = speedup(schedules.front().schedule, schedule);
        text += markdownRow({markdownText(name), latencyCell(schedule), times ? speedupText(*times) : "",
                             std::to_string(schedule.stages.size())});
    }
    return text;
}

} // namespace stagecraft
