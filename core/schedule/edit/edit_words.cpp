#include "schedule/edit/edit_words.h"

#include "schedule/stage_groups.h"
#include "schedule/verify_words.h"
#include "support/shown_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {

namespace {

constexpr std::size_t kNamed = 2; // operators named; of more, the first is named and the others are counted

// "stage 2", "stages 2, 3 and 5"
std::string numbers(std::vector<std::size_t> stages)
{
    std::ranges::sort(stages);
    if (stages.size() == 1)
        return stageName(stages.front());
    std::string text = "stages";
    for (std::size_t i = 0; i < stages.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? " " : i + 1 == stages.size() ? " and " : ", ", stages[i] + 1);
    return text;
}

} // namespace

std::string operatorNames(const Graph &graph, const std::vector<OperatorId> &operators)
{
    std::string first = shownText(graph.op(operators.front()).name);
    if (operators.size() == 1)
        return first;
    if (operators.size() <= kNamed)
        return fmt::format("{} and {}", first, shownText(graph.op(operators.back()).name));
    return fmt::format("{} and {} others", first, operators.size() - 1);
}

namespace {

std::string before(std::size_t stage, std::size_t count)
{
    return stage < count ? " before " + stageName(stage) : " after " + stageName(count - 1);
}

class EditWords {
public:
    EditWords(const Graph &graph, std::span<const Stage> stages) : m_graph(graph), m_count(stages.size()) {}

    std::string operator()(const MoveToStage &edit) const
    {
        return fmt::format("Move {} to {}", operatorNames(m_graph, edit.operators), stageName(edit.stage));
    }
    std::string operator()(const MoveToNewStage &edit) const
    {
        return fmt::format("Move {} to a new stage{}", operatorNames(m_graph, edit.operators),
                           before(edit.before, m_count));
    }
    std::string operator()(const ShiftOperators &edit) const
    {
        return fmt::format("Move {} one stage {}", operatorNames(m_graph, edit.operators), edit.later ? "down" : "up");
    }
    std::string operator()(const SplitStage &edit) const
    {
        return fmt::format("Split {} off {}", operatorNames(m_graph, edit.operators), stageName(edit.stage));
    }
    std::string operator()(const JoinStages &edit) const { return "Join " + numbers(edit.stages); }
    std::string operator()(const SetStrategy &edit) const
    {
        if (edit.strategy == Strategy::Concurrent)
            return fmt::format("Run {} concurrently", numbers(edit.stages));
        return (edit.strategy == Strategy::Merge ? "Merge " : "Fuse ") + numbers(edit.stages);
    }
    std::string operator()(const MoveStages &edit) const
    {
        return "Move " + numbers(edit.stages) + before(edit.before, m_count);
    }
    std::string operator()(const TryStage &edit) const
    {
        return (edit.stage.isMerged() ? "Try merging " : "Try a stage of ") +
               operatorNames(m_graph, operatorsOf(edit.stage));
    }
    std::string operator()(const ReplaceStages &edit) const { return edit.words; }
    std::string operator()(const auto & /*edit*/) const { return {}; } // of streams

private:
    const Graph &m_graph;
    std::size_t m_count;
};

} // namespace

std::string editWords(const Graph &graph, std::span<const Stage> before, const Edit &edit)
{
    return std::visit(EditWords(graph, before), edit);
}

std::string editSideWords(std::span<const Stage> before, std::span<const Stage> after, const Edit &edit)
{
    if (std::holds_alternative<SetStrategy>(edit) || std::holds_alternative<ReplaceStages>(edit) ||
        std::holds_alternative<TryStage>(edit))
        return {};
    std::string text;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (!before[i].isMerged())
            continue;
        const auto operators = operatorsOf(before[i]);
        const bool stillMerges = std::ranges::any_of(after, [&](const Stage &stage) {
            return stage.isMerged() && std::ranges::any_of(stage.groups, [&](const auto &group) {
                       return std::ranges::binary_search(operators, group.front());
                   });
        });
        if (!stillMerges)
            text += "; " + stageName(i) + " is no longer merged";
    }
    return text;
}

} // namespace stagecraft
