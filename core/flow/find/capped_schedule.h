#pragma once

// A searched schedule under a cap on memory.

#include "device/device.h"
#include "flow/explain/memory_of_schedule.h"
#include "model/model.h"
#include "search/capped/capped_search.h"
#include "search/result.h"
#include "support/result.h"

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string_view>

namespace stagecraft {

// "48MiB", "1.5 GiB", "4096"; empty: not a number of bytes above zero.
[[nodiscard]] std::optional<std::size_t> bytesFrom(std::string_view text);

// `found` itself where it meets the limit, as neededBytes counts: nothing that does can be faster. Otherwise the
// fastest schedule that does, measured. With a target a search under ever lower caps of this program's own plan, until
// what it finds meets the limit: there may be a faster one. Errors: those of searchCapped, InvalidInput naming the
// least that was found.
[[nodiscard]] Result<FoundSchedule> cappedSchedule(FoundSchedule found, const MemoryLimit &limit, const Model &model,
                                                   DeviceSession &session, const DeviceInfo &device,
                                                   const SearchOptions &search, const CappedProgress &progress,
                                                   const std::stop_token &stop);

} // namespace stagecraft
