#include "flow/write_export.h"

#include "export/onnx_stages.h"
#include "export/pytorch_module/pytorch_module.h"
#include "flow/export/export_project.h"
#include "flow/open_model.h"
#include "graph/expanded_graph.h"
#include "schedule/expanded_schedule.h"
#include "support/output_file.h"
#include "support/text_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kPreviewBytes = std::size_t{1} << 16U;

// With what an ONNX file is copied from, which models are opened without.
Result<Model> withSource(const Model &model)
{
    if (model.onnx || std::filesystem::path(model.source).extension() != ".onnx")
        return model;
    TRY_AS(
        auto again,
        openModel(model.source,
                  {.batch = model.graph->batch(), .keepSource = true, .rewrite = model.rewrite, .sizes = model.sizes}));
    if (again.model.sha256 != model.sha256)
        return within(model.source,
                      Error{ErrorCode::InvalidInput, "the file has changed since it was opened", "Open it again", {}});
    return std::move(again.model);
}

// What is executed elsewhere has operators, not units of several.
ExportRequest withoutFusedUnits(ExportRequest request)
{
    const Model &model = *request.model;
    const bool executes = request.format->isFolder() || request.format->name == "onnx";
    if (!executes || !hasFusedUnits(*model.graph))
        return request;
    const ExpandedGraph expanded = expandUnits(*model.graph);
    auto changed = std::make_shared<Model>(model);
    changed->graph = expanded.graph;
    for (Block &block : changed->blocks)
        block.operators = expanded.expanded(block.operators);
    for (ExportedResult &result : request.results)
        result.schedule = expandedSchedule(std::move(result.schedule), expanded);
    request.model = std::move(changed);
    return request;
}

Result<ExportWritten> writeOnnx(const ExportRequest &request, const std::string &file)
{
    const Model &opened = *request.model;
    const Schedule &schedule = request.results.front().schedule;
    TRY(refuseOverwritingModel(dataFileOf(file).string(), opened));
    TRY_AS(const auto model, withSource(opened));
    // The schedule's operators are numbered as in the graph that it was made for, which is the same file's.
    const auto graph = hasFusedUnits(*model.graph) ? expandUnits(*model.graph).graph : model.graph;
    const auto mayWriteWeights = [&](const std::filesystem::path & /*data*/, std::uint64_t /*bytes*/) {
        return request.replacesAnyWeights ? Result<void>() : refuseReplacingWeights(file);
    };
    const auto written = exportOnnx(
        *graph, file, {.onnx = model.onnx, .stages = onnxStages(*graph, schedule), .announce = mayWriteWeights});
    if (!written)
        return withinModel(model, written.error());
    std::vector<std::string> remarks;
    if (written->files > 1)
        remarks.push_back(fmt::format("The weights are in {}, which has to stay beside the model",
                                      dataFileOf(file).filename().string()));
    return ExportWritten{written->files, written->bytes, std::move(remarks)};
}

Result<WrittenFolder> writeProjectOf(const ExportRequest &request, const std::string &folder, const ExportTools &tools,
                                     const std::stop_token &stop)
{
    const Model &model = *request.model;
    const Schedule &schedule = request.results.front().schedule;
    if (request.format->name == "pytorch")
        return exportForPytorch(model, schedule, folder);
    if (request.target == CppTarget::Cuda)
        return exportForCuda(model, schedule, tools.checkOnCuda, folder);
    TRY_AS(auto device, tools.findDevice("cpu"));
    auto session = device->open(model.graph);
    if (!session)
        return withinModel(model, std::move(session.error()));
    return exportForCpu(model, schedule, **session, folder, stop);
}

std::vector<PreviewedFile> previewed(const std::vector<ProjectFile> &files, std::string weights, std::uint64_t bytes)
{
    std::vector<PreviewedFile> shown;
    for (const ProjectFile &file : files)
        shown.push_back({file.path, file.text.size(), file.text.substr(0, kPreviewBytes)});
    shown.push_back({std::move(weights), bytes, "The weights, as float32 numbers."});
    shown.push_back({kManifestName, 0, "The SHA-256 of every file, as sha256sum --check reads it."});
    // What a person would read first.
    const auto isReadMe = [](const PreviewedFile &file) { return file.name == "README.md"; };
    std::ranges::stable_partition(shown, isReadMe);
    return shown;
}

