#include "plan/stream_plan.h"

#include "plan/placement.h"
#include "schedule/streams/launch_order.h"
#include "schedule/streams/stream_parts.h"

#include <algorithm>

namespace stagecraft::plan {
namespace {

std::vector<BufferUse> usesOf(const Graph &graph, const TensorPlan &tensors, const std::vector<Stage> &launches,
                              const Plan &plan)
{
    std::vector<BufferUse> uses(plan.buffers.size());
    const auto use = [&](std::size_t buffer, std::size_t launch) {
        auto &users = uses[buffer].launches;
        if (users.empty() || users.back() != launch)
            users.push_back(static_cast<std::uint32_t>(launch));
    };
    const auto useRead = [&](TensorId tensor, std::size_t launch) {
        tensors.forHolders(tensor, [&](TensorId holder) { use(plan.tensors[holder.index()]->index, launch); });
    };
    for (std::size_t launch = 0; launch < launches.size(); ++launch) {
        for (const OperatorId id : membersOf(launches[launch])) {
            for (const auto &part : graph.op(id).inputs) {
                for (const TensorId tensor : part)
                    useRead(tensor, launch);
            }
            for (const TensorId tensor : graph.op(id).outputs) {
                if (tensors.isHeld(tensor))
                    use(plan.tensors[tensor.index()]->index, launch);
            }
        }
        for (const GroupPlan &group : plan.stages[launch].groups) {
            use(group.scratchBuffer, launch);
            for (const OperatorTasks &op : group.operators) {
                for (const Task &task : op.tasks) {
                    for (const View &written : task.writes) // a merged output
                        use(written.index, launch);
                }
            }
        }
    }
    for (const TensorId tensor : plan.outside)
        uses[plan.tensors[tensor.index()]->index].isFromStart = true;
    for (const TensorId tensor : graph.outputs())
        uses[plan.tensors[tensor.index()]->index].isToEnd = true;
    return uses;
}

// Whether a buffer has been used by all before anyone uses the other.
bool isUsedBefore(const BufferUse &one, const BufferUse &other, const LaunchOrder &order)
{
    if (one.isToEnd || other.isFromStart)
        return false;
    return std::ranges::all_of(one.launches, [&](std::size_t before) {
        return std::ranges::all_of(other.launches, [&](std::size_t after) { return order.isBefore(before, after); });
    });
}

Conflicts conflictsOf(const std::vector<BufferUse> &uses, const LaunchOrder &order)
{
    Conflicts conflicts(uses.size());
    for (std::size_t i = 0; i < uses.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (isUsedBefore(uses[i], uses[j], order) || isUsedBefore(uses[j], uses[i], order))
                continue;
            conflicts[i].push_back(j);
            conflicts[j].push_back(i);
        }
    }
    return conflicts;
}

} // namespace

Result<Plan> planStreams(const Graph &graph, const TensorPlan &tensors, const Streams &streams,
                         const Capability &capability)
{
    const std::vector<Stage> launches = launchesAsStages(streams);
    TRY_AS(auto plan, planStages(graph, tensors, launches, capability));
    plan.streamBuffers.uses = usesOf(graph, tensors, launches, plan);
    if (tensors.rules.keepsOutside) {
        for (const TensorId tensor : plan.outside)
            plan.streamBuffers.uses[plan.tensors[tensor.index()]->index].isToEnd = true;
    }
    plan.streamBuffers.conflicts = conflictsOf(plan.streamBuffers.uses, LaunchOrder(streams));
    return plan;
}

} // namespace stagecraft::plan
