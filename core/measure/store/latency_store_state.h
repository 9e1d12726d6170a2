#pragma once

// The database of a LatencyStore and its prepared statements. Private to core/device.

#include "measure/store/latency_store.h"
#include "support/sqlite.h"

#include <optional>
#include <string>

namespace stagecraft {

struct LatencyStore::State {
    std::string path;
    std::string notice;
    sqlite::Database database;
    std::optional<sqlite::Statement> find;
    std::optional<sqlite::Statement> addLatencyRow;
    std::optional<sqlite::Statement> findStage;
    std::optional<sqlite::Statement> addStageRow;
    std::optional<sqlite::Statement> findSchedule;
    std::optional<sqlite::Statement> addScheduleRow;

    [[nodiscard]] Result<void> prepare();
    [[nodiscard]] Result<void> nameStage(const MeasurementContext &context, const std::string &signature,
                                         const RecordedStage &stage);
    // Of this latency and the stored one, the better one stays (latency_quality.h).
    [[nodiscard]] Result<void> addLatency(const MeasurementContext &context, const std::string &signature,
                                          const Timing &timing);
    [[nodiscard]] Result<void> addSchedule(const MeasurementContext &context, const RecordedSchedule &schedule);
};

} // namespace stagecraft
