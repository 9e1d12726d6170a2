#include "cli/optimize_answer.h"

#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "cli/time_parts_text.h"
#include "results/files/block_search_json.h"
#include "results/schedule_words.h"
#include "schedule/stage_text.h"
#include "search/search_words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <utility>

namespace stagecraft {
namespace {

std::string repeatedText(const SearchRecord &search)
{
    return search.stagesRepeated == 0
               ? std::string()
               : " (" + grouped(search.stagesRepeated) + " of stages whose stored latency was disturbed)";
}

void printSchedule(const Model &model, const Schedule &schedule)
{
    const SearchRecord &search = schedule.search;
    std::cout << costLines(search.costs);
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        std::cout << "stage " << i + 1 << "  block " << stage.block + 1 << "  "
                  << stageLatencyText(*model.graph, schedule, i) << "  " << stageText(*model.graph, stage) << '\n';
    }
    std::cout << '\n'
              << model.name << " on " << schedule.device << ": " << plainLatency(*schedule.latencyUs(), search.costs)
              << " (" << provenanceWords(schedule) << ", " << schedule.precision << ") in "
              << counted(static_cast<std::int64_t>(schedule.stages.size()), "stage") << '\n'
              << counted(search.states, "state") << ", " << counted(search.transitions, "transition") << ", "
              << counted(search.stageMeasurements, "stage measurement") << repeatedText(search) << ", "
              << counted(search.cacheHits, "cache hit") << "; " << endingText(search)
              << (search.stagesRefused > 0 ? " without the stages left out" : "") << ", gap " << percent(search.gap)
              << " of " << plainLatency(search.sumUs, search.costs)
              << ", the sum of its stages and the boundaries between them\n"
              << gapBasisText(search) << '\n';
    if (const std::string pins = pinsText(search); !pins.empty())
        std::cout << pins << '\n';
    std::cout << disturbedLine(schedule) << calibrationLine(schedule.calibration);
}

// The cost of the search for each block, and stages that were not chosen.
Json blocksJson(const Graph &graph, const std::vector<BlockSearch> &blocks)
{
    const OperatorNames names(graph);
    Json result = Json::array();
    for (const BlockSearch &block : blocks) {
        Json numbered{{"block", block.block}, {"block_number", block.block + 1}};
        numbered.update(blockSearchJson(block, names));
        result.push_back(std::move(numbered));
    }
    return result;
}

std::string againstText(const BaselinesInRounds &held)
{
    std::string text = fmt::format("timed again in {} rounds: ", held.rounds);
    for (std::size_t i = 0; i < held.baselines.size(); ++i)
        text += fmt::format("{} {}, ", title(held.baselines[i]), plainLatency(held.times[i].timing.latencyUs));
    if (held.kept)
        return fmt::format("{}nothing faster found than {}, so this is it\n", text, title(*held.kept));
    const TimingInRounds &found = held.times.back();
    text += "found " + plainLatency(found.timing.latencyUs);
    if (held.baselines.empty())
        return text + '\n';
    const std::string verdict = verdictText(found.against, found.secondsPerRound);
    return fmt::format("{}; {} against {} ({} to {}){}\n", text, speedupText(found.against.speedup),
                       title(held.baselines[0]), speedupText(found.against.low), speedupText(found.against.high),
                       verdict.empty() ? "" : ": " + verdict);
}

Json againstJson(const BaselinesInRounds &held)
{
    Json json{{"rounds", held.rounds}, {"kept", held.kept ? toString(*held.kept) : "found"}};
    for (std::size_t i = 0; i < held.times.size(); ++i) {
        const SpeedupEstimate &against = held.times[i].against;
        const bool isBaseline = i < held.baselines.size();
        json[std::string(isBaseline ? toString(held.baselines[i]) : "found")] = {
            {"latency_us", held.times[i].timing.latencyUs},
            {"speedup", against.speedup},
            {"speedup_interval", {against.low, against.high}},
            {"verdict", against.verdict == Verdict::None ? Json() : Json(toString(against.verdict))}};
    }
    return json;
}

void addWhy(Json &blocks, const StageTrials &trials)
{
    std::size_t next = 0;
    for (Json &block : blocks) {
        for (Json &other : block["runners_up"]) {
            const auto &more = trials.more[next++];
            other["more"] = more ? timePartsJson(*more, trials.sources) : Json();
        }
    }
}

} // namespace

Json optimizeJson(const OptimizeAnswer &answer, const std::string &file)
{
    const auto &[model, found, why, memoryCap, memory] = answer;
    const Schedule &schedule = found.schedule;
    Json document{{"model", model.name},
                  {"device", schedule.device},
                  {"calibration", schedule.calibration},
                  {"batch", schedule.batch},
                  {"latency_us", *schedule.latencyUs()},
                  {"provenance", toString(*schedule.provenance)},
                  {"sum_of_stages", schedule.isSumOfStages},
                  {"disturbed_stages", disturbedStages(schedule)},
                  {"stages", schedule.stages.size()},
                  {"stage_sum_us", schedule.sumOfStagesUs()},
                  {"in_turn", found.against ? againstJson(*found.against) : Json()},
                  {"search", searchJson(schedule.search)},
                  {"blocks", blocksJson(*model.graph, found.blocks)},
                  {"schedule", Json::parse(file)},
                  {"notes", notesJson(model.report)}};
    if (memory)
        document["memory"] = {
            {"cap_bytes", memoryCap}, {"live_peak_bytes", memory->use.livePeakBytes()}, {"basis", memory->basis}};
    if (why)
        addWhy(document["blocks"], *why);
    addLatencyBasis(document, schedule.search.costs);
    return document;
}

void printOptimize(const OptimizeAnswer &answer)
{
    const FoundSchedule &found = answer.found;
    if (answer.why)
        std::cout << whyText(*answer.model.graph, found.blocks, *answer.why) << '\n';
    printSchedule(answer.model, found.schedule);
    if (found.against)
        std::cout << againstText(*found.against);
}

} // namespace stagecraft
