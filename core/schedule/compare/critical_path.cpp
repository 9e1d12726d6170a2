#include "schedule/compare/critical_path.h"

#include <algorithm>

namespace stagecraft {

std::vector<double> operatorLatenciesUs(const Graph &graph, const TimedSchedule &sequential)
{
    if (!sequential.hasStageLatencies() || sequential.stages.size() != graph.size())
        return {};
    std::vector<double> us(graph.size(), 0);
    for (std::size_t i = 0; i < sequential.stages.size(); ++i) {
        const Stage &stage = sequential.stages[i];
        if (stage.operatorCount() != 1)
            return {};
        us[stage.groups.front().front().index()] = sequential.measured.stages[i].latencyUs;
    }
    return us;
}

CriticalPath criticalPath(const Graph &graph, std::span<const double> operatorUs)
{
    std::vector<double> endUs(graph.size(), 0); // the heaviest chain that ends with the operator
    std::vector<OperatorId> before(graph.size());
    OperatorId last;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId op = OperatorId::fromIndex(i);
        for (const OperatorId predecessor : graph.predecessors(op)) {
            if (!before[i].isValid() || endUs[predecessor.index()] > endUs[before[i].index()])
                before[i] = predecessor;
        }
        endUs[i] = operatorUs[i] + (before[i].isValid() ? endUs[before[i].index()] : 0);
        if (!last.isValid() || endUs[i] > endUs[last.index()])
            last = op;
    }
    CriticalPath path;
    path.us = last.isValid() ? endUs[last.index()] : 0;
    for (OperatorId op = last; op.isValid(); op = before[op.index()])
        path.operators.push_back(op);
    std::ranges::reverse(path.operators);
    return path;
}

double longestPathUs(const Graph &graph, std::vector<OperatorId> operators, std::span<const double> operatorUs)
{
    std::ranges::sort(operators);
    std::vector<double> endUs(operators.size(), 0);
    double longestUs = 0;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        for (const OperatorId before : graph.predecessors(operators[i])) {
            const auto found = std::ranges::lower_bound(operators, before);
            if (found != operators.end() && *found == before)
                endUs[i] = std::max(endUs[i], endUs[static_cast<std::size_t>(found - operators.begin())]);
        }
        endUs[i] += operatorUs[operators[i].index()];
        longestUs = std::max(longestUs, endUs[i]);
    }
    return longestUs;
}

CriticalPath criticalPath(const TimedSchedule &schedule, std::span<const double> operatorUs)
{
    CriticalPath path;
    for (const Stage &stage : schedule.stages) {
        const std::vector<OperatorId> *slowest = nullptr;
        double mostUs = -1;
        for (const auto &group : stage.groups) {
            double us = 0;
            for (const OperatorId op : group)
                us += operatorUs[op.index()];
            if (us > mostUs) {
                mostUs = us;
                slowest = &group;
            }
        }
        if (!slowest)
            continue;
        path.operators.insert(path.operators.end(), slowest->begin(), slowest->end());
        path.us += mostUs;
    }
    return path;
}

} // namespace stagecraft
