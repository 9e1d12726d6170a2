#include "cli/optimize_answer.h"

#include "cli/cost_text.h"
#include "cli/split_trials.h"
#include "cli/text_table.h"
#include "cli/time_parts_text.h"
#include "results/files/block_search_json.h"
#include "results/files/schedule_parts.h"
#include "results/schedule_words.h"
#include "schedule/stage_text.h"
#include "schedule/streams/streams_text.h"
#include "search/options.h"
#include "search/search_words.h"
#include "support/shown_text.h"

#include <fmt/format.h>

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

std::string orderText(const SearchRecord &search)
{
    if (search.order != toString(SearchOrder::Learned))
        return {};
    return search.trainedOn == 0 ? " in a planned order"
                                 : " in an order learned from " + counted(search.trainedOn, "stage");
}

std::string endedText(std::string_view end)
{
    return end == "proved"      ? "all were tried: there are no faster streams"
           : end == "converged" ? "nothing faster was found for a while"
           : end == "time"      ? "time was up"
                                : "the search was stopped";
}

void printStreams(const Model &model, const TimedSchedule &schedule)
{
    std::cout << costLines(schedule.search.costs) << streamsText(*model.graph, *schedule.streams) << '\n'
              << model.name << " on " << schedule.context.device << ": "
              << plainLatency(*schedule.latencyUs(), schedule.search.costs) << " (" << provenanceWords(schedule) << ", "
              << schedule.context.precision << ") with " << synchronisationText(synchronisationOf(schedule)) << '\n';
    const auto &boundUs = schedule.search.boundWithoutBarriersUs;
    if (boundUs && *boundUs <= *schedule.latencyUs())
        std::cout << "no schedule of these kernels takes less than " << plainLatency(*boundUs) << ": gap "
                  << percent(*schedule.latencyUs() / *boundUs - 1) << '\n';
    std::cout << simulationLines(schedule.measured.calibration, schedule.measured.simulationErrors);
}

void printStarts(const StreamSearchRecord &search, const TimedSchedule &found)
{
    TextTable table({"began with", "latency", "streams", "events", "barriers"});
    for (const StreamStart &start : search.starts)
        table.add({start.strategy, plainLatency(start.latencyUs), std::to_string(start.needs.streams),
                   std::to_string(start.needs.events), std::to_string(start.needs.barriers)});
    std::cout << '\n' << table << counted(search.schedulesTimed, "schedule") << " timed";
    if (search.ended)
        std::cout << "; " << endedText(*search.ended);
    std::cout << '\n';
    if (!found.streams)
        std::cout << "no streams are faster than these stages, so they are the answer\n";
}

void printSchedule(const Model &model, const TimedSchedule &schedule)
{
    if (schedule.streams)
        return printStreams(model, schedule);
    const SearchRecord &search = schedule.search;
    std::cout << costLines(search.costs);
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        std::cout << "stage " << i + 1 << "  block " << stage.block + 1 << "  "
                  << stageLatencyText(*model.graph, schedule, i) << "  " << stageText(*model.graph, stage) << '\n';
        if (!stage.launchOrder.empty())
            std::cout << "    launched: " << shownText(launchOrderText(*model.graph, stage)) << '\n';
    }
    std::cout << '\n'
              << model.name << " on " << schedule.context.device << ": "
              << plainLatency(*schedule.latencyUs(), search.costs) << " (" << provenanceWords(schedule) << ", "
              << schedule.context.precision << ") in "
              << counted(static_cast<std::int64_t>(schedule.stages.size()), "stage") << '\n'
              << counted(search.states, "state") << ", " << counted(search.transitions, "transition") << ", "
              << counted(search.stageMeasurements, "stage measurement") << repeatedText(search) << orderText(search)
              << ", " << counted(search.cacheHits, "cache hit") << "; " << endingText(search)
              << (search.stagesRefused > 0 ? " without the stages left out" : "") << ", gap " << percent(search.gap)
              << " of " << plainLatency(search.sumUs, search.costs)
              << ", the sum of its stages and the boundaries between them\n"
              << gapBasisText(search) << '\n';
    if (const std::string bound = withoutBarriersText(search); !bound.empty())
        std::cout << "without barriers between stages no schedule of these kernels takes less than " << bound << '\n';
    if (const std::string pins = pinsText(search); !pins.empty())
        std::cout << pins << '\n';
    if (const std::string orders = launchOrdersText(search); !orders.empty())
        std::cout << orders << '\n';
    std::cout << disturbedLine(schedule)
              << simulationLines(schedule.measured.calibration, schedule.measured.simulationErrors);
}

