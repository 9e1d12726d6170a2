#include "search/layouts/layout_stage_sources.h"

#include "schedule/stage_groups.h"

#include <algorithm>

namespace stagecraft {
namespace {

double latencyIn(const LayoutProblem::Operator &op, LayoutPair layouts)
{
    const auto found = std::ranges::find(op.choices, layouts, &LayoutProblem::Choice::layouts);
    double us = kImpossible;
    if (found != op.choices.end())
        us = found->latencyUs;
    return us;
}

double leastUs(const LayoutProblem::Operator &op)
{
    double least = kImpossible;
    for (const LayoutProblem::Choice &choice : op.choices)
        least = std::min(least, choice.latencyUs);
    return least;
}

// The slowest group, when operator number i of the stage, in ascending order, takes usOf(id, i).
template <typename LatencyOf>
double slowestGroupUs(const Stage &stage, std::span<const OperatorId> operators, const LatencyOf &usOf)
{
    double slowest = 0;
    for (const auto &group : stage.groups) {
        double us = 0;
        for (const OperatorId id : group)
            us += usOf(id, static_cast<std::size_t>(std::ranges::lower_bound(operators, id) - operators.begin()));
        slowest = std::max(slowest, us);
    }
    return slowest;
}

} // namespace

Result<std::vector<double>> SlowestGroupSource::latenciesUs(const Stage &stage, std::span<const StageLayouts> variants,
                                                            const std::stop_token &)
{
    if (stage.isMerged())
        return std::vector<double>(variants.size(), kImpossible);
    const std::vector<OperatorId> operators = operatorsOf(stage);
    std::vector<double> result;
    result.reserve(variants.size());
    for (const StageLayouts &layouts : variants)
        result.push_back(slowestGroupUs(stage, operators, [&](OperatorId id, std::size_t member) {
            return latencyIn(m_problem.operators[id.index()], layouts[member]);
        }));
    return result;
}

double SlowestGroupSource::atLeastUs(const Stage &stage) const
{
    if (stage.isMerged())
        return kImpossible;
    return slowestGroupUs(stage, operatorsOf(stage),
                          [&](OperatorId id, std::size_t) { return leastUs(m_problem.operators[id.index()]); });
}

ProportionalSource::ProportionalSource(const Graph &graph, const LayoutProblem &problem, StageLatencySource &source)
    : m_problem(problem), m_source(source), m_signer(graph)
{
    for (const LayoutProblem::Operator &op : problem.operators) {
        m_leastUs.push_back(leastUs(op));
        m_fixedUs.push_back(latencyIn(op, {problem.fixed, problem.fixed}));
    }
}

double ProportionalSource::ratio(double sumUs, const Stage &stage) const
{
    double fixedUs = 0;
    for (const auto &group : stage.groups) {
        for (const OperatorId id : group)
            fixedUs += m_fixedUs[id.index()];
    }
    return fixedUs > 0 ? sumUs / fixedUs : 1; // operators that take no time change nothing
}

Result<std::vector<double>> ProportionalSource::latenciesUs(const Stage &stage, std::span<const StageLayouts> variants,
                                                            const std::stop_token &stop)
{
    const auto [known, fresh] = m_known.try_emplace(m_signer.sign(stage), kImpossible);
    if (fresh) {
        const auto latency = m_source.stageLatency({stage, known->first}, stop);
        if (!latency && latency.error().code != ErrorCode::DeviceFailed)
            return tl::unexpected(latency.error());
        if (latency)
            known->second = latency->timing.latencyUs;
    }
    const std::vector<OperatorId> operators = operatorsOf(stage);
    std::vector<double> result;
    result.reserve(variants.size());
    for (const StageLayouts &layouts : variants) {
        double sumUs = 0;
        for (std::size_t member = 0; member < operators.size(); ++member)
            sumUs += latencyIn(m_problem.operators[operators[member].index()], layouts[member]);
        result.push_back(known->second * ratio(sumUs, stage));
    }
    return result;
}

double ProportionalSource::atLeastUs(const Stage &stage) const
{
    double sumUs = 0;
    for (const auto &group : stage.groups) {
        for (const OperatorId id : group)
            sumUs += m_leastUs[id.index()];
    }
    return m_source.lowerBoundUs(stage) * ratio(sumUs, stage);
}

} // namespace stagecraft
