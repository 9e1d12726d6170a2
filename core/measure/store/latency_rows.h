#pragma once

// Rows of the latency store's tables as values and back. Private to core/device.

#include "measure/store/latency_store.h"
#include "support/sqlite.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

// Binds fingerprint, device id and batch, then the model.
sqlite::Statement &bindModel(sqlite::Statement &statement, const MeasurementContext &context);
// Binds the same, then the signature of a stage.
sqlite::Statement &bindKey(sqlite::Statement &statement, const MeasurementContext &context,
                           const std::string &signature);
// The columns of a timing in a table, and their placeholders in a statement.
[[nodiscard]] const std::string &timingColumns();
[[nodiscard]] const std::string &timingValues();
// Unknown runs are stored as 1, for compatibility.
void bindTiming(sqlite::Statement &statement, const Timing &timing);

// Reads a timing, starting at the column. Empty if the row was not measured: the file was edited.
[[nodiscard]] std::optional<Timing> timingFrom(const sqlite::Statement &row, int column);

[[nodiscard]] std::string groupsText(const RecordedStage &stage);               // [["a", "b"], ["c"]]
[[nodiscard]] std::string stagesText(const std::vector<RecordedStage> &stages); // [["concurrent", [["a"]]], ...]

// Empty if the text has another format.
[[nodiscard]] std::optional<std::vector<std::vector<std::string>>> groupsFrom(const std::string &text);
[[nodiscard]] std::optional<std::vector<RecordedStage>> stagesFrom(const std::string &text);

} // namespace stagecraft
