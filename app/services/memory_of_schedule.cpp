#include "services/memory_of_schedule.h"

#include "graph/cost_basis.h"

namespace stagecraft {

std::int64_t elementBytesOf(const DeviceInfo &device)
{
    return device.precision == "fp16" ? 2 : 4;
}

Result<ScheduleMemory> plannedMemoryOf(const Model &model, const Schedule &schedule, const DeviceInfo &device)
{
    const std::int64_t elementBytes = elementBytesOf(device);
    ScheduleMemory memory;
    memory.weightsBytes = static_cast<std::size_t>(weightTotals(*model.graph).parameters * elementBytes);
    auto use = plan::plannedMemory(*model.graph, schedule.stages, elementBytes);
    if (!use)
        return tl::unexpected(use.error());
    memory.use = std::move(*use);
    memory.basis = "planned with every tensor in NCHW, without the workspace of kernels";
    memory.referenceCountedBytes = plan::referenceCountedBytes(*model.graph, schedule.stages, elementBytes);
    return memory;
}

std::optional<std::size_t> livePeakBytesOf(const Model &model, const Schedule &schedule, const DeviceInfo &device)
{
    const auto use = plan::plannedMemory(*model.graph, schedule.stages, elementBytesOf(device));
    return use ? std::optional(use->livePeakBytes()) : std::nullopt;
}

Result<ScheduleMemory> memoryOfSchedule(const Model &model, const Schedule &schedule, const Device &device)
{
    return plannedMemoryOf(model, schedule, device.info());
}

} // namespace stagecraft
