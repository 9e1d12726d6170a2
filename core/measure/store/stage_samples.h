#pragma once

// Samples for a learned model, from what the latency store describes. Private to core/measure.

#include "measure/store/latency_store.h"
#include "support/sqlite.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace stagecraft {

// As LatencyStore::samples. `known`: LatencyStore::latencies. A row that the program cannot have written is left out.
[[nodiscard]] Result<std::vector<StageSample>> samplesOf(sqlite3 *database, const MeasurementContext &context,
                                                         const std::unordered_map<std::string, Timing> &known,
                                                         std::size_t most);

} // namespace stagecraft
