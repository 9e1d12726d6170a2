#include "cli/export_session.h"

#include "answers/model_answers.h"
#include "cli/print_answer.h"
#include "flow/export/export_shelf.h"
#include "flow/export/result_timeline.h"
#include "flow/open_model.h"
#include "flow/profiled_timeline.h"
#include "results/files/session_json.h"
#include "support/output_file.h"
#include "support/text_file.h"
#include "wiring/cuda_export.h"
#include "wiring/device_catalog.h"
#include "wiring/sibling_program.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace stagecraft {
namespace {

Result<void> checkTarget(const ExportFormat &format, const std::string &target)
{
    if (target.empty() || (format.hasTargets && (target == "cpu" || target == "cuda")))
        return {};
    if (!format.hasTargets)
        return fail(ErrorCode::WrongUse, "--target: the format " + std::string(format.name) + " has no target",
                    "Leave --target out, or say --format cpp");
    return fail(ErrorCode::WrongUse, "--target: " + target + " is not known", "Use cpu or cuda");
}

Result<void> checkShelfSubject(const ExportOptions &options, const ExportFormat &format, ExportView view)
{
    const auto isOfAModel = [](const std::string &what) {
        return fail(ErrorCode::WrongUse, what + " has no place in the export of a session",
                    "Leave it out, or export its model");
    };
    if (!options.schedules.empty())
        return isOfAModel(options.schedules.front());
    if (options.model.request.batch > 0)
        return isOfAModel("--batch");
    if (!options.batches.empty() || !options.devices.empty() || view == ExportView::Specialisation)
        return fail(ErrorCode::WrongUse, "a session has no specialisation",
                    "Export its model with --view specialisation");
    if (exportedView(view).needsTimeline && options.device.id.empty())
        return fail(ErrorCode::WrongUse, fmt::format("the view {} needs a device", toString(view)),
                    "Say on which --device; see \"stagecraft-cli devices\"");
    const std::string ending = std::filesystem::path(options.output).extension().string();
    if (view != ExportView::Report && (!ending.empty() || options.output == kStandardOutput))
        return fail(ErrorCode::WrongUse,
                    options.output + ": a shelf is written as a folder of files in the format " +
                        std::string(format.name),
                    "Name a new folder, or use --format html for one page");
    return {};
}

// Of profiles, and of what was made for the device that is named: on another, latencies and timelines would not agree.
Result<void> addTimelines(ShelvedGroup &group, const ExportOptions &options, const std::stop_token &stop)
{
    std::optional<OpenDevice> device;
    if (!options.device.id.empty()) {
        TRY_AS(device, options.device.open(*group.model));
    }
    for (RatedResult &result : group.results) {
        const bool isOfProfile = result.schedule && result.schedule->isOfProfile();
        if (!result.schedule || (!device && !isOfProfile))
            continue;
        if (!isOfProfile && !device->info.isDeviceOf(group.settings)) {
            result.whyNoTimeline =
                fmt::format("It is of {}, and timelines were asked for on {}.", group.settings.device, device->info.id);
            continue;
        }
        auto added = addTimeline(result, *group.model, device ? device->session.get() : nullptr, stop);
        if (!added && added.error().code == ErrorCode::Cancelled)
            return added;
    }
    return {};
}

Result<ExportWritten> writeReport(const ExportOptions &options, const ExportRequest &request,
                                  std::vector<ShelvedGroup> groups, const CommandLine &line)
{
    for (ShelvedGroup &group : groups) {
        if (group.model)
            TRY(addTimelines(group, options, line.stop));
    }
    ExportWritten written;
    for (const ShelvedGroup &group : groups) {
        for (const RatedResult &result : group.results) {
            if (!result.schedule)
                written.leftOut.push_back("the schedule of " + result.name + ": " + result.whyNot);
        }
    }
    const std::string title = std::filesystem::path(options.model.request.spec).stem().string();
    TRY_AS(const auto page, shelfReport(groups, title, request.style.program, exportTools(line)));
    TRY(writeTextFile(options.output, page));
    written.bytes = page.size();
    return written;
}

} // namespace

