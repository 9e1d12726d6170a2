// specialize: schedules found for one batch size or device, run on the others.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/option_checks.h"
#include "cli/text_table.h"
#include "services/make_schedule.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

struct SpecializeOptions {
    ModelOptions model;
    DeviceOption device;
    std::vector<std::int64_t> batches;
    std::vector<std::string> devices;
};

// A batch size or device that a schedule is made for, and run on.
struct Place {
    std::string label;
    ModelOptions model;
    DeviceOption device;
};

template <typename Value>
std::vector<Value> eachOnce(const std::vector<Value> &values)
{
    std::vector<Value> once;
    for (const Value &value : values) {
        if (std::ranges::find(once, value) == once.end())
            once.push_back(value);
    }
    return once;
}

Result<std::vector<Place>> placesOf(const SpecializeOptions &options)
{
    if (options.batches.empty() && options.devices.empty())
        return fail(ErrorCode::WrongUse, "specialize compares batch sizes, devices, or both",
                    "Use --batch 1,32,128, --devices sim:k80,sim:v100, or both");
    const auto batchName = [](std::int64_t batch) { return "batch " + std::to_string(batch); };
    const std::vector<std::int64_t> batches = eachOnce(options.batches);
    std::vector<Place> places;
    for (const std::string &device : eachOnce(options.devices)) {
        const DeviceOption on{device, "--devices"};
        if (options.batches.empty())
            places.push_back({device, options.model, on});
        for (const std::int64_t batch : batches)
            places.push_back({device + ", " + batchName(batch), {options.model.spec, batch}, on});
    }
    if (options.devices.empty()) {
        for (const std::int64_t batch : batches)
            places.push_back({batchName(batch), {options.model.spec, batch}, options.device});
    }
    return places;
}

Result<void> specialize(const SpecializeOptions &options, const CommandLine &line)
{
    const auto places = placesOf(options);
    if (!places)
        return tl::unexpected(places.error());
    std::vector<Schedule> schedules;
    Json notes; // the same for every place
    for (const Place &place : *places) {
        const auto model = place.model.open();
        if (!model)
            return tl::unexpected(model.error());
        notes = notesJson(model->report);
        auto device = place.device.open(*model);
        if (!device)
            return tl::unexpected(std::move(device.error()));
        const auto listening = line.listen();
        auto made = makeSchedule(
            *model, *device->session, device->info, ScheduleKind::IosBoth, {},
            terminalProgress(place.label, device->info.provenance, latencyBasis(*model, device->info)), line.stop);
        clearProgress();
        if (!made)
            return tl::unexpected(std::move(made.error()));
        if (line.stop.stop_requested())
            return fail(ErrorCode::Cancelled, "the study was cancelled");
        tellRefusals(*made, place.label);
        schedules.push_back(std::move(made->schedule));
    }
    std::vector<std::string> header{"run on / found for"};
    for (const Place &place : *places)
        header.push_back(place.label);
    header.emplace_back("provenance");
    TextTable table(header);
    Json rows = Json::array();
    std::string calibrations;
    std::string costs; // each once, though places may differ
    for (const Place &place : *places) {
        const auto model = place.model.open();
        if (!model)
            return tl::unexpected(model.error());
        auto device = place.device.open(*model);
        if (!device)
            return tl::unexpected(std::move(device.error()));
        const CostBasis basis = latencyBasis(*model, device->info);
        if (const std::string lines = costLines(basis); costs.find(lines) == std::string::npos)
            costs += lines;
        std::vector<std::string> row{place.label};
        Json latencies = Json::object();
        for (std::size_t i = 0; i < schedules.size(); ++i) {
            Schedule schedule = schedules[i];
            schedule.batch = model->graph->batch();
            auto measured = measureInto(schedule, *model, *device->session, device->info, line.stop);
            if (!measured)
                return measured;
            row.push_back(plainLatency(*schedule.latencyUs(), basis) +
                          (schedule.isSumOfStages ? " (sum of stages)" : ""));
            latencies[(*places)[i].label] = *schedule.latencyUs();
        }
        row.push_back(std::string(toString(device->info.provenance)) + ", " + basis.precision);
        table.add(std::move(row));
        if (const std::string rests = place.device.id + " " + calibrationLine(device->info.calibration);
            !device->info.calibration.empty() && calibrations.find(rests) == std::string::npos)
            calibrations += rests;
        Json &entry = rows.emplace_back(Json{{"run_on", place.label},
                                             {"device", device->info.id},
                                             {"batch", model->graph->batch()},
                                             {"provenance", toString(device->info.provenance)},
                                             {"calibration", device->info.calibration},
                                             {"latency_us", latencies}});
        addLatencyBasis(entry, basis);
    }
    endProgress();
    if (line.json)
        printAnswer("specialize", {{"model", options.model.spec}, {"rows", rows}, {"notes", notes}});
    else
        std::cout << costs << table << '\n' << calibrations;
    return {};
}

} // namespace

void addSpecializeCommand(CLI::App &app, CommandLine &line)
{
    auto *command =
        app.add_subcommand("specialize", "Run the schedules found for one batch size or device on the others");
    const auto options = std::make_shared<SpecializeOptions>();
    command
        ->add_option("MODEL", options->model.spec, "a built-in name (see models), an .onnx file or an IOS .json graph")
        ->required();
    options->device.addTo(*command);
    command->add_option("--batch", options->batches, "batch sizes, for example 1,32,128")
        ->type_name("N,N,...")
        ->delimiter(',')
        ->check(wholeNumber(1, kLargestBatch));
    command->add_option("--devices", options->devices, "devices, for example sim:k80,sim:v100")
        ->type_name("DEVICE,...")
        ->delimiter(',');
    command->callback([&line, options] { line.command = [&line, options] { return specialize(*options, line); }; });
}

} // namespace stagecraft
