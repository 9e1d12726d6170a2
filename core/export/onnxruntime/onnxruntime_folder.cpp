#include "export/onnxruntime/onnxruntime_folder.h"

#include "export/cpp_project/embedded_sources.h"
#include "export/cpp_project/filled_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace stagecraft {
namespace {

// By operator: the group of its stage.
std::vector<std::size_t> groupsOf(const Schedule &schedule)
{
    std::vector<std::size_t> groups;
    for (const Stage &stage : schedule.stages) {
        for (std::size_t group = 0; group < stage.groups.size(); ++group) {
            for (const OperatorId id : stage.groups[group]) {
                groups.resize(std::max(groups.size(), id.index() + 1));
                groups[id.index()] = stage.isMerged() ? 0 : group;
            }
        }
    }
    return groups;
}

} // namespace

std::vector<std::vector<std::string>> onnxRuntimeStreams(const Schedule &schedule, std::span<const OnnxUnit> units,
                                                         std::span<const ExportedNode> nodes)
{
    const std::vector<std::size_t> groups = groupsOf(schedule);
    std::vector<std::vector<std::string>> streams(1);
    for (const ExportedNode &node : nodes) {
        const std::size_t stream = node.unit ? groups[units[*node.unit].operators.front().index()] : 0;
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

std::vector<ProjectFile> onnxRuntimeFiles(const Graph &graph, const Schedule &schedule, const std::string &modelName,
                                          CppTarget target)
{
    TemplateWords words = scheduleTemplateWords(graph, schedule, modelName);
    words.emplace_back("@PROVIDER@", target == CppTarget::Cuda ? "CUDAExecutionProvider" : "CPUExecutionProvider");
    words.emplace_back("@DEVICE@", target == CppTarget::Cuda ? "a GPU" : "the CPU");
    words.emplace_back("@TRIED@", target == CppTarget::Cuda
                                      ? "**It has not been run on a GPU by the program that exported it.** Compare its "
                                        "outputs with those of the model before you rely on it."
                                      : "The program that exported it runs such folders in its tests.");
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
