#pragma once

// Launch orders for the stages of a schedule that was found.

#include "device/device.h"
#include "model/model.h"
#include "search/result.h"
#include "search/streams/launch_orders.h"

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>

namespace stagecraft {

using LaunchOrderProgress = std::function<void(std::size_t stage, std::size_t stages)>; // before each stage

// Chooses an order for each concurrent stage of several groups that is not kept (`pinned`), and says in the search
// record what that gained. Where latencies carry noise few orders are tried, and the schedule keeps them only if it is
// faster with them in rounds; a recorded device has none. Stopped, it keeps those that it has where latencies are
// exact, and none where they carry noise. Errors: the session's.
[[nodiscard]] Result<void> orderLaunches(TimedSchedule &found, const Model &model, DeviceSession &session,
                                         const DeviceInfo &device, std::span<const Stage> pinned,
                                         const LaunchOrderProgress &progress, const std::stop_token &stop);

// For one stage, whatever order it has. Where latencies carry noise few orders are tried. Errors: the session's.
[[nodiscard]] Result<LaunchOrderChoice> fastestLaunchOrder(Stage stage, const Graph &graph, DeviceSession &session,
                                                           const std::stop_token &stop);

} // namespace stagecraft
