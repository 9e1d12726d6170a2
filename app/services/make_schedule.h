#pragma once

// The five schedules everybody compares, made and measured on a device session.

#include "device/device.h"
#include "model/model.h"
#include "search/search.h"

#include <array>
#include <stop_token>
#include <string>
#include <string_view>

namespace stagecraft {

enum class ScheduleKind { Sequential, Greedy, IosMerge, IosParallel, IosBoth };

inline constexpr std::array kScheduleKinds{ScheduleKind::Sequential, ScheduleKind::Greedy, ScheduleKind::IosMerge,
                                           ScheduleKind::IosParallel, ScheduleKind::IosBoth};

[[nodiscard]] std::string_view
toString(ScheduleKind kind); // "sequential", "greedy", "ios-merge", ... as on the command line
[[nodiscard]] ScheduleKind kindOf(StrategySet strategies); // that is searched
[[nodiscard]] std::string_view title(ScheduleKind kind);   // "Sequential", "IOS-Both", ...

struct MadeSchedule {
    Schedule schedule;
    std::vector<BlockSearch> blocks;             // of a search; empty for baselines
    std::optional<Error> refusal = std::nullopt; // of a search: why a stage was left out
};

// For the IOS kinds options.strategies is set from the kind. The schedule comes back verified and measured; that of a
// search that is cancelled comes back at once with what the search knew of it, the sum of its stages for a latency.
[[nodiscard]] Result<MadeSchedule> makeSchedule(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                                ScheduleKind kind, SearchOptions options,
                                                const SearchProgressCallback &progress, std::stop_token stop);

// Stage by stage and as a whole, into stageTimings and timing, device, calibration, precision, provenance and what the
// latencies leave out.
[[nodiscard]] Result<void> measureInto(Schedule &schedule, const Model &model, DeviceSession &session,
                                       const DeviceInfo &device, std::stop_token stop);

// What latencies of the device are of: device, calibration, provenance, precision and what they leave out.
void describeDevice(Schedule &schedule, const Model &model, const DeviceInfo &device);

// What the latencies of the model on the device rest on: its costs where they are simulated, here or before they were
// recorded. What runs for real leaves nothing out.
[[nodiscard]] CostBasis latencyBasis(const Model &model, const DeviceInfo &device);

} // namespace stagecraft
