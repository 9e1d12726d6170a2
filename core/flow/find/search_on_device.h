#pragma once

// A search whose result does not depend on disturbed latencies, as far as measuring again helps. When the search ends,
// stages whose latencies were disturbed are measured again, including those that lost; if latencies improved, the
// search runs again. With a budget, this uses what is left of it; if that does not suffice, the better of the two
// results stays, by the latest latencies.

#include "device/device.h"
#include "model/model.h"
#include "search/stages/search.h"

#include <stop_token>

namespace stagecraft {

// Like searchSchedule; the record counts all rounds.
[[nodiscard]] Result<FoundSchedule> searchOnDevice(const Model &model, DeviceSession &session,
                                                   const SearchOptions &options, const SearchProgressCallback &progress,
                                                   const std::stop_token &stop);

} // namespace stagecraft
