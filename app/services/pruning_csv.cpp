#include "services/pruning_csv.h"

#include <nlohmann/json.hpp>

#include <sstream>

namespace stagecraft {

std::string pruningCsv(std::span<const PruningRow> rows)
{
    using Json = nlohmann::json; // numbers with enough digits to read back the same
    std::ostringstream text;
    text << "strategy,r,s,single_source,latency_us,provenance,sum_of_stages,stages,transitions,stage_measurements,"
            "search_seconds,measure_seconds,front\n";
    for (const PruningRow &row : rows) {
        const Schedule &schedule = *row.schedule;
        const SearchRecord &record = schedule.search;
        text << toString(row.point.strategies) << ',' << row.point.r << ',' << row.point.s << ','
             << Json(row.point.singleSource) << ',' << Json(*schedule.latencyUs()) << ','
             << toString(*schedule.provenance) << ',' << Json(schedule.isSumOfStages) << ',' << schedule.stages.size()
             << ',' << record.transitions << ',' << record.stageMeasurements << ',' << Json(record.searchSeconds) << ','
             << Json(record.measureSeconds) << ',' << Json(row.isOnFront) << '\n';
    }
    return text.str();
}

} // namespace stagecraft
