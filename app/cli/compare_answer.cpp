#include "cli/compare_answer.h"

#include "cli/cost_text.h"
#include "cli/difference_report.h"
#include "cli/text_table.h"
#include "cli/time_parts_text.h"
#include "device/simulated/simulated_options.h"
#include "results/schedule_words.h"
#include "schedule/compare/critical_path.h"
#include "support/shown_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <utility>

namespace stagecraft {
namespace {

constexpr const char *kAboutSums =
    "a sum of stages omits what happens between stages, and is not compared with a schedule timed in one go\n";

// With the latencies to compare.
std::vector<TimedSchedule> comparedSchedulesOf(const CompareAnswer &answer)
{
    std::vector<TimedSchedule> schedules;
    for (std::size_t i = 0; i < answer.made.size(); ++i) {
        schedules.push_back(answer.made[i].schedule);
        schedules.back().measured.whole = answer.comparison.times[i].timing;
    }
    return schedules;
}

ScheduleDifference differenceOf(const CompareAnswer &answer)
{
    const std::vector<TimedSchedule> schedules = comparedSchedulesOf(answer);
    const Graph &graph = *answer.model.graph;
    std::vector<const TimedSchedule *> all;
    std::vector<double> operatorUs;
    for (const TimedSchedule &schedule : schedules) {
        all.push_back(&schedule);
        if (operatorUs.empty())
            operatorUs = operatorLatenciesUs(graph, schedule);
    }
    std::vector<const TimelineIndex *> timelines;
    for (const auto &timeline : answer.timelines)
        timelines.push_back(timeline.get());
    ScheduleDifference difference = scheduleDifference(all, timelines, answer.model.blocks);
    if (!operatorUs.empty())
        addLongestPaths(difference, graph, schedules.front(), operatorUs);
    return difference;
}

// `title`: else the name in answers.
std::vector<ExplainedSchedule> explained(const CompareAnswer &answer, bool title)
{
    const std::vector<TimedSchedule> schedules = comparedSchedulesOf(answer);
    std::vector<ExplainedSchedule> all;
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        const auto &timeline = answer.timelines[i];
        all.push_back({title ? answer.shown[i].title : answer.shown[i].name,
                       timeline ? scheduleTimeParts(schedules[i], *timeline) : std::nullopt,
                       schedules[i].streams.has_value()});
    }
    return all;
}

answers::PartsBySchedule partsOf(const std::vector<ExplainedSchedule> &schedules, const std::vector<StageRange> &sides)
{
    answers::PartsBySchedule all;
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        auto &parts = all.emplace_back();
        if (schedules[i].parts && schedules[i].parts->areStagesKnown)
            parts = {schedules[i].parts->of(sides[i]), schedules[i].parts->sources};
    }
    return all;
}

answers::Why whyAnswer(const CompareAnswer &answer, const ScheduleDifference &difference)
{
    const std::vector<ExplainedSchedule> schedules = explained(answer, false);
    answers::Why why;
    const ExplainedSchedule *first = nullptr;
    for (const ExplainedSchedule &each : schedules) {
        why.schedules.emplace_back(each.name,
                                   each.parts ? std::optional(answers::ExplainedWhole{*each.parts}) : std::nullopt);
        if (!each.parts)
            continue;
        if (first) {
            answers::Waterfall &waterfall = why.waterfalls.emplace_back(answers::Waterfall{first->name, each.name});
            for (const TimeStep &step : timeSteps(first->parts->whole, each.parts->whole))
                waterfall.steps.push_back({step, each.parts->sources});
        } else {
            first = &each;
        }
    }
    for (const BlockDifference &block : difference.blocks) {
        answers::ExplainedBlock &parts = why.blocks.emplace_back(
            answers::ExplainedBlock{block.block, block.isEqual(), partsOf(schedules, block.sides)});
        for (const SpanDifference &span : block.spans)
            parts.spans.push_back({span, partsOf(schedules, span.span.sides)});
    }
    return why;
}

std::string intervalText(const SpeedupEstimate &against)
{
    return fmt::format("{} to {}", speedupText(against.low), speedupText(against.high));
}

bool isSequential(const ComparedSchedule &one)
{
    return one.kind == ScheduleKind::Sequential;
}

constexpr const char *kOwnStreams = "ONNX Runtime's own streams"; // as a row
constexpr const char *kOverGraph = "over one graph";              // a column's title

// Of a simulated device, launches decide what the baseline is: it is named.
std::string firstTitle(const CompareAnswer &answer)
{
    const ComparedSchedule &first = answer.shown.front();
    if (!isSequential(first) || answer.device.launches.empty())
        return first.title;
    return answer.device.launches == toString(Launches::Host) ? first.title + ", from the host" : kOneCudaGraph;
}

