#pragma once

// Streams in schedule files (results/files/schedule_parts.h): the items of each stream by the names of their operators,
// the launch order and the events by the name of an item's first operator. Only for sources that include nlohmann's
// JSON themselves. Errors: InvalidInput, naming member and operator.

#include "graph/operator_names.h"
#include "results/files/schedule_record.h"
#include "schedule/streams/streams.h"
#include "support/result.h"

#include <nlohmann/json_fwd.hpp>

namespace stagecraft {

[[nodiscard]] StreamsInFile streamsInFile(const OperatorNames &names, const Streams &streams);
// Not verified yet, but each event ends before it is waited for.
[[nodiscard]] Result<Streams> streamsFrom(const nlohmann::json &schedule, const OperatorNames &names);

} // namespace stagecraft
