#include "flow/kit/stage_guesses.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kConcurrentShare = 0.25; // of what the slowest group leaves over, where the simulation tells nothing

bool isOneGroup(const Stage &stage)
{
    return stage.groups.size() == 1;
}

// The groups, or the operators of the only one; of a merge its operators.
std::vector<Stage> partsIn(const Stage &stage)
{
    std::vector<Stage> parts;
    for (const std::vector<OperatorId> &group : stage.groups) {
        if (!stage.isMerged() && !isOneGroup(stage)) {
            parts.push_back({stage.block, Strategy::Concurrent, {group}});
            continue;
        }
        for (const OperatorId id : group)
            parts.push_back(stageAlone(id, stage.block));
    }
    return parts;
}

double ratio(double over, double under)
{
    return under > 0 ? over / under : 1;
}

} // namespace

StageGuesses::StageGuesses(std::shared_ptr<const Graph> graph, const KnownStages &known, DeviceSession &like)
    : m_graph(std::move(graph)), m_known(known), m_like(like), m_signer(*m_graph)
{
    learn();
}

double StageGuesses::latencyUs(const Stage &stage, const StageSignature &signature)
{
    if (const auto known = m_known.latencyUs(signature); known && std::isfinite(*known))
        return *known;
    if (const auto found = m_guessed.find(signature); found != m_guessed.end())
        return found->second;
    const double us = guess(stage);
    m_guessed.emplace(signature, us);
    return us;
}

double StageGuesses::slowestGroupUs(const Stage &stage)
{
    if (stage.isMerged() || isOneGroup(stage))
        return 0;
    return partsOf(stage).mostUs;
}

// Operators alone first: guesses of the others stand on them.
void StageGuesses::learn()
{
    for (const Stage &stage : m_known.measured()) {
        if (stage.operatorCount() == 1) {
            m_alone.over += *m_known.latencyUs(m_signer.sign(stage));
            m_alone.under += simulatedUs(stage);
        }
    }
    Factor concurrent, chained, merged;
    for (const bool ofGroups : {false, true}) {
        for (const Stage &stage : m_known.measured()) {
            const bool isConcurrent = !stage.isMerged() && !isOneGroup(stage);
            if (stage.operatorCount() == 1 || isConcurrent != ofGroups)
                continue;
            const double us = *m_known.latencyUs(m_signer.sign(stage));
            const double guessedUs = guess(stage);
            const double mostUs = isConcurrent ? partsOf(stage).mostUs : 0;
            Factor &factor = isConcurrent ? concurrent : stage.isMerged() ? merged : chained;
            factor.over += us - mostUs;
            factor.under += guessedUs - mostUs;
        }
        m_guessed.clear();
        m_chained = chained;
        m_merged = merged;
    }
    concurrent.over = std::max(concurrent.over, 0.0);
    m_concurrent = concurrent;
}

double StageGuesses::simulatedUs(const Stage &stage)
{
    const auto latency = m_like.stageLatency(stage, {});
    return latency ? latency->timing.latencyUs : 0;
}

StageGuesses::Parts StageGuesses::partsOf(const Stage &stage)
{
    Parts parts;
    for (const Stage &part : partsIn(stage)) {
        const double us = guessOf(part);
        const double simulated = simulatedUs(part);
        parts.sumUs += us;
        parts.mostUs = std::max(parts.mostUs, us);
        parts.simulatedSumUs += simulated;
        parts.simulatedMostUs = std::max(parts.simulatedMostUs, simulated);
    }
    return parts;
}

double StageGuesses::guess(const Stage &stage)
{
    const double simulated = simulatedUs(stage);
    if (stage.operatorCount() == 1)
        return std::max(simulated, 1e-3) * m_alone.value();
    const Parts parts = partsOf(stage);
    if (stage.isMerged() || isOneGroup(stage)) {
        const double share = simulated > 0 ? ratio(simulated, parts.simulatedSumUs) : 1;
        return parts.sumUs * share * (stage.isMerged() ? m_merged : m_chained).value();
    }
    const double left = parts.simulatedSumUs - parts.simulatedMostUs;
    const double share =
        simulated > 0 && left > 0 ? std::clamp((simulated - parts.simulatedMostUs) / left, 0.0, 1.5) : kConcurrentShare;
    return parts.mostUs + share * m_concurrent.value() * (parts.sumUs - parts.mostUs);
}

} // namespace stagecraft
