#include "cli/export_subject.h"

#include "cli/scheduled_model.h"
#include "flow/export/result_timeline.h"
#include "flow/open_model.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

namespace stagecraft {
namespace {

// Of a file without its folder.
std::string shortTitle(const ComparedSchedule &schedule)
{
    return schedule.kind ? schedule.title : std::filesystem::path(schedule.title).filename().string();
}

// Of a profile from its file, else on the device, which may be none. A report is one without where the time goes.
Result<void> addTimelineFor(ExportView view, RatedResult &result, const Model &model, DeviceSession *session,
                            const std::stop_token &stop)
{
    const bool isNeeded = exportedView(view).needsTimeline;
    const TimedSchedule &schedule = *result.schedule;
    if ((!isNeeded && view != ExportView::Report) || (!session && !schedule.isOfProfile()))
        return {};
    auto added = addTimeline(result, model, session, stop);
    if (!added && (isNeeded || added.error().code == ErrorCode::Cancelled))
        return withinModel(model, std::move(added.error()));
    return {};
}

tl::unexpected<Error> deviceNeeded(ExportView view)
{
    return fail(ErrorCode::WrongUse, fmt::format("the view {} needs a device", toString(view)),
                "Say on which --device; see \"stagecraft-cli devices\"");
}

// Searched for and measured on a device.
Result<std::vector<RatedResult>> measuredResults(const ExportOptions &options, ExportView view, const Model &model,
                                                 const std::vector<ComparedSchedule> &compared,
                                                 const std::stop_token &stop)
{
    TRY_AS(auto device, options.device.open(model));
    std::vector<RatedResult> results;
    for (const ComparedSchedule &one : compared) {
        TRY_AS(auto made, makeCompared(one, model, *device.session, device.info, {}, stop));
        if (std::string &madeBy = made.schedule.search.strategy; view == ExportView::Report && madeBy.empty())
            madeBy = one.read.search.strategy; // measured again, as the file has it
        results.push_back({shortTitle(one), std::make_shared<const TimedSchedule>(std::move(made.schedule))});
        TRY(addTimelineFor(view, results.back(), model, device.session.get(), stop));
    }
    endProgress();
    return results;
}

// As they are in their files; baselines without latencies.
Result<std::vector<RatedResult>> knownResults(ExportView view, const Model &model,
                                              const std::vector<ComparedSchedule> &compared,
                                              const std::stop_token &stop)
{
    std::vector<RatedResult> results;
    for (const ComparedSchedule &one : compared) {
        if (exportedView(view).isMeasured && !one.read.isOfProfile())
            return deviceNeeded(view);
        if (one.kind && *one.kind != ScheduleKind::Sequential && *one.kind != ScheduleKind::Greedy)
            return fail(ErrorCode::WrongUse, one.name + " has to be searched for", "Say on which --device");
        TimedSchedule schedule = one.read;
        if (one.kind) {
            schedule = *one.kind == ScheduleKind::Greedy ? greedySchedule(*model.graph, model.blocks)
                                                         : sequentialSchedule(*model.graph, model.blocks);
            schedule.context.model = model.reference();
            schedule.context.batch = model.graph->batch();
        }
        results.push_back({shortTitle(one), std::make_shared<const TimedSchedule>(std::move(schedule))});
        TRY(addTimelineFor(view, results.back(), model, nullptr, stop));
    }
    return results;
}

Result<std::vector<StudyPoint>> studiedPoints(const ExportOptions &options, const Model &model, const CommandLine &line)
{
    const PruningGrid grid = options.bounds.grid();
    TRY(checkSize(grid));
    TRY_AS(auto device, options.device.open(model));
    PruningStudy study(model, std::move(device.session), device.info);
    const std::vector<PruningPoint> points = pointsOf(grid);
    TRY(runStudy(study, points, device.info, latencyBasis(model, device.info), line));
    std::vector<StudyPoint> found = study.known(points);
    if (found.size() < points.size())
        return fail(ErrorCode::Cancelled, "the study was cancelled");
    return found;
}

Result<SpecialisationTable> specialisationTableOf(const ExportOptions &options, const CommandLine &line)
{
    const bool namesDevices = !options.devices.empty();
    TRY_AS(const auto places, studiedPlaces(options.devices, options.device.id, options.batches));
    Specialization study =
        specializationOf(options.model.request.spec, namesDevices ? "--devices" : options.device.option);
    TRY(fillTable(study, places, line));
    SpecialisationTable table;
    for (const RunPlace &on : places.places) {
        table.places.push_back(places.labelOf(on));
        SpecialisationTable::Row &row = table.rows.emplace_back();
        for (const RunPlace &madeFor : places.places) {
            const TimedSchedule &schedule = *study.measured(on, madeFor);
            row.cells.push_back(
                CrossLatency{*schedule.latencyUs(), schedule.measured.isSumOfStages(), schedule.leavesOutWork()});
            row.provenance = fmt::format("{}, {}", toString(*schedule.measured.provenance), schedule.context.precision);
        }
    }
    return table;
}

} // namespace

Result<void> checkSubject(const ExportOptions &options, ExportView view)
{
    const ExportedView &needs = exportedView(view);
    const std::string shown = fmt::format("the view {}", needs.name);
    const std::size_t count = options.schedules.size();
    if (needs.isStudy && count > 0)
        return fail(
            ErrorCode::WrongUse,
            fmt::format("{} searches its own schedules, so {} has no place in it", shown, options.schedules.front()),
            "Leave it out");
    if (count == 0 && needs.needsSchedule)
        return fail(ErrorCode::WrongUse, "no schedule is named", "Name one: sequential, greedy, ios-both or a file");
    if (count > 1 && !needs.isOfMany)
        return fail(ErrorCode::WrongUse, fmt::format("{} shows one schedule, and {} are named", shown, count),
                    "Name one, or use --view comparison");
    const bool isSpecialised = view == ExportView::Specialisation;
    if (isSpecialised && options.batches.empty() && options.devices.empty())
        return fail(ErrorCode::WrongUse, shown + " compares batch sizes, devices, or both",
                    "Use --batches 1,32,128, --devices sim:k80,sim:v100, or both");
    if (!isSpecialised && (!options.batches.empty() || !options.devices.empty()))
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} is of the view specialisation, not of {}",
                                options.batches.empty() ? "--devices" : "--batches", toString(view)),
                    "Leave it out, or say --view specialisation");
    for (const char *bound : {"--r", "--s"}) {
        if (view != ExportView::Tradeoff && options.model.command->count(bound) > 0)
            return fail(ErrorCode::WrongUse,
                        fmt::format("{} is of the view tradeoff, not of {}", bound, toString(view)),
                        "Leave it out, or say --view tradeoff");
    }
    const bool mayBeRecorded = !needs.isStudy && count > 0 && std::ranges::all_of(options.schedules, isScheduleFile);
    if (needs.isMeasured && options.device.id.empty() && options.devices.empty() && !mayBeRecorded)
        return deviceNeeded(view);
    return {};
}

