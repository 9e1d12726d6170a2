#include "export/formats.h"

#include "export/graph_dot.h"
#include "export/html_report.h"
#include "export/node_data.h"
#include "export/onnxruntime/onnxruntime_folder.h"
#include "export/pytorch_module/pytorch_module.h"
#include "export/schedule_svg.h"
#include "export/schedule_tables.h"
#include "export/trace.h"
#include "export/view_tables.h"
#include "model/ios_json.h"
#include "results/files/schedule_json.h"
#include "results/schedule_words.h"
#include "schedule/rtasks/require_unfused.h"
#include "schedule/stage_groups.h"
#include "support/closest_name.h"
#include "support/output_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

Result<std::string> scheduleJson(const ExportRequest &request)
{
    return toJson(request.graph(), request.schedule());
}

Result<std::string> iosJson(const ExportRequest &request)
{
    const TimedSchedule &schedule = request.schedule();
    TRY(requireUnfused(schedule.stages, "IOS JSON"));
    std::vector<IosStage> stages;
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        if (stage.isMerged())
            return fail(ErrorCode::InvalidInput,
                        fmt::format("stage {} merges its operators, which IOS JSON cannot say", i + 1),
                        "Export a schedule without merge stages, such as ios-parallel");
        if (!stage.launchOrder.empty())
            return fail(ErrorCode::InvalidInput,
                        fmt::format("stage {} has a launch order, which IOS JSON cannot say", i + 1),
                        "Export a schedule without launch orders");
        IosStage &written = stages.emplace_back(IosStage{stage.block, {}});
        for (const auto &group : stage.groups) {
            std::vector<std::string> &names = written.groups.emplace_back();
            for (const OperatorId id : group)
                names.push_back(request.graph().op(id).name);
        }
    }
    return writeIosJson(request.graph(), request.model->blocks, stages);
}

template <TableFor use>
Result<std::string> tableOf(const ExportRequest &request)
{
    const Model &model = *request.model;
    constexpr bool isForPrograms = use == TableFor::Programs;
    switch (request.view) {
    case ExportView::Graph: return tableText(graphTable(*model.graph, model.blocks, use), use);
    case ExportView::Timeline: return tableText(timelineTable(*model.graph, request.results, use), use);
    case ExportView::TimeParts: return tableText(timePartsTable(model.name, request.results, use), use);
    case ExportView::Tradeoff:
        return isForPrograms ? tradeoffCsv(request.tradeoff)
                             : markdownText(tradeoffTable(model.name, request.tradeoff));
    case ExportView::Specialisation:
        return tableText(specialisationTable(model.name, *request.specialisation, use), use);
    case ExportView::Comparison:
        return isForPrograms ? comparisonCsv(request.results)
                             : comparisonMarkdown(*model.graph, request.results, request.baseline);
    default: break;
    }
    return isForPrograms ? scheduleCsv(*model.graph, request.schedule())
                         : scheduleMarkdown(*model.graph, request.results.front());
}

Result<std::string> dot(const ExportRequest &request)
{
    return graphDot(request.graph(), request.view == ExportView::Graph ? nullptr : &request.schedule());
}

Result<std::string> nodeData(const ExportRequest &request)
{
    if (request.results.size() > 1)
        return fail(ErrorCode::InvalidInput, "Model Explorer's node data has one number for each node",
                    "Export the schedules one by one");
    return request.view == ExportView::Timeline
               ? timelineNodeData(request.graph(), request.results.front().timeline->timeline())
               : scheduleNodeData(request.graph(), request.schedule(), request.style.dark);
}

template <std::string (*trace)(const Graph &, std::span<const RatedResult>)>
Result<std::string> traceOf(const ExportRequest &request)
{
    return trace(request.graph(), request.results);
}

Result<std::string> svg(const ExportRequest &request)
{
    return scheduleSvg(request.graph(), request.results.front(), request.style.dark);
}

