// optimize: searches for a schedule on a device, and writes it.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/keep_option.h"
#include "cli/option_checks.h"
#include "cli/stop_after.h"
#include "cli/text_table.h"
#include "cli/time_parts_text.h"
#include "flow/explain/memory_of_schedule.h"
#include "flow/find/capped_schedule.h"
#include "flow/find/timing_in_rounds.h"
#include "flow/make_schedule.h"
#include "flow/open_model.h"
#include "results/files/block_search_json.h"
#include "results/files/schedule_json.h"
#include "results/schedule_words.h"
#include "schedule/stage_text.h"
#include "search/search_words.h"
#include "search/stages/pins.h"
#include "support/error_text.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

namespace stagecraft {
namespace {

struct OptimizeOptions {
    ModelOptions model;
    DeviceOption device;
    SearchFlags search;
    KeepOption keep;
    std::string output;
    int rounds = kDefaultRounds;
    bool why = false;
    std::string maxMemory;
};

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

// The found schedule and the baselines, timed again in rounds: the minimum of many noisy latencies is too good.
struct BaselineComparison {
    std::vector<ScheduleKind> baselines; // those that could be measured
    std::vector<TimingInRounds> times;   // of the baselines, then of the found schedule; empty: nothing was compared
    int rounds = 0;
    std::optional<ScheduleKind> kept; // the baseline that is faster than the found schedule, and replaces it
};

Result<BaselineComparison> compareWithBaselines(const Model &model, const OpenDevice &device, MadeSchedule &found,
                                                int rounds, const std::stop_token &stop)
{
    if (!device.session->isNoisy() || rounds == 0 || stop.stop_requested())
        return BaselineComparison{};
    BaselineComparison held;
    held.rounds = rounds;
    std::vector<MadeSchedule> all;
    std::vector<Schedule> schedules;
    for (const ScheduleKind kind : {ScheduleKind::Sequential, ScheduleKind::Greedy}) {
        auto made = makeSchedule(model, *device.session, device.info, kind, {}, {}, stop);
        if (!made && made.error().code != ErrorCode::DeviceFailed)
            return tl::unexpected(std::move(made.error()));
        if (!made) {
            std::cerr << "note: not compared with " << title(kind) << ": " << errorText(made.error()) << '\n';
            continue;
        }
        held.baselines.push_back(kind);
        schedules.push_back(made->schedule);
        all.push_back(std::move(*made));
    }
    schedules.push_back(found.schedule);
    all.push_back(found);
    TRY_AS(auto times, measureSchedulesInRounds(schedules, *device.session, rounds, stop));
    held.times = std::move(times);
    const std::size_t winner =
        keepFasterBaselines(all, held.times, held.baselines.size(), device.session->boundaryCost()).back();
    if (winner < held.baselines.size())
        held.kept = held.baselines[winner];
    const ClockRates clocks = all.back().schedule.timing->clocks;
    found = std::move(all.back());
    found.schedule.timing = held.times.back().timing;
    found.schedule.timing->clocks = clocks;
    return held;
}

std::string baselineComparisonText(const BaselineComparison &held)
{
    if (held.times.empty())
        return "";
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

Json baselineComparisonJson(const BaselineComparison &held)
{
    if (held.times.empty())
        return nullptr;
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

// What the kept stages cost: known if a schedule is proved optimal without them; searched for if latencies are exact
// and take no measuring.
Result<std::optional<double>> freeUs(const Schedule &found, const KeptStages &kept, const Model &model,
                                     const OpenDevice &device, SearchOptions search, const std::stop_token &stop)
{
    for (const Schedule &file : kept.files) {
        if (const auto us = freeOptimumUs(found, file))
            return us;
    }
    const bool hasBudget = search.maxMeasurements || search.maxSeconds;
    if (kept.stages.empty() || device.session->isNoisy() || hasBudget || stop.stop_requested())
        return std::nullopt;
    search.pinned.clear();
    const auto free = makeSchedule(
        model, *device.session, device.info, kindOf(search.strategies), search,
        terminalProgress("search without them", device.info.provenance, latencyBasis(model, device.info)), stop);
    endProgress();
    if (!free && free.error().code == ErrorCode::Cancelled)
        return std::nullopt;
    TRY(free);
    return freeOptimumUs(found, free->schedule);
}

// Each stage that was not taken, in its place.
Result<StageTrials> tryRunnersUp(const Model &model, const MadeSchedule &made, const OpenDevice &device,
                                 const std::stop_token &stop)
{
    std::vector<Stage> stages;
    for (const BlockSearch &block : made.blocks) {
        for (const RunnerUp &other : block.runnersUp)
            stages.push_back(other.stage);
    }
    return tryStages(model, made.schedule, stages, *device.session, stop);
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

// A found schedule that exceeds the cap is searched for again, among those that do not.
Result<MadeSchedule> withinCap(Result<MadeSchedule> made, const std::optional<std::size_t> &cap, const Model &model,
                               const OpenDevice &device, const SearchOptions &search, const std::stop_token &stop)
{
    if (!made || !cap)
        return made;
    auto capped = cappedSchedule(
        std::move(*made), *cap, model, *device.session, device.info, search,
        [](std::int64_t transitions) {
            showProgress({"search under the cap", counted(transitions, "transition")});
        },
        stop);
    endProgress();
    return capped;
}

Result<void> optimize(const OptimizeOptions &options, const CommandLine &line)
{
    TRY_AS(auto search, options.search.options());
    std::optional<std::size_t> cap;
    if (!options.maxMemory.empty()) {
        cap = bytesFrom(options.maxMemory);
        if (!cap)
            return fail(ErrorCode::WrongUse, "--max-memory: " + options.maxMemory + " is not a number of bytes",
                        "Give bytes, or a number with KiB, MiB or GiB: 48MiB");
        if (search.maxMeasurements || search.maxSeconds)
            return fail(ErrorCode::WrongUse, "--max-memory is searched for in full",
                        "Leave --max-measurements and --max-seconds out");
    }
    const StopAfter time(search.maxSeconds);
    TRY_AS(const auto model, options.model.open(search.maxSeconds));
    TRY_AS(const auto kept, keptStages(options.keep, model));
    search.pinned = kept.stages;
    TRY_AS(auto device, options.device.open(model));
    const auto listening = line.listen();
    if (search.maxSeconds) // the time begins with the command
        search.maxSeconds = std::max(0.0, *search.maxSeconds - time.elapsedSeconds());
    auto made =
        makeSchedule(model, *device.session, device.info, kindOf(search.strategies), search,
                     terminalProgress("search", device.info.provenance, latencyBasis(model, device.info)), line.stop);
    endProgress();
    made = withinCap(std::move(made), cap, model, device, search, line.stop);
    if (!made)
        return withinModel(model, made.error());
    tellRefusals(made->refusal, made->schedule, "search");
    TRY_AS(const auto unpinnedUs, freeUs(made->schedule, kept, model, device, search, line.stop));
    made->schedule.search.freeUs = unpinnedUs;
    // A baseline may need more than the cap.
    const auto held = compareWithBaselines(model, device, *made, cap ? 0 : options.rounds, line.stop);
    if (!held && held.error().code != ErrorCode::Cancelled)
        return tl::unexpected(held.error());
    const BaselineComparison times = held ? *held : BaselineComparison{};
    const Schedule &schedule = made->schedule;
    const std::string file = toJson(*model.graph, schedule);
    if (!options.output.empty()) {
        if (auto written = writeTextFile(options.output, file); !written)
            return written;
    }
    std::optional<StageTrials> why;
    if (options.why && !line.stop.stop_requested()) {
        if (auto trials = tryRunnersUp(model, *made, device, line.stop))
            why = std::move(*trials);
        else // what was found is not lost
            std::cerr << "note: --why: " << errorText(trials.error()) << '\n';
    }
    if (line.json) {
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
                      {"in_turn", baselineComparisonJson(times)},
                      {"search", searchJson(schedule.search)},
                      {"blocks", blocksJson(*model.graph, made->blocks)},
                      {"schedule", Json::parse(file)},
                      {"notes", notesJson(model.report)}};
        if (cap) {
            const auto memory = memoryOfSchedule(model, schedule, device.info, *device.session, line.stop);
            if (!memory)
                return withinModel(model, memory.error());
            document["memory"] = {
                {"cap_bytes", *cap}, {"live_peak_bytes", memory->use.livePeakBytes()}, {"basis", memory->basis}};
        }
        if (why)
            addWhy(document["blocks"], *why);
        addLatencyBasis(document, schedule.search.costs);
        printAnswer("optimize", document);
    } else {
        if (why)
            std::cout << whyText(*model.graph, made->blocks, *why) << '\n';
        printSchedule(model, schedule);
        std::cout << baselineComparisonText(times);
    }
    if (line.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the search was cancelled; the best schedule so far was kept");
    return {};
}

} // namespace

void addOptimizeCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("optimize", "Search for the fastest schedule on a device");
    const auto options = std::make_shared<OptimizeOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    options->search.addStrategyTo(*command, "what the search may do with a stage: parallel, merge or both");
    options->search.addPruningTo(*command);
    options->search.addBudgetTo(*command);
    options->keep.addTo(*command);
    addOutputTo(*command, line, options->output, "write the schedule to this file", [] { return FileKind::Schedule; });
    command
        ->add_option("--rounds", options->rounds,
                     "on a measuring device: time the result and the baselines in this many rounds; 0: not at all")
        ->type_name("N")
        ->check(wholeNumber(0, 1000))
        ->capture_default_str();
    command
        ->add_option("--max-memory", options->maxMemory,
                     "only schedules that need at most this many bytes at any time, for tensors and workspace, without "
                     "weights (see memory): 48MiB")
        ->type_name("BYTES");
    command->add_flag("--why", options->why,
                      "try each stage that was nearly taken, and say where the time goes that it takes more");
    command->callback([&line, options] { line.command = [&line, options] { return optimize(*options, line); }; });
}

} // namespace stagecraft
