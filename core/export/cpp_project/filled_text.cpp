#include "export/cpp_project/filled_text.h"

#include "export/cpp_project/cpp_text.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <span>

namespace stagecraft {
namespace {

std::string listedShapes(const Graph &graph, std::span<const TensorId> tensors)
{
    std::string text;
    for (const TensorId id : tensors)
        text += fmt::format("- `{}`: {}\n", plainText(graph.tensor(id).name), toString(graph.tensor(id).shape));
    return text;
}

} // namespace

std::string filledText(std::string_view text, const TemplateWords &words)
{
    std::string result;
    while (!text.empty()) {
        const auto word = std::ranges::find_if(words, [&](const auto &one) { return text.starts_with(one.first); });
        if (word == words.end()) {
            result += text.front();
            text.remove_prefix(1);
        } else {
            result += word->second;
            text.remove_prefix(word->first.size());
        }
    }
    return result;
}

TemplateWords scheduleTemplateWords(const Graph &graph, const Schedule &schedule, const std::string &modelName)
{
    std::size_t streams = 1;
    std::size_t merged = 0;
    std::size_t concurrent = 0;
    for (const Stage &stage : schedule.stages) {
        streams = std::max(streams, stage.concurrentGroups());
        merged += stage.isMerged() ? 1 : 0;
        concurrent += stage.concurrentGroups() > 1 ? 1 : 0;
    }
    std::string name = plainText(modelName);
    std::ranges::replace_if(
        name, [](char c) { return c == '"' || c == '\\'; }, '?'); // it stands in a docstring
    return {{"@MODEL@", std::move(name)},
            {"@OPERATORS@", fmt::to_string(graph.size())},
            {"@STAGES@", fmt::to_string(schedule.stages.size())},
            {"@CONCURRENT@", fmt::to_string(concurrent)},
            {"@MERGED@", fmt::to_string(merged)},
            {"@STREAMS@", fmt::to_string(streams)},
            {"@INPUT_LIST@", listedShapes(graph, graph.inputs())},
            {"@OUTPUT_LIST@", listedShapes(graph, graph.outputs())}};
}

} // namespace stagecraft
