#include "cli/sweep_answer.h"

#include "cli/command_line.h"
#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "results/schedule_words.h"

#include <fmt/format.h>
#include <iostream>

namespace stagecraft {

void printSweep(const std::vector<StudyPoint> &points, const StudyFronts &fronts, const CostBasis &basis,
                std::int64_t measurements)
{
    TextTable table({"strategy", "r, s", "latency", "provenance", "stages", "transitions", "measurements", "search",
                     "Pareto front", "live peak", "least memory"});
    std::int64_t alone = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto &[point, found, blocks, asked, refusal, livePeakBytes] = points[i];
        const TimedSchedule &schedule = *found;
        const SearchRecord &record = schedule.search;
        alone += record.stageMeasurements;
        table.add(fmt::format("{}{}", toString(point.strategies), point.singleSource ? ", single-source" : ""),
                  fmt::format("{}, {}", point.r, point.s), plainLatency(*schedule.latencyUs(), basis),
                  provenanceWords(schedule), schedule.stages.size(), grouped(record.transitions),
                  grouped(record.stageMeasurements), plainLatency((record.searchSeconds + record.measureSeconds) * 1e6),
                  fronts.ofMeasurements[i] ? "yes" : "",
                  livePeakBytes ? plainBytes(static_cast<double>(*livePeakBytes)) : "",
                  fronts.ofMemory[i] ? "yes" : "");
    }
    std::cout << costLines(basis) << table << '\n'
              << counted(measurements, "stage")
              << " measured for all points together; each by itself: " << grouped(alone) << "\narithmetic in "
              << basis.precision << '\n';
    if (!points.empty()) {
        const Measurement &measured = points.front().schedule->measured;
        std::cout << simulationLines(measured.calibration, measured.simulationErrors);
    }
}

} // namespace stagecraft
