#pragma once

// The memory a schedule of a model needs, planned with every tensor row-major, in elements as the device computes with
// them, without the workspace of its kernels.

#include "device/device.h"
#include "model/model.h"
#include "plan/memory_use.h"
#include "support/result.h"

#include <cstddef>
#include <optional>
#include <string>

namespace stagecraft {

struct ScheduleMemory {
    plan::MemoryUse use;
    std::size_t referenceCountedBytes = 0;
    std::size_t weightsBytes = 0;
    std::string basis; // whose plan it is, for people
};

// Of the tensors that the device computes with.
[[nodiscard]] std::int64_t elementBytesOf(const DeviceInfo &device);

// Asks no device.
[[nodiscard]] Result<ScheduleMemory> plannedMemoryOf(const Model &model, const Schedule &schedule,
                                                     const DeviceInfo &device);

// The same plan; nullopt: it cannot be made.
[[nodiscard]] std::optional<std::size_t> livePeakBytesOf(const Model &model, const Schedule &schedule,
                                                         const DeviceInfo &device);

[[nodiscard]] Result<ScheduleMemory> memoryOfSchedule(const Model &model, const Schedule &schedule,
                                                      const Device &device);

} // namespace stagecraft
