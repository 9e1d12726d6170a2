// export: schedules, models, tables, graphs, traces and programs for others.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/schedule_names.h"
#include "services/device_catalog.h"
#include "services/export_results.h"
#include "services/open_model.h"
#include "services/write_export.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

struct ExportOptions {
    ModelOptions model;
    DeviceOption device;
    std::vector<std::string> schedules;
    std::string format;
    std::string view;
    std::string output;
    std::string target;
    std::string theme;
};

// Of a file without its folder.
std::string shortTitle(const ComparedSchedule &schedule)
{
    return schedule.kind ? schedule.title : std::filesystem::path(schedule.title).filename().string();
}

// Searched for and measured on a device.
Result<std::vector<ExportedResult>> measuredResults(const ExportOptions &options, ExportView view, const Model &model,
                                                    std::vector<ComparedSchedule> &compared,
                                                    const std::stop_token &stop)
{
    auto device = options.device.open(model);
    if (!device)
        return tl::unexpected(std::move(device.error()));
    std::vector<ExportedResult> results;
    for (const ComparedSchedule &one : compared) {
        auto made = makeCompared(one, model, *device->session, device->info, {}, stop);
        if (!made)
            return tl::unexpected(std::move(made.error()));
        results.push_back({shortTitle(one), std::move(made->schedule), {}});
        if (view != ExportView::Timeline)
            continue;
        auto timeline = device->session->timeline(results.back().schedule, stop);
        if (!timeline)
            return withinModel(model, std::move(timeline.error()));
        results.back().timeline = std::move(*timeline);
    }
    return results;
}

// As they are in their files; baselines without latencies.
Result<std::vector<ExportedResult>> knownResults(const Model &model, std::vector<ComparedSchedule> &compared)
{
    std::vector<ExportedResult> results;
    for (ComparedSchedule &one : compared) {
        if (one.kind && *one.kind != ScheduleKind::Sequential && *one.kind != ScheduleKind::Greedy)
            return fail(ErrorCode::WrongUse, one.name + " has to be searched for", "Say on which --device");
        Schedule schedule = std::move(one.read);
        if (one.kind) {
            schedule = *one.kind == ScheduleKind::Greedy ? greedySchedule(*model.graph, model.blocks)
                                                         : sequentialSchedule(*model.graph, model.blocks);
            schedule.model = {model.name, model.sha256};
            schedule.batch = model.graph->batch();
        }
        results.push_back({shortTitle(one), std::move(schedule), {}});
    }
    return results;
}

Result<void> checkTarget(const ExportFormat &format, const std::string &target)
{
    const bool hasTargets = format.name == "cpp";
    if (target.empty() || (hasTargets && (target == "cpu" || target == "cuda")))
        return {};
    if (!hasTargets)
        return fail(ErrorCode::WrongUse, "--target: the format " + std::string(format.name) + " has no target",
                    "Leave --target out, or say --format cpp");
    return fail(ErrorCode::WrongUse, "--target: " + target + " is not known", "Use cpu or cuda");
}

Result<void> checkTheme(const ExportFormat &format, const std::string &theme)
{
    if (theme.empty() || (format.name == "svg" && (theme == "light" || theme == "dark")))
        return {};
    if (format.name != "svg")
        return fail(ErrorCode::WrongUse, "--theme: the format " + std::string(format.name) + " is not a picture",
                    "Leave --theme out, or say --format svg");
    return fail(ErrorCode::WrongUse, "--theme: " + theme + " is not known", "Use light or dark");
}

Result<ExportWritten> writeResults(const ExportOptions &options, const ExportFormat &format, ExportView view,
                                   const Model &model, std::vector<ExportedResult> results, const std::stop_token &stop)
{
    const ExportRequest request{&format,
                                view,
                                options.target == "cuda" ? CppTarget::Cuda : CppTarget::Cpu,
                                std::make_shared<const Model>(model),
                                std::move(results),
                                {options.theme == "dark", "Stagecraft " STAGECRAFT_VERSION}};
    const auto find = [](const std::string &id) -> Result<std::unique_ptr<Device>> {
        auto device = findDevice(id);
        if (!device && device.error().code == ErrorCode::WrongUse)
            return within("--target " + id, std::move(device.error()));
        return device;
    };
    auto written = writeExport(request, options.output, find, stop);
    for (const std::string &remark : written ? written->remarks : std::vector<std::string>())
        std::cerr << "note: " << remark << '\n';
    return written;
}