// The cost of the search for each block, and stages that were not chosen.
std::vector<answers::SearchedBlock> searchedBlocks(const Graph &graph, const OptimizeAnswer &answer)
{
    const OperatorNames names(graph);
    std::vector<answers::SearchedBlock> blocks;
    std::size_t next = 0;
    for (const BlockSearch &block : answer.found.blocks) {
        auto &searched = blocks.emplace_back(answers::SearchedBlock{block, {}});
        for (NamedRunnerUp &other : namedRunnersUp(block, names)) {
            auto &whyNot =
                searched.runnersUp.emplace_back(answers::WhyNot{std::move(other), {}, answer.why.has_value()});
            if (const auto more = answer.why ? answer.why->more[next++] : std::nullopt)
                whyNot.more = {*more, answer.why->sources};
        }
    }
    return blocks;
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

void printMembers(const std::vector<MemberCounts> &members)
{
    TextTable table({"member", "stages", "in vain", "in common", "time", "lost", "left out"});
    for (const MemberCounts &member : members)
        table.add({member.device, grouped(member.stages), grouped(member.inVain), grouped(member.inCommon),
                   fmt::format("{:.1f} s", member.seconds), grouped(member.timesLost), shownText(member.leftOut)});
    std::cout << '\n' << table;
}

answers::BaselinesAgain baselinesAgain(const BaselinesInRounds &held)
{
    answers::BaselinesAgain again{held.rounds, std::string(held.kept ? toString(*held.kept) : "found"), {}};
    for (std::size_t i = 0; i < held.times.size(); ++i)
        again.times.emplace_back(i < held.baselines.size() ? toString(held.baselines[i]) : "found",
                                 answers::AgainInRounds{held.times[i].timing.latencyUs, held.times[i].against});
    return again;
}

} // namespace

answers::Optimize optimizeAnswer(const OptimizeAnswer &answer)
{
    const auto &[model, found, against, why, memoryLimit, memory, members, splits] = answer;
    answers::Optimize record{.model = model.name,
                             .disturbedStages = disturbedStages(found.schedule),
                             .blocks = searchedBlocks(*model.graph, answer),
                             .file = scheduleInFile(OperatorNames(*model.graph), found.schedule),
                             .notes = model.report.notes};
    if (against)
        record.again = baselinesAgain(*against);
    record.streamSearch = found.streams;
    record.members = members;
    record.splits = splits;
    if (memory)
        record.memory = {memoryLimit.bytes, neededBytes(found.schedule, *memory, memoryLimit.target),
                         memoryLimit.target ? std::string(plan::memoryTargetRow(*memoryLimit.target).basis)
                                            : memory->basis,
                         memoryLimit.target};
    return record;
}

void printOptimize(const OptimizeAnswer &answer)
{
    const FoundSchedule &found = answer.found;
    if (answer.splits)
        printSplits(*answer.splits, found.schedule.search.costs);
    if (answer.why)
        std::cout << whyText(*answer.model.graph, found.blocks, *answer.why) << '\n';
    printSchedule(answer.model, found.schedule);
    if (found.streams && !found.streams->starts.empty())
        printStarts(*found.streams, found.schedule);
    if (answer.against)
        std::cout << againstText(*answer.against);
    if (answer.members)
        printMembers(*answer.members);
}

} // namespace stagecraft