Result<void> findSubject(ExportRequest &request, const ExportOptions &options, const CommandLine &line)
{
    ModelOptions opening = options.model;
    opening.request.keepSource = request.format->copiesModel;
    TRY_AS(auto opened, options.schedules.size() == 1 ? openForSchedule(opening, options.schedules.front())
                                                      : opening.openWithSchedule());
    request.model = std::make_shared<const Model>(opened.model);
    const auto listening = line.listen();
    if (request.view == ExportView::Tradeoff)
        return studiedPoints(options, *request.model, line).map([&](auto points) {
            request.tradeoff = std::move(points);
        });
    if (request.view == ExportView::Specialisation)
        return specialisationTableOf(options, line).map([&](auto table) { request.specialisation = std::move(table); });
    if (options.schedules.empty() && request.view == ExportView::Graph)
        return {};
    TRY_AS(const auto compared, comparedSchedules(options.schedules, opened));
    for (const ComparedSchedule &one : compared) {
        if (!request.format->takesStreams(request.view))
            TRY(requireStages(one, fmt::format("--format {}", request.format->name)));
    }
    auto results = options.device.id.empty()
                       ? knownResults(request.view, *request.model, compared, line.stop)
                       : measuredResults(options, request.view, *request.model, compared, line.stop);
    return std::move(results).map([&](auto found) {
        request.results = std::move(found);
        compareWithFirst(request);
    });
}

} // namespace stagecraft
