#include "gpu/plan/program_plan.h"

#include "gpu/plan/stream_launches.h"
#include "plan/stream_plan.h"

#include <algorithm>
#include <span>
#include <utility>

namespace stagecraft::gpu {

std::size_t ProgramPlan::arenaOffset(const View &view, Precision precision) const
{
    return plan.arena.offsets[view.index] + static_cast<std::size_t>(view.offset * elementBytes(precision));
}

std::size_t ProgramPlan::arenaOffset(const Workspace &workspace) const
{
    return plan.arena.offsets[workspace.buffer] + workspace.offsetBytes;
}

Result<ProgramPlan> planProgram(const Graph &graph, const plan::TensorPlan &tensors, const Schedule &schedule,
                                const GpuOptions &options, const WorkspaceSize &workspaceSize)
{
    TRY_AS(auto planned, schedule.streams ? plan::planStreams(graph, tensors, *schedule.streams, inputFormOf)
                                          : plan::planStages(graph, tensors, schedule.stages, inputFormOf));
    ProgramPlan program;
    program.plan = std::move(planned);
    const LoweringContext context{graph, options, program.plan, workspaceSize, program.constants};
    for (std::size_t stage = 0; stage < program.plan.stages.size(); ++stage) {
        const std::vector<plan::GroupPlan> &groups = program.plan.stages[stage].groups;
        std::span<const OperatorId> order;
        if (!schedule.streams)
            order = schedule.stages[stage].launchOrder;
        for (std::size_t group = 0; group < groups.size(); ++group) {
            TRY_AS(auto lowered, lowerGroup(context, groups[group]));
            for (Task &task : lowered) {
                task.stage = stage;
                task.group = group;
                if (!order.empty())
                    task.turn = std::ranges::find(order, task.operators.front()) - order.begin();
                program.tasks.push_back(std::move(task));
            }
        }
    }
    plan::arrangeArena(program.plan);
    program.launches = schedule.streams ? planStreamLaunches(program.tasks, *schedule.streams, options.mode)
                                        : planLaunches(program.tasks, options.mode);
    return program;
}

} // namespace stagecraft::gpu
