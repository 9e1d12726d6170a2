#pragma once

// Tuned kernels in the latency store's database: the functions of LatencyStore over it. Private to core/measure.

#include "measure/store/latency_store.h"
#include "support/sqlite.h"

#include <string>
#include <vector>

namespace stagecraft {

[[nodiscard]] Result<void> addKernelRow(sqlite3 *database, const std::string &fingerprint, const StoredKernel &kernel);
// A row that the program cannot have written is left out.
[[nodiscard]] Result<std::vector<StoredKernel>> kernelRows(sqlite3 *database, const std::string &fingerprint);
[[nodiscard]] Result<void> removeKernelRows(sqlite3 *database, const std::string &fingerprint);

} // namespace stagecraft
