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

Predictor::Predictor(std::span<const StateSpace> spaces, const StageTable &table, LearnedOrder *order)
    : m_spaces(spaces), m_table(table), m_order(order), m_ratios(table.size(), 0.0F)
{
    m_firstOperator.push_back(0);
    for (std::uint32_t index = 0; index < table.size(); ++index) {
        const StageClass &entry = table.at(index);
        if (entry.strategy != Strategy::Concurrent || table.groups(index).size() == 1) {
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

std::span<const std::uint32_t> Predictor::parts(std::uint32_t index) const
{
    if (m_table.groups(index).size() > 1)
        return m_table.groups(index);
    return std::span(m_operators).subspan(m_firstOperator[index], m_firstOperator[index + 1] - m_firstOperator[index]);
}

bool Predictor::allKnown(std::span<const std::uint32_t> parts) const
{
    return std::ranges::all_of(parts, [this](std::uint32_t part) {
        return m_table.at(part).known() && std::isfinite(m_table.at(part).latencyUs);
    });
}

std::vector<double> Predictor::partsUs(std::uint32_t index) const
{
    const auto inside = parts(index);
    std::size_t operators = 0;
    for (const std::uint32_t part : inside)
        operators += m_table.at(part).operators;
    std::vector<double> us;
    if (operators == m_table.at(index).operators && operators > 1) {
        for (const std::uint32_t part : inside)
            us.push_back(m_latencyUs[part]);
    }
    return us;
}

void Predictor::learn()
{
    std::array<Ratio, kMost + 1> concurrent, interleaved;
    concurrent.fill({kConcurrentShare * kWeightUs, kWeightUs});
    interleaved.fill({kInterleavedShare * kWeightUs, kWeightUs});
    for (std::uint32_t index = 0; index < m_table.size(); ++index) {
        const StageClass &entry = m_table.at(index);
        if (!entry.known() || !std::isfinite(entry.latencyUs) || entry.strategy != Strategy::Concurrent ||
            entry.operators == 1)
            continue;
        const auto inside = parts(index);
        if (!allKnown(inside))
            continue;
        double sum = 0, most = 0;
        for (const std::uint32_t part : inside) {
            sum += m_table.at(part).latencyUs;
            most = std::max(most, m_table.at(part).latencyUs);
        }
        if (m_table.groups(index).size() == 1) {
            Ratio &ratio = interleaved[std::min(inside.size(), kMost)];
            ratio.over += entry.latencyUs;
            ratio.under += sum;
        } else {
            Ratio &ratio = concurrent[std::min(inside.size(), kMost)];
            ratio.over += entry.latencyUs - most;
            ratio.under += sum - most;
        }
    }
    for (std::size_t i = 0; i <= kMost; ++i) {
        m_concurrent[i] = std::max(0.0, concurrent[i].over / concurrent[i].under);
        m_interleaved[i] = interleaved[i].over / interleaved[i].under;
    }
}

// Stages of which all parts are known, too.
void Predictor::teach()
{
    std::vector<std::uint32_t> tell;
    for (std::uint32_t index = 0; index < m_table.size(); ++index) {
        const StageClass &entry = m_table.at(index);
        if (entry.known() && std::isfinite(entry.latencyUs) && allKnown(parts(index)))
            tell.push_back(index);
    }
    if (!m_order->isWorthwhile(tell.size()))
        return;
    std::vector<StageSample> samples;
    for (const std::uint32_t index : tell) {
        if (const auto us = partsUs(index); !us.empty())
            samples.push_back(sampleOf(m_order->features(), m_table.stage(index), us, m_table.at(index).latencyUs));
    }
    m_order->learn(std::move(samples), tell.size());
}

void Predictor::compareWithParts(const LatencyModel &model)
{
    compareWithParts(model, false);
    for (const std::uint32_t index : m_bySize)
        guess(index);
    compareWithParts(model, true);
}

void Predictor::compareWithParts(const LatencyModel &model, bool concurrent)
{
    std::vector<std::uint32_t> asked;
    std::vector<float> features;
    for (std::uint32_t index = 0; index < m_table.size(); ++index) {
        const bool isConcurrent = m_table.groups(index).size() > 1;
        const auto us =
            m_table.at(index).known() || isConcurrent != concurrent ? std::vector<double>{} : partsUs(index);
        if (us.empty() || !std::ranges::all_of(us, [](double part) { return std::isfinite(part); }))
            continue;
        asked.push_back(index);
        m_order->features().append(m_table.stage(index), features);
        StageFeatures::appendParts(us, features);
    }
    if (const auto ratios = model.ratios(features)) {
        for (std::size_t i = 0; i < asked.size(); ++i)
            m_ratios[asked[i]] = (*ratios)[i];
    }
}

void Predictor::guess(std::uint32_t index)
{
    const StageClass &entry = m_table.at(index);
    if (!entry.known() && m_ratios[index] > 0) {
        const double us = guessFromParts(formOf(entry.strategy, m_table.groups(index).size()), partsUs(index));
        m_latencyUs[index] = std::max(entry.boundUs, us * static_cast<double>(m_ratios[index]));
        return;
    }
    if (entry.known() || entry.strategy != Strategy::Concurrent) {
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
    const LatencyModel *model = m_order ? m_order->model() : nullptr;
    if (model && m_order->version() != m_orderVersion) {
        m_orderVersion = m_order->version();
        for (const std::uint32_t index : m_bySize)
            guess(index);
        compareWithParts(*model);
    }
    for (const std::uint32_t index : m_bySize)
        guess(index);
    if (m_order)
        teach();
    for (std::size_t s = 0; s < m_spaces.size(); ++s) {
        for (std::uint32_t i = 0; i < m_costs[s].size(); ++i)
            m_costs[s][i] = m_latencyUs[m_table.classOf(s, i)];
    }
    ++m_version;
}

} // namespace stagecraft