std::string traceSummary(const ExportRequest &request)
{
    std::string text;
    for (const ExportedResult &result : request.results)
        text += fmt::format("process {}: {} stages, {} kernels on {} streams, {} counters\n", result.name,
                            result.timeline->stages.size(), result.timeline->kernels.size(), result.timeline->streams,
                            result.timeline->counters.size());
    return text;
}

std::string onnxSummary(const Model &model, const Schedule &schedule)
{
    std::string text = "stage group operator\n";
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        std::string merged;
        for (std::size_t group = 0; group < stage.groups.size(); ++group) {
            for (const OperatorId id : stage.groups[group]) {
                const std::string &name = model.graph->op(id).name;
                if (stage.strategy == Strategy::Merge)
                    merged += (merged.empty() ? "" : "+") + name;
                else
                    text += fmt::format("{}  {}  {}\n", i + 1, group + 1, name);
            }
        }
        if (!merged.empty())
            text += fmt::format("{}  1  {}  (one convolution and a split)\n", i + 1, merged);
    }
    return text;
}

Result<std::vector<PreviewedFile>> previewedProject(const ExportRequest &request)
{
    const Model &model = *request.model;
    const Schedule &schedule = request.results.front().schedule;
    if (request.format->name == "pytorch") {
        const auto module = pytorchModule(*model.graph, schedule, model.name);
        if (!module)
            return withinModel(model, module.error());
        return previewed(module->files, "weights.npy", module->weights.bytes());
    }
    const CppProject project = cppProject(*model.graph, schedule, model.name, request.target);
    return previewed(project.files, "weights.bin", project.weights.bytes());
}

// What is executed elsewhere runs in the layouts that its device chooses.
void addLayoutsLeftOut(ExportWritten &written, const Schedule &schedule)
{
    if (!schedule.layouts.empty())
        written.remarks.emplace_back(
            "the layouts that the schedule states are left out: the device it runs on chooses them");
}

} // namespace

Result<ExportWritten> writeExport(const ExportRequest &asked, const std::string &output, const ExportTools &tools,
                                  const std::stop_token &stop)
{
    const ExportRequest request = withoutFusedUnits(asked);
    const Model &model = *request.model;
    TRY(refuseOverwritingModel(output, model));
    if (request.format->isFolder() || request.format->name == "onnx") {
        const Schedule &schedule = request.results.front().schedule;
        auto written = request.format->isFolder()
                           ? writeProjectOf(request, output, tools, stop).map([](const WrittenFolder &project) {
                                 return ExportWritten{project.files, project.bytes, {}};
                             })
                           : writeOnnx(request, output);
        if (written)
            addLayoutsLeftOut(*written, schedule);
        return written;
    }
    auto made = request.isDrawn || isDrawn(*request.format, request.view)
                    ? tools.draw(request)
                    : exportText(request).map([](std::string text) { return DrawnFile{std::move(text)}; });
    if (!made)
        return withinModel(model, made.error());
    TRY(writeTextFile(output, made->bytes));
    return ExportWritten{1, made->bytes.size(), std::move(made->remarks)};
}

Result<std::vector<PreviewedFile>> previewExport(const ExportRequest &asked)
{
    const ExportRequest request = withoutFusedUnits(asked);
    if (request.format->isFolder())
        return previewedProject(request);
    if (request.format->name == "onnx")
        return std::vector<PreviewedFile>{{{}, 0, onnxSummary(*request.model, request.results.front().schedule)}};
    const auto text = exportText(request);
    if (!text)
        return withinModel(*request.model, text.error());
    const bool isBinary = request.format->name == "perfetto";
    return std::vector<PreviewedFile>{
        {{}, text->size(), isBinary ? traceSummary(request) : text->substr(0, kPreviewBytes)}};
}

} // namespace stagecraft
