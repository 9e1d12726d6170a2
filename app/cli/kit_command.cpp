// kit: a folder of stages to measure on a machine that nothing connects to.

#include "answers/kit_answers.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/kit_options.h"
#include "cli/model_options.h"
#include "cli/print_answer.h"
#include "flow/open_model.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

struct KitCommandOptions {
    ModelOptions model;
    std::string device;
    SearchFlags search;
    KitOptions kit;
    std::string folder;
};

Result<void> kit(const KitCommandOptions &options, const CommandLine &line)
{
    TRY_AS(const auto search, options.search.options());
    TRY_AS(const auto request, options.kit.request(search));
    TRY(checkKitDevice(options.device));
    TRY_AS(const auto model, options.model.open());
    TRY(ExportFolder::check(options.folder));
    const auto listening = line.listen();
    const auto plan = firstKit(model, request, kitProgress(), line.stop);
    endProgress();
    if (!plan)
        return withinModel(model, plan.error());
    const auto written = writeKitOf(model, *plan, options.device, nullptr, options.folder);
    if (!written)
        return withinModel(model, written.error());
    if (line.json)
        printAnswer(answers::Kit{options.folder, model.name, options.device, model.graph->batch(), model.graph->size(),
                                 *written});
    else
        std::cout << kitText(*written, model, options.folder);
    return {};
}

} // namespace

void addKitCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand(
        "kit", "Write a folder that measures a model's stages with PyTorch on a machine that nothing connects to");
    const auto options = std::make_shared<KitCommandOptions>();
    options->model.addTo(*command);
    command->add_option("-o,--output", options->folder, "the folder to write")->type_name("FOLDER")->required();
    command
        ->add_option(
            "-d,--device", options->device,
            "where it measures: pytorch:cuda:0, pytorch:cpu and their options (default: the first GPU there, or "
            "else the processor)")
        ->type_name("DEVICE");
    options->search.addStrategyTo(*command, "what a search may do with a stage: parallel, merge or both");
    options->search.addPruningTo(*command);
    options->kit.addTo(*command, "--");
    command->callback([&line, options] { line.command = [&line, options] { return kit(*options, line); }; });
}

} // namespace stagecraft