// The row of what is launched otherwise stands behind the sequential schedule.
std::vector<std::string> graphRow(const CompareAnswer &answer, std::size_t sequential)
{
    const double latencyUs = answer.oneCudaGraph->latencyUs;
    const double firstUs = answer.comparison.times.front().timing.latencyUs;
    const TimedSchedule &schedule = answer.made[sequential].schedule;
    return {kOneCudaGraph,
            plainLatency(latencyUs, answer.basis),
            answer.hasFirst && answer.overOneCudaGraph(0) ? speedupText(firstUs / latencyUs) : "-",
            speedupText(1),
            fmt::format("{}", schedule.stages.size()),
            grouped(schedule.search.stageMeasurements)};
}

// ONNX Runtime chooses the streams, and does not say which.
std::vector<std::string> ownRow(const CompareAnswer &answer, std::size_t width)
{
    const TimingInRounds &times = answer.ownStreams->times;
    std::vector<std::string> row{kOwnStreams, plainLatency(times.timing.latencyUs, answer.basis)};
    if (answer.ownStreams->isTimed) {
        row.push_back(speedupText(times.against.speedup));
        row.push_back(intervalText(times.against));
    }
    row.resize(width, "-");
    return row;
}

// Where launches decide what speed-ups are over.
std::string aboutSpeedups(const CompareAnswer &answer)
{
    if (answer.device.launches.empty())
        return {};
    return fmt::format("speed-ups are over {}{}\n", firstTitle(answer),
                       answer.oneCudaGraph ? fmt::format("; \"{}\": over {}", kOverGraph, kOneCudaGraph) : "");
}

TextTable tableOf(const CompareAnswer &answer)
{
    std::vector<std::string> columns{"schedule", "latency", speedupTitle(answer.basis)};
    if (answer.isTimed())
        columns.emplace_back("95 % interval");
    if (answer.oneCudaGraph)
        columns.emplace_back(kOverGraph);
    columns.insert(columns.end(), {"stages", "measurements"});
    const bool haveStreams =
        std::ranges::any_of(answer.made, [](const FoundSchedule &made) { return made.schedule.streams.has_value(); });
    if (haveStreams)
        columns.insert(columns.end(), {"streams", "events", "barriers"});
    const std::size_t width = columns.size();
    TextTable table(std::move(columns));
    for (std::size_t i = 0; i < answer.made.size(); ++i) {
        const auto &[timing, against, seconds, rounds] = answer.comparison.times[i];
        const TimedSchedule &schedule = answer.made[i].schedule;
        std::vector<std::string> row{answer.shown[i].title,
                                     plainLatency(timing.latencyUs, answer.basis) +
                                         (schedule.measured.isSumOfStages() ? " (sum of stages)" : "") +
                                         (schedule.isOfProfile() ? " (recorded)" : ""),
                                     answer.isComparable(i) ? speedupText(against.speedup) : "-"};
        if (answer.isTimed())
            row.push_back(intervalText(against));
        if (answer.oneCudaGraph) {
            const auto overGraph = answer.overOneCudaGraph(i);
            row.push_back(overGraph ? speedupText(*overGraph) : "-");
        }
        row.insert(row.end(), {fmt::format("{}", schedule.stages.size()), grouped(schedule.search.stageMeasurements)});
        const Synchronisation needs = synchronisationOf(schedule);
        const std::vector<std::string> counts{std::to_string(needs.streams), std::to_string(needs.events),
                                              std::to_string(needs.barriers)};
        const auto add = [&](std::vector<std::string> cells) {
            if (haveStreams)
                cells.insert(cells.end(), counts.begin(), counts.end());
            table.add(std::move(cells));
        };
        add(std::move(row));
        if (answer.oneCudaGraph && isSequential(answer.shown[i]))
            add(graphRow(answer, i));
    }
    if (answer.ownStreams)
        table.add(ownRow(answer, width));
    return table;
}

} // namespace

std::string notPassedText(const answers::FailBelow &verdict, const std::string &last, const std::string &first)
{
    const SpeedupEstimate &against = verdict.against;
    const auto interval = fmt::format(" (95 % interval {})", intervalText(against));
    // With {:g}: 1.0499 must not be shown as 1.05.
    return fmt::format("{} is {:g}x as fast as {}{}, less than the {:g}x of --fail-below", last, against.speedup, first,
                       verdict.hasInterval ? interval : "", verdict.wanted);
}

bool CompareAnswer::isComparable(std::size_t which) const
{
    return hasFirst && areComparable(made.front().schedule, made[which].schedule);
}

