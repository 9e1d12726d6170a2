// specialize: schedules found for one batch size or device, run on the others.

#include "answers/comparison_answers.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/model_options.h"
#include "cli/option_checks.h"
#include "cli/print_answer.h"
#include "cli/study_runs.h"
#include "cli/text_table.h"

#include <CLI/CLI.hpp>

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

Result<StudiedPlaces> chosenPlaces(const SpecializeOptions &options)
{
    if (options.batches.empty() && options.devices.empty())
        return fail(ErrorCode::WrongUse, "specialize compares batch sizes, devices, or both",
                    "Use --batch 1,32,128, --devices sim:k80,sim:v100, or both");
    return studiedPlaces(options.devices, options.device.id, options.batches);
}

// The answer, row by row.
struct CrossTable {
    TextTable text;
    std::vector<answers::SpecializedRow> rows;
    std::string calibrations;
    std::string costs; // each once, though places may differ
};

void addRow(CrossTable &table, const RunPlace &on, const StudiedPlaces &places, const Specialization &study)
{
    const auto &[model, device] = *study.opened(on);
    const CostBasis basis = latencyBasis(*model, device);
    if (const std::string lines = costLines(basis); table.costs.find(lines) == std::string::npos)
        table.costs += lines;
    std::vector<std::string> row{places.labelOf(on)};
    answers::SpecializedRow entry{places.labelOf(on), device, model->graph->batch(), {}, basis};
    for (const RunPlace &madeFor : places.places) {
        const TimedSchedule &schedule = *study.measured(on, madeFor);
        row.push_back(plainLatency(*schedule.latencyUs(), basis) +
                      (schedule.measured.isSumOfStages() ? " (sum of stages)" : ""));
        entry.latencyUs.emplace_back(places.labelOf(madeFor), *schedule.latencyUs());
    }
    row.push_back(std::string(toString(device.provenance)) + ", " + basis.precision);
    table.text.add(std::move(row));
    if (const std::string rests = simulationLines(device.calibration, device.simulationErrors, on.device + " ");
        !rests.empty() && table.calibrations.find(rests) == std::string::npos)
        table.calibrations += rests;
    table.rows.push_back(std::move(entry));
}

Result<void> specialize(const SpecializeOptions &options, const CommandLine &line)
{
    TRY_AS(const auto places, chosenPlaces(options));
    const std::string deviceOption = options.devices.empty() ? options.device.option : "--devices";
    Specialization study = specializationOf(options.model.request.spec, deviceOption);
    TRY(fillTable(study, places, line));
    std::vector<std::string> header{"run on / found for"};
    for (const RunPlace &place : places.places)
        header.push_back(places.labelOf(place));
    header.emplace_back("provenance");
    CrossTable table{TextTable(header), {}, {}, {}};
    for (const RunPlace &on : places.places)
        addRow(table, on, places, study);
    const auto &notes = study.opened(places.places.back())->model->report.notes; // the same for every place
    if (line.json)
        printAnswer(answers::Specialize{options.model.request.spec, table.rows, notes});
    else
        std::cout << table.costs << table.text << '\n' << table.calibrations;
    return {};
}

} // namespace

void addSpecializeCommand(CLI::App &app, CommandLine &line)
{
    auto *command =
        app.add_subcommand("specialize", "Run the schedules found for one batch size or device on the others");
    const auto options = std::make_shared<SpecializeOptions>();
    command
        ->add_option("MODEL", options->model.request.spec,
                     "a built-in name, NAME:PARAMETER=VALUE,... (see models), an .onnx file or an IOS .json graph")
        ->required();
    options->device.addTo(*command);
    command->add_option("--batch", options->batches, "batch sizes, for example 1,32,128")
        ->type_name("N,N,...")
        ->delimiter(',')
        ->check(wholeNumber(1, kLargestBatch));
    command
        ->add_option("--devices", options->devices,
                     "devices, for example sim:k80,sim:v100, or pool:FILE for those that the file names; those that do "
                     "not disturb each other measure at the same time")
        ->type_name("DEVICE,...")
        ->delimiter(',');
    command->callback([&line, options] { line.command = [&line, options] { return specialize(*options, line); }; });
}

} // namespace stagecraft