// The last result is chosen.
Result<std::string> report(const ExportRequest &request)
{
    const Model &model = *request.model;
    const TimedSchedule &first = request.schedule();
    ReportedGroup group{.model = model.reference(),
                        .graph = model.graph.get(),
                        .blocks = model.blocks,
                        .device = first.context.device,
                        .batch = first.context.batch,
                        .precision = first.context.precision,
                        .baseline = request.baseline,
                        .chosen = request.results.size() - 1};
    for (const RatedResult &result : request.results)
        group.results.push_back({.name = result.name,
                                 .schedule = result.schedule,
                                 .speedup = result.speedup,
                                 .timeline = result.timeline,
                                 .madeBy = result.schedule->search.strategy,
                                 .origin = provenanceWords(*result.schedule),
                                 .whyNoTimeline = result.whyNoTimeline});
    return htmlReport({model.name, request.style.program, {std::move(group)}});
}

Result<std::vector<PreviewedFile>> previewedTrace(const ExportRequest &request)
{
    TRY_AS(auto files, previewedText(request));
    std::string &text = files.front().text;
    text.clear();
    for (const RatedResult &result : request.results) {
        const Timeline &timeline = result.timeline->timeline();
        text +=
            fmt::format("process {}: {} stages, {} kernels on {} streams, {} counters\n", result.name,
                        timeline.stages.size(), timeline.kernels.size(), timeline.streams, timeline.counters.size());
    }
    return files;
}

// What a person would read first.
void readMeFirst(std::vector<PreviewedFile> &files)
{
    std::ranges::stable_partition(files, [](const PreviewedFile &file) { return file.name == "README.md"; });
}

std::vector<PreviewedFile> previewedFolder(const std::vector<ProjectFile> &files, std::string weights,
                                           std::uint64_t bytes)
{
    std::vector<PreviewedFile> shown;
    for (const ProjectFile &file : files)
        shown.push_back(previewedFile(file.path, file.text));
    shown.push_back({std::move(weights), bytes, "The weights, as float32 numbers."});
    shown.push_back({kManifestName, 0, "The SHA-256 of every file, as sha256sum --check reads it."});
    readMeFirst(shown);
    return shown;
}

Result<std::vector<PreviewedFile>> previewedProject(const ExportRequest &request)
{
    const CppProject project = cppProject(request.graph(), request.schedule(), request.model->name, request.target);
    return previewedFolder(project.files, "weights.bin", project.weights.bytes());
}

Result<std::vector<PreviewedFile>> previewedModule(const ExportRequest &request)
{
    TRY_AS(const auto module, pytorchModule(request.graph(), request.schedule(), request.model->name));
    return previewedFolder(module.files, "weights.npy", module.weights.bytes());
}

// A row for each node that the file will have: where it is, and its operators.
Result<std::vector<PreviewedFile>> previewedOnnx(const ExportRequest &request)
{
    const Graph &graph = request.graph();
    const auto namesOf = [&](const std::vector<OperatorId> &operators) {
        std::string names;
        for (const OperatorId id : operators)
            names += (names.empty() ? "" : "+") + graph.op(id).name;
        return names + (operators.size() > 1 ? "  (one operator and a split)" : "");
    };
    const TimedSchedule &schedule = request.schedule();
    std::string text = schedule.streams ? "launch stream operator\n" : "stage group operator\n";
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        if (stage.isMerged())
            text += fmt::format("{}  1  {}\n", i + 1, namesOf(operatorsOf(stage)));
        for (std::size_t group = 0; !stage.isMerged() && group < stage.groups.size(); ++group) {
            for (const OperatorId id : stage.groups[group])
                text += fmt::format("{}  {}  {}\n", i + 1, group + 1, graph.op(id).name);
        }
    }
    for (std::size_t i = 0; schedule.streams && i < schedule.streams->launches.size(); ++i) {
        const StreamLaunch &launch = schedule.streams->launches[i];
        text += fmt::format("{}  {}  {}\n", i + 1, launch.stream + 1, namesOf(launch.operators));
    }
    return std::vector<PreviewedFile>{{{}, 0, std::move(text)}};
}

