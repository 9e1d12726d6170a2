#pragma once

// What studies found, as values and as tables: the pruning trade-off (flow/study/pruning_study.h) and specialisation
// (flow/study/specialization.h).

#include "export/table_text.h"
#include "schedule/schedule.h"
#include "search/pruning_points.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

struct TradeoffPoint {
    PruningPoint point;
    std::shared_ptr<const Schedule> schedule; // with a latency
    std::int64_t stagesAsked = 0;             // distinct, by the search of this point, by itself
    std::optional<std::size_t> livePeakBytes{};
};

// For readers; programs get pruningCsv().
[[nodiscard]] Table tradeoffTable(const std::string &model, std::span<const TradeoffPoint> points);
[[nodiscard]] std::string tradeoffCsv(std::span<const TradeoffPoint> points);

struct CrossLatency {
    double us = 0;
    bool isSumOfStages = false;
    bool isAtLeast = false; // work is missing from it
};

// As many rows (run on) as columns (made for), in the same order.
struct SpecialisationTable {
    struct Row {
        std::vector<std::optional<CrossLatency>> cells; // empty: not known
        std::string provenance;                         // "simulated, fp32"
    };

    std::vector<std::string> places; // "batch 1", "sim:k80", "sim:k80, batch 1"
    std::vector<Row> rows;

    [[nodiscard]] std::optional<double> bestOf(std::size_t row) const;
};

[[nodiscard]] Table specialisationTable(const std::string &model, const SpecialisationTable &table, TableFor use);

} // namespace stagecraft
