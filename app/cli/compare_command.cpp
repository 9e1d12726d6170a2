// compare: the five schedules of the paper, compared.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/compare_answer.h"
#include "cli/compare_options.h"
#include "cli/own_streams.h"
#include "cli/print_answer.h"
#include "cli/schedule_names.h"
#include "flow/compare_in_rounds.h"
#include "flow/find/baselines_in_rounds.h"
#include "flow/find_schedule.h"
#include "flow/profiled_timeline.h"
#include "results/schedule_words.h"
#include "support/error_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

// A timeline each; what has none is said, and the comparison goes on.
std::vector<std::shared_ptr<const TimelineIndex>>
timelinesOf(const Model &model, const std::vector<FoundSchedule> &made, const std::vector<ComparedSchedule> &shown,
            DeviceSession &session, std::string_view option, const std::stop_token &stop)
{
    std::vector<std::shared_ptr<const TimelineIndex>> timelines(made.size());
    for (std::size_t i = 0; i < made.size() && !stop.stop_requested(); ++i) {
        if (auto timeline = timelineOfResult(model, made[i].schedule, &session, stop))
            timelines[i] =
                std::make_shared<const TimelineIndex>(std::make_shared<const Timeline>(std::move(*timeline)));
        else if (!stop.stop_requested())
            std::cerr << "note: " << option << ": " << shown[i].title << " is left out: " << errorText(timeline.error())
                      << '\n';
    }
    return timelines;
}

Result<void> compare(const CompareOptions &options, CommandLine &line)
{
    TRY(options.files.checkWithoutFiles(*options.model.command));
    TRY_AS(const auto search, options.search.options());
    TRY_AS(const auto opened, options.model.openWithSchedule(search.maxSeconds));
    const Model &model = opened.model;
    TRY_AS(auto compared, comparedSchedules(options.schedules, opened));
    if (options.failBelow && compared.size() == 1)
        return fail(ErrorCode::WrongUse,
                    "--fail-below compares the last schedule with the first, and there is only one",
                    "Name another with --schedule");
    TRY_AS(auto device, options.device.open(model));
    if (compared.empty()) {
        TRY_AS(compared, comparedSchedules(comparedUnlessTold(*device.session), opened));
    }
    const CostBasis basis = latencyBasis(model, device.info);
    const auto listening = line.listen();
    TRY_AS(auto done, makeAllCompared(compared, model, *device.session, device.info, search, line.stop));
    std::vector<FoundSchedule> &made = done.made;
    const std::vector<ComparedSchedule> &shown = done.which;
    if (made.empty())
        return fail(ErrorCode::DeviceFailed, device.info.id + " has no latencies for any of the schedules",
                    "run compare on the device itself, then export the latencies again");
    if (options.failBelow && !line.stop.stop_requested() &&
        (made.size() < compared.size() || !areComparable(made.front().schedule, made.back().schedule)))
        return fail(ErrorCode::DeviceFailed,
                    fmt::format("--fail-below: {} has no comparable latencies of the two schedules", device.info.id),
                    "compare them on the device itself, or export latencies that have both");
    const bool isSequentialShown =
        std::ranges::find(shown, ScheduleKind::Sequential, &ComparedSchedule::kind) != shown.end();
    const auto own = isSequentialShown ? OwnStreams::measured(model, device.info, line.stop) : std::nullopt;
    const auto beside = own ? std::optional(own->beside()) : std::nullopt;
    TRY_AS(const auto inRounds, compareInRounds(made, baselinesOf(shown), *device.session, options.rounds, line.stop,
                                                beside ? &*beside : nullptr));
    tellReplaced(inRounds, shown);
    endProgress();
    CompareAnswer answer{model,
                         device.info,
                         basis,
                         search,
                         made,
                         shown,
                         inRounds,
                         shown.front().name == compared.front().name,
                         options.differences,
                         options.why};
    if (own)
        answer.ownStreams = own->answer(inRounds);
    if (isSequentialShown && !line.stop.stop_requested()) {
        TRY_AS(answer.oneCudaGraph, sequentialInOneCudaGraph(model, device.info, line.stop));
    }
    if (options.failBelow && made.size() == compared.size())
        answer.verdict = answers::FailBelow{*options.failBelow, inRounds.times.back().against, inRounds.rounds > 1};
    const bool haveStreams =
        std::ranges::any_of(made, [](const FoundSchedule &each) { return each.schedule.streams.has_value(); });
    if (options.why || (options.differences && haveStreams))
        answer.timelines =
            timelinesOf(model, made, shown, *device.session, options.why ? "--why" : "--differences", line.stop);
    if (line.json)
        printAnswer(compareAnswer(answer));
    else
        printComparison(answer);
    if (line.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the comparison was cancelled; what was done before is shown");
    if (answer.verdict && !answer.verdict->isPassed()) {
        std::cerr << "stagecraft-cli: " << notPassedText(*answer.verdict, compared.back().title, compared.front().title)
                  << '\n';
        line.status = 1;
    }
    return {};
}

} // namespace

void addCompareCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("compare", "Compare schedules: Sequential, Greedy, IOS-Merge, "
                                                  "IOS-Parallel and IOS-Both, or those named");
    const auto options = std::make_shared<CompareOptions>();
    options->addTo(*command, line);
    command->callback([&line, options] {
        line.command = [&line, options] {
            return options->files.files.empty()
                       ? compare(*options, line)
                       : compareFiles(options->files, options->model, options->failBelow, line);
        };
    });
}

} // namespace stagecraft
