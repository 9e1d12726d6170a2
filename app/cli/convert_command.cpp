// convert: any model source to ONNX.

#include "answers/model_answers.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/print_answer.h"
#include "cli/text_table.h"
#include "flow/open_model.h"
#include "graph/expanded_graph.h"
#include "model/onnx_export.h"
#include "support/number_text.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

struct ConvertOptions {
    ModelOptions model;
    std::string output;
};

void announceData(const std::filesystem::path &data, std::uint64_t bytes)
{
    std::cerr << "note: the weights, " << plainBytes(static_cast<double>(bytes)) << ", go to " << data.string()
              << ", which has to stay beside the model\n";
}

Result<void> mayWriteWeights(const ConvertOptions &options, const CommandLine &line)
{
    return line.force ? Result<void>() : refuseReplacingWeights(options.output);
}

// "1 Loop is written as the operators that it stands for".
std::vector<std::string> writtenOutTexts(const Model &model)
{
    std::vector<std::string> texts;
    for (const auto &[type, nodes] : model.report.writtenOut)
        texts.push_back(grouped(nodes) + " " + type +
                        (nodes == 1 ? " is written as the operators that it stands for"
                                    : " are written as the operators that they stand for"));
    return texts;
}

Result<void> convert(const ConvertOptions &options, const CommandLine &line)
{
    TRY_AS(const auto model, options.model.open());
    if (auto differs = refuseOverwritingModel(dataFileOf(options.output).string(), model); !differs)
        return differs;
    const ExpandedGraph expanded = expandUnits(*model.graph);
    const auto announce = [&](const std::filesystem::path &data, std::uint64_t bytes) {
        return mayWriteWeights(options, line).map([&] { announceData(data, bytes); });
    };
    const auto written = exportOnnx(*expanded.graph, options.output,
                                    {.onnx = model.onnx, .inUnits = expanded.isInUnit(), .announce = announce});
    if (!written)
        return withinModel(model, written.error());
    const std::vector<std::string> remarks = writtenOutTexts(model);
    for (const std::string &remark : remarks)
        std::cerr << "note: " << remark << '\n';
    if (line.json)
        printAnswer(answers::Convert{model.name, options.output, model.graph->size(), remarks});
    else
        std::cout << "wrote " << options.output << " ("
                  << counted(static_cast<std::int64_t>(model.graph->size()), "operator") << ")\n";
    return {};
}

} // namespace

void addConvertCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand(
        "convert", "Write any model as ONNX: its schedule units, in the opset of its file (17 for other models)");
    const auto options = std::make_shared<ConvertOptions>();
    options->model.addTo(*command);
    options->model.request.keepSource = true;
    addOutputTo(*command, line, options->output, "the .onnx file to write", [] { return FileKind::Onnx; })->required();
    command->callback([&line, options] { line.command = [&line, options] { return convert(*options, line); }; });
}

} // namespace stagecraft
