// optimize: searches for a schedule on a device, and writes it.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/keep_option.h"
#include "cli/kit_next.h"
#include "cli/model_options.h"
#include "cli/optimize_answer.h"
#include "cli/option_checks.h"
#include "cli/print_answer.h"
#include "cli/split_trials.h"
#include "cli/stop_after.h"
#include "flow/find_schedule.h"
#include "flow/open_model.h"
#include "results/files/schedule_json.h"
#include "schedule/streams/require_stages.h"
#include "support/error_text.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

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
    std::string target;
    std::size_t streams = StreamsWanted{}.most;
    bool launchOrder = false;
    std::int64_t mostParts = 0; // of operators that are split; 0: none is
    KitNextOptions kit;
};

Result<std::optional<MemoryLimit>> memoryCapFrom(const OptimizeOptions &options, const SearchOptions &search)
{
    const std::string &text = options.maxMemory;
    TRY_AS(const auto target, memoryTargetOption(options.target));
    if (text.empty() && target)
        return fail(ErrorCode::WrongUse, "--target says what --max-memory counts, and there is none",
                    "Give --max-memory, or leave --target out");
    if (text.empty())
        return std::nullopt;
    const auto cap = bytesFrom(text);
    if (!cap)
        return fail(ErrorCode::WrongUse, "--max-memory: " + text + " is not a number of bytes",
                    "Give bytes, or a number with KiB, MiB or GiB: 48MiB");
    if (search.maxMeasurements || search.maxSeconds)
        return fail(ErrorCode::WrongUse, "--max-memory is searched for in full",
                    "Leave --max-measurements and --max-seconds out");
    return MemoryLimit{*cap, target};
}

// With --strategy of streams.
Result<SearchRequest> streamsRequestOf(const OptimizeOptions &options, StreamKind kind)
{
    const auto refused = [&](const char *option, const char *reason) {
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} goes with stages, and --strategy {} makes streams: {}", option,
                                options.search.strategy, reason),
                    fmt::format("Leave {} out", option));
    };
    if (options.keep.values.size() > (kind == StreamKind::Searched ? 1 : 0))
        return refused("--keep", kind == StreamKind::Searched ? "a search begins with one file"
                                                              : "only --strategy streams searches for them");
    if (options.why)
        return refused("--why", "it tries stages that were not taken");
    if (options.launchOrder)
        return refused("--launch-order", "streams have a launch order of their own");
    SearchFlags staged = options.search;
    staged.strategy = "both";
    TRY_AS(auto search, staged.options());
    SearchRequest request{.options = std::move(search), .streams = StreamsWanted{kind, options.streams}};
    TRY_AS(request.memoryCap, memoryCapFrom(options, request.options));
    request.streams->memoryCap = request.memoryCap;
    return request;
}

// What only a plain search takes; `why`: what stands in its place, "does not go with --kit-next".
Result<void> refuseSearchOptions(const OptimizeOptions &options, std::string_view why)
{
    const char *given = !options.keep.values.empty() ? "--keep"
                        : !options.maxMemory.empty() ? "--max-memory"
                        : options.why                ? "--why"
                        : options.launchOrder        ? "--launch-order"
                        : options.mostParts > 0      ? "--try-splits"
                                                     : nullptr;
    if (!given)
        return {};
    return fail(ErrorCode::WrongUse, fmt::format("{} {}", given, why), fmt::format("Leave {} out", given));
}

// With --strategy wavefront: a policy, with nothing to search for.
Result<SearchRequest> wavefrontRequestOf(const OptimizeOptions &options)
{
    TRY(refuseSearchOptions(options, "goes with a search, and wavefront is a policy"));
    return SearchRequest{.kind = ScheduleKind::Wavefront};
}

Result<SearchRequest> requestOf(const OptimizeOptions &options)
{
    if (options.search.strategy == toString(ScheduleKind::Wavefront))
        return wavefrontRequestOf(options);
    if (const auto streams = streamKindFromString(options.search.strategy))
        return streamsRequestOf(options, *streams);
    if (!strategySetFromString(options.search.strategy)) {
        std::vector<std::string> known{"both", "parallel", "merge", "all"};
        for (const StreamKind kind : kStreamKinds)
            known.emplace_back(toString(kind));
        known.emplace_back(toString(ScheduleKind::Wavefront));
        return unknownValue("--strategy", options.search.strategy, known);
    }
    TRY_AS(auto search, options.search.options());
    SearchRequest request{.kind = kindOf(search.strategies), .findsCostOfKept = true};
    TRY_AS(request.memoryCap, memoryCapFrom(options, search));
    if (request.memoryCap && search.strategies == StrategySet::All)
        return fail(ErrorCode::WrongUse, "--max-memory does not search for fused stages",
                    "Leave it out, or use --strategy both");
    request.options = std::move(search);
    request.options.ordersLaunches = options.launchOrder;
    if (options.launchOrder && (request.options.maxMeasurements || request.options.maxSeconds))
        return fail(ErrorCode::WrongUse, "--launch-order is chosen in full, after the search",
                    "Leave --max-measurements and --max-seconds out");
    return request;
}

SearchCallbacks callbacksFor(const Model &model, const DeviceInfo &device, const DeviceMembers *members)
{
    const auto named = [&](const std::string &name) {
        return terminalProgress(name, device.provenance, latencyBasis(model, device), members);
    };
    return {.search = named("search"),
            .searchWithoutKept = named("search without them"),
            .searchUnderCap =
                [](std::int64_t transitions) {
                    showProgress({"search under the cap", counted(transitions, "transition")});
                },
            .searchForStreams =
                [provenance = device.provenance](std::int64_t timed, double bestUs) {
                    showProgress({"search for streams",
                                  fmt::format("best {} ({})", plainLatency(bestUs), toString(provenance)),
                                  counted(timed, "schedule")});
                },
            .launchOrders =
                [](std::size_t stage, std::size_t stages) {
                    showProgress({"choose launch orders", fmt::format("stage {} of {}", stage + 1, stages)});
                }};
}

