#include "search/stages/predictor.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft {

namespace {

// The initial guesses, and how many microseconds of known stages they weigh as much as.
constexpr double kConcurrentShare = 0.25;
constexpr double kInterleavedShare = 0.85;
constexpr double kWeightUs = 50;

} // namespace

Predictor::Predictor(std::span<const StateSpace> spaces, const StageTable &table) : m_spaces(spaces), m_table(table)
{
    m_firstOperator.push_back(0);
    for (std::uint32_t index = 0; index < table.size(); ++index) {
        const StageClass &entry = table.at(index);
        if (entry.strategy == Strategy::Concurrent && table.groups(index).size() == 1) {
            const StateSpace &space = spaces[entry.space];
            for (OperatorSet rest = space.stages[entry.stage].operators; rest != 0; rest &= rest - 1) {
                const std::uint32_t stage = space.concurrent.find(rest & -rest);
                if (stage != OperatorSetIndex::kNone)
                    m_operators.push_back(table.classOf(entry.space, stage));
            }
        }
        m_firstOperator.push_back(static_cast<std::uint32_t>(m_operators.size()));
    }
    m_bySize.resize(table.size());
    std::iota(m_bySize.begin(), m_bySize.end(), 0);
    std::ranges::stable_sort(m_bySize, {}, [&](std::uint32_t index) {
        return std::pair(table.groups(index).size() > 1, table.at(index).operators);
    });
    m_latencyUs.resize(table.size());
    for (const StateSpace &space : spaces)
        m_costs.emplace_back(space.stages.size());
    refresh();
}

void Predictor::learn()
{
    std::array<Ratio, kMost + 1> concurrent, interleaved;
    concurrent.fill({kConcurrentShare * kWeightUs, kWeightUs});
    interleaved.fill({kInterleavedShare * kWeightUs, kWeightUs});
    for (std::uint32_t index = 0; index < m_table.size(); ++index) {
        const StageClass &entry = m_table.at(index);
        if (!entry.known() || !std::isfinite(entry.latencyUs) || entry.strategy == Strategy::Merge ||
            entry.operators == 1)
            continue;
        const auto groups = m_table.groups(index);
        const bool isOneGroup = groups.size() == 1;
        const std::span<const std::uint32_t> parts =
            isOneGroup ? std::span(m_operators)
                             .subspan(m_firstOperator[index], m_firstOperator[index + 1] - m_firstOperator[index])
                       : groups;
        double sum = 0, most = 0;
        const bool allKnown = std::ranges::all_of(parts, [&](std::uint32_t part) {
            sum += m_table.at(part).latencyUs;
            most = std::max(most, m_table.at(part).latencyUs);
            return m_table.at(part).known();
        });
        if (!allKnown || !std::isfinite(sum))
            continue;
        if (isOneGroup) {
            Ratio &ratio = interleaved[std::min(parts.size(), kMost)];
            ratio.over += entry.latencyUs;
            ratio.under += sum;
        } else {
            Ratio &ratio = concurrent[std::min(parts.size(), kMost)];
            ratio.over += entry.latencyUs - most;
            ratio.under += sum - most;
        }
    }
    for (std::size_t i = 0; i <= kMost; ++i) {
        m_concurrent[i] = std::max(0.0, concurrent[i].over / concurrent[i].under);
        m_interleaved[i] = interleaved[i].over / interleaved[i].under;
    }
}

void Predictor::guess(std::uint32_t index)
{
    const StageClass &entry = m_table.at(index);
    if (entry.known() || entry.strategy == Strategy::Merge) {
        m_latencyUs[index] = entry.atLeastUs();
        return;
    }
    double sum = 0, most = 0;
    const auto groups = m_table.groups(index);
    if (groups.size() == 1) {
        const std::size_t count = m_firstOperator[index + 1] - m_firstOperator[index];
        if (count > 1) {
            for (std::size_t i = m_firstOperator[index]; i < m_firstOperator[index + 1]; ++i)
                sum += m_latencyUs[m_operators[i]];
            most = m_interleaved[std::min(count, kMost)] * sum;
        }
    } else {
        for (const std::uint32_t group : groups) {
            sum += m_latencyUs[group];
            most = std::max(most, m_latencyUs[group]);
        }
        most += m_concurrent[std::min(groups.size(), kMost)] * (sum - most);
    }
    m_latencyUs[index] = std::max(entry.boundUs, most);
}

void Predictor::refresh()
{
    learn();
    for (const std::uint32_t index : m_bySize)
        guess(index);
    for (std::size_t s = 0; s < m_spaces.size(); ++s) {
        for (std::uint32_t i = 0; i < m_costs[s].size(); ++i)
            m_costs[s][i] = m_latencyUs[m_table.classOf(s, i)];
    }
    ++m_version;
}

} // namespace stagecraft
