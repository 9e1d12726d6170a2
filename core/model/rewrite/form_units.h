#pragma once

// Forms schedule units from the operators of a model file, by the passes of model/rewrite/pass.h. A unit is named after
// its convolution (the pointwise one of a SepConv) or, without one, after the operator that makes its output.

#include "graph/graph.h"
#include "graph/model_reference.h"
#include "model/rewrite/pass.h"
#include "model/rewrite/pass_step.h"
#include "support/result.h"
#include "support/work_budget.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct FormedUnits {
    Graph graph;
    std::vector<PassReport> reports; // of the passes that ran, in their order
};

// Operators named in `keptApart` stay units of their own, as the model file asks, and those that the reading has apart.
// `work`: asked between passes whether to go on (Cancelled); each takes time in proportion to the graph.
[[nodiscard]] Result<FormedUnits> formUnits(Graph graph, const std::set<std::string> &keptApart = {},
                                            const Reading &reading = {}, const WorkBudget *work = nullptr);

// The same, with a look at the graph before and after each run of one pass that took operators away: none if it took
// none or does not run, two where remove-dead did so as the first and on what the others left.
[[nodiscard]] std::vector<PassStep> passSteps(Graph graph, const std::set<std::string> &keptApart,
                                              const Reading &reading, std::string_view pass);

} // namespace stagecraft
