#include "schedule/other_strategies.h"

#include "schedule/merge.h"
#include "schedule/stage_groups.h"

namespace stagecraft {

std::vector<Stage> otherStrategies(const Graph &graph, const Stage &stage)
{
    std::vector<Stage> others;
    const std::vector<OperatorId> operators = operatorsOf(stage);
    for (const Strategy strategy : {Strategy::Concurrent, Strategy::Merge, Strategy::Fused}) {
        const bool isLegal = strategy != Strategy::Merge || mergedOperator(graph, operators).has_value();
        if (operators.size() > 1 && strategy != stage.strategy && isLegal)
            others.push_back(stageOf(graph, stage.block, operators, strategy));
    }
    return others;
}

} // namespace stagecraft
