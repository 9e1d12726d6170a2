#pragma once

// The memory a schedule of a model needs on a device. Devices that execute are asked for their own plan, with the
// layouts and the workspace of their kernels; for the others every tensor is row-major and kernels have no workspace.

#include "device/device.h"
#include "model/model.h"
#include "plan/memory_use.h"
#include "support/result.h"

#include <cstddef>
#include <string>

namespace stagecraft {

struct ScheduleMemory {
    plan::MemoryUse use;
    std::size_t referenceCountedBytes = 0;
    std::size_t weightsBytes = 0;
    std::string basis; // whose plan it is, for people
};

[[nodiscard]] Result<ScheduleMemory> memoryOfSchedule(const Model &model, const Schedule &schedule,
                                                      const Device &device);

} // namespace stagecraft
