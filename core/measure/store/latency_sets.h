#pragma once

// The contents of a latency store by device, model and batch, and their removal: the functions of LatencyStore over its
// database. Private to core/measure.

#include "measure/store/latency_store.h"
#include "support/sqlite.h"

#include <cstdint>
#include <vector>

namespace stagecraft {

[[nodiscard]] Result<std::vector<StoredSet>> listSets(sqlite3 *database);
// How many latencies are meant, and how many were removed.
[[nodiscard]] Result<std::int64_t> countSelected(sqlite3 *database, const StoredSelection &meant);
[[nodiscard]] Result<std::int64_t> clearSelected(sqlite3 *database, const StoredSelection &meant);

} // namespace stagecraft
