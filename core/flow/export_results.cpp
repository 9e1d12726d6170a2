#include "flow/export_results.h"

#include "export/cpp_project/export_folder.h"
#include "export/onnx_stages.h"
#include "export/onnxruntime/onnxruntime_folder.h"
#include "export/pytorch_module/pytorch_numerics.h"
#include "export/tensorrt_recipe.h"
#include "flow/export/export_project.h"
#include "flow/open_model.h"
#include "graph/expanded_graph.h"
#include "results/files/schedule_json.h"
#include "schedule/expanded_schedule.h"
#include "schedule/rtasks/require_unfused.h"
#include "schedule/streams/require_stages.h"
#include "support/output_file.h"
#include "support/text_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace stagecraft {
namespace {

// With what an ONNX file is copied from, which models are opened without.
Result<Model> withSource(const Model &model)
{
    if (model.onnx || !onnxFileOf(model))
        return model;
    OpenRequest asked = sameReading(model, model.graph->batch());
    asked.keepSource = true;
    TRY_AS(auto again, openModel(asked));
    if (again.model.sha256 != model.sha256)
        return within(model.source,
                      Error{ErrorCode::InvalidInput, "the file has changed since it was opened", "Open it again", {}});
    return std::move(again.model);
}

// What is executed elsewhere has operators, not units of several.
ExportRequest withoutFusedUnits(ExportRequest request)
{
    const Model &model = *request.model;
    if (!request.format->executed || !hasFusedUnits(*model.graph))
        return request;
    const ExpandedGraph expanded = expandUnits(*model.graph);
    auto changed = std::make_shared<Model>(model);
    changed->graph = expanded.graph;
    for (Block &block : changed->blocks)
        block.operators = expanded.expanded(block.operators);
    for (RatedResult &result : request.results)
        result.schedule = std::make_shared<const TimedSchedule>(expandedSchedule(*result.schedule, expanded));
    request.model = std::move(changed);
    return request;
}

struct WrittenOnnx {
    OnnxExported file;
    std::vector<OnnxUnit> units;
};

// `ofUnits`: with units of several operators, which who reads the file forms again.
Result<WrittenOnnx> writeStages(const ExportRequest &request, const ExportRequest &ofUnits,
                                const std::filesystem::path &file, OnnxExportOptions options)
{
    TRY_AS(const auto model, withSource(*ofUnits.model));
    // The schedule's operators are numbered as in the graph that it was made for, which is the same file's.
    const ExpandedGraph expanded = expandUnits(*model.graph);
    options.onnx = model.onnx;
    options.inUnits = expanded.isInUnit();
    options.stages = onnxStages(*expanded.graph, request.schedule());
    if (hasFusedUnits(*model.graph))
        options.stages->schedule = toJson(*model.graph, ofUnits.schedule());
    auto written = exportOnnx(*expanded.graph, file, options);
    if (!written)
        return withinModel(model, std::move(written.error()));
    return WrittenOnnx{std::move(*written), std::move(options.stages->units)};
}

Result<ExportWritten> writeOnnx(const ExportRequest &request, const ExportRequest &ofUnits, const std::string &file)
{
    TRY(refuseOverwritingModel(dataFileOf(file).string(), *request.model));
    const auto mayWriteWeights = [&](const std::filesystem::path & /*data*/, std::uint64_t /*bytes*/) {
        return request.replacesAnyWeights ? Result<void>() : refuseReplacingWeights(file);
    };
    TRY_AS(const auto stages, writeStages(request, ofUnits, file, {.announce = mayWriteWeights}));
    const OnnxExported *written = &stages.file;
    std::vector<std::string> remarks;
    if (written->files > 1)
        remarks.push_back(fmt::format("The weights are in {}, which has to stay beside the model",
                                      dataFileOf(file).filename().string()));
    std::ranges::move(tensorRtRemarks(request.schedule(), file), std::back_inserter(remarks));
    return ExportWritten{written->files, written->bytes, std::move(remarks)};
}

Result<WrittenFolder> writeOnnxRuntime(const ExportRequest &request, const ExportRequest &ofUnits,
                                       const std::filesystem::path &folder)
{
    TRY_AS(auto target, ExportFolder::create(folder));
    const std::filesystem::path file = target.beside() / kOnnxRuntimeModel;
    auto stages = writeStages(request, ofUnits, file, {});
    if (!stages) {
        std::ranges::replace(stages.error().context, file.string(), (folder / kOnnxRuntimeModel).string());
        return tl::unexpected(std::move(stages.error()));
    }
    const TimedSchedule &schedule = request.schedule();
    auto files = onnxRuntimeFiles(request.graph(), schedule, request.model->name, request.target);
    files.push_back(
        {kOnnxRuntimeStreams,
         onnxRuntimeStreamsText(onnxRuntimeStreams(schedule, stages->units, stages->file.nodes), request.target)});
    for (const ProjectFile &one : files)
        TRY(writeTextFile((target.beside() / one.path).string(), one.text));
    return target.publish();
}

Result<ExportWritten> writeExecuted(const ExportRequest &request, const ExportRequest &ofUnits,
                                    const std::string &output, const ExportTools &tools, const std::stop_token &stop)
{
    const auto ofFolder = [](const WrittenFolder &written) { return ExportWritten{written.files, written.bytes}; };
    switch (*request.format->executed) {
    case ExecutedFormat::OnnxModel: return writeOnnx(request, ofUnits, output);
    case ExecutedFormat::OnnxRuntime: return writeOnnxRuntime(request, ofUnits, output).map(ofFolder);
    case ExecutedFormat::PytorchModule: return exportPytorchModule(request, output).map(ofFolder);
    case ExecutedFormat::CppProject: break;
    }
    return exportCppProject(request, output, tools, stop).map(ofFolder);
}

std::string_view layoutsRemark(const ExportRequest &request)
{
    if (request.format->executed == ExecutedFormat::PytorchModule &&
        pytorchNumerics(request.graph(), request.schedule()).channelsLast)
        return "of the layouts that the schedule states, the module has NHWC for all images, as most of them have it";
    return "the layouts that the schedule states are left out: the device it runs on chooses them";
}

Result<void> checkOrders(const ExportRequest &request)
{
    for (const RatedResult &result : request.results) {
        const bool runsFused =
            request.format->executed == ExecutedFormat::CppProject && request.target == CppTarget::Cpu;
        if (result.schedule && request.format->executed && !runsFused)
            TRY(requireUnfused(
                result.schedule->stages,
                std::string(request.format->title) +
                    (request.format->hasTargets && request.target == CppTarget::Cuda ? " for CUDA" : "")));
        if (result.schedule && !request.format->takesStreams(request.view))
            TRY(requireStages(*result.schedule, request.format->title));
    }
    return {};
}

} // namespace