Result<void> exportResults(const ExportOptions &options, const CommandLine &line)
{
    const auto format = findExportFormat(options.format, options.output);
    if (!format)
        return tl::unexpected(format.error());
    const auto view = findExportView(**format, options.view);
    if (!view)
        return tl::unexpected(view.error());
    if (auto named = checkExportName(**format, options.output); !named)
        return named;
    if (auto known = checkTarget(**format, options.target); !known)
        return known;
    if (auto known = checkTheme(**format, options.theme); !known)
        return known;
    const bool needsDevice = *view == ExportView::Comparison || *view == ExportView::Timeline;
    const bool isOfMany = needsDevice || *view == ExportView::Report;
    if (options.schedules.empty() && *view != ExportView::Graph)
        return fail(ErrorCode::WrongUse, "no schedule is named", "Name one: sequential, greedy, ios-both or a file");
    if (options.schedules.size() > 1 && !isOfMany)
        return fail(ErrorCode::WrongUse,
                    "the view " + std::string(toString(*view)) + " shows one schedule, and " +
                        std::to_string(options.schedules.size()) + " are named",
                    "Name one, or use --view comparison with csv or markdown");
    ModelOptions opening = options.model;
    opening.keepOrigin = (*format)->name == "onnx";
    const auto model =
        options.schedules.size() == 1 ? openForSchedule(opening, options.schedules.front()) : opening.open();
    if (!model)
        return tl::unexpected(model.error());
    std::vector<ComparedSchedule> compared;
    if (!options.schedules.empty()) {
        auto found = comparedSchedules(options.schedules, *model);
        if (!found)
            return tl::unexpected(std::move(found.error()));
        compared = std::move(*found);
    }
    const auto listening = line.listen();
    const bool isMeasured = !options.device.id.empty();
    if (needsDevice && !isMeasured)
        return fail(ErrorCode::WrongUse, "the view " + std::string(toString(*view)) + " needs a device",
                    "Say on which --device; see \"stagecraft-cli devices\"");
    const auto results = isMeasured && !compared.empty() ? measuredResults(options, *view, *model, compared, line.stop)
                                                         : knownResults(*model, compared);
    if (!results)
        return tl::unexpected(results.error());
    const auto written = writeResults(options, **format, *view, *model, *results, line.stop);
    if (!written)
        return tl::unexpected(written.error());
    if (line.json)
        printAnswer("export", {{"model", model->name},
                               {"export_format", (*format)->name},
                               {"view", toString(*view)},
                               {"schedules", options.schedules},
                               {"output", options.output},
                               {"files", written->files},
                               {"bytes", written->bytes}});
    else
        std::cout << "wrote " << options.output << " (" << (*format)->what << ")\n";
    return {};
}

std::string formatsText()
{
    std::string text;
    for (const ExportFormat &format : exportFormats())
        text += (text.empty() ? "" : "; ") + std::string(format.name) + ": " + std::string(format.what);
    return text;
}

} // namespace

void addExportCommand(CLI::App &app, CommandLine &line)
{
    auto *command =
        app.add_subcommand("export", "Write schedules, models, tables, graphs, traces and programs in C++ and Python");
    const auto options = std::make_shared<ExportOptions>();
    options->model.addTo(*command);
    command->add_option(
        "SCHEDULE", options->schedules,
        "sequential, greedy, ios-merge, ios-parallel, ios-both, embedded or a schedule file; several for "
        "a comparison and for timelines");
    command
        ->add_option("--format", options->format,
                     "what to write; " + formatsText() + "; as the name of the file says unless told")
        ->type_name("FORMAT");
    command->add_option("--view", options->view, "what to write: schedule, graph, comparison, timeline, report")
        ->type_name("VIEW");
    command->add_option("-d,--device", options->device.id, "search and measure on this device (see devices)")
        ->type_name("DEVICE");
    command
        ->add_option("--target", options->target,
                     "cpp: what the project runs on: cpu (unless told), with oneDNN, or cuda, with cuDNN")
        ->type_name("TARGET");
    command->add_option("--theme", options->theme, "svg: light (unless told) or dark")->type_name("THEME");
    addOutputTo(*command, options->output, "the file to write; for cpp and pytorch a new folder")->required();
    command->callback([&line, options] { line.command = [&line, options] { return exportResults(*options, line); }; });
}

} // namespace stagecraft
