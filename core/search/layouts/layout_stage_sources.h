#pragma once

// Latencies of stages in layouts where nobody has measured them.

#include "graph/graph.h"
#include "schedule/stage_signature.h"
#include "search/layouts/joint_search.h"

#include <cstdint>
#include <unordered_map>

namespace stagecraft {

// For latencies of operators alone, from a file: a stage takes its slowest group, a group its operators one after the
// other, as if groups did not disturb each other. There are no merges.
class SlowestGroupSource : public LayoutStageSource {
public:
    explicit SlowestGroupSource(const LayoutProblem &problem) : m_problem(problem) {}

    [[nodiscard]] Result<std::vector<double>> latenciesUs(const Stage &stage, std::span<const StageLayouts> variants,
                                                          const std::stop_token &stop) override;
    [[nodiscard]] double atLeastUs(const Stage &stage) const override;

private:
    const LayoutProblem &m_problem;
};

// For a source that knows stages in the fixed layout only. A stage is taken to change as the sum of its operators alone
// does: the source's latency times the sum in these layouts, divided by that in the fixed one. Of one operator, or of a
// merge, whose members change alike, that is the assumption about operators itself.
class ProportionalSource : public LayoutStageSource {
public:
    // `problem`: every operator has a latency in the fixed layout.
    ProportionalSource(const Graph &graph, const LayoutProblem &problem, StageLatencySource &source);

    [[nodiscard]] Result<std::vector<double>> latenciesUs(const Stage &stage, std::span<const StageLayouts> variants,
                                                          const std::stop_token &stop) override;
    [[nodiscard]] double atLeastUs(const Stage &stage) const override;
    [[nodiscard]] BoundaryCost boundaryCost() const override { return m_source.boundaryCost(); }

    [[nodiscard]] std::int64_t asked() const { return static_cast<std::int64_t>(m_known.size()); } // distinct stages

private:
    [[nodiscard]] double ratio(double sumUs, const Stage &stage) const;

    const LayoutProblem &m_problem;
    StageLatencySource &m_source;
    StageSigner m_signer;
    std::vector<double> m_leastUs; // by operator, in any layouts
    std::vector<double> m_fixedUs; // by operator
    std::unordered_map<StageSignature, double> m_known;
};

} // namespace stagecraft
