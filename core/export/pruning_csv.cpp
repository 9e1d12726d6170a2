#include "export/pruning_csv.h"

#include <nlohmann/json.hpp>

#include <limits>
#include <sstream>

namespace stagecraft {

void markFronts(std::vector<PruningRow> &rows)
{
    const auto front = [&rows](const auto &costOf) {
        std::vector<CostAndLatency> costs;
        costs.reserve(rows.size());
        for (const PruningRow &row : rows)
            costs.push_back({costOf(row), *row.schedule->latencyUs()});
        return paretoFront(costs);
    };
    const std::vector<bool> byMeasurements =
        front([](const PruningRow &row) { return static_cast<double>(row.schedule->search.stageMeasurements); });
    const std::vector<bool> byMemory = front([](const PruningRow &row) {
        return row.livePeakBytes ? static_cast<double>(*row.livePeakBytes) : std::numeric_limits<double>::infinity();
    });
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].isOnFront = byMeasurements[i];
        rows[i].isOnMemoryFront = byMemory[i] && rows[i].livePeakBytes;
    }
}

std::string pruningCsv(std::span<const PruningRow> rows)
{
    using Json = nlohmann::json; // numbers with enough digits to read back the same
    std::ostringstream text;
    text << "strategy,r,s,single_source,latency_us,provenance,sum_of_stages,stages,transitions,stage_measurements,"
            "search_seconds,measure_seconds,front,live_peak_bytes,memory_front\n";
    for (const PruningRow &row : rows) {
        const Schedule &schedule = *row.schedule;
        const SearchRecord &record = schedule.search;
        text << toString(row.point.strategies) << ',' << row.point.r << ',' << row.point.s << ','
             << Json(row.point.singleSource) << ',' << Json(*schedule.latencyUs()) << ','
             << toString(*schedule.provenance) << ',' << Json(schedule.isSumOfStages) << ',' << schedule.stages.size()
             << ',' << record.transitions << ',' << record.stageMeasurements << ',' << Json(record.searchSeconds) << ','
             << Json(record.measureSeconds) << ',' << Json(row.isOnFront) << ','
             << (row.livePeakBytes ? std::to_string(*row.livePeakBytes) : std::string()) << ','
             << Json(row.isOnMemoryFront) << '\n';
    }
    return text.str();
}

} // namespace stagecraft
