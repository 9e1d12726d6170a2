#pragma once

// Why a schedule takes as long as it does: what its stages reach of the device's peaks, the least time of the network
// there, and the critical paths. Plain values, made from a schedule, its timeline and the latencies of operators alone.

#include "schedule/compare/critical_path.h"
#include "timing/timeline/stage_loads.h"
#include "timing/timeline/time_parts.h"
#include "widgets/base/inspector_page.h"

#include <optional>
#include <vector>

namespace stagecraft {

struct LatencyReasons {
    std::vector<std::optional<StageLoad>> loads; // by stage; nullopt: not in the timeline
    std::vector<TimeParts> parts;                // by stage; zeros: not in the timeline
    TimePartSources partSources;
    DeviceRoof roof;
    double leastUs = 0;             // 0: the device does not tell its peaks
    std::vector<double> operatorUs; // alone; empty: Sequential is not measured on this device
    CriticalPath ofGraph;           // empty without them
    CriticalPath ofStages;
    std::vector<FusedUnits> fused = {}; // of its fused stages
};

// Where the extra time of a stage that was not chosen goes: its block with it, minus the block as it is.
struct RunnerUpTime {
    Stage stage;
    TimeParts more;
    TimePartSources sources;
};

// `timeline`: of the schedule. `sequential`: one operator per stage, measured on the same device and batch; null if
// there is none.
[[nodiscard]] LatencyReasons latencyReasons(const Graph &graph, const TimedSchedule &schedule,
                                            const TimelineIndex &timeline, const TimedSchedule *sequential);

// Rows of the inspector's pages.
[[nodiscard]] std::vector<InspectorRow> reasonRows(const LatencyReasons &reasons, std::size_t stage);
[[nodiscard]] InspectorSection timePartsSection(const InspectorInput &input, std::size_t stage);
// "+8.1 µs: idle SMs +9.0 µs, memory -1.1 µs"
[[nodiscard]] QString moreText(const RunnerUpTime &time);
[[nodiscard]] InspectorSection reasonSection(const InspectorInput &input); // of the whole schedule
// What the operator could be merged with, and why not with others that read the same.
[[nodiscard]] InspectorSection mergeSection(const InspectorInput &input, OperatorId op);

} // namespace stagecraft
