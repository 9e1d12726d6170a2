#pragma once

// The five schedules of the paper, made and measured on a device session.

#include "device/device.h"
#include "model/model.h"
#include "search/stages/search.h"

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
    std::vector<BlockSearch> blocks;             // from a search; empty for baselines
    std::optional<Error> refusal = std::nullopt; // from a search: why a stage was left out
};

// For the IOS kinds options.strategies is set from the kind. The schedule is returned verified and measured. A
// cancelled search returns at once, with the latencies from the search and the sum of its stages.
[[nodiscard]] Result<MadeSchedule> makeSchedule(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                                ScheduleKind kind, SearchOptions options,
                                                const SearchProgressCallback &progress, std::stop_token stop);

// Measures by stage and as a whole. Sets stageTimings and timing, device, calibration, precision, provenance and what
// the latencies omit.
[[nodiscard]] Result<void> measureInto(Schedule &schedule, const Model &model, DeviceSession &session,
                                       const DeviceInfo &device, std::stop_token stop);

// Sets what the device's latencies are: device, calibration, provenance, precision and what they omit.
void describeDevice(Schedule &schedule, const Model &model, const DeviceInfo &device);

// The costs behind the model's latencies on the device: those of the model if the latencies are simulated, now or when
// they were recorded. Real runs omit nothing.
[[nodiscard]] CostBasis latencyBasis(const Model &model, const DeviceInfo &device);

} // namespace stagecraft