Result<ExportWritten> exportResults(const ExportRequest &asked, const std::string &output, const ExportTools &tools,
                                    const std::stop_token &stop)
{
    TRY(checkOrders(asked));
    const ExportRequest request = withoutFusedUnits(asked);
    TRY(refuseOverwritingModel(output, *request.model));
    const ExportFormat &format = *request.format;
    if (format.executed) {
        auto written = writeExecuted(request, asked, output, tools, stop);
        if (written && !request.schedule().layouts.empty())
            written->remarks.emplace_back(layoutsRemark(request));
        return written;
    }
    auto made = request.isDrawn || format.isDrawn(request.view)
                    ? tools.draw(request)
                    : format.text(request).map([](std::string text) { return DrawnFile{std::move(text)}; });
    if (!made)
        return withinModel(*request.model, made.error());
    TRY(writeTextFile(output, made->bytes));
    return ExportWritten{1, made->bytes.size(), std::move(made->remarks)};
}

Result<std::vector<PreviewedFile>> previewExport(const ExportRequest &asked)
{
    TRY(checkOrders(asked));
    const ExportRequest request = withoutFusedUnits(asked);
    auto files = request.format->preview(request);
    if (!files)
        return withinModel(*request.model, std::move(files.error()));
    return files;
}

} // namespace stagecraft
