#include "flow/explain/memory_of_schedule.h"

#include "graph/cost_basis.h"
#include "schedule/streams/stream_parts.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

// Of streams: a stage for each launch.
std::vector<Stage> executedStages(const Schedule &schedule)
{
    return schedule.streams ? launchesAsStages(*schedule.streams) : schedule.stages;
}

Result<ScheduleMemory> plannedWith(const Model &model, const Schedule &schedule, std::int64_t elementBytes,
                                   std::span<const plan::StageWorkspace> workspace)
{
    ScheduleMemory memory;
    memory.weightsBytes = static_cast<std::size_t>(weightTotals(*model.graph).parameters * elementBytes);
    TRY_AS(auto use, plan::plannedMemory(*model.graph, schedule, elementBytes, workspace));
    memory.use = std::move(use);
    memory.basis = "planned with every tensor in NCHW";
    memory.referenceCountedBytes = plan::referenceCountedBytes(*model.graph, executedStages(schedule), elementBytes);
    for (const plan::MemoryTargetRow &row : plan::memoryTargets()) {
        TRY_AS(const auto target, plan::targetMemory(row.target, *model.graph, schedule, elementBytes));
        memory.targets.push_back(target);
    }
    return memory;
}

} // namespace

std::size_t neededBytes(const Schedule &schedule, const ScheduleMemory &memory,
                        std::optional<plan::MemoryTarget> target)
{
    if (target)
        return std::ranges::find(memory.targets, *target, &plan::TargetMemory::target)->heldBytes;
    return schedule.streams ? memory.use.arenaBytes : memory.use.livePeakBytes();
}

std::int64_t elementBytesOf(const DeviceInfo &device)
{
    return device.precision == "fp16" ? 2 : 4;
}

Result<ScheduleMemory> plannedMemoryOf(const Model &model, const Schedule &schedule, const DeviceInfo &device)
{
    auto memory = plannedWith(model, schedule, elementBytesOf(device), {});
    if (memory)
        memory->basis += ", without the workspace of kernels";
    return memory;
}

std::optional<std::size_t> livePeakBytesOf(const Model &model, const Schedule &schedule, const DeviceInfo &device)
{
    const auto use = plan::plannedMemory(*model.graph, schedule, elementBytesOf(device));
    return use ? std::optional(use->livePeakBytes()) : std::nullopt;
}

Result<ScheduleMemory> memoryOfSchedule(const Model &model, const Schedule &schedule, const DeviceInfo &device,
                                        DeviceSession &session, const std::stop_token &stop)
{
    const CountedMemory counted = countedMemory(device, session, stop);
    if (!counted.workspace)
        return plannedMemoryOf(model, schedule, device);
    std::vector<plan::StageWorkspace> workspace;
    for (const Stage &stage : executedStages(schedule)) {
        TRY_AS(auto bytes, counted.workspace(stage));
        workspace.push_back(std::move(bytes));
    }
    auto memory = plannedWith(model, schedule, counted.elementBytes, workspace);
    if (memory)
        memory->basis += ", with the workspace that the kernels of " + device.id + " take";
    return memory;
}

Result<std::size_t> neededBytes(const Model &model, const Schedule &schedule, std::optional<plan::MemoryTarget> target,
                                const DeviceInfo &device, DeviceSession &session, const std::stop_token &stop)
{
    if (target)
        return plan::targetMemory(*target, *model.graph, schedule, elementBytesOf(device))
            .map(&plan::TargetMemory::heldBytes);
    TRY_AS(const auto memory, memoryOfSchedule(model, schedule, device, session, stop));
    return neededBytes(schedule, memory, {});
}

CountedMemory countedMemory(const DeviceInfo &device, DeviceSession &session, const std::stop_token &stop)
{
    CountedMemory counted{elementBytesOf(device)};
    if (WorkspaceSource *source = session.workspace())
        counted.workspace = [source, stop](const Stage &stage) { return source->workspaceBytes(stage, stop); };
    return counted;
}

} // namespace stagecraft
