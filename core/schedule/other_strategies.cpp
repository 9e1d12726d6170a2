#include "schedule/other_strategies.h"

#include "schedule/stage_groups.h"
#include "schedule/verify.h"

#include <utility>

namespace stagecraft {

std::vector<Stage> otherStrategies(const Graph &graph, const Stage &stage)
{
    std::vector<Stage> others;
    const std::vector<OperatorId> operators = operatorsOf(stage);
    for (const Strategy strategy : {Strategy::Concurrent, Strategy::Merge, Strategy::Fused}) {
        if (operators.size() < 2 || strategy == stage.strategy)
            continue;
        Stage other = stageOf(graph, stage.block, operators, strategy);
        if (strategy != Strategy::Merge || verifyStage(graph, other))
            others.push_back(std::move(other));
    }
    return others;
}

} // namespace stagecraft
