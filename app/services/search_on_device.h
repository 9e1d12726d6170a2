#pragma once

// A search whose result does not rest on disturbed latencies, as far as measuring again helps: stages that were
// disturbed when the search asked for them, those that lost against others included, are measured again when it ends,
// and where that gave better latencies it is decided again. A search with a budget does so with what is left of it;
// what the rest does not suffice for is not lost: the better of the two results stays, by the latencies known last.

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
