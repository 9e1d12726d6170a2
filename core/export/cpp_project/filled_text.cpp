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

std::string scheduleSentence(const Graph &graph, const Schedule &schedule)
{
    if (schedule.streams)
        return fmt::format(
            "{} operators run on {} streams without barriers, which wait for each other at {} events;\n{} of {} "
            "launches run operators merged.",
            graph.size(), schedule.streams->count, schedule.streams->eventCount(),
            std::ranges::count_if(schedule.streams->launches, &StreamLaunch::isMerged),
            schedule.streams->launches.size());
    return fmt::format(
        "{} operators run in {} stages, one after another;\nin {} of them groups of operators run "
        "concurrently, and {} run operators merged.",
        graph.size(), schedule.stages.size(),
        std::ranges::count_if(schedule.stages, [](const Stage &stage) { return stage.concurrentGroups() > 1; }),
        std::ranges::count_if(schedule.stages, &Stage::isMerged));
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
    std::string name = plainText(modelName);
    std::ranges::replace_if(
        name, [](char c) { return c == '"' || c == '\\'; }, '?'); // it stands in a docstring
    return {{"@MODEL@", std::move(name)},
            {"@SCHEDULE@", scheduleSentence(graph, schedule)},
            {"@PART@", schedule.streams ? "launch" : "stage"},
            {"@STREAMS@", fmt::to_string(std::max<std::size_t>(1, synchronisationOf(schedule).streams))},
            {"@INPUT_LIST@", listedShapes(graph, graph.inputs())},
            {"@OUTPUT_LIST@", listedShapes(graph, graph.outputs())}};
}

} // namespace stagecraft
