#include "flow/export/shelf_report.h"

#include "results/pooled_latency.h"
#include "results/schedule_words.h"
#include "results/shelf.h"
#include "results/shelf_order.h"
#include "results/shelf_words.h"
#include "timing/simulator_version.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

bool isOf(const RunContext &settings, const SessionModel &model)
{
    return settings.model == model.reference && settings.batch == model.batch;
}

// The place of the group's model in the session.
std::size_t placeOf(const OpenedSession &opened, const RunContext &settings)
{
    const auto &models = opened.session.models;
    const auto found = std::ranges::find_if(models, [&](const auto &model) { return isOf(settings, *model); });
    return static_cast<std::size_t>(found - models.begin());
}

std::vector<StudyPoint> tradeoffOf(const Session &session, const RunContext &settings)
{
    std::vector<StudyPoint> points;
    for (const SessionStudy &study : session.studies) {
        for (std::size_t i = 0; i < study.points.size() && study.points.front().settings == settings; ++i)
            points.push_back({pointOf(study.points[i].record()), study.points[i].schedule, {}, study.stagesAsked[i]});
    }
    return points;
}

std::string whyNoSchedule(const OpenedSession &opened, const ScheduleResult &result)
{
    const std::size_t place = placeOf(opened, result.settings);
    if (!opened.models[place])
        return "its model is missing: " + opened.whyMissing[place];
    if (result.schedule)
        return {};
    return result.origin == Origin::Stated ? "a latency without a schedule" : result.trouble;
}

std::string originOf(const PooledLatency &latency, const RunContext &context)
{
    const bool isOlder = latency.provenance == Provenance::Simulated && isOfOlderSimulator(context);
    const std::string provenance =
        std::string(toString(latency.provenance)) + (isOlder ? " by an older simulator" : "");
    return latency.runs > 0 ? fmt::format("{}, {}, {} runs", provenance, toString(latency.how), latency.runs)
                            : provenance;
}

RatedResult reported(const OpenedSession &opened, const Shelf &shelf, const ScheduleResult &result)
{
    RatedResult rated = ratedResult(shelf, result);
    rated.whyNot = whyNoSchedule(opened, result);
    if (rated.latency)
        rated.origin = originOf(*rated.latency, result.settings);
    if (result.schedule && rated.whyNot.empty())
        rated.schedule = rated.latency ? withLatency(result, *rated.latency) : result.schedule;
    return rated;
}

bool isFastest(const ShelvedGroup &group, const RatedResult &result)
{
    return result.schedule && result.latencyUs() && std::ranges::all_of(group.results, [&](const RatedResult &other) {
               return !other.schedule || !other.latencyUs() || *result.latencyUs() <= *other.latencyUs();
           });
}

void choose(ShelvedGroup &group, const std::vector<ResultId> &ids, const SessionView &view)
{
    if (view.focused < view.panes.size()) {
        const auto shown = std::ranges::find(ids, view.panes[view.focused]);
        if (shown != ids.end()) {
            group.chosen = static_cast<std::size_t>(shown - ids.begin());
            return;
        }
    }
    const auto fastest =
        std::ranges::find_if(group.results, [&](const RatedResult &result) { return isFastest(group, result); });
    if (fastest != group.results.end())
        group.chosen = static_cast<std::size_t>(fastest - group.results.begin());
}

// Without what stands before the picture in a file of its own.
std::string inlineSvg(const std::string &file)
{
    const std::size_t start = file.find("<svg");
    return start == std::string::npos ? "" : file.substr(start);
}

ReportedGroup reportedGroup(const ShelvedGroup &group)
{
    return {.model = group.settings.model,
            .graph = group.model ? group.model->graph.get() : nullptr,
            .blocks = group.model ? group.model->blocks : Blocks{},
            .device = group.settings.device,
            .deviceVersion = group.settings.deviceVersion,
            .batch = group.settings.batch,
            .precision = group.settings.precision,
            .baseline = group.baseline,
            .results = group.results,
            .chosen = group.chosen};
}

} // namespace

std::string ShelvedGroup::name() const
{
    return fmt::format("{}, {}, batch {}", settings.model.name, settings.device, settings.batch);
}

std::vector<ShelvedGroup> shelvedGroups(const OpenedSession &opened)
{
    Shelf shelf;
    shelf.restore(opened.session.results, opened.session.baselines);
    std::vector<ShelvedGroup> groups;
    for (const ShelfGroup &shown : grouped(shelf, ShelfOrder::AsMade, {})) {
        ShelvedGroup &group = groups.emplace_back();
        group.settings = shown.settings;
        group.model = opened.models[placeOf(opened, shown.settings)];
        group.tradeoff = tradeoffOf(opened.session, shown.settings);
        for (const ResultId id : shown.results) {
            group.results.push_back(reported(opened, shelf, *shelf.find(id)));
            if (id == shelf.baseline(shown.settings))
                group.baseline = group.results.back().name;
        }
        choose(group, shown.results, opened.session.view);
    }
    return groups;
}

Result<std::string> shelfReport(const std::vector<ShelvedGroup> &groups, const std::string &title,
                                const std::string &program, const ExportTools &tools)
{
    Report report{title, program, {}};
    for (const ShelvedGroup &group : groups) {
        ReportedGroup &reported = report.groups.emplace_back(reportedGroup(group));
        if (group.tradeoff.empty())
            continue;
        reported.tradeoff = tradeoffTable(reported.model.name, group.tradeoff);
        if (!tools.draw || !group.model)
            continue;
        const auto format = findExportFormat("svg", {});
        TRY_AS(
            const auto drawn,
            tools.draw(
                {.format = *format, .view = ExportView::Tradeoff, .model = group.model, .tradeoff = group.tradeoff}));
        reported.tradeoffSvg = inlineSvg(drawn.bytes);
    }
    return htmlReport(report);
}

} // namespace stagecraft
