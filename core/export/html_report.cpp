#include "export/html_report.h"

#include "export/schedule_svg.h"
#include "schedule/schedule_words.h"
#include "schedule/stage_text.h"
#include "support/markup_text.h"
#include "support/number_text.h"
#include "support/shown_text.h"

#include <cmath>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

constexpr const char *kStyle =
    "body{font:14px/1.5 system-ui,sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#1a2129}"
    "table{border-collapse:collapse;margin:.5em 0 1.5em}th,td{padding:.25em .8em;text-align:left;"
    "border-bottom:1px solid #dfe5ea}td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}"
    "th{font-weight:600}h1{font-size:1.6em;margin-bottom:.2em}h2{font-size:1.2em;margin-top:2em}"
    "summary{cursor:pointer;font-weight:600}svg{max-width:100%;height:auto}.note{color:#5b6875}"
    "td{overflow-wrap:anywhere}";

std::string html(const std::string &text)
{
    return escaped(shownText(text));
}

std::string factsTable(const Facts &facts)
{
    std::string text = "<table>\n";
    for (const auto &[name, value] : facts) {
        if (!value.empty())
            text += "<tr><th>" + html(name) + "</th><td>" + html(value) + "</td></tr>\n";
    }
    return text + "</table>\n";
}

std::string latencyText(const Schedule &schedule)
{
    return schedule.latencyUs() ? latencyOf(schedule) : "not measured";
}

std::string comparisonTable(std::span<const NamedSchedule> schedules)
{
    std::string text =
        "<table>\n<tr><th>schedule</th><th class=\"number\">latency</th><th class=\"number\">speed-up</th>"
        "<th class=\"number\">stages</th><th>numbers are</th></tr>\n";
    const Schedule &first = schedules.front().schedule;
    for (const auto &[name, schedule] : schedules) {
        const auto times = speedupOver(first, schedule);
        text += "<tr><td>" + html(name) + "</td><td class=\"number\">" + latencyText(schedule) +
                "</td><td class=\"number\">" + (times ? speedupText(*times) : "") + "</td><td class=\"number\">" +
                std::to_string(schedule.stages.size()) + "</td><td>" + latencyOrigin(schedule) + "</td></tr>\n";
    }
    return text + "</table>\n";
}

Facts searchFacts(const Schedule &schedule)
{
    const SearchRecord &search = schedule.search;
    Facts facts{{"made by", search.strategy}};
    if (search.stageMeasurements > 0 || search.states > 0) {
        facts.emplace_back("pruning", "r " + boundText(search.r) + ", s " + boundText(search.s) +
                                          (search.singleSource ? ", groups with a single source" : ""));
        facts.emplace_back("search", grouped(search.states) + " states, " + grouped(search.transitions) +
                                         " transitions, " + grouped(search.stageMeasurements) + " stage measurements");
        facts.emplace_back("ended", std::string(toString(search.termination)));
        facts.emplace_back("gap to the optimum of its space",
                           std::isfinite(search.gap) ? "at most " + percent(search.gap) : "unknown");
    }
    if (!search.editedFrom.empty())
        facts.emplace_back("edited from", search.editedFrom);
    return facts;
}

std::string howMeasured(const Schedule &schedule)
{
    if (!schedule.provenance)
        return "The schedules are not measured.";
    const std::string made(toString(*schedule.provenance));
    std::string text = "Latencies are " + made + " on " + schedule.device + ", batch " +
                       std::to_string(schedule.batch) + ", " + schedule.precision + '.';
    if (!schedule.calibration.empty())
        text += " Calibrated on: " + schedule.calibration + '.';
    if (schedule.timing && schedule.timing->hasSpread())
        text += " The first schedule: median of " + std::to_string(schedule.timing->runs) + " runs, spread " +
                plainLatency(schedule.timing->stddevUs) + '.';
    if (const std::size_t disturbed = disturbedStages(schedule); disturbed > 0)
        text += ' ' + std::to_string(disturbed) + " of its stages were disturbed.";
    return text;
}

std::string stagesTable(const Graph &graph, const Schedule &schedule)
{
    std::string text = "<table>\n<tr><th class=\"number\">stage</th><th class=\"number\">block</th><th>strategy</th>"
                       "<th>operators</th><th class=\"number\">latency</th></tr>\n";
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        text += "<tr><td class=\"number\">" + std::to_string(i + 1) + "</td><td class=\"number\">" +
                std::to_string(stage.block + 1) + "</td><td>" + std::string(toString(stage.strategy)) + "</td><td>" +
                html(groupsText(graph, stage)) + "</td><td class=\"number\">" +
                (schedule.hasStageLatencies() ? plainLatency(schedule.stageTimings[i].latencyUs) : "") + "</td></tr>\n";
    }
    return text + "</table>\n";
}

} // namespace

std::string htmlReport(const Graph &graph, const ReportedModel &model, std::span<const NamedSchedule> schedules,
                       const std::string &program)
{
    const Schedule &first = schedules.front().schedule;
    std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" +
                       html(model.name) + ": schedules</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<h1>" +
                       html(model.name) + "</h1>\n";
    page += factsTable({{"model", model.name},
                        {"SHA-256", model.sha256},
                        {"operators", grouped(static_cast<std::int64_t>(graph.size())) + " in " +
                                          std::to_string(model.blocks) + (model.blocks == 1 ? " block" : " blocks")},
                        {"device", first.device},
                        {"batch", std::to_string(first.batch)},
                        {"precision", first.precision},
                        {"made with", program}});
    page += "<h2>Comparison</h2>\n" + comparisonTable(schedules) + "<p class=\"note\">" + html(howMeasured(first)) +
            "</p>\n";
    for (const NamedSchedule &named : schedules) {
        page += "<h2>" + html(named.name) + "</h2>\n" + factsTable(searchFacts(named.schedule)) + "<details" +
                (schedules.size() == 1 || &named == &schedules.back() ? " open" : "") +
                "><summary>Picture</summary>\n" + scheduleSvg(graph, named) + "</details>\n" +
                "<details><summary>Stages</summary>\n" + stagesTable(graph, named.schedule) + "</details>\n";
    }
    return page + "</body>\n</html>\n";
}

} // namespace stagecraft
