#include "gpu/plan/program_plan.h"

#include <utility>

namespace stagecraft::gpu {

std::size_t ProgramPlan::arenaOffset(const View &view, Precision precision) const
{
    return memory.offsets[view.index] + static_cast<std::size_t>(view.offset * elementBytes(precision));
}

std::size_t ProgramPlan::arenaOffset(const Workspace &workspace) const
{
    return memory.offsets[workspace.buffer] + workspace.offsetBytes;
}

Result<ProgramPlan> planProgram(const Graph &graph, const ConcatAliases &aliases, std::span<const Stage> stages,
                                const GpuOptions &options, const WorkspaceSize &workspaceSize)
{
    ProgramPlan plan;
    plan.placement = placeTensors(graph, aliases, stages, options);
    const LoweringContext context{graph, options, plan.placement, workspaceSize, plan.constants};
    for (std::size_t index = 0; index < stages.size(); ++index) {
        const Stage &stage = stages[index];
        for (std::size_t group = 0; group < stage.concurrentGroups(); ++group) {
            const std::size_t scratch = plan.placement.addBuffer(0, index);
            Result<GroupTasks> lowered;
            if (stage.strategy == Strategy::Merge) {
                std::vector<OperatorId> members;
                for (const auto &member : stage.groups)
                    members.insert(members.end(), member.begin(), member.end());
                lowered = lowerMerged(context, members, *plan.placement.merged[index], scratch);
            } else {
                lowered = lowerGroup(context, stage.groups[group], scratch);
            }
            if (!lowered)
                return tl::unexpected(lowered.error());
            plan.placement.buffers[scratch].bytes = lowered->scratchBytes;
            for (Task &task : lowered->tasks) {
                task.stage = index;
                task.group = group;
                plan.tasks.push_back(std::move(task));
            }
        }
    }
    plan.memory = planMemory(plan.placement.buffers, kArenaAlignment);
    plan.launches = planLaunches(plan.tasks, options.mode);
    return plan;
}

} // namespace stagecraft::gpu
