#include "export/onnxruntime/onnxruntime_folder.h"

#include "export/cpp_project/embedded_sources.h"
#include "export/cpp_project/filled_text.h"
#include "schedule/streams/stream_of_operators.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace stagecraft {
namespace {

constexpr const char *kCpuProvider = "CPUExecutionProvider";
constexpr const char *kStagesDiffer =
    "ONNX Runtime has no barriers. A stream waits for another only where a node reads what the other one made, so that "
    "what the schedule keeps apart by a barrier may overlap, and latencies that were measured for stages do not add up "
    "to what runs here.";
constexpr const char *kStreamsDiffer =
    "ONNX Runtime launches in an order of its own, and a stream waits for another only where a node reads what the "
    "other "
    "one made. An event that keeps apart more than that, and the launch order, are not kept.";

} // namespace

std::vector<std::vector<std::string>> onnxRuntimeStreams(const Schedule &schedule, std::span<const OnnxUnit> units,
                                                         std::span<const ExportedNode> nodes)
{
    const std::vector<std::size_t> streamOf = streamOfOperators(schedule);
    std::vector<std::vector<std::string>> streams(1);
    for (const ExportedNode &node : nodes) {
        const std::size_t stream = node.unit ? streamOf[units[*node.unit].operators.front().index()] : 0;
        streams.resize(std::max(streams.size(), stream + 1));
        streams[stream].push_back(node.name);
    }
    return streams;
}

std::string onnxRuntimeStreamsText(const std::vector<std::vector<std::string>> &streams, CppTarget target)
{
    const nlohmann::ordered_json text{
        {"type", "DeviceBasedPartitioner"},
        {"devices", std::vector<std::string>(streams.size(), target == CppTarget::Cuda ? "1" : "0")},
        {"streams", streams}};
    return text.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::vector<ProjectFile> onnxRuntimePrograms()
{
    const TemplateWords words{{"@PROVIDER@", std::string(kCpuProvider)}};
    std::vector<ProjectFile> programs;
    for (const EmbeddedSource &source : embeddedSources()) {
        for (const auto &[path, name] :
             {std::pair("onnxruntime:run.py", "run"), std::pair("measuring:measure.py", "measure")}) {
            if (source.path == path)
                programs.push_back({name, filledText(source.text, words)});
        }
    }
    return programs;
}

std::vector<ProjectFile> onnxRuntimeFiles(const Graph &graph, const Schedule &schedule, const std::string &modelName,
                                          CppTarget target)
{
    TemplateWords words = scheduleTemplateWords(graph, schedule, modelName);
    words.emplace_back("@PROVIDER@", target == CppTarget::Cuda ? "CUDAExecutionProvider" : kCpuProvider);
    words.emplace_back("@DEVICE@", target == CppTarget::Cuda ? "a GPU" : "the CPU");
    words.emplace_back("@TRIED@", target == CppTarget::Cuda
                                      ? "**It has not been run on a GPU by the program that exported it.** Compare its "
                                        "outputs with those of the model before you rely on it."
                                      : "The program that exported it runs such folders in its tests.");
    words.emplace_back("@DIFFERS@", schedule.streams ? kStreamsDiffer : kStagesDiffer);
    words.emplace_back("@NODE@", schedule.streams ? "its stream and launch" : "its stage and group");
    std::vector<ProjectFile> files;
    for (const EmbeddedSource &source : embeddedSources()) {
        constexpr std::string_view kMine = "onnxruntime:";
        if (source.path.starts_with(kMine))
            files.push_back({std::string(source.path.substr(kMine.size())), filledText(source.text, words)});
        else if (source.path == "LICENSE")
            files.push_back({"LICENSE", std::string(source.text)});
    }
    return files;
}

} // namespace stagecraft
