#include "cli/edit_answer.h"

#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "results/files/schedule_parts.h"
#include "results/schedule_words.h"
#include "schedule/compare/difference.h"
#include "schedule/stage_text.h"
#include "schedule/streams/streams_text.h"
#include "support/number_text.h"
#include "support/shown_text.h"

#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <utility>

namespace stagecraft {
namespace {

std::string numbersText(StageRange stages)
{
    return stages.count == 1 ? fmt::format("stage {}", stages.first + 1)
                             : fmt::format("stages {} to {}", stages.first + 1, stages.end());
}

// "+4.1 us, +4.9 %"
std::string changeText(double beforeUs, double us)
{
    const auto sign = [](double value) { return std::string(value < 0 ? "-" : "+"); };
    return sign(us - beforeUs) + plainLatency(std::abs(us - beforeUs)) +
           (beforeUs > 0 ? ", " + sign(us - beforeUs) + percent(std::abs(us / beforeUs - 1)) : "");
}

std::string againstText(const EditOutcome &measured, const std::string &original, const CostBasis &basis)
{
    const TimingInRounds &before = measured.times.front();
    const TimingInRounds &now = measured.times.back();
    std::string text = fmt::format("against {}: {} before, ", original, plainLatency(before.timing.latencyUs, basis));
    if (!measured.areComparable)
        return text + "which is not comparable with a sum of stages\n";
    text += changeText(before.timing.latencyUs, now.timing.latencyUs) + "; " + speedupText(now.against.speedup);
    if (measured.rounds > 0)
        text += fmt::format(" ({} to {}, timed in {})", speedupText(now.against.low), speedupText(now.against.high),
                            counted(measured.rounds, "round"));
    const std::string verdict = verdictText(now.against, now.secondsPerRound);
    return text + (verdict.empty() ? "; no verdict from fewer than 8 rounds" : ": " + verdict) + '\n';
}

std::vector<answers::StageOfEdit> numbered(const std::vector<std::size_t> &stages)
{
    std::vector<answers::StageOfEdit> list;
    for (const std::size_t stage : stages)
        list.push_back({stage});
    return list;
}

} // namespace

std::vector<answers::EditedSpan> editedSpans(const TimedSchedule &original, const TimedSchedule &edited,
                                             bool isOriginalKnown, bool isMeasured)
{
    std::vector<answers::EditedSpan> result;
    for (CommonSpan &span : commonSpans({original.stages, edited.stages})) {
        if (span.isEqual)
            continue;
        auto &difference = result.emplace_back();
        if (isOriginalKnown)
            difference.beforeUs = sumOfStagesUs(original, span.sides[0]);
        if (isMeasured)
            difference.us = sumOfStagesUs(edited, span.sides[1]).value_or(0);
        difference.span = std::move(span);
    }
    return result;
}

answers::Edit editAnswer(const ScheduledModel &opened, const EditedByHand &byHand,
                         const std::optional<EditOutcome> &measured, std::vector<answers::EditedSpan> spans)
{
    const TimedSchedule &schedule = measured ? measured->edited : byHand.schedule;
    answers::Edit answer{.model = opened.model.name,
                         .madeFor = madeFor(opened),
                         .changed = numbered(byHand.changed),
                         .disturbedStages = disturbedStages(schedule),
                         .spans = std::move(spans),
                         .file = scheduleInFile(OperatorNames(*opened.model.graph), schedule),
                         .notes = opened.model.report.notes};
    for (const std::string &words : byHand.words)
        answer.edits.push_back({words});
    answer.unsplitUs = byHand.unsplitUs;
    if (measured) {
        const double beforeUs = measured->times.front().timing.latencyUs;
        answer.measured = numbered(measured->measured);
        answer.before = {measured->rounds, beforeUs, {}, measured->times.back().against};
        if (measured->areComparable)
            answer.before->differenceUs = measured->times.back().timing.latencyUs - beforeUs;
    }
    return answer;
}

void printEdit(const std::string &from, const ScheduledModel &opened, const EditedByHand &byHand,
               const std::optional<EditOutcome> &measured, const std::vector<answers::EditedSpan> &spans)
{
    const TimedSchedule &schedule = measured ? measured->edited : byHand.schedule;
    const CostBasis &basis = schedule.search.costs;
    std::cout << costLines(basis);
    for (const std::string &words : byHand.words)
        std::cout << shownText(words) << '\n';
    for (const std::size_t stage : byHand.changed) {
        std::cout << "stage " << stage + 1 << "  block " << schedule.stages[stage].block + 1 << "  "
                  << (measured ? stageLatencyText(*opened.model.graph, schedule, stage) + "  " : "")
                  << stageText(*opened.model.graph, schedule.stages[stage]) << '\n';
    }
    if (schedule.streams)
        std::cout << streamsText(*opened.model.graph, *schedule.streams);
    std::cout << '\n' << opened.model.name << ", edited from " << schedule.search.editedFrom << ": ";
    if (schedule.streams)
        std::cout << synchronisationText(synchronisationOf(schedule));
    else
        std::cout << counted(static_cast<std::int64_t>(schedule.stages.size()), "stage") << ", "
                  << byHand.changed.size() << " changed";
    if (!measured) {
        std::cout << "; not measured, --device measures it\n";
        return;
    }
    if (!schedule.streams)
        std::cout << ", " << measured->measured.size() << " measured";
    std::cout << '\n';
    for (const answers::EditedSpan &difference : spans) {
        if (!difference.us)
            continue; // the device measures no stages
        std::cout << numbersText(difference.span.sides[1]) << ": " << plainLatency(*difference.us, basis);
        if (difference.beforeUs)
            std::cout << ", before (" << numbersText(difference.span.sides[0]) << ") "
                      << plainLatency(*difference.beforeUs, basis) << ", "
                      << changeText(*difference.beforeUs, *difference.us);
        std::cout << '\n';
    }
    std::cout << "on " << schedule.context.device << ": " << plainLatency(*schedule.latencyUs(), basis) << " ("
              << provenanceWords(schedule) << ", " << schedule.context.precision << ")\n"
              << againstText(*measured, from, basis);
    if (byHand.unsplitUs)
        std::cout << "before operators were split, in a run of its own: " << plainLatency(*byHand.unsplitUs, basis)
                  << ", " << changeText(*byHand.unsplitUs, *schedule.latencyUs()) << '\n';
    std::cout << disturbedLine(schedule)
              << simulationLines(schedule.measured.calibration, schedule.measured.simulationErrors);
}

} // namespace stagecraft
