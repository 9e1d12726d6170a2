#include "search/order/learned_order.h"

#include <utility>

namespace stagecraft {

LearnedOrder::LearnedOrder(const Graph &graph, std::vector<StageSample> known)
    : m_features(graph), m_known(std::move(known))
{
    if (m_known.size() >= LatencyModel::kFewest)
        begin(m_known);
}

void LearnedOrder::begin(std::vector<StageSample> samples)
{
    m_fit = std::async(std::launch::async, [samples = std::move(samples)] {
        auto model = LatencyModel::fit(samples);
        return model ? std::move(*model) : nullptr;
    });
}

const LatencyModel *LearnedOrder::model()
{
    if (m_fit.valid()) {
        if (auto fitted = m_fit.get()) {
            m_model = std::move(fitted);
            ++m_version;
        }
    }
    return m_model.get();
}

std::int64_t LearnedOrder::trainedOn() const
{
    return m_model ? static_cast<std::int64_t>(m_model->trainedOn()) : 0;
}

bool LearnedOrder::isWorthwhile(std::size_t answers) const
{
    return answers >= LatencyModel::kFewest && answers > m_fittedTo + m_fittedTo / 3 && !m_fit.valid();
}

void LearnedOrder::learn(std::vector<StageSample> own, std::size_t answers)
{
    m_fittedTo = answers;
    own.insert(own.end(), m_known.begin(), m_known.end());
    if (own.size() >= LatencyModel::kFewest)
        begin(std::move(own));
}

} // namespace stagecraft
