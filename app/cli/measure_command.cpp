// measure: how long a given schedule takes on a device, as a whole and by stage.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/measure_answer.h"
#include "cli/model_options.h"
#include "cli/print_answer.h"
#include "cli/scheduled_model.h"
#include "flow/find_schedule.h"
#include "flow/open_model.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace stagecraft {
namespace {

struct MeasureOptions {
    ModelOptions model;
    DeviceOption device;
    std::string schedule = "sequential";
    bool stages = false;
};

Result<void> measure(const MeasureOptions &options, const CommandLine &line)
{
    TRY_AS(auto opened, openScheduled(options.model, options.schedule));
    const Model *model = &opened.model;
    TimedSchedule *schedule = &opened.schedule;
    const bool isKnown = schedule->isOfProfile() && options.model.command->count("--device") == 0;
    if (isKnown) {
        TRY(checkBatchOfProfile(opened));
    } else {
        TRY_AS(auto device, options.device.open(*model));
        opened.tellProvenance(device.info);
        const auto listening = line.listen();
        auto measured = measureInto(*schedule, *model, *device.session, device.info, line.stop);
        if (!measured)
            return withinModel(*model, std::move(measured.error()));
    }
    if (line.json)
        printAnswer(measureAnswer(opened, options.schedule));
    else
        printMeasured(opened, options.schedule, options.stages);
    return {};
}

} // namespace

void addMeasureCommand(CLI::App &app, CommandLine &line)
{
    auto *command =
        app.add_subcommand("measure", "Measure how long a schedule takes on a device, or show the latency that a "
                                      "profile recorded");
    const auto options = std::make_shared<MeasureOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    addScheduleTo(*command, options->schedule);
    command->footer(
        "A schedule that \"profile MODEL FILE... -o SCHEDULE\" wrote is shown with its recorded latency; with "
        "--device, its stages are measured there.\n" +
        command->get_footer());
    command->add_flag("--stages", options->stages, "show every stage, with its operators");
    command->callback([&line, options] { line.command = [&line, options] { return measure(*options, line); }; });
}

} // namespace stagecraft
