#include "export/html_report.h"

#include "export/report_data.h"
#include "export/report_page.h"
#include "export/report_words.h"
#include "export/schedule_svg.h"
#include "export/schedule_tables.h"
#include "export/time_parts_page.h"
#include "results/schedule_words.h"
#include "results/shelf_words.h"
#include "schedule/stage_text.h"
#include "schedule/streams/streams_text.h"
#include "support/markup_text.h"
#include "support/number_text.h"
#include "support/shown_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string html(const std::string &text)
{
    return escaped(shownText(text));
}

std::string factsTable(const Facts &facts)
{
    std::string text = "<table>\n";
    for (const auto &[name, value] : facts) {
        if (!value.empty())
            text += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", html(name), html(value));
    }
    return text + "</table>\n";
}

// As long as the latency is against the slowest.
std::string bar(double share)
{
    return fmt::format("<div class=\"bar\" style=\"width:{}%\"></div>", fixedText(share * 100, 1));
}

std::string comparisonTable(const ReportedGroup &group)
{
    double slowest = 0;
    for (const RatedResult &result : group.results)
        slowest = std::max(slowest, result.latencyUs().value_or(0));
    std::string text =
        "<div class=\"across\"><table>\n<tr><th>schedule</th><th>made by</th><th class=\"number\">latency</th><th></th>"
        "<th class=\"number\">speed-up</th><th class=\"number\">stages</th><th>numbers are</th>"
        "<th>note</th></tr>\n";
    for (std::size_t i = 0; i < group.results.size(); ++i) {
        const RatedResult &result = group.results[i];
        const auto latencyUs = result.latencyUs();
        text += fmt::format("<tr{}><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"wide\">{}</td>"
                            "<td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td><td>{}</td></tr>\n",
                            group.chosen == i ? " class=\"chosen\"" : "", html(result.name), html(result.madeBy),
                            html(reportedLatency(result)), latencyUs && slowest > 0 ? bar(*latencyUs / slowest) : "",
                            result.speedup ? speedupText(*result.speedup) : "",
                            result.schedule ? stagesCell(*result.schedule) : "", html(result.origin),
                            html(reportedNote(result)));
    }
    return text + "</table></div>\n";
}

std::string plainTable(const Table &table)
{
    const auto rowOf = [&](const std::vector<std::string> &cells, const std::string &tag) {
        std::string row = "<tr>";
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const bool isNumber = i + table.numbers >= cells.size();
            row += fmt::format("<{0}{1}>{2}</{0}>", tag, isNumber ? " class=\"number\"" : "", html(cells[i]));
        }
        return row + "</tr>\n";
    };
    std::string text = "<div class=\"across\"><table>\n" + rowOf(table.columns, "th");
    for (const std::vector<std::string> &row : table.rows)
        text += rowOf(row, "td");
    return text + "</table></div>\n";
}

Facts searchFacts(const TimedSchedule &schedule)
{
    const SearchRecord &search = schedule.search;
    Facts facts{{"made by", search.strategy}};
    if (search.stageMeasurements > 0 || search.states > 0) {
        facts.emplace_back("pruning", fmt::format("r {}, s {}{}", boundText(search.r), boundText(search.s),
                                                  search.singleSource ? ", groups with a single source" : ""));
        facts.emplace_back("search",
                           fmt::format("{} states, {} transitions, {} stage measurements", grouped(search.states),
                                       grouped(search.transitions), grouped(search.stageMeasurements)));
        facts.emplace_back("ended", searchEnding(schedule));
        facts.emplace_back("gap to the optimum of its space",
                           std::isfinite(search.gap) ? "at most " + percent(search.gap) : "unknown");
        if (const std::string bound = boundWithoutBarriers(schedule); !bound.empty())
            facts.emplace_back("without barriers or merges at least", bound);
    }
    if (!search.editedFrom.empty())
        facts.emplace_back("edited from", search.editedFrom);
    return facts;
}

// Where the numbers of a group come from: what holds for all, then what differs.
std::string howMeasured(const ReportedGroup &group)
{
    const auto first = std::ranges::find_if(group.results, [](const RatedResult &result) {
        return result.schedule && result.schedule->measured.provenance;
    });
    if (first == group.results.end())
        return "The schedules are not measured.";
    std::string text = fmt::format(
        "Latencies are {} on {}{}, batch {}, {}.", provenanceOf(*first->schedule), group.device,
        group.deviceVersion.empty() ? "" : fmt::format(" ({})", group.deviceVersion), group.batch, group.precision);
    if (!first->schedule->measured.calibration.empty())
        text += fmt::format(" Calibrated on: {}.", first->schedule->measured.calibration);
    if (const auto &errors = first->schedule->measured.simulationErrors)
        text += fmt::format(" They are {}.", simulatedText(*errors));
    if (!group.baseline.empty())
        text += fmt::format(" Speed-ups are over {}.", group.baseline);
    for (const RatedResult &result : group.results) {
        if (!result.schedule)
            continue;
        const auto &timing = result.schedule->measured.whole;
        if (timing && timing->hasSpread())
            text += fmt::format(" {}: {} runs, spread {}.", result.name, timing->runs, plainLatency(timing->stddevUs));
        if (const std::size_t disturbed = disturbedStages(*result.schedule); disturbed > 0)
            text += fmt::format(" {} stages of {} were disturbed.", disturbed, result.name);
    }
    return text;
}

