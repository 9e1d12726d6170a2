#include "cli/edit_answer.h"

#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "results/schedule_words.h"
#include "schedule/compare/difference.h"
#include "schedule/stage_text.h"
#include "support/number_text.h"
#include "support/shown_text.h"

#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
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

Json againstJson(const EditOutcome &measured)
{
    const TimingInRounds &before = measured.times.front();
    const SpeedupEstimate &against = measured.times.back().against;
    Json json{{"rounds", measured.rounds}, {"latency_us", before.timing.latencyUs}};
    json["difference_us"] =
        measured.areComparable ? Json(measured.times.back().timing.latencyUs - before.timing.latencyUs) : Json();
    json["speedup"] = measured.areComparable ? Json(against.speedup) : Json();
    if (measured.rounds > 1)
        json["speedup_interval"] = {against.low, against.high};
    const bool hasVerdict = measured.areComparable && against.verdict != Verdict::None;
    json["verdict"] = hasVerdict ? Json(toString(against.verdict)) : Json();
    return json;
}

Json numbersJson(const std::vector<std::size_t> &stages)
{
    Json numbers = Json::array();
    for (const std::size_t stage : stages)
        numbers.push_back({{"stage_number", stage + 1}});
    return numbers;
}

} // namespace

std::vector<EditedSpan> editedSpans(const Schedule &original, const Schedule &measured, bool isOriginalKnown)
{
    std::vector<EditedSpan> result;
    for (CommonSpan &span : commonSpans({original.stages, measured.stages})) {
        if (span.isEqual)
            continue;
        EditedSpan &difference = result.emplace_back();
        if (isOriginalKnown)
            difference.beforeUs = sumOfStagesUs(original, span.sides[0]);
        difference.us = sumOfStagesUs(measured, span.sides[1]).value_or(0);
        difference.span = std::move(span);
    }
    return result;
}

Json editJson(const ScheduledModel &opened, const EditedByHand &byHand, const std::optional<EditOutcome> &measured,
              const std::vector<EditedSpan> &spans, const std::string &file)
{
    const Schedule &schedule = measured ? measured->edited : byHand.schedule;
    Json edits = Json::array();
    for (const std::string &words : byHand.words)
        edits.push_back({{"words", words}});
    Json differing = Json::array();
    for (const EditedSpan &difference : spans)
        differing.push_back({{"before_first_stage_number", difference.span.sides[0].first + 1},
                             {"before_stages", difference.span.sides[0].count},
                             {"first_stage_number", difference.span.sides[1].first + 1},
                             {"stages", difference.span.sides[1].count},
                             {"before_sum_us", difference.beforeUs ? Json(*difference.beforeUs) : Json()},
                             {"sum_us", measured ? Json(difference.us) : Json()}});
    return {{"model", opened.model.name},
            {"edited_from", schedule.search.editedFrom},
            {"made_for", madeForJson(opened)},
            {"edits", edits},
            {"stages", schedule.stages.size()},
            {"changed", numbersJson(byHand.changed)},
            {"device", measured ? Json(schedule.device) : Json()},
            {"calibration", schedule.calibration},
            {"batch", schedule.batch},
            {"measured", measured ? numbersJson(measured->measured) : Json::array()},
            {"latency_us", measured ? Json(*schedule.latencyUs()) : Json()},
            {"provenance", measured ? Json(toString(*schedule.provenance)) : Json()},
            {"sum_of_stages", schedule.isSumOfStages},
            {"disturbed_stages", disturbedStages(schedule)},
            {"before", measured ? againstJson(*measured) : Json()},
            {"spans", differing},
            {"schedule", Json::parse(file)}};
}

void printEdit(const std::string &from, const ScheduledModel &opened, const EditedByHand &byHand,
               const std::optional<EditOutcome> &measured, const std::vector<EditedSpan> &spans)
{
    const Schedule &schedule = measured ? measured->edited : byHand.schedule;
    const CostBasis &basis = schedule.search.costs;
    std::cout << costLines(basis);
    for (const std::string &words : byHand.words)
        std::cout << shownText(words) << '\n';
    for (const std::size_t stage : byHand.changed) {
        std::cout << "stage " << stage + 1 << "  block " << schedule.stages[stage].block + 1 << "  "
                  << (measured ? stageLatencyText(*opened.model.graph, schedule, stage) + "  " : "")
                  << stageText(*opened.model.graph, schedule.stages[stage]) << '\n';
    }
    std::cout << '\n'
              << opened.model.name << ", edited from " << schedule.search.editedFrom << ": "
              << counted(static_cast<std::int64_t>(schedule.stages.size()), "stage") << ", " << byHand.changed.size()
              << " changed";
    if (!measured) {
        std::cout << "; not measured, --device measures it\n";
        return;
    }
    std::cout << ", " << measured->measured.size() << " measured\n";
    for (const EditedSpan &difference : spans) {
        std::cout << numbersText(difference.span.sides[1]) << ": " << plainLatency(difference.us, basis);
        if (difference.beforeUs)
            std::cout << ", before (" << numbersText(difference.span.sides[0]) << ") "
                      << plainLatency(*difference.beforeUs, basis) << ", "
                      << changeText(*difference.beforeUs, difference.us);
        std::cout << '\n';
    }
    std::cout << "on " << schedule.device << ": " << plainLatency(*schedule.latencyUs(), basis) << " ("
              << provenanceWords(schedule) << ", " << schedule.precision << ")\n"
              << againstText(*measured, from, basis) << disturbedLine(schedule)
              << calibrationLine(schedule.calibration);
}

} // namespace stagecraft
