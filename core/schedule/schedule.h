#pragma once

// Schedules: the list of stages in which a model runs. Source: IOS (Ding et al., MLSys 2021), section 3.

#include "graph/cost_basis.h"
#include "support/ids.h"
#include "support/provenance.h"
#include "support/timing.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

class Graph;

enum class Strategy {
    Concurrent, // groups run concurrently, the operators of a group one after another
    Merge,      // same type, same input: one bigger operator, then a split
};

[[nodiscard]] std::string_view toString(Strategy strategy); // "concurrent", "merge"
[[nodiscard]] std::optional<Strategy> strategyFromString(std::string_view text);

// A set of operators that runs between two barriers. Normal form: operators of a group ascending, groups ascending by
// their first operator. In a merge stage every operator is a group of one.
struct Stage {
    std::size_t block = 0; // index into the model's blocks
    Strategy strategy = Strategy::Concurrent;
    std::vector<std::vector<OperatorId>> groups;

    [[nodiscard]] std::size_t operatorCount() const;
    // How many chains of kernels run concurrently: a merged stage is one bigger operator.
    [[nodiscard]] std::size_t concurrentGroups() const { return strategy == Strategy::Merge ? 1 : groups.size(); }

    friend bool operator==(const Stage &, const Stage &) = default;
};

// Brings groups and operators into normal form.
[[nodiscard]] Stage normalized(Stage stage);

struct ModelReference {
    std::string name;
    std::string sha256;

    friend bool operator==(const ModelReference &, const ModelReference &) = default;
};

// What the gap of a search rests on beyond bounds that always hold, and how that fared among its own measurements.
struct BoundAssumption {
    std::string text;
    std::int64_t stagesChecked = 0; // measured stages that it says something about
    std::int64_t stagesBroken = 0;  // of them, that took less than it says
    double worst = 0;               // 0.3: one took 1/1.3 of what it says
    double gapWithout = 0;          // the gap that is proved without it; infinity: unknown
    double allowed = 0;             // the gap holds if no stage takes less than 1/(1 + allowed) of what it says

    friend bool operator==(const BoundAssumption &, const BoundAssumption &) = default;
};

// How a search ended.
enum class Termination {
    None,            // there was none: a baseline, an edit
    Optimal,         // nothing of the space is faster
    WithinEpsilon,   // nothing is faster by more than the epsilon that was asked for
    UnderAssumption, // one of these, if SearchRecord::assumption holds
    BoundsBroken,    // searched to the end, but what it left out by an assumption that broke may hide a better one
    InPart,          // blocks too large to search whole
    Budget,          // measurements or time were used up
    Cancelled,
    BaselineKept, // what was found was not faster, in one go, than a baseline: this is the baseline
};

// As in files: "", "optimal", "proved within epsilon", "proved under an assumption", "bounds broken",
// "searched in part", "budget", "cancelled", "baseline kept".
[[nodiscard]] std::string_view toString(Termination termination);
[[nodiscard]] std::optional<Termination> terminationFromString(std::string_view text);

// What produced the schedule, with which options and at what cost; written into schedule files.
struct SearchRecord {
    std::string strategy; // "ios-both", "ios-parallel", "ios-merge", "sequential", "greedy", "edited"
    std::optional<int> r; // none: no bound, 0 in files
    std::optional<int> s;
    bool singleSource = false;
    std::int64_t states = 0;
    std::int64_t transitions = 0;
    std::int64_t stageMeasurements = 0;
    std::int64_t stagesRefused = 0; // of the measurements: the device could not have them, so they were left out
    std::int64_t cacheHits = 0;
    double searchSeconds = 0;
    double measureSeconds = 0;
    // `sumUs` is at most (1 + gap) times the optimum of this space on these latencies. Infinity: unknown, null in
    // files.
    double gap = 0;
    std::optional<BoundAssumption> assumption; // of the gap; none: it rests on bounds that always hold
    Termination termination = Termination::None;
    // What the search minimised: the latencies of its stages and what lies between them. The whole schedule in one go,
    // Schedule::latencyUs, may take another time. 0: not known (files of before).
    double sumUs = 0;
    std::string editedFrom;        // of an edit: what it was made of, "ios-both" or a file
    std::int64_t pinnedStages = 0; // stages that the search had to keep
    std::optional<double> freeUs;  // sumUs of the best schedule of the same space that keeps none of them
    CostBasis costs; // of simulated latencies: what they leave out; complete where latencies are of real runs
};

struct Schedule {
    std::vector<Stage> stages;
    std::vector<Timing> stageTimings;     // empty until measured, else one per stage
    std::optional<Timing> timing;         // of the whole schedule
    bool isSumOfStages = false;           // `timing` adds up stages: the whole was never timed
    std::optional<Provenance> provenance; // of the latencies
    std::string device;                   // empty until measured
    std::string calibration;              // what a simulated device's numbers rest on; empty elsewhere
    std::string precision = "fp32";
    std::int64_t batch = 1;
    ModelReference model;
    SearchRecord search;

    [[nodiscard]] bool hasStageLatencies() const { return !stages.empty() && stageTimings.size() == stages.size(); }
    [[nodiscard]] std::vector<double> stageLatenciesUs() const; // empty until measured
    [[nodiscard]] double sumOfStagesUs() const;                 // 0 until measured
    [[nodiscard]] std::optional<double> latencyUs() const;

    // Work is missing from the latencies: they are at least what is written.
    [[nodiscard]] bool leavesOutWork() const { return !search.costs.isComplete(); }
    [[nodiscard]] bool leavesOutWork(const Graph &graph, std::size_t stage) const;
};

} // namespace stagecraft
