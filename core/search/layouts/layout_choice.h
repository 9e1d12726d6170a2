#pragma once

// The layouts of least total latency for the stages of a schedule, and why an operator does not run as it would be
// fastest alone. An operator takes its latency alone times the factor of its stage: 1, or the latency of the stage in
// the fixed layout divided by the sum of its operators there, so that a stage changes as that sum does. The members of
// a merge read one layout and write one: they are one operator of the search. Conversions take what they take alone.
// Latencies are in microseconds.

#include "schedule/schedule.h"
#include "search/layouts/layout_costs.h"
#include "search/layouts/layout_search.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagecraft {

struct LayoutChoice {
    LayoutCosts costs; // of operators alone and conversions, by the ids of the graph
    std::vector<Stage> stages;
    std::vector<double> factors; // by stage
    LayoutResult found;          // by operator of the graph, too
};

// `stages`: of all operators. `factors`: by stage; empty: 1 each. Errors: those of searchLayouts.
[[nodiscard]] Result<LayoutChoice> chooseLayouts(LayoutCosts costs, std::vector<Stage> stages,
                                                 std::vector<double> factors, const LayoutSearchOptions &options);

// The way that takes least alone, and the one that was chosen.
[[nodiscard]] const LayoutProblem::Choice &fastestAlone(const LayoutProblem &problem, std::size_t op);
[[nodiscard]] const LayoutProblem::Choice &chosenOf(const LayoutProblem &problem, const LayoutAssignment &assignment,
                                                    std::size_t op);

// What would change if the operator, with those that it is merged with, had to run as it is fastest alone.
struct LayoutReason {
    double moreUs = 0;            // of everything; infinity: nothing is possible then
    std::int64_t conversions = 0; // so many more; negative: fewer
    double conversionsUs = 0;     // what they take more
    bool isEstimate = false;      // a search left states out: at most moreUs

    friend bool operator==(const LayoutReason &, const LayoutReason &) = default;
};

// Errors: Cancelled.
[[nodiscard]] Result<LayoutReason> whyNotFastest(const LayoutChoice &choice, OperatorId op,
                                                 const LayoutSearchOptions &options);

} // namespace stagecraft
