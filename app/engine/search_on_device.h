#pragma once

// A search whose result does not rest on disturbed latencies, as far as measuring again helps: stages that were
// disturbed when the search asked for them, those that lost against others included, are measured again when it ends,
// and where that gave better latencies it is decided again. Not for searches with a budget, which that would exceed.

#include "device/device.h"
#include "model/model.h"
#include "search/search.h"

#include <stop_token>

namespace stagecraft {

// As searchSchedule; the record counts every round.
[[nodiscard]] Result<SearchResult> searchOnDevice(const Model &model, DeviceSession &session,
                                                  const SearchOptions &options, const SearchProgressCallback &progress,
                                                  const std::stop_token &stop);

} // namespace stagecraft