std::optional<double> CompareAnswer::overOneCudaGraph(std::size_t which) const
{
    if (!oneCudaGraph || !made[which].schedule.latencyUs() || made[which].schedule.measured.isSumOfStages())
        return std::nullopt;
    return oneCudaGraph->latencyUs / comparison.times[which].timing.latencyUs;
}

void tellReplaced(const Comparison &comparison, const std::vector<ComparedSchedule> &shown)
{
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (const std::size_t stands = comparison.standing[i]; stands != i)
            std::cerr << "note: " << shown[i].title << " found nothing faster than " << shown[stands].title
                      << ", which replaces it\n";
    }
}

answers::Compare compareAnswer(const CompareAnswer &answer)
{
    answers::Compare record{.model = answer.model.name,
                            .device = answer.device,
                            .batch = answer.model.graph->batch(),
                            .search = answer.search,
                            .rounds = answer.comparison.rounds,
                            .notes = answer.model.report.notes,
                            .ownStreams = answer.ownStreams,
                            .failBelow = answer.verdict,
                            .basis = answer.basis};
    for (std::size_t i = 0; i < answer.made.size(); ++i) {
        const FoundSchedule &found = answer.made[i];
        record.order.push_back(answer.shown[i].name);
        record.schedules.emplace_back(answer.shown[i].name,
                                      answers::Compared{answer.comparison.times[i], found.schedule,
                                                        disturbedStages(found.schedule), answer.isTimed(),
                                                        answer.isComparable(i), !found.blocks.empty(),
                                                        answer.overOneCudaGraph(i)});
    }
    if (answer.oneCudaGraph) {
        const double firstUs = answer.comparison.times.front().timing.latencyUs;
        record.oneCudaGraph = {answer.oneCudaGraph->device, answer.oneCudaGraph->latencyUs,
                               answer.hasFirst && answer.overOneCudaGraph(0)
                                   ? std::optional(firstUs / answer.oneCudaGraph->latencyUs)
                                   : std::nullopt};
    }
    const bool isExplained = answer.why && !answer.timelines.empty();
    if (isExplained || answer.differences) {
        ScheduleDifference difference = differenceOf(answer);
        if (isExplained)
            record.why = whyAnswer(answer, difference);
        if (answer.differences)
            record.differences = std::move(difference);
    }
    return record;
}

void printComparison(const CompareAnswer &answer)
{
    const auto &[model, device, basis, search, made, shown, comparison, hasFirst, differences, why, graph, ownStreams,
                 verdict, timelines] = answer;
    const bool hasSums =
        std::ranges::any_of(made, [](const FoundSchedule &one) { return one.schedule.measured.isSumOfStages(); });
    std::cout << costLines(basis) << model.name << " on " << device.id << ", batch " << model.graph->batch() << ", "
              << basis.precision << ", latencies " << toString(device.provenance)
              << (device.launches.empty() ? "" : ", launches " + device.launches) << ", r = " << search.r.value_or(0)
              << ", s = " << search.s.value_or(0) << '\n'
              << simulationLines(device.calibration, device.simulationErrors) << '\n'
              << tableOf(answer) << aboutSpeedups(answer) << (hasSums ? kAboutSums : "");
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (const std::string disturbed = disturbedLine(made[i].schedule); !disturbed.empty())
            std::cout << shown[i].title << ": " << disturbed;
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (made[i].schedule.isOfProfile())
            std::cout << shown[i].title << " was recorded on " << shownText(made[i].schedule.context.device)
                      << ": latencies that were not timed together are numbers, not a verdict\n";
    }
    if (answer.isTimed())
        std::cout << "whole schedules timed in " << comparison.rounds << " rounds; against " << shown.front().title
                  << '\n';
    const auto tell = [](const std::string &title, const TimingInRounds &times) {
        const std::string words = verdictText(times.against, times.secondsPerRound);
        std::cout << title << ": " << (words.empty() ? "no verdict from fewer than 8 rounds" : words) << '\n';
    };
    for (std::size_t i = 1; answer.isTimed() && i < made.size(); ++i)
        tell(shown[i].title, comparison.times[i]);
    if (ownStreams && ownStreams->isTimed)
        tell(kOwnStreams, ownStreams->times);
    if (ownStreams)
        std::cout << kOwnStreams << " are those of " << ownStreams->device << ": ORT_PARALLEL without a file\n";
    if (!why && !differences)
        return;
    const ScheduleDifference difference = differenceOf(answer);
    if (why && !timelines.empty())
        std::cout << whyText(difference, explained(answer, true));
    if (!differences)
        return;
    std::vector<SideTitle> titles;
    for (std::size_t i = 0; i < shown.size(); ++i)
        titles.push_back({shown[i].title, made[i].schedule.streams.has_value()});
    std::cout << differenceText(difference, titles);
}

} // namespace stagecraft
