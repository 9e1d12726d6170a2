// compare: the five schedules of the paper side by side.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "engine/make_schedule.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

struct CompareOptions {
    ModelOptions model;
    DeviceOption device;
    SearchFlags search;
};

Result<void> compare(const CompareOptions &options, const CommandLine &line)
{
    const auto search = options.search.options();
    if (!search)
        return tl::unexpected(search.error());
    const auto model = options.model.open();
    if (!model)
        return tl::unexpected(model.error());
    auto device = options.device.open(*model);
    if (!device)
        return tl::unexpected(std::move(device.error()));
    TextTable table({"schedule", "latency", "speedup", "stages", "measurements"});
    Json schedules = Json::object();
    double sequentialUs = 0;
    for (const ScheduleKind kind : kScheduleKinds) {
        const auto made = makeSchedule(*model, *device->session, device->info, kind, *search,
                                       terminalProgress(std::string(title(kind))), line.stop);
        clearProgress();
        if (line.stop.stop_requested() && !schedules.empty())
            break; // those that are done are worth having
        if (!made)
            return tl::unexpected(made.error());
        const double latencyUs = *made->schedule.latencyUs;
        if (kind == ScheduleKind::Sequential)
            sequentialUs = latencyUs;
        const double speedup = sequentialUs / latencyUs;
        const SearchRecord &record = made->schedule.search;
        table.add({std::string(title(kind)), latencyText(latencyUs), speedupText(speedup),
                   std::to_string(made->schedule.stages.size()), countText(record.stageMeasurements)});
        Json entry{{"latency_us", latencyUs}, {"stages", made->schedule.stages.size()}, {"speedup", speedup}};
        if (!made->blocks.empty())
            entry["search"] = searchJson(record);
        schedules[std::string(toString(kind))] = std::move(entry);
    }
    if (line.json) {
        printJson({{"model", model->name},
                   {"device", device->info.id},
                   {"calibration", device->info.calibration},
                   {"batch", model->graph->batch()},
                   {"provenance", toString(device->info.provenance)},
                   {"r", search->r},
                   {"s", search->s},
                   {"schedules", schedules}});
    } else {
        std::cout << model->name << " on " << device->info.id << ", batch " << model->graph->batch() << ", latencies "
                  << toString(device->info.provenance) << ", r = " << search->r << ", s = " << search->s << '\n'
                  << calibrationLine(device->info.calibration) << '\n'
                  << table;
    }
    if (line.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the comparison was cancelled; what was done before is shown");
    return {};
}

} // namespace

void addCompareCommand(CLI::App &app, CommandLine &line)
{
    auto *command =
        app.add_subcommand("compare", "Sequential, Greedy, IOS-Merge, IOS-Parallel and IOS-Both side by side");
    const auto options = std::make_shared<CompareOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    options->search.addPruningTo(*command);
    options->search.addBudgetTo(*command);
    command->callback([&line, options] { line.command = [&line, options] { return compare(*options, line); }; });
}

} // namespace stagecraft
