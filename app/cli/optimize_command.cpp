// optimize: searches for a schedule on a device, and writes it.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/optimize_answer.h"
#include "cli/optimize_options.h"
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
    TRY(options.refuseSearchOptions("does not go with --kit-next"));
    TRY_AS(const auto search, options.search.options());
    return kitNext(options.model, options.device.id, search, options.kit, options.output, line);
}

Result<void> optimize(const OptimizeOptions &options, const CommandLine &line)
{
    if (options.kit.isAsked)
        return findNextKit(options, line);
    TRY_AS(auto request, options.request());
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
    options->addTo(*command, line);
    command->callback([&line, options] { line.command = [&line, options] { return optimize(*options, line); }; });
}

} // namespace stagecraft
