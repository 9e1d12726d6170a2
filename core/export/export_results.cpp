#include "export/export_results.h"

#include "export/graph_dot.h"
#include "export/html_report.h"
#include "export/schedule_svg.h"
#include "export/schedule_tables.h"
#include "export/trace.h"
#include "export/view_tables.h"
#include "model/ios_json.h"
#include "results/files/schedule_json.h"
#include "results/schedule_words.h"
#include "support/closest_name.h"
#include "support/output_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

// Of pictures and tables.
const std::vector<ExportView> kShownViews{ExportView::Schedule,   ExportView::Graph,    ExportView::Timeline,
                                          ExportView::Comparison, ExportView::Tradeoff, ExportView::Specialisation};

const std::vector<ExportFormat> &table()
{
    static const std::vector<ExportFormat> formats{
        {"json", "a schedule file of this program", {".json"}, {ExportView::Schedule}, FileKind::Schedule},
        {"ios-json",
         "graph and stages as the public IOS project reads them",
         {".json"},
         {ExportView::Schedule},
         FileKind::IosJson},
        {"csv", "a table, comma-separated", {".csv"}, kShownViews, FileKind::Csv},
        {"markdown", "a table for documents", {".md", ".markdown"}, kShownViews, FileKind::Markdown},
        {"dot", "the graph for Graphviz", {".dot", ".gv"}, {ExportView::Schedule, ExportView::Graph}, FileKind::Dot},
        {"chrome-trace",
         "a timeline as JSON, for chrome://tracing and Perfetto",
         {".json"},
         {ExportView::Timeline},
         FileKind::ChromeTrace},
        {"perfetto",
         "a timeline for Perfetto",
         {".pftrace", ".perfetto-trace"},
         {ExportView::Timeline},
         FileKind::PerfettoTrace},
        {"cpp", "a folder with a C++ project that runs the schedule", {}, {ExportView::Schedule}},
        {"pytorch", "a folder with a Python module that runs the schedule", {}, {ExportView::Schedule}},
        {"svg", "a picture, at any size", {".svg"}, kShownViews, FileKind::Svg},
        {"pdf", "a picture for documents, at any size", {".pdf"}, kShownViews, FileKind::Pdf},
        {"png", "a picture in pixels", {".png"}, kShownViews, FileKind::Png},
        {"html", "a report on one page, for a pull request", {".html", ".htm"}, {ExportView::Report}, FileKind::Report},
        {"onnx",
         "the model as ONNX with its stages: merged operators are one",
         {".onnx"},
         {ExportView::Schedule},
         FileKind::Onnx},
    };
    return formats;
}

Result<std::string> iosJson(const Model &model, const Schedule &schedule)
{
    std::vector<IosStage> stages;
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        if (stage.strategy == Strategy::Merge)
            return fail(ErrorCode::InvalidInput,
                        fmt::format("stage {} merges its operators, which IOS JSON cannot say", i + 1),
                        "Export a schedule without merge stages, such as ios-parallel");
        IosStage &written = stages.emplace_back(IosStage{stage.block, {}});
        for (const auto &group : stage.groups) {
            std::vector<std::string> &names = written.groups.emplace_back();
            for (const OperatorId id : group)
                names.push_back(model.graph->op(id).name);
        }
    }
    return writeIosJson(*model.graph, model.blocks, stages);
}

std::vector<NamedSchedule> named(std::span<const ExportedResult> results)
{
    std::vector<NamedSchedule> schedules;
    for (const ExportedResult &result : results)
        schedules.push_back({result.name, result.schedule, result.speedup});
    return schedules;
}

std::vector<TracedResult> traced(const Model &model, std::span<const ExportedResult> results)
{
    std::vector<TracedResult> traces;
    for (const ExportedResult &result : results)
        traces.push_back({result.name, *model.graph, result.schedule, *result.timeline});
    return traces;
}

std::string tableOf(const ExportRequest &request, TableFor use)
{
    const Model &model = *request.model;
    const bool isForPrograms = use == TableFor::Programs;
    switch (request.view) {
    case ExportView::Graph: return tableText(graphTable(*model.graph, model.blocks, use), use);
    case ExportView::Timeline: return tableText(timelineTable(traced(model, request.results), use), use);
    case ExportView::Tradeoff:
        return isForPrograms ? tradeoffCsv(request.tradeoff)
                             : markdownText(tradeoffTable(model.name, request.tradeoff));
    case ExportView::Specialisation:
        return tableText(specialisationTable(model.name, *request.specialisation, use), use);
    case ExportView::Comparison: {
        const std::vector<NamedSchedule> schedules = named(request.results);
        return isForPrograms ? comparisonCsv(schedules) : comparisonMarkdown(*model.graph, schedules, request.baseline);
    }
    default: break;
    }
    const NamedSchedule first = named(request.results).front();
    return isForPrograms ? scheduleCsv(*model.graph, first.schedule) : scheduleMarkdown(*model.graph, first);
}

