#pragma once

// What studies found, as values and as tables: the pruning trade-off (flow/study/pruning_study.h), gains by size
// (flow/study/size_study.h) and specialisation (flow/study/specialization.h).

#include "export/table_text.h"
#include "results/size_point.h"
#include "results/study_point.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

// For readers.
[[nodiscard]] Table tradeoffTable(const std::string &model, std::span<const StudyPoint> points);
// For programs: a line for each point, with a header.
[[nodiscard]] std::string tradeoffCsv(std::span<const StudyPoint> points);

// Of sizes (results/size_point.h): latencies and gains of each schedule.
[[nodiscard]] Table sizesTable(const std::string &model, const std::string &parameter,
                               std::span<const SizePoint> points);
[[nodiscard]] std::string sizesCsv(const std::string &parameter, std::span<const SizePoint> points);

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
