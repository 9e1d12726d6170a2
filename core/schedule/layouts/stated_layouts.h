#pragma once

// A schedule that states layouts, as an executing device takes it: a graph whose tensors state them, with conversions
// as operators, and a schedule of that graph, with conversions as stages.

#include "graph/graph.h"
#include "schedule/layouts/layout_problem.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

// What a schedule has to state to be executed in these layouts. Conversions by way of a third layout become direct
// ones. Errors: InvalidInput, naming a layout that no device executes.
[[nodiscard]] Result<StatedLayouts> statedLayouts(const Graph &graph, const LayoutProblem &problem,
                                                  const LayoutAssignment &assignment);

class LaidOutSchedule {
public:
    // Names that the graph does not have are left out: it may be a part of the one that the layouts are for. Errors:
    // those of laidOut.
    [[nodiscard]] static Result<LaidOutSchedule> make(const Graph &graph, const StatedLayouts &layouts);

    [[nodiscard]] const std::shared_ptr<const Graph> &graph() const { return m_graph; }

    // Conversions between operators of the stage are in their group; others are not part of it.
    [[nodiscard]] Stage stage(const Stage &stage) const;

    struct Stages {
        std::vector<Stage> stages;
        std::vector<std::size_t> of;    // by stage: the one of the schedule that it is, or that it converts for
        std::vector<bool> isConversion; // by stage
    };
    // Conversions run one after the other before the first stage that needs them; those of outputs at the end.
    [[nodiscard]] Stages stages(std::span<const Stage> stages) const;

    // The operator of the original graph; for a conversion, the one that reads it first, or that writes the output.
    [[nodiscard]] OperatorId original(OperatorId id) const { return m_originals[id.index()]; }

private:
    [[nodiscard]] bool isConversion(OperatorId id) const { return m_isConversion[id.index()]; }

    std::shared_ptr<const Graph> m_graph;
    std::vector<OperatorId> m_ids;       // by operator of the original graph
    std::vector<OperatorId> m_originals; // by operator of the new one
    std::vector<bool> m_isConversion;    // the same
};

} // namespace stagecraft
