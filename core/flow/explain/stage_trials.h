#pragma once

// Why is another stage dearer? The schedule runs with it in place of what it has there, and both timelines say where
// the difference goes. Parts are those of timing/timeline/time_parts.h.

#include "device/device.h"
#include "model/model.h"
#include "schedule/timed_schedule.h"
#include "search/result.h"
#include "timing/timeline/time_parts.h"

#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace stagecraft {

struct StageTrials {
    TimePartSources sources;
    // By stage tried: time of its block with it minus time as scheduled, boundaries included; nullopt if the schedule
    // cannot be changed into one with the stage, or the device does not fuse it.
    std::vector<std::optional<TimeParts>> more;
};

// `schedule` is legal; each stage is legal by itself. Makes a timeline per stage and one more. Errors: the device's.
[[nodiscard]] Result<StageTrials> tryStages(const Model &model, const TimedSchedule &schedule,
                                            std::span<const Stage> stages, DeviceSession &session,
                                            const std::stop_token &stop);

// Each stage that was nearly taken, in its place: those of the blocks' runners-up, in their order.
[[nodiscard]] Result<StageTrials> tryRunnersUp(const Model &model, const TimedSchedule &schedule,
                                               std::span<const BlockSearch> blocks, DeviceSession &session,
                                               const std::stop_token &stop);

} // namespace stagecraft
