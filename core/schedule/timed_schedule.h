#pragma once

// A schedule beside what it was made for, how long it takes and how it was found: what a schedule file holds.

#include "graph/cost_basis.h"
#include "schedule/schedule.h"
#include "timing/measurement.h"
#include "timing/run_context.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

class Graph;

inline constexpr std::string_view kProfiledStrategy = "profiled"; // observed in the profile of another program

// The assumption behind the gap of a search, beyond bounds that always hold, and how it fared on the measured stages.
struct BoundAssumption {
    std::string text;
    std::int64_t stagesChecked = 0; // measured stages that test it
    std::int64_t stagesBroken = 0;  // measured stages that break it
    double worst = 0;               // 0.3: one took 1/1.3 of the assumed bound
    double gapWithout = 0;          // the gap proved without it; infinity: unknown
    double allowed = 0;             // the gap holds if no stage takes less than 1/(1 + allowed) of the assumed bound

    friend bool operator==(const BoundAssumption &, const BoundAssumption &) = default;
};

// Launch orders that were chosen for stages after the search.
struct ChosenLaunchOrders {
    std::int64_t stages = 0;      // that have one
    std::int64_t stagesTried = 0; // with several groups
    std::int64_t stagesExact = 0; // of these, all orders were tried
    std::int64_t ordersTried = 0; // of all stages
    double withoutUs = 0;         // latency of the schedule without them
    double withUs = 0;            // and with them, when they were chosen

    friend bool operator==(const ChosenLaunchOrders &, const ChosenLaunchOrders &) = default;
};

// How a search ended.
enum class Termination {
    None,            // no search: a baseline, an edit
    Optimal,         // nothing in the space is faster
    WithinEpsilon,   // nothing is faster by more than the requested epsilon
    UnderAssumption, // one of these, if SearchRecord::assumption holds
    BoundsBroken,    // searched to the end, but stages left out under a broken assumption may hide a better schedule
    InPart,          // some blocks were too large to search whole
    Budget,          // measurements or time ran out
    Cancelled,
    BaselineKept, // the schedule found was not faster, in one go, than a baseline: this is the baseline
};

// The text in files: "", "optimal", "proved within epsilon", "proved under an assumption", "bounds broken", "searched
// in part", "budget", "cancelled", "baseline kept".
[[nodiscard]] std::string_view toString(Termination termination);
[[nodiscard]] std::optional<Termination> terminationFromString(std::string_view text);

// What produced the schedule, with which options and at what cost; written into schedule files.
struct SearchRecord {
    std::string strategy; // "ios-both", "ios-parallel", "ios-merge", "sequential", "greedy", "edited",
                          // "profiled"
    std::optional<int> r; // empty: no bound, 0 in files
    std::optional<int> s;
    bool singleSource = false;
    std::int64_t states = 0;
    std::int64_t transitions = 0;
    std::int64_t stageMeasurements = 0;
    std::int64_t stagesRepeated = 0; // among the measurements: of stages with a stored, but disturbed latency
    std::int64_t stagesRefused = 0;  // measurements that the device refused: these stages were left out
    std::int64_t cacheHits = 0;
    std::string order;          // by which stages were asked for: "bounds", "learned"; empty: not known (older files)
    std::int64_t trainedOn = 0; // stages that the model of a learned order had learned from, at the end
    double searchSeconds = 0;
    double measureSeconds = 0;
    // `sumUs` is at most (1 + gap) times the optimum of this space for these latencies. Infinity: unknown, null in
    // files.
    double gap = 0;
    std::optional<BoundAssumption> assumption; // of the gap; empty: it relies on bounds that always hold
    Termination termination = Termination::None;
    // What the search minimised: the sum of stages and boundaries. TimedSchedule::latencyUs, measured in one go, may
    // differ. 0: unknown (older files).
    double sumUs = 0;
    std::string editedFrom;        // origin of an edit: "ios-both" or a file
    std::int64_t pinnedStages = 0; // stages that the search had to keep
    std::optional<double> freeUs;  // sumUs of the best schedule in the same space that need not keep them
    // Even without barriers between its stages, no schedule that merges no convolutions takes less. Empty: not known.
    std::optional<double> boundWithoutBarriersUs;
    std::optional<ChosenLaunchOrders>
        launchOrders; // what the gap is about is without them; empty: none were looked for
    CostBasis costs;  // simulated latencies: what they omit; complete for latencies of real runs
};

struct TimedSchedule : Schedule {
    RunContext context;
    Measurement measured;
    SearchRecord search;

    [[nodiscard]] bool hasStageLatencies() const { return !stages.empty() && measured.stages.size() == stages.size(); }
    [[nodiscard]] std::vector<double> stageLatenciesUs() const; // empty until measured
    [[nodiscard]] double sumOfStagesUs() const;                 // 0 until measured
    [[nodiscard]] std::optional<double> latencyUs() const;
    // Observed in the profile of another program: its latencies were recorded there, and nothing is to be measured.
    [[nodiscard]] bool isOfProfile() const { return measured.profile.has_value(); }
    // They carry no noise: a simulator computed them, or they were worked out.
    [[nodiscard]] bool hasExactLatencies() const
    {
        return measured.provenance == Provenance::Simulated || measured.provenance == Provenance::Assumed;
    }

    // Work is missing from the latencies: the real ones are at least as high.
    [[nodiscard]] bool leavesOutWork() const { return !search.costs.isComplete(); }
    [[nodiscard]] bool leavesOutWork(const Graph &graph, std::size_t stage) const;
};

} // namespace stagecraft