// The model is not written for it: its nodes have the names of their operators here, and merged ones are not one.
Result<std::vector<PreviewedFile>> previewedOnnxRuntime(const ExportRequest &request)
{
    std::vector<OnnxUnit> units;
    std::vector<ExportedNode> nodes;
    for (std::size_t i = 0; i < request.graph().size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        units.push_back({.operators = {id}});
        nodes.push_back({.name = request.graph().op(id).name, .unit = i});
    }
    const auto streams = onnxRuntimeStreams(request.schedule(), units, nodes);
    std::vector<PreviewedFile> shown;
    for (const ProjectFile &file :
         onnxRuntimeFiles(request.graph(), request.schedule(), request.model->name, request.target))
        shown.push_back(previewedFile(file.path, file.text));
    shown.push_back({kOnnxRuntimeModel, 0, "The model with its stages; merged operators are one."});
    shown.push_back({kOnnxRuntimeStreams, 0, onnxRuntimeStreamsText(streams, request.target)});
    shown.push_back({kManifestName, 0, "The SHA-256 of every file, as sha256sum --check reads it."});
    readMeFirst(shown);
    return shown;
}

bool hasEnding(const ExportFormat &format, const std::string &file)
{
    return std::ranges::find(format.endings, std::filesystem::path(file).extension().string()) != format.endings.end();
}

} // namespace

PreviewedFile previewedFile(std::string name, const std::string &text)
{
    constexpr std::size_t kPreviewBytes = std::size_t{1} << 16U;
    return {std::move(name), text.size(), text.substr(0, kPreviewBytes)};
}

Result<std::vector<PreviewedFile>> previewedText(const ExportRequest &request)
{
    TRY_AS(const auto text, request.format->text(request));
    return std::vector{previewedFile({}, text)};
}

