#include "cli/measure_answer.h"

#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "results/files/schedule_parts.h"
#include "results/schedule_words.h"
#include "schedule/stage_text.h"
#include "schedule/streams/streams_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iostream>

namespace stagecraft {
namespace {

// Compares the schedule in one go with the sum of its stages: only the former has barriers, only the latter has no
// overlap.
std::string differenceText(double wholeMinusSum)
{
    return plainLatency(std::abs(wholeMinusSum)) + (wholeMinusSum < 0 ? " more than" : " less than") +
           " the schedule in one go";
}

std::string timingLine(const Timing &timing)
{
    std::string line;
    if (timing.hasSpread())
        line = fmt::format("median of {}, mean {}, spread {}{}", counted(timing.runs, "run"),
                           plainLatency(timing.meanUs), plainLatency(timing.stddevUs),
                           timing.isSpread() ? " (disturbed: something else used the machine; measure again)" : "");
    if (timing.clocks.isKnown())
        line += (line.empty() ? "clock during timing: " : "; clock during timing: ") + toString(timing.clocks);
    return line.empty() ? line : line + '\n';
}

TextTable stagesTable(const Graph &graph, const TimedSchedule &schedule)
{
    const auto &timings = schedule.measured.stages;
    const bool timed = std::ranges::any_of(timings, &Timing::hasSpread);
    const bool clocked = std::ranges::any_of(timings, [](const Timing &timing) { return timing.clocks.isKnown(); });
    std::vector<std::string> columns{"stage", "block", "strategy", "latency"};
    if (timed)
        columns.insert(columns.end(), {"mean", "spread", "runs"});
    if (clocked)
        columns.emplace_back("clock");
    columns.emplace_back("operators"); // groups apart by |
    TextTable table(columns);
    table.alignLeft(columns.size() - 1);
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        std::vector<std::string> row{std::to_string(i + 1), std::to_string(stage.block + 1),
                                     std::string(toString(stage.strategy)), stageLatencyText(graph, schedule, i)};
        if (timed && timings[i].hasSpread())
            row.insert(row.end(), {plainLatency(timings[i].meanUs), plainLatency(timings[i].stddevUs),
                                   std::to_string(timings[i].runs)});
        else if (timed)
            row.insert(row.end(), {"unknown", "unknown", "unknown"});
        if (clocked)
            row.push_back(timings[i].clocks.isKnown() ? toString(timings[i].clocks) : "unknown");
        row.push_back(groupsText(graph, stage));
        table.add(std::move(row));
    }
    return table;
}

} // namespace

answers::Measure measureAnswer(const ScheduledModel &opened, const std::string &name)
{
    const TimedSchedule &schedule = opened.schedule;
    const OperatorNames names(*opened.model.graph);
    answers::Measure answer{.model = opened.model.name,
                            .scheduleName = name,
                            .schedule = schedule,
                            .madeFor = madeFor(opened),
                            .disturbedStages = disturbedStages(schedule),
                            .notes = opened.model.report.notes};
    const bool isDetailed = std::ranges::any_of(schedule.measured.stages, &Timing::isDetailed);
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        auto &stage = answer.stages.emplace_back(answers::MeasuredStage{namedStage(names, schedule.stages[i]), {}});
        if (!schedule.hasStageLatencies())
            continue;
        const Timing &timing = schedule.measured.stages[i];
        stage.latencyUs = timing.latencyUs;
        if (isDetailed)
            answer.stageTimings.push_back({timing});
    }
    return answer;
}

void printMeasured(const ScheduledModel &opened, const std::string &name, bool stages)
{
    const Model &model = opened.model;
    const TimedSchedule &schedule = opened.schedule;
    const auto &timings = schedule.measured.stages;
    const CostBasis &basis = schedule.search.costs;
    const double sum = schedule.sumOfStagesUs();
    std::cout << costLines(basis);
    if (stages && schedule.streams)
        std::cout << streamsText(*model.graph, *schedule.streams) << '\n';
    else if (stages)
        std::cout << stagesTable(*model.graph, schedule) << '\n';
    std::cout << model.name << ", " << name << " schedule on " << schedule.context.device << ", batch "
              << schedule.context.batch << ": " << plainLatency(*schedule.latencyUs(), basis) << " ("
              << provenanceWords(schedule) << ", " << schedule.context.precision << ")";
    if (schedule.streams)
        std::cout << " with " << synchronisationText(synchronisationOf(schedule));
    else if (!schedule.hasStageLatencies())
        std::cout << ", " << counted(static_cast<std::int64_t>(schedule.stages.size()), "stage")
                  << ", none of which is measured by itself on this device";
    else if (!schedule.measured.isSumOfStages())
        std::cout << ", " << counted(static_cast<std::int64_t>(timings.size()), "stage") << " alone "
                  << (timings.size() == 1 ? "takes " : "add up to ") << plainLatency(sum, basis) << ", "
                  << differenceText(*schedule.latencyUs() - sum);
    std::cout << '\n'
              << timingLine(*schedule.measured.whole) << disturbedLine(schedule)
              << simulationLines(schedule.measured.calibration, schedule.measured.simulationErrors);
}

} // namespace stagecraft