std::string stagesTable(const Graph &graph, const TimedSchedule &schedule)
{
    std::string text = "<table>\n<tr><th class=\"number\">stage</th><th class=\"number\">block</th><th>strategy</th>"
                       "<th>operators</th><th class=\"number\">latency</th></tr>\n";
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        text += fmt::format("<tr><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td><td>{}</td>"
                            "<td class=\"number\">{}</td></tr>\n",
                            i + 1, stage.block + 1, toString(stage.strategy), html(groupsText(graph, stage)),
                            schedule.hasStageLatencies() ? plainLatency(schedule.measured.stages[i].latencyUs) : "");
    }
    return text + "</table>\n";
}

std::string resultText(const Graph &graph, const RatedResult &result, bool isChosen)
{
    if (const auto &streams = result.schedule->streams)
        return fmt::format("<h3>{}{}</h3>\n{}<p>{}</p>\n<details{}><summary>Picture</summary>\n{}</details>\n"
                           "<details><summary>Streams</summary>\n<pre "
                           "style=\"white-space:pre-wrap\">{}</pre></details>\n",
                           html(result.name), isChosen ? " (chosen)" : "", factsTable(searchFacts(*result.schedule)),
                           html(orderText(*result.schedule)), isChosen ? " open" : "", scheduleSvg(graph, result),
                           html(streamsText(graph, *streams)));
    return fmt::format("<h3>{}{}</h3>\n{}<details{}><summary>Picture</summary>\n{}</details>\n"
                       "<details><summary>Stages</summary>\n{}</details>\n",
                       html(result.name), isChosen ? " (chosen)" : "", factsTable(searchFacts(*result.schedule)),
                       isChosen ? " open" : "", scheduleSvg(graph, result), stagesTable(graph, *result.schedule));
}

// To look through, where there is something to see and the script runs, which shows it.
std::string explorer(const ReportedGroup &group)
{
    const bool hasSchedule = std::ranges::any_of(
        group.results, [](const RatedResult &result) { return static_cast<bool>(result.schedule); });
    if (!group.graph || group.graph->size() == 0 || !hasSchedule)
        return {};
    return fmt::format("<div class=\"explorer\" hidden>\n<script type=\"application/json\">{}</script>\n</div>\n",
                       reportData(group));
}

std::string groupText(const ReportedGroup &group)
{
    Facts facts{{"model", group.model.name}, {"SHA-256", group.model.sha256}, {"read", readingText(group.model)}};
    if (group.graph)
        facts.emplace_back("operators", fmt::format("{} in {}", grouped(static_cast<std::int64_t>(group.graph->size())),
                                                    counted(static_cast<std::int64_t>(group.blocks.size()), "block")));
    facts.insert(facts.end(), {{"device", group.device},
                               {"version of the device", group.deviceVersion},
                               {"batch", fmt::to_string(group.batch)},
                               {"precision", group.precision}});
    std::string text = fmt::format("<h1>{}</h1>\n{}<h2>Comparison</h2>\n{}{}"
                                   "<h2>How it was measured</h2>\n<p class=\"note\">{}</p>\n",
                                   html(group.model.name), factsTable(facts), comparisonTable(group), explorer(group),
                                   html(howMeasured(group)));
    text += timePartsHtml(group.results);
    if (group.tradeoff)
        text += fmt::format("<h2>Trade-off of r and s</h2>\n<p class=\"note\">{}</p>\n{}{}",
                            html(group.tradeoff->facts), group.tradeoffSvg, plainTable(*group.tradeoff));
    if (group.graph)
        text += "<h2>Schedules</h2>\n";
    for (std::size_t i = 0; i < group.results.size(); ++i) {
        if (group.graph && group.results[i].schedule)
            text += resultText(*group.graph, group.results[i], group.chosen == i);
    }
    return text;
}

} // namespace

std::string htmlReport(const Report &report)
{
    std::string page = pageBegin(html(report.title) + ": schedules", kTimePartsStyle);
    for (const ReportedGroup &group : report.groups)
        page += groupText(group);
    return page + "<h2>Versions</h2>\n" + factsTable({{"made with", report.program}}) + pageEnd();
}

} // namespace stagecraft
