// convert: any model source to ONNX.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "model/onnx_export.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

struct ConvertOptions {
    ModelOptions model;
    std::string output;
};

Result<void> convert(const ConvertOptions &options, const CommandLine &line)
{
    const auto model = options.model.open();
    if (!model)
        return tl::unexpected(model.error());
    auto written = exportOnnx(*model->graph, options.output);
    if (!written)
        return written;
    if (line.json)
        printAnswer("convert", {{"model", model->name},
                                {"output", options.output},
                                {"file", options.output},
                                {"operators", model->graph->size()}});
    else
        std::cout << "wrote " << options.output << " ("
                  << counted(static_cast<std::int64_t>(model->graph->size()), "operator") << ")\n";
    return {};
}

} // namespace

void addConvertCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("convert", "Write any model as ONNX");
    const auto options = std::make_shared<ConvertOptions>();
    options->model.addTo(*command);
    addOutputTo(*command, options->output, "the .onnx file to write")->required();
    command->callback([&line, options] { line.command = [&line, options] { return convert(*options, line); }; });
}

} // namespace stagecraft