void tellLeftOut(ScheduleKind baseline, const Error &why)
{
    endProgress();
    std::cerr << "note: not compared with " << title(baseline) << ": " << errorText(why) << '\n';
}

// What a search on the recording of a kit takes.
Result<void> findNextKit(const OptimizeOptions &options, const CommandLine &line)
{
    TRY(refuseSearchOptions(options, "does not go with --kit-next"));
    TRY_AS(const auto search, options.search.options());
    return kitNext(options.model, options.device.id, search, options.kit, options.output, line);
}

Result<void> optimize(const OptimizeOptions &options, const CommandLine &line)
{
    if (options.kit.isAsked)
        return findNextKit(options, line);
    TRY_AS(auto request, requestOf(options));
    std::optional<double> &maxSeconds = request.options.maxSeconds;
    const StopAfter time(maxSeconds);
    TRY_AS(auto model, options.model.open(maxSeconds));
    std::optional<SplitSearch> splits;
    if (options.mostParts > 0) {
        TRY_AS(splits, trySplits(model, options.device, request, options.mostParts, line));
    }
    TRY_AS(auto kept, keptStages(options.keep, model));
    for (const TimedSchedule &file : kept.files) {
        if (!request.streams)
            TRY(requireStages(file, "--keep"));
        else if (!file.streams)
            return fail(ErrorCode::WrongUse,
                        "--keep takes a file with streams for --strategy streams, and this one has stages",
                        "Leave --strategy out to keep stages");
    }
    request.options.pinned = std::move(kept.stages);
    if (request.streams && !kept.files.empty())
        request.streams->from = kept.files.front().streams;
    else
        request.kept = std::move(kept.files);
    TRY_AS(auto device, options.device.open(model));
    if (options.launchOrder && device.info.provenance == Provenance::Recorded)
        return fail(ErrorCode::WrongUse,
                    "--launch-order: " + device.info.id + " has no latencies of stages with a launch order",
                    "Leave it out, or take a simulated device or one that measures");
    const auto listening = line.listen();
    if (maxSeconds) // the time begins with the command
        maxSeconds = std::max(0.0, *maxSeconds - time.elapsedSeconds());
    auto found = findSchedule(model, *device.session, device.info, request,
                              callbacksFor(model, device.info, device.session->members()), line.stop);
    const int rounds = request.memoryCap ? 0 : options.rounds; // a baseline may need more than the cap
    const auto against = found ? compareWithBaselines(*found, model, *device.session, device.info, rounds, tellLeftOut,
                                                      showRounds, line.stop)
                               : tl::unexpected(found.error());
    endProgress();
    if (!against)
        return withinModel(model, against.error());
    tellRefusals(found->refusal, found->schedule, "search");
    if (!options.output.empty())
        TRY(writeTextFile(options.output, toJson(*model.graph, found->schedule)));
    OptimizeAnswer answer{model, *found, *against};
    answer.splits = std::move(splits);
    if (const DeviceMembers *members = device.session->members())
        answer.members = members->counts();
    if (options.why && !line.stop.stop_requested()) {
        if (auto trials = tryRunnersUp(model, found->schedule, found->blocks, *device.session, line.stop))
            answer.why = std::move(*trials);
        else // what was found is not lost
            std::cerr << "note: --why: " << errorText(trials.error()) << '\n';
    }
    if (line.json && request.memoryCap) {
        auto memory = memoryOfSchedule(model, found->schedule, device.info, *device.session, line.stop);
        if (!memory)
            return withinModel(model, memory.error());
        answer.memoryLimit = *request.memoryCap;
        answer.memory = std::move(*memory);
    }
    if (line.json)
        printAnswer(optimizeAnswer(answer));
    else
        printOptimize(answer);
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
    options->search.addStrategyTo(*command,
                                  "what the search may do with a stage: parallel, merge or both, or all, which also "
                                  "fuses whole waves of operators on simulated devices and cpu; or streams without "
                                  "barriers: nimble, opara, by-depth, list, round-robin, ios-relaxed, or streams, "
                                  "which searches; or wavefront, Rammer's policy: blocks "
                                  "as fused stages of rTasks, on simulated devices and cpu");
    options->search.addPruningTo(*command);
    options->search.addBudgetTo(*command);
    options->keep.addTo(*command);
    addOutputTo(*command, line, options->output,
                "write the schedule to this file; with --kit-next, the kit to this folder",
                [options] { return options->kit.isAsked ? std::nullopt : std::optional(FileKind::Schedule); });
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
    addMemoryTargetTo(*command, options->target, "of --max-memory: count what the schedule takes in this runtime");
    command->add_option("--streams", options->streams, "of by-depth, list and round-robin: at most as many streams")
        ->type_name("N")
        ->check(wholeNumber(1, 64))
        ->capture_default_str();
    command->add_flag("--launch-order", options->launchOrder,
                      "afterwards choose in which order the launches of each stage come, where that is faster");
    command
        ->add_option("--try-splits", options->mostParts,
                     "try each operator in up to so many parts side by side, and split those that are faster (see edit "
                     "--split-operator)")
        ->type_name("PARTS")
        ->check(wholeNumber(2, 16));
    command->add_flag("--why", options->why,
                      "try each stage that was nearly taken, and say where the time goes that it takes more");
    options->kit.addTo(*command);
    command->callback([&line, options] { line.command = [&line, options] { return optimize(*options, line); }; });
}

} // namespace stagecraft
