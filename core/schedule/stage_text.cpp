#include "schedule/stage_text.h"

#include "support/shown_text.h"

namespace stagecraft {

std::string groupsText(const Graph &graph, const Stage &stage)
{
    std::string text;
    for (const auto &group : stage.groups) {
        text += text.empty() ? "" : " | ";
        for (std::size_t i = 0; i < group.size(); ++i)
            text += (i == 0 ? "" : ", ") + graph.op(group[i]).name;
    }
    return text;
}

std::string stageText(const Graph &graph, const Stage &stage)
{
    return (stage.isMerged() ? "merge " : stage.isFused() ? "fused " : "") + shownText(groupsText(graph, stage));
}

std::string launchOrderText(const Graph &graph, const Stage &stage)
{
    std::string text;
    for (const OperatorId id : stage.launchOrder)
        text += (text.empty() ? "" : ", ") + graph.op(id).name;
    return text;
}

} // namespace stagecraft
