#pragma once

// Stages and layouts chosen together.
//
// Given: a graph in blocks, the stages that r, s and the strategies allow, layouts 1..L, which pairs (in, out) each
// operator can read and write, what conversions of each tensor take, and T(X, l): the latency of stage X when operator
// v of it reads and writes l(v). Wanted: the schedule and the layouts of least
//
//     sum of T(X, l)  +  sum of the conversions  +  sum of the boundaries.
//
// Inside a stage a tensor is read in the layout in which it is written; the members of a merge have one pair. What a
// stage reads from outside has to be there in the layouts that it is read in: conversions run before the stage, one
// after the other, each as a stage of its own, with the boundaries between them. Only those run of which the stage
// reads the copy, or of which such a copy is made; a copy stays for every later reader. Graph inputs come in the fixed
// layout; behind the last stage the outputs are converted to it.
//
// What is still to come depends on what is done and which copies exist, so the dynamic program over endings (search.h)
// gets a larger state: (S, copies of the tensors live across S, whether the last stage was concurrent). With two
// layouts a tensor has at most three sets of copies. For each stage only the layouts of the tensors that cross its ends
// matter; of the variants that agree in these the fastest counts.
//
// Bounds. Without conversions, and with every stage in its best layouts, what remains takes at least
//
//     h(S, c) = min over stages X that can follow of  boundary(c, X) + min over l of T(X, l) + h(S + X, X concurrent).
//
// h is a shortest path over the states S alone. As in the lazy search, the latency of a stage is replaced by a lower
// bound until it lies on the best path; then its layouts are evaluated, and so on until the whole path is: h at the
// start is then a lower bound of everything. A state of the joint program at cost g is dropped if g + h exceeds the
// best known result; that result comes from alternation: layouts first (searchLayouts on operators alone) and the best
// stages for them, stages first (all tensors in the fixed layout) and the best layouts for them, the better of both
// improved in turn until nothing changes. Each step keeps the result before it in its space, so it never gets worse,
// and the end is never worse than either order. If the joint program then ends within its limits, its result is proved;
// otherwise the alternation's stands, with the gap to the bound.

#include "graph/block.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "schedule/stage_latency_source.h"
#include "search/layouts/layout_search.h"
#include "search/options.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace stagecraft {

// One pair for each operator of a stage, in ascending order of operators.
using StageLayouts = std::vector<LayoutPair>;

// What stages take in which layouts.
class LayoutStageSource {
public:
    virtual ~LayoutStageSource() = default;

    // One latency for each of `variants`; infinity: the device has none. Errors: Cancelled, and what ends the search.
    [[nodiscard]] virtual Result<std::vector<double>>
    latenciesUs(const Stage &stage, std::span<const StageLayouts> variants, const std::stop_token &stop) = 0;

    // At most what the stage takes in any layouts, without asking; 0 if nothing is known.
    [[nodiscard]] virtual double atLeastUs(const Stage &) const { return 0; }

    [[nodiscard]] virtual BoundaryCost boundaryCost() const { return {}; }
};

// Called now and then with what is being done ("layouts, then stages", "stages and layouts together") and the number of
// states so far.
using JointProgress = std::function<void(const char *step, std::int64_t states)>;

struct JointOptions {
    SearchOptions search;                // r, s, strategies, pinned stages
    std::size_t maxStates = 3'000'000;   // of the joint program; 0: alternation alone
    std::size_t maxStatesOfSet = 20'000; // alternation: so many sets of copies of each S; the cheapest stay
    // A stage that has more is tried in those in which its operators write the layout that they read; nothing is proved
    // then.
    std::size_t maxLayoutsOfStage = 1U << 18U;
    JointProgress progress = {};
    std::stop_token stop = {};
};

struct JointResult {
    std::vector<Stage> stages;
    LayoutAssignment layouts; // its latency is that of the whole
    double lowerBoundUs = 0;  // of any schedule in any layouts; the latency where it is proved
    bool proved = false;
    double layoutsThenStagesUs = kImpossible; // infinity: that order ends in layouts that some stage does not have
    double stagesThenLayoutsUs = kImpossible;
    int rounds = 0;                   // of alternation, until nothing changed
    std::int64_t states = 0;          // of the joint program
    std::int64_t transitions = 0;     // looked at by it
    std::int64_t stagesEvaluated = 0; // in all their layouts; searches for given layouts try more in those
    std::int64_t stagesOfSpace = 0;
};

// Errors: InvalidInput (a block too large to be searched whole; no assignment is possible, as searchLayouts says it; a
// stage with too many layouts), Cancelled, and the source's.
[[nodiscard]] Result<JointResult> searchJointly(const Graph &graph, const Blocks &blocks, const LayoutProblem &problem,
                                                LayoutStageSource &source, const JointOptions &options);

} // namespace stagecraft
