#pragma once

// Schedules: the list of stages in which a model runs. Source: IOS (Ding et al., MLSys 2021), section 3.

#include "graph/cost_basis.h"
#include "graph/model_reference.h"
#include "operators/values/tensor_layout.h"
#include "support/ids.h"
#include "timing/provenance.h"
#include "timing/timing.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {

class Graph;

enum class Strategy {
    Concurrent, // groups run concurrently, the operators of a group one after another
    Merge,      // same type, same input: one bigger operator, then a split
};

[[nodiscard]] std::string_view toString(Strategy strategy); // "concurrent", "merge"
[[nodiscard]] std::optional<Strategy> strategyFromString(std::string_view text);

// A set of operators that runs between two barriers. In normal form, operators ascend within a group and groups by
// their first operator. In a merge stage every operator is a group of one.
struct Stage {
    std::size_t block = 0; // index into the model's blocks
    Strategy strategy = Strategy::Concurrent;
    std::vector<std::vector<OperatorId>> groups;

    [[nodiscard]] std::size_t operatorCount() const;
    // Its operators run as one bigger operator.
    [[nodiscard]] bool isMerged() const { return strategy == Strategy::Merge; }
    // The number of chains of kernels that run concurrently: a merge stage is one bigger operator.
    [[nodiscard]] std::size_t concurrentGroups() const { return isMerged() ? 1 : groups.size(); }

    friend bool operator==(const Stage &, const Stage &) = default;
};

// Brings groups and operators into normal form.
[[nodiscard]] Stage normalized(Stage stage);
// The operator by itself.
[[nodiscard]] Stage stageAlone(OperatorId id, std::size_t block = 0);

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
    std::string strategy; // "ios-both", "ios-parallel", "ios-merge", "sequential", "greedy", "edited"
    std::optional<int> r; // empty: no bound, 0 in files
    std::optional<int> s;
    bool singleSource = false;
    std::int64_t states = 0;
    std::int64_t transitions = 0;
    std::int64_t stageMeasurements = 0;
    std::int64_t stagesRepeated = 0; // among the measurements: of stages with a stored, but disturbed latency
    std::int64_t stagesRefused = 0;  // measurements that the device refused: these stages were left out
    std::int64_t cacheHits = 0;
    double searchSeconds = 0;
    double measureSeconds = 0;
    // `sumUs` is at most (1 + gap) times the optimum of this space for these latencies. Infinity: unknown, null in
    // files.
    double gap = 0;
    std::optional<BoundAssumption> assumption; // of the gap; empty: it relies on bounds that always hold
    Termination termination = Termination::None;
    // What the search minimised: the sum of stages and boundaries. Schedule::latencyUs, measured in one go, may differ.
    // 0: unknown (older files).
    double sumUs = 0;
    std::string editedFrom;        // origin of an edit: "ios-both" or a file
    std::int64_t pinnedStages = 0; // stages that the search had to keep
    std::optional<double> freeUs;  // sumUs of the best schedule in the same space that need not keep them
    CostBasis costs;               // simulated latencies: what they omit; complete for latencies of real runs
};

// The layouts in which a schedule executes its tensors, by name. Only images have one; those that are not listed are
// NCHW, as are the inputs of the graph; its outputs are converted to it. Where an operator reads another layout than a
// tensor is written in, a conversion runs before its first reader.
struct StatedLayouts {
    std::vector<std::pair<std::string, TensorLayout>> tensors; // as their operators write them
    std::vector<std::pair<std::string, TensorLayout>> reads;   // by operator; others read what is written, or, where
                                                               // that differs, the layout that they write

    [[nodiscard]] bool empty() const { return tensors.empty() && reads.empty(); } // the device chooses

    friend bool operator==(const StatedLayouts &, const StatedLayouts &) = default;
};

struct Schedule {
    std::vector<Stage> stages;
    std::vector<Timing> stageTimings;     // empty until measured, otherwise one per stage
    std::optional<Timing> timing;         // of the whole schedule
    bool isSumOfStages = false;           // `timing` adds up stages: the whole was never timed
    std::optional<Provenance> provenance; // of the latencies
    std::string device;                   // empty until measured
    std::string calibration;              // simulated devices: what their numbers are based on; otherwise empty
    std::string precision = "fp32";
    std::int64_t batch = 1;
    ModelReference model;
    SearchRecord search;
    StatedLayouts layouts;

    [[nodiscard]] bool hasStageLatencies() const { return !stages.empty() && stageTimings.size() == stages.size(); }
    [[nodiscard]] std::vector<double> stageLatenciesUs() const; // empty until measured
    [[nodiscard]] double sumOfStagesUs() const;                 // 0 until measured
    [[nodiscard]] std::optional<double> latencyUs() const;

    // Work is missing from the latencies: the real ones are at least as high.
    [[nodiscard]] bool leavesOutWork() const { return !search.costs.isComplete(); }
    [[nodiscard]] bool leavesOutWork(const Graph &graph, std::size_t stage) const;
};

} // namespace stagecraft
