#include "cli/cost_text.h"

#include "cli/text_table.h"

namespace stagecraft {

std::string costLines(const CostBasis &basis)
{
    std::string lines;
    for (const std::string &text : {missingCostText(basis), conversionText(basis)})
        lines += text.empty() ? "" : text + '\n';
    return lines;
}

std::string plainLatency(double latencyUs, const CostBasis &basis)
{
    return (basis.isComplete() ? "" : "at least ") + plainLatency(latencyUs);
}

std::string stageLatencyText(const Graph &graph, const TimedSchedule &schedule, std::size_t stage)
{
    if (!schedule.hasStageLatencies())
        return "-";
    return (schedule.leavesOutWork(graph, stage) ? "at least " : "") +
           plainLatency(schedule.measured.stages[stage].latencyUs);
}

std::string speedupTitle(const CostBasis &basis)
{
    return basis.isComplete() ? "speedup" : "speedup of the costed part";
}

} // namespace stagecraft
