#pragma once

// Stored latencies as recorded latencies: the functions of LatencyStore over its database. Private to core/measure.

#include "measure/store/latency_store.h"
#include "support/sqlite.h"

#include <string>
#include <unordered_map>

namespace stagecraft {

[[nodiscard]] Result<RecordedLatencies> exportedLatencies(sqlite3 *database, const MeasurementContext &context);
// Before an import. A signature that is not 32 hexadecimal digits would never be found again.
[[nodiscard]] Result<void> checkForImport(const RecordedLatencies &latencies);
// By signature.
[[nodiscard]] Result<std::unordered_map<std::string, Timing>> timingsOf(sqlite3 *database,
                                                                        const MeasurementContext &context);

} // namespace stagecraft