Result<void> checkStyle(const ExportFormat &format, const ExportOptions &options)
{
    TRY(checkTarget(format, options.target));
    const std::string &theme = options.theme;
    const std::string isNoPicture = ": the format " + std::string(format.name) + " is not a picture";
    if (!theme.empty() && !format.isPicture())
        return fail(ErrorCode::WrongUse, "--theme" + isNoPicture, "Leave --theme out, or say --format svg");
    if (!theme.empty() && theme != "light" && theme != "dark")
        return fail(ErrorCode::WrongUse, "--theme: " + theme + " is not known", "Use light or dark");
    if (options.scale != 1 && !format.hasScale)
        return fail(ErrorCode::WrongUse,
                    format.isPicture() ? "--scale: an SVG picture has any size" : "--scale" + isNoPicture,
                    "Leave --scale out, or say --format png");
    return {};
}

// Goes on as the program that draws, with the same arguments. Returns only if there is none.
Result<void> goOnDrawing(const CommandLine &line)
{
    const std::filesystem::path program = siblingProgram("stagecraft-pictures");
    std::cout.flush();
    std::cerr.flush();
    execv(program.c_str(), line.arguments);
    return fail(ErrorCode::InvalidInput,
                "pictures are drawn by the program " + program.string() +
                    ", which cannot be started: " + std::generic_category().message(errno),
                "Install the package stagecraft, or choose --format csv or markdown");
}

ExportTools exportTools(const CommandLine &line)
{
    const auto find = [](const std::string &id) -> Result<std::unique_ptr<Device>> {
        auto device = findDevice(id);
        if (!device && device.error().code == ErrorCode::WrongUse)
            return within("--target " + id, std::move(device.error()));
        return device;
    };
    return {find, checkOnCuda, line.draw};
}

Result<ExportRequest> requestOf(const ExportOptions &options)
{
    TRY_AS(const auto format, findExportFormat(options.format, options.output));
    TRY_AS(const auto view, findExportView(*format, options.view));
    return ExportRequest{.format = format,
                         .view = view,
                         .target = options.target == "cuda" ? CppTarget::Cuda : CppTarget::Cpu,
                         .style = {options.theme == "dark", options.scale, "Stagecraft " STAGECRAFT_VERSION}};
}

void tellWritten(const std::string &model, const ExportOptions &options, const ExportRequest &request,
                 const ExportWritten &written, const CommandLine &line)
{
    for (const std::string &each : written.leftOut)
        std::cerr << "note: left out: " << each << '\n';
    for (const std::string &remark : written.remarks)
        std::cerr << "note: " << remark << '\n';
    if (line.json)
        printAnswer(
            answers::Export{model, request.format->name, request.view, options.schedules, options.output, written});
    else
        std::cout << "wrote " << options.output << " (" << request.format->what
                  << (written.names.empty() ? ")" : ", for each result)") << '\n';
}

bool isSession(const std::string &spec)
{
    return spec.ends_with(kSessionExtension);
}

Result<void> exportSession(const ExportOptions &options, const CommandLine &line)
{
    TRY_AS(const auto request, requestOf(options));
    const bool isReport = request.view == ExportView::Report;
    TRY(checkShelfSubject(options, *request.format, request.view));
    TRY(checkStyle(*request.format, options));
    TRY(refuseOverwriting(options.output, options.model.request.spec));
    if ((isReport || request.format->isDrawn(request.view)) && !line.draw)
        return goOnDrawing(line);
    TRY_AS(const auto opened,
           openSession(options.model.request.spec, {openModel, [](const std::string &id) { return findDevice(id); }}));
    const std::vector<ShelvedGroup> groups = shelvedGroups(opened);
    if (groups.empty())
        return within(options.model.request.spec, Error{ErrorCode::InvalidInput, "its shelf is empty", {}, {}});
    const auto listening = line.listen();
    const auto makeTimeline = [&](const Model &model, const TimedSchedule &schedule) -> Result<Timeline> {
        if (schedule.isOfProfile())
            return timelineOfProfile(model, schedule, line.stop);
        TRY_AS(auto device, options.device.open(model));
        return device.session->timeline(schedule, line.stop);
    };
    TRY_AS(const auto written,
           isReport ? writeReport(options, request, groups, line)
                    : exportShelf(groups, request, options.output, exportTools(line), makeTimeline, line.stop));
    tellWritten(options.model.request.spec, options, request, written, line);
    return {};
}

} // namespace stagecraft
