// export: schedules, models, tables, graphs, traces and programs for others.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/export_session.h"
#include "cli/export_subject.h"
#include "cli/option_checks.h"
#include "flow/export_results.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <utility>

namespace stagecraft {
namespace {

Result<void> exportResults(const ExportOptions &options, const CommandLine &line)
{
    if (isSession(options.model.request.spec))
        return exportSession(options, line);
    TRY_AS(auto request, requestOf(options));
    TRY(checkExportName(*request.format, options.output));
    TRY(checkStyle(*request.format, options));
    TRY(checkSubject(options, request.view));
    if (request.format->isDrawn(request.view) && !line.draw)
        return goOnDrawing(line);
    request.replacesAnyWeights = line.force;
    TRY(findSubject(request, options, line));
    TRY_AS(const auto written, exportResults(request, options.output, exportTools(line), line.stop));
    tellWritten(request.model->name, options, request, written, line);
    return {};
}

// Empty for a folder, and for a format that is refused later.
std::optional<FileKind> writtenKind(const ExportOptions &options)
{
    const auto format = findExportFormat(options.format, options.output);
    const bool isOneFile = format && !(*format)->isFolder() &&
                           (!isSession(options.model.request.spec) || (*format)->views.front() == ExportView::Report);
    return isOneFile ? std::optional((*format)->kind) : std::nullopt;
}

std::string formatsText()
{
    std::string text;
    for (const ExportFormat &format : exportFormats())
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", format.name, format.what);
    return text;
}

std::string viewsText()
{
    std::string text;
    for (const ExportedView &view : kExportViews)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", view.name);
    return text;
}

} // namespace

void addExportCommand(CLI::App &app, CommandLine &line)
{
    auto *command =
        app.add_subcommand("export", "Write schedules, models, tables, graphs, traces and programs in C++ and Python");
    const auto options = std::make_shared<ExportOptions>();
    options->model.addTo(*command);
    command->get_option("MODEL")->description(
        "a built-in name, NAME:PARAMETER=VALUE,... (see models), an .onnx file, an IOS .json graph, or a "
        ".stagecraft session, whose whole shelf is "
        "exported");
    command->add_option(
        "SCHEDULE", options->schedules,
        "sequential, greedy, ios-merge, ios-parallel, ios-both, embedded or a schedule file; several for "
        "a comparison and for timelines");
    command
        ->add_option("--format", options->format,
                     "what to write; " + formatsText() + "; as the name of the file says unless told")
        ->type_name("FORMAT");
    command
        ->add_option("--view", options->view,
                     "what to show: " + viewsText() + "; the first that the format has unless told")
        ->type_name("VIEW");
    command->add_option("-d,--device", options->device.id, "search and measure on this device (see devices)")
        ->type_name("DEVICE");
    command
        ->add_option("--target", options->target,
                     "cpp, onnxruntime: what the export runs on: cpu (unless told) or cuda")
        ->type_name("TARGET");
    command->add_option("--theme", options->theme, "pictures: light (unless told) or dark")->type_name("THEME");
    command
        ->add_option("--scale", options->scale,
                     "png, pdf: so many times larger; for png, pixels for each unit of the picture")
        ->type_name("X")
        ->check(numberWithin(kLeastScale, kMostScale))
        ->capture_default_str();
    options->bounds.addTo(*command, "--view tradeoff: ");
    command->add_option("--batches", options->batches, "--view specialisation: batch sizes, for example 1,32,128")
        ->type_name("N,N,...")
        ->delimiter(',')
        ->check(wholeNumber(1, kLargestBatch));
    command->add_option("--devices", options->devices, "--view specialisation: devices, for example sim:k80,sim:v100")
        ->type_name("DEVICE,...")
        ->delimiter(',');
    addOutputTo(*command, line, options->output,
                "the file to write; for cpp, pytorch, onnxruntime and sessions a new folder",
                [options] { return writtenKind(*options); })
        ->required();
    command->callback([&line, options] { line.command = [&line, options] { return exportResults(*options, line); }; });
}

} // namespace stagecraft