// Refers to the request's model and results. The last one is chosen.
Report reportOf(const ExportRequest &request)
{
    const Model &model = *request.model;
    const Schedule &first = request.results.front().schedule;
    ReportedGroup group{.model = model.name,
                        .sha256 = model.sha256,
                        .graph = model.graph.get(),
                        .blocks = model.blocks.size(),
                        .device = first.device,
                        .batch = first.batch,
                        .precision = first.precision,
                        .baseline = request.baseline};
    for (const ExportedResult &result : request.results)
        group.results.push_back({.name = result.name,
                                 .schedule = &result.schedule,
                                 .madeBy = result.schedule.search.strategy,
                                 .latencyUs = result.schedule.latencyUs(),
                                 .isAtLeast = result.schedule.leavesOutWork(),
                                 .speedup = result.speedup,
                                 .origin = provenanceWords(result.schedule),
                                 .isChosen = &result == &request.results.back()});
    return {model.name, request.style.program, {std::move(group)}};
}

} // namespace

std::string_view toString(ExportView view)
{
    switch (view) {
    case ExportView::Schedule: return "schedule";
    case ExportView::Graph: return "graph";
    case ExportView::Comparison: return "comparison";
    case ExportView::Timeline: return "timeline";
    case ExportView::Tradeoff: return "tradeoff";
    case ExportView::Specialisation: return "specialisation";
    case ExportView::Report: return "report";
    }
    return "";
}

std::span<const ExportFormat> exportFormats()
{
    return table();
}

Result<const ExportFormat *> findExportFormat(const std::string &name, const std::string &file)
{
    std::vector<std::string> known;
    const std::string ending = std::filesystem::path(file).extension().string();
    for (const ExportFormat &format : table()) {
        if (name.empty() ? std::ranges::find(format.endings, ending) != format.endings.end() : format.name == name)
            return &format;
        known.emplace_back(format.name);
    }
    if (name.empty())
        return fail(ErrorCode::WrongUse, fmt::format("the name {} does not say which format is wanted", file),
                    "Say --format " + listed(known, " or "));
    return fail(ErrorCode::WrongUse, "--format: " + name + " is not known",
                didYouMean(name, known) + "Use " + listed(known, " or "));
}

Result<ExportView> findExportView(const ExportFormat &format, const std::string &name)
{
    std::vector<std::string> known;
    for (const ExportView view : format.views) {
        if (name.empty() || name == toString(view))
            return view;
        known.emplace_back(toString(view));
    }
    return fail(ErrorCode::WrongUse, fmt::format("--view: {} has no view {}", format.name, name),
                didYouMean(name, known) + "Use " + listed(known, " or "));
}

Result<void> checkExportName(const ExportFormat &format, const std::string &file)
{
    if (!format.isFolder())
        return {};
    const std::string ending = std::filesystem::path(file).extension().string();
    const bool isFile = file == kStandardOutput || std::ranges::any_of(table(), [&](const ExportFormat &other) {
                            return std::ranges::find(other.endings, ending) != other.endings.end();
                        });
    return isFile ? fail(ErrorCode::WrongUse,
                         fmt::format("{}: the format {} writes a folder, not a file", file, format.name),
                         "Name a new folder, or choose another format")
                  : Result<void>();
}

void compareWithFirst(ExportRequest &request)
{
    if (request.results.size() < 2)
        return;
    const Schedule &first = request.results.front().schedule;
    request.baseline = request.results.front().name;
    for (ExportedResult &result : request.results)
        result.speedup = speedupOver(first, result.schedule);
}

bool isDrawn(const ExportFormat &format, ExportView view)
{
    return format.isPicture() && !(format.name == "svg" && view == ExportView::Schedule);
}

Result<std::string> exportText(const ExportRequest &request)
{
    const std::string_view format = request.format->name;
    const Model &model = *request.model;
    const std::vector<ExportedResult> &results = request.results;
    const Graph &graph = *model.graph;
    if (format == "csv" || format == "markdown")
        return tableOf(request, format == "csv" ? TableFor::Programs : TableFor::Readers);
    if (format == "dot")
        return graphDot(graph, request.view == ExportView::Graph ? nullptr : &results.front().schedule);
    if (format == "json")
        return toJson(graph, results.front().schedule);
    if (format == "ios-json")
        return iosJson(model, results.front().schedule);
    if (format == "chrome-trace")
        return chromeTrace(traced(model, results));
    if (format == "perfetto")
        return perfettoTrace(traced(model, results));
    const std::vector<NamedSchedule> schedules = named(results);
    if (format == "svg")
        return scheduleSvg(graph, schedules.front(), request.style.dark);
    return htmlReport(reportOf(request));
}

} // namespace stagecraft
