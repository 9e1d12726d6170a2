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
// Mean, median, spread, runs, clocks and what slowed them.
void bindSample(sqlite::Statement &statement, const LatencySample &sample);

// The same, from the column on. Nothing where that was not measured: somebody wrote into the file.
[[nodiscard]] std::optional<LatencySample> sampleFrom(const sqlite::Statement &row, int column);

[[nodiscard]] std::string groupsText(const RecordedStage &stage);               // [["a", "b"], ["c"]]
[[nodiscard]] std::string stagesText(const std::vector<RecordedStage> &stages); // [["concurrent", [["a"]]], ...]

// Nothing where the text is not as above.
[[nodiscard]] std::optional<std::vector<std::vector<std::string>>> groupsFrom(const std::string &text);
[[nodiscard]] std::optional<std::vector<RecordedStage>> stagesFrom(const std::string &text);

} // namespace stagecraft
