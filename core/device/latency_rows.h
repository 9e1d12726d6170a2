#pragma once

// Rows of the latency store's tables as values and back. Private to core/device.

#include "device/latency_store.h"
#include "device/sqlite.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

// Fingerprint, engine and batch, then the model.
sqlite::Statement &bindModel(sqlite::Statement &statement, const MeasurementContext &context);
// The same, then the signature of a stage.
sqlite::Statement &bindKey(sqlite::Statement &statement, const MeasurementContext &context,
                           const std::string &signature);
// A timing as columns of a table, and what stands for them in a statement. Of runs that are not known the column has
// 1, as it always had.
inline constexpr const char *kTimingColumns =
    "mean_us, median_us, stddev_us, runs, clock_mhz, memory_clock_mhz, slowed_by";
inline constexpr const char *kTimingValues = "?, ?, ?, ?, NULLIF(?, 0), NULLIF(?, 0), NULLIF(?, '')";
void bindTiming(sqlite::Statement &statement, const Timing &timing);

// The same, from the column on. Nothing where that was not measured: somebody wrote into the file.
[[nodiscard]] std::optional<Timing> timingFrom(const sqlite::Statement &row, int column);

[[nodiscard]] std::string groupsText(const RecordedStage &stage);               // [["a", "b"], ["c"]]
[[nodiscard]] std::string stagesText(const std::vector<RecordedStage> &stages); // [["concurrent", [["a"]]], ...]

// Nothing where the text is not as above.
[[nodiscard]] std::optional<std::vector<std::vector<std::string>>> groupsFrom(const std::string &text);
[[nodiscard]] std::optional<std::vector<RecordedStage>> stagesFrom(const std::string &text);

} // namespace stagecraft
