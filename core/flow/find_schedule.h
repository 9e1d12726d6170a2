#pragma once

// The way to a schedule: search on a device, measure the whole. Where latencies carry noise, compareWithBaselines
// (flow/find/baselines_in_rounds.h) is the next step.

#include "device/device.h"
#include "flow/find/baselines_in_rounds.h"
#include "flow/find/capped_schedule.h"
#include "flow/find/find_streams.h"
#include "flow/find/measured.h"
#include "flow/find/order_launches.h"
#include "flow/find/schedule_kind.h"
#include "model/model.h"
#include "search/stages/search.h"

#include <cstddef>
#include <optional>
#include <stop_token>
#include <vector>

namespace stagecraft {

struct SearchRequest {
    ScheduleKind kind = ScheduleKind::IosBoth;
    SearchOptions options = {}; // for the IOS kinds; its strategies are set from the kind
    std::optional<MemoryLimit> memoryCap = {};
    bool findsCostOfKept = false;              // of the stages that options.pinned has
    std::vector<TimedSchedule> kept = {};      // where those are from
    std::optional<StreamsWanted> streams = {}; // instead of `kind`, with a cap of its own
};

struct SearchCallbacks {
    SearchProgressCallback search = {};
    SearchProgressCallback searchWithoutKept = {};
    CappedProgress searchUnderCap = {};
    StreamProgress searchForStreams = {};
    LaunchOrderProgress launchOrders = {};
};

// The schedule is returned verified and measured. A cancelled search returns at once, with the latencies from the
// search and the sum of its stages. Errors: those of the search and the session.
[[nodiscard]] Result<FoundSchedule> findSchedule(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                                 const SearchRequest &request, const SearchCallbacks &callbacks,
                                                 std::stop_token stop);

} // namespace stagecraft
