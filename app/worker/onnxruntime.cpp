#include "worker/onnxruntime.h"

#include "device/cpu/processor.h"
#include "device/onnxruntime/onnxruntime_device.h"
#include "export/onnx_stages.h"
#include "export/onnxruntime/onnxruntime_folder.h"
#include "flow/open_model.h"
#include "model/onnx_export.h"
#include "schedule/timed_schedule.h"
#include "support/child_process.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace stagecraft::worker {
namespace {

// What the exporter copies from; null: the graph was read from no ONNX file.
Result<std::shared_ptr<const OnnxSource>> sourceOf(const stagecraft::Graph &graph,
                                                   const std::optional<stagecraft::ModelFile> &file)
{
    if (!file)
        return nullptr;
    TRY_AS(auto opened,
           openModel({.spec = file->path, .batch = graph.batch(), .reading = file->reading, .keepSource = true}));
    if (opened.model.sha256 != file->sha256)
        return within(file->path,
                      Error{ErrorCode::InvalidInput, "the file has changed since it was opened", "Open it again", {}});
    return opened.model.onnx;
}

Result<std::vector<OnnxRuntimeNode>> writeModel(const stagecraft::Graph &graph,
                                                const std::optional<stagecraft::ModelFile> &source,
                                                const stagecraft::Schedule &schedule, const std::filesystem::path &file)
{
    TimedSchedule decision;
    static_cast<stagecraft::Schedule &>(decision) = schedule;
    OnnxStages stages = onnxStages(graph, decision);
    const std::vector<OnnxUnit> units = stages.units;
    TRY_AS(auto onnx, sourceOf(graph, source));
    auto written = exportOnnx(graph, file, {.onnx = std::move(onnx), .stages = std::move(stages)});
    if (!written) { // the file is in a folder that nobody knows
        std::ranges::replace(written.error().context, file.string(), std::string("as an ONNX file for ONNX Runtime"));
        return tl::unexpected(std::move(written.error()));
    }
    std::vector<OnnxRuntimeNode> nodes;
    for (const ExportedNode &node : written->nodes)
        nodes.push_back({node.name, node.unit ? units[*node.unit].operators : std::vector<OperatorId>()});
    return nodes;
}

} // namespace

std::unique_ptr<Device> onnxRuntime(const OnnxRuntimeOptions &options)
{
    const cpu::Processor processor = cpu::thisProcessor();
    const char *named = std::getenv("STAGECRAFT_PYTHON");
    std::string python = named && *named ? named : programInPath("python3");
    OnnxRuntimeSetting setting{.python =
                                   python.empty() ? "/usr/bin/python3" : std::move(python), // to say what is missing
                               .modules = {},
                               .writeModel = writeModel,
                               .processors = processor.cores,
                               .processor = processor.model};
    for (ProjectFile &program : onnxRuntimePrograms())
        setting.modules.push_back({std::move(program.path), std::move(program.text)});
    return makeOnnxRuntimeDevice(options, std::move(setting));
}

} // namespace stagecraft::worker
