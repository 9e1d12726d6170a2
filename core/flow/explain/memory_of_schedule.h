#pragma once

// The memory a schedule of a model needs, planned with every tensor row-major, in elements as the device computes with
// them, with the workspace of its kernels where a device is asked.

#include "device/device.h"
#include "model/model.h"
#include "plan/memory_use.h"
#include "plan/target_memory.h"
#include "search/capped/capped_search.h"
#include "support/result.h"

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

struct ScheduleMemory {
    plan::MemoryUse use;
    std::size_t referenceCountedBytes = 0;
    std::size_t weightsBytes = 0;
    std::string basis;                            // whose plan it is, for people
    std::vector<plan::TargetMemory> targets = {}; // what it takes elsewhere, as plan::memoryTargets() lists them
};

// What a schedule may need at most.
struct MemoryLimit {
    std::size_t bytes = 0;
    std::optional<plan::MemoryTarget> target = {}; // of what its allocator holds; empty: of this program's own plan
};

// What a limit counts: what the target's allocator holds; without a target the most that is live in a stage, or, of
// streams, whose launches run side by side, the arena.
[[nodiscard]] std::size_t neededBytes(const Schedule &schedule, const ScheduleMemory &memory,
                                      std::optional<plan::MemoryTarget> target);

// Of the tensors that the device computes with.
[[nodiscard]] std::int64_t elementBytesOf(const DeviceInfo &device);

// Asks no device.
[[nodiscard]] Result<ScheduleMemory> plannedMemoryOf(const Model &model, const Schedule &schedule,
                                                     const DeviceInfo &device);

// The same plan; nullopt: it cannot be made.
[[nodiscard]] std::optional<std::size_t> livePeakBytesOf(const Model &model, const Schedule &schedule,
                                                         const DeviceInfo &device);

// The same plan with the workspace that the device's kernels take, where it knows that. Errors: the device's.
[[nodiscard]] Result<ScheduleMemory> memoryOfSchedule(const Model &model, const Schedule &schedule,
                                                      const DeviceInfo &device, DeviceSession &session,
                                                      const std::stop_token &stop);

// What a limit with this target counts, and nothing else. Errors: the device's.
[[nodiscard]] Result<std::size_t> neededBytes(const Model &model, const Schedule &schedule,
                                              std::optional<plan::MemoryTarget> target, const DeviceInfo &device,
                                              DeviceSession &session, const std::stop_token &stop);

// What memoryOfSchedule counts, for a search. The session has to outlive it.
[[nodiscard]] CountedMemory countedMemory(const DeviceInfo &device, DeviceSession &session,
                                          const std::stop_token &stop);

} // namespace stagecraft
