// run: execute a model for real, .npy in and .npy out.

#include "answers/model_answers.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/print_answer.h"
#include "cli/scheduled_model.h"
#include "device/npy.h"
#include "flow/run_model.h"
#include "support/closest_name.h"

#include <CLI/CLI.hpp>

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
    std::vector<std::string> outputFiles; // exactly one is expected
    std::string tensor;
};

// --output once named a tensor, while -o named the file; now --tensor names it.
Result<std::string> outputFile(const RunOptions &options, const Graph &graph)
{
    const auto isTensor = [&](const std::string &name) {
        return std::ranges::any_of(graph.outputs(), [&](TensorId id) { return graph.tensor(id).name == name; });
    };
    const auto tensor = std::ranges::find_if(options.outputFiles, isTensor);
    if (options.outputFiles.size() == 1 && (tensor == options.outputFiles.end() || !options.tensor.empty()))
        return options.outputFiles.front();
    if (tensor != options.outputFiles.end())
        return fail(ErrorCode::WrongUse, "-o and --output name the file to write, but " + *tensor + " is a tensor",
                    "Name a tensor with --tensor: -o Y.npy --tensor " + *tensor);
    return fail(ErrorCode::WrongUse, "-o and --output are the same option, but two files are named",
                "Name one file; a tensor is named with --tensor");
}

// The output that is asked for, if it needs no computation.
std::optional<HostTensor> constantOutput(const Model &model, const std::string &wanted)
{
    const std::string name = wanted.empty() && !model.report.outputs.empty() ? model.report.outputs.front() : wanted;
    const auto found = std::ranges::find(model.report.constantOutputs, name, &ConstantOutput::name);
    return found == model.report.constantOutputs.end() ? std::nullopt : std::optional(hostTensor(*found));
}

Result<void> write(const HostTensor &output, const std::string &file, const Model &model, const std::string &device,
                   const CommandLine &line)
{
    if (auto written = writeNpy(file, output); !written)
        return written;
    if (line.json)
        printAnswer(answers::Run{model.name, device, output.name, output.shape.dims, file, model.report.notes});
    else
        std::cout << file << ": " << output.name << ", " << toString(output.shape) << '\n';
    return {};
}

Result<void> run(const RunOptions &options, const CommandLine &line)
{
    ModelOptions opening = options.model;
    opening.request.given = givenInputs(options.inputs);
    TRY_AS(const auto opened, openScheduled(opening, options.schedule));
    const Model *model = &opened.model;
    const TimedSchedule *schedule = &opened.schedule;
    TRY_AS(const auto file, outputFile(options, *model->graph));
    std::vector<InputFile> inputs;
    for (const std::string &input : options.inputs)
        inputs.push_back(inputFileFrom(input, *model->graph));
    const auto fixed = constantOutput(*model, options.tensor);
    if (fixed) {
        TRY(model->graph->inputs().empty() ? Result<std::vector<HostTensor>>() : arraysFor(*model, inputs));
        return write(*fixed, file, *model, options.device.id, line);
    }
    const auto wanted = outputToWrite(*model, options.tensor); // before execution
    if (!wanted && wanted.error().code == ErrorCode::WrongUse)
        return within("--tensor", wanted.error());
    TRY(wanted);
    TRY_AS(const auto part, neededFor(*model, *schedule, *wanted));
    TRY_AS(auto device, options.device.open(part.model));
    TRY_AS(const auto outputs, runModel(*model, part, *device.session, device.info, inputs, line.stop));
    const auto output = std::ranges::find(outputs, *wanted, &HostTensor::name);
    return write(*output, file, *model, device.info.id, line);
}

} // namespace

void addRunCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("run", "Execute a model for real: .npy in, .npy out");
    const auto options = std::make_shared<RunOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    options->device.id = "cpu";
    command->get_option("--device")->default_str("cpu");
    addScheduleTo(*command, options->schedule);
    command->add_option("-i,--input", options->inputs, "[NAME=]X.npy, once per input")->type_name("FILE");
    command->add_option("-o,--output", options->outputFiles, "the .npy file to write")
        ->type_name("FILE")
        ->allow_extra_args(false)
        ->required();
    addForceTo(*command, line, [] { return FileKind::Npy; });
    command->add_option("--tensor", options->tensor, "which output to write (default: the first)")->type_name("NAME");
    command->callback([&line, options] { line.command = [&line, options] { return run(*options, line); }; });
}

} // namespace stagecraft
