#include "widgets/graph/paint/stage_changes.h"

#include <algorithm>

namespace stagecraft {
namespace {

std::vector<OperatorId> sortedOperators(const Stage &stage)
{
    std::vector<OperatorId> all;
    for (const auto &group : stage.groups)
        all.insert(all.end(), group.begin(), group.end());
    std::ranges::sort(all);
    return all;
}

struct Stages {
    std::vector<std::optional<std::size_t>> of; // per operator
    std::vector<std::vector<OperatorId>> operators;
};

Stages stagesOf(const Graph &graph, const Schedule &schedule)
{
    Stages stages{std::vector<std::optional<std::size_t>>(graph.size()), {}};
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        stages.operators.push_back(sortedOperators(schedule.stages[i]));
        for (const OperatorId op : stages.operators.back()) {
            if (op.index() < graph.size())
                stages.of[op.index()] = i;
        }
    }
    return stages;
}

} // namespace

StageChanges stageChanges(const Graph &graph, const Schedule &shown, const Schedule &other)
{
    const Stages here = stagesOf(graph, shown);
    Stages there = stagesOf(graph, other);
    StageChanges changes;
    changes.of.resize(graph.size(), StageChange::Same);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        if (here.of[i] && there.of[i]) {
            if (here.operators[*here.of[i]] != there.operators[*there.of[i]])
                changes.of[i] = StageChange::Moved;
            else if (shown.stages[*here.of[i]].strategy != other.stages[*there.of[i]].strategy)
                changes.of[i] = StageChange::Merged;
        } else if (here.of[i] || there.of[i]) {
            changes.of[i] = StageChange::Missing;
        }
        ++changes.counts[static_cast<std::size_t>(changes.of[i])];
    }
    changes.otherStage = std::move(there.of);
    return changes;
}

} // namespace stagecraft
