#include "cli/cost_text.h"

#include "cli/text_table.h"
#include "graph/cost_record.h"
#include "support/records/json_record.h"

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

std::string stageLatencyText(const Graph &graph, const Schedule &schedule, std::size_t stage)
{
    return (schedule.leavesOutWork(graph, stage) ? "at least " : "") +
           plainLatency(schedule.stageTimings[stage].latencyUs);
}

std::string speedupTitle(const CostBasis &basis)
{
    return basis.isComplete() ? "speedup" : "speedup of the costed part";
}

void addCostKeys(Json &document, const CostBasis &basis)
{
    writeMembers(document, basis);
}

void addLatencyBasis(Json &document, const CostBasis &basis)
{
    addCostKeys(document, basis);
    document["latency_is_lower_bound"] = !basis.isComplete();
}

} // namespace stagecraft
