#pragma once

// What a LatencyStore holds: the database and the statements that are run often. Private to core/device.

#include "device/latency_store.h"
#include "device/sqlite.h"

#include <optional>
#include <string>

namespace stagecraft {

struct LatencyStore::State {
    std::string path;
    std::string notice;
    sqlite::Database database;
    std::optional<sqlite::Statement> find;
    std::optional<sqlite::Statement> keep;
    std::optional<sqlite::Statement> findStage;
    std::optional<sqlite::Statement> keepStage;
    std::optional<sqlite::Statement> findSchedule;
    std::optional<sqlite::Statement> keepSchedule;

    [[nodiscard]] Result<void> prepare();
    [[nodiscard]] Result<void> nameStage(const MeasurementContext &context, const std::string &signature,
                                         const RecordedStage &stage);
    // The better one stays, of this latency and of the one kept (latency_quality.h).
    [[nodiscard]] Result<void> keepLatency(const MeasurementContext &context, const std::string &signature,
                                           const Timing &timing);
    [[nodiscard]] Result<void> keepWhole(const MeasurementContext &context, const RecordedSchedule &schedule);
};

} // namespace stagecraft