std::span<const ExportFormat> exportFormats()
{
    static const std::vector<ExportView> shown{ExportView::Schedule,      ExportView::Graph,      ExportView::Timeline,
                                               ExportView::TimeParts,     ExportView::Comparison, ExportView::Tradeoff,
                                               ExportView::Specialisation};
    static const std::vector<ExportView> withStreams{ExportView::Schedule, ExportView::Timeline,
                                                     ExportView::Comparison};
    static const std::vector<ExportFormat> formats{
        {.name = "json",
         .title = "Schedule file",
         .what = "a schedule file of this program",
         .endings = {".schedule.json", ".json"},
         .kind = FileKind::Schedule,
         .text = scheduleJson,
         .ofStreams = {ExportView::Schedule}},
        {.name = "ios-json",
         .title = "IOS JSON",
         .what = "graph and stages as the public IOS project reads them",
         .endings = {".json"},
         .kind = FileKind::IosJson,
         .text = iosJson},
        {.name = "csv",
         .title = "CSV table",
         .what = "a table, comma-separated",
         .endings = {".csv"},
         .views = shown,
         .kind = FileKind::Csv,
         .text = tableOf<TableFor::Programs>,
         .ofStreams = withStreams},
        {.name = "markdown",
         .title = "Markdown table",
         .what = "a table for documents",
         .endings = {".md", ".markdown"},
         .views = shown,
         .kind = FileKind::Markdown,
         .text = tableOf<TableFor::Readers>,
         .ofStreams = withStreams},
        {.name = "dot",
         .title = "Graphviz DOT",
         .what = "the graph for Graphviz",
         .endings = {".dot", ".gv"},
         .views = {ExportView::Schedule, ExportView::Graph},
         .kind = FileKind::Dot,
         .text = dot},
        {.name = "chrome-trace",
         .title = "Chrome trace",
         .what = "a timeline as JSON, for chrome://tracing and Perfetto",
         .endings = {".json"},
         .views = {ExportView::Timeline},
         .kind = FileKind::ChromeTrace,
         .text = traceOf<chromeTrace>,
         .ofStreams = {ExportView::Timeline}},
        {.name = "perfetto",
         .title = "Perfetto trace",
         .what = "a timeline for Perfetto",
         .endings = {".pftrace", ".perfetto-trace"},
         .views = {ExportView::Timeline},
         .kind = FileKind::PerfettoTrace,
         .text = traceOf<perfettoTrace>,
         .preview = previewedTrace,
         .ofStreams = {ExportView::Timeline}},
        {.name = "model-explorer",
         .title = "Model Explorer",
         .what = "numbers on the nodes of the model, for Model Explorer: stages or streams, or how long operators ran",
         .endings = {".json"},
         .views = {ExportView::Schedule, ExportView::Timeline},
         .kind = FileKind::NodeData,
         .text = nodeData,
         .ofStreams = {ExportView::Schedule, ExportView::Timeline}},
        {.name = "cpp",
         .title = "C++ project",
         .what = "a folder with a C++ project that runs the schedule",
         .preview = previewedProject,
         .executed = ExecutedFormat::CppProject,
         .hasTargets = true,
         .ofStreams = {ExportView::Schedule}},
        {.name = "pytorch",
         .title = "PyTorch module",
         .what = "a folder with a Python module that runs the schedule",
         .preview = previewedModule,
         .executed = ExecutedFormat::PytorchModule,
         .ofStreams = {ExportView::Schedule}},
        {.name = "onnxruntime",
         .title = "ONNX Runtime",
         .what = "a folder with the model and its streams for ONNX Runtime, and a program that runs them",
         .preview = previewedOnnxRuntime,
         .executed = ExecutedFormat::OnnxRuntime,
         .hasTargets = true,
         .copiesModel = true,
         .ofStreams = {ExportView::Schedule}},
        {.name = "svg",
         .title = "SVG picture",
         .what = "a picture, at any size",
         .endings = {".svg"},
         .views = shown,
         .kind = FileKind::Svg,
         .text = svg,
         .unit = "units",
         .ofStreams = withStreams},
        {.name = "pdf",
         .title = "PDF picture",
         .what = "a picture for documents, at any size",
         .endings = {".pdf"},
         .views = shown,
         .kind = FileKind::Pdf,
         .unit = "units",
         .hasScale = true,
         .ofStreams = withStreams},
        {.name = "png",
         .title = "PNG picture",
         .what = "a picture in pixels",
         .endings = {".png"},
         .views = shown,
         .kind = FileKind::Png,
         .unit = "pixels",
         .hasScale = true,
         .ofStreams = withStreams},
        {.name = "html",
         .title = "HTML report",
         .what = "a report on one page to look through, for a pull request",
         .endings = {".html", ".htm"},
         .views = {ExportView::Report},
         .kind = FileKind::Report,
         .text = report,
         .ofStreams = {ExportView::Report}},
        {.name = "onnx",
         .title = "ONNX with stages",
         .what = "the model as ONNX with its stages: merged operators are one",
         .endings = {".onnx"},
         .kind = FileKind::Onnx,
         .preview = previewedOnnx,
         .executed = ExecutedFormat::OnnxModel,
         .copiesModel = true,
         .ofStreams = {ExportView::Schedule}},
    };
    return formats;
}

Result<const ExportFormat *> findExportFormat(const std::string &name, const std::string &file)
{
    std::vector<std::string> known;
    for (const ExportFormat &format : exportFormats()) {
        if (name.empty() ? hasEnding(format, file) : format.name == name)
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
    const bool isFile = file == kStandardOutput || std::ranges::any_of(exportFormats(), [&](const ExportFormat &other) {
                            return hasEnding(other, file);
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
    const TimedSchedule &first = request.schedule();
    request.baseline = request.results.front().name;
    for (RatedResult &result : request.results)
        result.speedup = speedupOver(first, *result.schedule);
}

} // namespace stagecraft
