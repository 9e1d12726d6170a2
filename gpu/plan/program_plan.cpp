#include "gpu/plan/program_plan.h"

#include "gpu/plan/dataflow_plan.h"

#include <utility>

namespace stagecraft::gpu {
namespace {

constexpr std::size_t kOverlap = 2; // stages that may run beside one that is late, for a third to a half more memory

} // namespace

std::size_t ProgramPlan::arenaOffset(const View &view, Precision precision) const
{
    return plan.arena.offsets[view.index] + static_cast<std::size_t>(view.offset * elementBytes(precision));
}

std::size_t ProgramPlan::arenaOffset(const Workspace &workspace) const
{
    return plan.arena.offsets[workspace.buffer] + workspace.offsetBytes;
}

Result<ProgramPlan> planProgram(const Graph &graph, const plan::TensorPlan &tensors, std::span<const Stage> stages,
                                const GpuOptions &options, const WorkspaceSize &workspaceSize)
{
    TRY_AS(auto planned, plan::planStages(graph, tensors, stages, inputFormOf));
    ProgramPlan program;
    program.plan = std::move(planned);
    const LoweringContext context{graph, options, program.plan, workspaceSize, program.constants};
    for (std::size_t stage = 0; stage < program.plan.stages.size(); ++stage) {
        const std::vector<plan::GroupPlan> &groups = program.plan.stages[stage].groups;
        for (std::size_t group = 0; group < groups.size(); ++group) {
            TRY_AS(auto lowered, lowerGroup(context, groups[group]));
            for (Task &task : lowered) {
                task.stage = stage;
                task.group = group;
                program.tasks.push_back(std::move(task));
            }
        }
    }
    if (options.dataflow) { // memory that is used again soon would order what results do not
        for (plan::BufferLife &buffer : program.plan.buffers)
            buffer.lastStage += kOverlap;
    }
    plan::arrangeArena(program.plan);
    if (options.dataflow) {
        std::vector<std::vector<Access>> accesses;
        accesses.reserve(program.tasks.size());
        for (const Task &task : program.tasks)
            accesses.push_back(accessesOf(task, program.plan, options.precision));
        program.launches = planDataflow(program.tasks, accesses);
    } else {
        program.launches = planLaunches(program.tasks, options.mode);
    }
    return program;
}

} // namespace stagecraft::gpu
