#pragma once

// A number of each operator and each block for the heat of the graph view, and the end of the scale. Callable on any
// thread.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/timed_schedule.h"
#include "timing/provenance.h"
#include "timing/timeline/timeline_index.h"
#include "widgets/graph/paint/colouring.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

struct HeatScale {
    Colouring of = Colouring::Heat;
    std::vector<double> values; // per operator; negative: unknown. Microseconds, FLOP, bytes, or a share of the peak
    std::vector<double> blockValues; // per block: the sum, or the highest share; negative: unknown
    double maximum = 0;              // of the operators; 0: nothing is known
    bool isShare = false;            // of the device's peak; otherwise utilisation is FLOP/s
    bool leavesOutWork = false;      // operators without a cost are missing from the latencies
    std::optional<Provenance> provenance;
    QString what; // "of the stage", "launches and waits"
};

struct HeatSource {
    const Graph &graph;
    const Blocks &blocks;
    const TimedSchedule *schedule = nullptr;
    const TimelineIndex *timeline = nullptr; // of the schedule
};

[[nodiscard]] HeatScale heatOf(Colouring colouring, const HeatSource &source);
[[nodiscard]] QString heatText(const HeatScale &heat, double value); // with its unit
[[nodiscard]] QString noHeatText(Colouring colouring);               // what is missing when nothing is known

} // namespace stagecraft
