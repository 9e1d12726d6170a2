// timeline: what ran when under a schedule, and how busy the device was: kernels and counters, simulated or profiled.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/model_options.h"
#include "cli/print_answer.h"
#include "cli/scheduled_model.h"
#include "cli/timeline_answer.h"
#include "flow/open_model.h"
#include "flow/profiled_timeline.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace stagecraft {
namespace {

struct TimelineOptions {
    ModelOptions model;
    DeviceOption device;
    std::string schedule = "sequential";
    bool kernels = false;
    bool stages = false;
};

Result<Timeline> timelineOn(const DeviceOption &on, const ScheduledModel &opened, DeviceInfo &info, CostBasis &basis,
                            const std::stop_token &stop)
{
    TRY_AS(const auto device, on.open(opened.model));
    info = device.info;
    opened.tellProvenance(device.info);
    basis = latencyBasis(opened.model, device.info);
    auto timeline = device.session->timeline(opened.schedule, stop);
    if (!timeline)
        return withinModel(opened.model, timeline.error());
    return timeline;
}

Result<void> show(const TimelineOptions &options, const CommandLine &line)
{
    TRY_AS(const auto opened, openScheduled(options.model, options.schedule));
    const Model *model = &opened.model;
    const TimedSchedule *schedule = &opened.schedule;
    const bool isRecorded = schedule->isOfProfile() && options.model.command->count("--device") == 0;
    if (isRecorded)
        TRY(checkBatchOfProfile(opened));
    DeviceInfo device; // of a profile: none of this program's
    CostBasis basis = schedule->search.costs;
    basis.precision = schedule->context.precision;
    const auto listening = line.listen();
    const auto timeline = isRecorded ? timelineOfProfile(*model, *schedule, line.stop)
                                     : timelineOn(options.device, opened, device, basis, line.stop);
    TRY(timeline);
    if (line.json)
        printAnswer(timelineAnswer(*model, *timeline, device, basis));
    else
        printTimeline(*model, *timeline, device, options.schedule, basis, options.kernels, options.stages);
    return {};
}

} // namespace

void addTimelineCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("timeline", "Show when kernels run and how busy the device is");
    const auto options = std::make_shared<TimelineOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    addScheduleTo(*command, options->schedule);
    command->add_flag("--kernels", options->kernels, "show every kernel, or on a CPU every operator");
    command->add_flag("--stages", options->stages,
                      "show where the time of each stage goes: arithmetic, memory, waiting, idle SMs or cores, launch");
    command->callback([&line, options] { line.command = [&line, options] { return show(*options, line); }; });
}

} // namespace stagecraft
