#include "cli/time_parts_text.h"

#include "cli/cost_text.h"
#include "schedule/stage_text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kNothingUs = 0.05; // shown as 0.0

std::vector<TimePart> partsOf(const TimePartSources &sources)
{
    std::vector<TimePart> parts;
    for (std::size_t i = 0; i < kTimeParts; ++i) {
        if (sources.has(static_cast<TimePart>(i)))
            parts.push_back(static_cast<TimePart>(i));
    }
    return parts;
}

std::string signedLatency(double us)
{
    const std::string size = plainLatency(std::abs(us));
    return (us < 0 && size != plainLatency(0) ? "-" : "+") + size;
}

// "+8.10 us: idle SMs +9.10 us, memory -1.00 us"
std::string moreText(const TimeParts &more, const TimePartSources &sources)
{
    std::vector<TimePart> order;
    for (std::size_t i = 0; i < kTimeParts; ++i)
        order.push_back(static_cast<TimePart>(i));
    std::ranges::stable_sort(order, std::greater{}, [&](TimePart part) { return std::abs(more.of(part)); });
    std::vector<std::string> told;
    for (const TimePart part : order) {
        if (std::abs(more.of(part)) >= kNothingUs)
            told.push_back(fmt::format("{} {}", timePartText(part, sources), signedLatency(more.of(part))));
    }
    return signedLatency(more.totalUs()) + (told.empty() ? "" : ": ") + fmt::format("{}", fmt::join(told, ", "));
}

// "stage 3", "launches 3-5"
std::string rangeText(StageRange range, bool areLaunches)
{
    const char *word = areLaunches ? "launch" : "stage";
    return range.count == 1 ? fmt::format("{} {}", word, range.first + 1)
                            : fmt::format("{}{} {}-{}", word, areLaunches ? "es" : "s", range.first + 1, range.end());
}

// "; its streams wait 9.10 us for events; its longest path takes 40.1 us"
std::string besideText(const SpanDifference &span, std::size_t side)
{
    std::string text;
    if (const auto us = span.eventUs[side]; us && *us >= kNothingUs)
        text += fmt::format("; its streams wait {} for events", plainLatency(*us));
    if (span.pathUs)
        text += fmt::format("; its longest path takes {}", plainLatency(*span.pathUs));
    return text;
}

TimeParts difference(const TimeParts &from, TimeParts to)
{
    std::ranges::transform(to.us, from.us, to.us.begin(), std::minus{});
    return to;
}

// A row for each part of the whole: each schedule's, and after the first what it changes.
TextTable whyTable(const std::vector<ExplainedSchedule> &schedules)
{
    const ScheduleTimeParts &first = *schedules.front().parts;
    std::vector<std::string> titles{"part"};
    for (const ExplainedSchedule &each : schedules) {
        titles.push_back(each.name);
        if (&each != &schedules.front())
            titles.emplace_back("change");
    }
    TextTable table(titles);
    using Us = std::function<std::optional<double>(const ScheduleTimeParts &)>;
    const auto addRow = [&](std::string title, const Us &us) {
        std::vector<std::string> row{std::move(title)};
        for (const ExplainedSchedule &each : schedules) {
            const std::optional<double> own = us(*each.parts);
            row.push_back(own ? plainLatency(*own) : "unknown");
            if (&each != &schedules.front())
                row.push_back(own && us(first) ? signedLatency(*own - *us(first)) : "unknown");
        }
        table.add(row);
    };
    for (std::size_t i = 0; i < kTimeParts; ++i) {
        const auto part = static_cast<TimePart>(i);
        if (std::ranges::any_of(schedules, [&](const auto &each) { return each.parts->has(part); }))
            addRow(std::string(timePartText(part, first.sources)),
                   [&](const ScheduleTimeParts &parts) { return knownUs(parts.whole, parts.sources, part); });
    }
    addRow("latency", [](const ScheduleTimeParts &parts) { return parts.latencyUs; });
    return table;
}

} // namespace

std::string whyText(const ScheduleDifference &differences, const std::vector<ExplainedSchedule> &explained)
{
    std::vector<ExplainedSchedule> schedules;
    std::vector<std::size_t> places; // in the difference
    for (std::size_t i = 0; i < explained.size(); ++i) {
        if (explained[i].parts) {
            schedules.push_back(explained[i]);
            places.push_back(i);
        }
    }
    if (schedules.empty())
        return {};
    const ScheduleTimeParts &first = *schedules.front().parts;
    std::string others; // of another provenance
    for (const ExplainedSchedule &each : schedules) {
        if (each.parts->provenance != first.provenance)
            others += fmt::format("; {}: {}", each.name, toString(each.parts->provenance));
    }
    std::string text = fmt::format("where the time goes ({}{}), change against {}\n{}", toString(first.provenance),
                                   others, schedules.front().name, fmt::streamed(whyTable(schedules)));
    for (std::size_t i = 1; i < schedules.size(); ++i) {
        if (!first.areStagesKnown || !schedules[i].parts->areStagesKnown)
            continue;
        const auto add = [&](const std::string &where, const std::vector<StageRange> &sides,
                             const std::string &beside = {}) {
            const TimeParts more =
                difference(first.of(sides[places.front()]), schedules[i].parts->of(sides[places[i]]));
            if (std::ranges::any_of(more.us, [](double us) { return std::abs(us) >= kNothingUs; }))
                text += fmt::format("{}, {}: {}{}\n", where, schedules[i].name, moreText(more, first.sources), beside);
        };
        for (const BlockDifference &block : differences.blocks) {
            if (block.isEqual())
                continue;
            add(fmt::format("block {}", block.block + 1), block.sides);
            for (const SpanDifference &span : block.spans) {
                const StageRange &side = span.span.sides[places[i]];
                if (!span.span.isEqual && block.spans.size() > 1)
                    add(fmt::format("  {}", rangeText(side, schedules[i].hasStreams)), span.span.sides,
                        besideText(span, places[i]));
            }
        }
    }
    return text;
}

TextTable stageTimesTable(const Timeline &timeline)
{
    const TimePartSources sources = timePartSources(timeline);
    std::vector<std::string> titles{"stage", "takes"};
    for (const TimePart part : partsOf(sources))
        titles.emplace_back(timePartText(part, sources));
    TextTable table(titles);
    const std::vector<TimeParts> parts = timeParts(timeline);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::vector<std::string> row{std::to_string(timeline.stages[i].stage + 1), plainLatency(parts[i].totalUs())};
        for (const TimePart part : partsOf(sources))
            row.push_back(parts[i].totalUs() > 0 ? percent(parts[i].of(part) / parts[i].totalUs()) : "");
        table.add(row);
    }
    return table;
}

std::string whyText(const Graph &graph, const std::vector<BlockSearch> &blocks, const StageTrials &trials)
{
    std::string text;
    std::size_t next = 0;
    for (const BlockSearch &block : blocks) {
        for (const RunnerUp &other : block.runnersUp) {
            const auto &more = trials.more[next++];
            if (!more)
                continue;
            text += fmt::format("block {}, not {}: {}\n", block.block + 1, stageText(graph, other.stage),
                                moreText(*more, trials.sources));
        }
    }
    return text;
}

} // namespace stagecraft
