// run: execute a model for real, .npy in and .npy out.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "device/npy.h"
#include "engine/run_model.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

struct RunOptions {
    ModelOptions model;
    DeviceOption device;
    std::string schedule = "sequential";
    std::vector<std::string> inputs;
    std::string outputFile;
    std::string outputName;
};

// Before anything is executed.
Result<void> checkOutput(const std::string &name, const Graph &graph)
{
    std::string names;
    for (const TensorId output : graph.outputs()) {
        if (name.empty() || graph.tensor(output).name == name)
            return {};
        names += (names.empty() ? "" : ", ") + graph.tensor(output).name;
    }
    return fail(ErrorCode::WrongUse, "the model has no output " + name, "Outputs: " + names);
}

Result<void> run(const RunOptions &options, const CommandLine &line)
{
    const auto opened = openScheduled(options.model, options.schedule);
    if (!opened)
        return tl::unexpected(opened.error());
    const Model *model = &opened->model;
    const Schedule *schedule = &opened->schedule;
    auto device = options.device.open(*model);
    if (!device)
        return tl::unexpected(std::move(device.error()));
    std::vector<InputFile> inputs;
    for (const std::string &input : options.inputs)
        inputs.push_back(inputFileFrom(input, *model->graph));
    if (auto known = checkOutput(options.outputName, *model->graph); !known)
        return known;
    const auto outputs = runModel(*model, *device->session, device->info, *schedule, inputs, line.stop);
    if (!outputs)
        return tl::unexpected(outputs.error());
    const auto output = options.outputName.empty() ? outputs->begin()
                                                   : std::ranges::find(*outputs, options.outputName, &HostTensor::name);
    if (auto written = writeNpy(options.outputFile, *output); !written)
        return written;
    if (line.json)
        printJson({{"model", model->name},
                   {"device", device->info.id},
                   {"output", output->name},
                   {"shape", output->shape.dims},
                   {"file", options.outputFile}});
    else
        std::cout << options.outputFile << ": " << output->name << ", " << toString(output->shape) << '\n';
    return {};
}

} // namespace

void addRunCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("run", "Execute a model: .npy in, .npy out");
    const auto options = std::make_shared<RunOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    options->device.id = "cpu";
    command->get_option("--device")->default_str("cpu");
    command->add_option("--schedule", options->schedule, "sequential, greedy or a schedule file")
        ->capture_default_str();
    command->add_option("--input,-i", options->inputs, "[NAME=]X.npy, once per input")->required();
    command->add_option("-o", options->outputFile, "Y.npy")->required();
    command->add_option("--output", options->outputName, "Which output (default: the first)");
    command->callback([&line, options] { line.command = [&line, options] { return run(*options, line); }; });
}

} // namespace stagecraft
