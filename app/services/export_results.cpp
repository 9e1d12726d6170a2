#include "services/export_results.h"

#include "export/graph_dot.h"
#include "export/html_report.h"
#include "export/schedule_svg.h"
#include "export/schedule_tables.h"
#include "export/trace.h"
#include "model/ios_json.h"
#include "schedule/schedule_json.h"
#include "support/closest_name.h"
#include "support/output_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace stagecraft {
namespace {

const std::vector<ExportFormat> &table()
{
    static const std::vector<ExportFormat> formats{
        {"json", "a schedule file of this program", {".json"}, {ExportView::Schedule}},
        {"ios-json", "graph and stages as the public IOS project reads them", {".json"}, {ExportView::Schedule}},
        {"csv", "a table, comma-separated", {".csv"}, {ExportView::Schedule, ExportView::Comparison}},
        {"markdown", "a table for documents", {".md", ".markdown"}, {ExportView::Schedule, ExportView::Comparison}},
        {"dot", "the graph for Graphviz", {".dot", ".gv"}, {ExportView::Schedule, ExportView::Graph}},
        {"chrome-trace", "a timeline as JSON, for chrome://tracing and Perfetto", {".json"}, {ExportView::Timeline}},
        {"perfetto", "a timeline for Perfetto", {".pftrace", ".perfetto-trace"}, {ExportView::Timeline}},
        {"cpp", "a folder with a C++ project that runs the schedule", {}, {ExportView::Schedule}},
        {"pytorch", "a folder with a Python module that runs the schedule", {}, {ExportView::Schedule}},
        {"svg", "a picture of the schedule", {".svg"}, {ExportView::Schedule}},
        {"html", "a report on one page, for a pull request", {".html", ".htm"}, {ExportView::Report}},
        {"onnx", "the model as ONNX with its stages: merged operators are one", {".onnx"}, {ExportView::Schedule}},
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
                        "stage " + std::to_string(i + 1) + " merges its operators, which IOS JSON cannot say",
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
        schedules.push_back({result.name, result.schedule});
    return schedules;
}

std::vector<TracedResult> traced(const Model &model, std::span<const ExportedResult> results)
{
    std::vector<TracedResult> traces;
    for (const ExportedResult &result : results)
        traces.push_back({result.name, *model.graph, result.schedule, *result.timeline});
    return traces;
}

} // namespace

std::string_view toString(ExportView view)
{
    switch (view) {
    case ExportView::Schedule: return "schedule";
    case ExportView::Graph: return "graph";
    case ExportView::Comparison: return "comparison";
    case ExportView::Timeline: return "timeline";
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
        return fail(ErrorCode::WrongUse, "the name " + file + " does not say which format is wanted",
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
    return fail(ErrorCode::WrongUse, "--view: " + std::string(format.name) + " has no view " + name,
                didYouMean(name, known) + "Use " + listed(known, " or "));
}

Result<void> checkExportName(const ExportFormat &format, const std::string &file)
{
    const std::string ending = std::filesystem::path(file).extension().string();
    if (format.isFolder()) {
        const bool isFile = file == kStandardOutput || std::ranges::any_of(table(), [&](const ExportFormat &other) {
                                return std::ranges::find(other.endings, ending) != other.endings.end();
                            });
        return isFile ? fail(ErrorCode::WrongUse,
                             file + ": the format " + std::string(format.name) + " writes a folder, not a file",
                             "Name a new folder, or choose another format")
                      : Result<void>();
    }
    if (ending.empty() || std::ranges::find(format.endings, ending) != format.endings.end())
        return {};
    return fail(ErrorCode::WrongUse,
                file + ": files in the format " + std::string(format.name) + " do not end in " + ending,
                "End the name in " + std::string(format.endings.front()) + ", or choose another format");
}

Result<std::string> exportText(const ExportFormat &format, ExportView view, const Model &model,
                               std::span<const ExportedResult> results, const ExportStyle &style)
{
    const Graph &graph = *model.graph;
    if (format.name == "dot")
        return graphDot(graph, view == ExportView::Graph ? nullptr : &results.front().schedule);
    if (format.name == "json")
        return toJson(graph, results.front().schedule);
    if (format.name == "ios-json")
        return iosJson(model, results.front().schedule);
    if (format.name == "chrome-trace")
        return chromeTrace(traced(model, results));
    if (format.name == "perfetto")
        return perfettoTrace(traced(model, results));
    const std::vector<NamedSchedule> schedules = named(results);
    if (format.name == "svg")
        return scheduleSvg(graph, schedules.front(), style.dark);
    if (format.name == "html")
        return htmlReport(graph, {model.name, model.sha256, model.blocks.size()}, schedules, style.program);
    const bool compares = view == ExportView::Comparison;
    if (format.name == "csv")
        return compares ? comparisonCsv(schedules) : scheduleCsv(graph, schedules.front().schedule);
    return compares ? comparisonMarkdown(graph, schedules) : scheduleMarkdown(graph, schedules.front());
}

} // namespace stagecraft
