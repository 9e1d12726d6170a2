#include "flow/co_run/request_queue.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace stagecraft {
namespace {

constexpr double kUsPerSecond = 1e6;
constexpr double kMostWaiting = 0.02; // of all requests, when the last one arrives

using Times = std::vector<double>;

std::array<Times, 2> arrivalTimes(const QueueArrivals &arrivals)
{
    const double fastest = std::max(arrivals.perSecond[0], arrivals.perSecond[1]);
    const double endUs = static_cast<double>(arrivals.requests) / fastest * kUsPerSecond;
    std::array<Times, 2> times;
    for (std::size_t model = 0; model < times.size(); ++model) {
        // The standard says which numbers the engine draws, but not those of its distributions.
        std::mt19937_64 random(arrivals.seed + model);
        const auto gapUs = [&] {
            const double drawn = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
            return -std::log(drawn) / arrivals.perSecond[model] * kUsPerSecond;
        };
        for (double us = gapUs(); us < endUs; us += gapUs())
            times[model].push_back(us);
    }
    return times;
}

TailLatency tailOf(Times latencies)
{
    if (latencies.empty())
        return {};
    std::ranges::sort(latencies);
    const auto percentile = [&](double share) {
        const double last = static_cast<double>(latencies.size() - 1);
        return latencies[static_cast<std::size_t>(std::ceil(share * last))];
    };
    return {latencies.size(), percentile(0.5), percentile(0.99)};
}

class Server {
public:
    Server(const QueueService &service, std::array<Times, 2> arrivals)
        : m_service(service), m_arrivals(std::move(arrivals))
    {
    }

    QueueAnswer serve()
    {
        while (isLeft(0) || isLeft(1)) {
            const double arrivesUs = std::min(nextUs(0), nextUs(1));
            m_nowUs = std::max(m_nowUs, arrivesUs);
            const bool isBoth = nextUs(0) <= m_nowUs && nextUs(1) <= m_nowUs;
            if (isBoth && m_service.together)
                serveTogether(*m_service.together);
            else
                serveAlone(nextUs(0) <= nextUs(1) ? 0 : 1);
        }
        QueueAnswer answer;
        for (std::size_t model = 0; model < 2; ++model)
            answer.models[model] = tailOf(m_latencies[model]);
        answer.busyShare = m_nowUs > 0 ? m_busyUs / m_nowUs : 0;
        const auto all = static_cast<double>(m_arrivals[0].size() + m_arrivals[1].size());
        answer.isOverloaded = all > 0 && static_cast<double>(waitingAtTheEnd()) > kMostWaiting * all;
        return answer;
    }

private:
    [[nodiscard]] bool isLeft(std::size_t model) const { return m_served[model] < m_arrivals[model].size(); }
    [[nodiscard]] double nextUs(std::size_t model) const
    {
        return isLeft(model) ? m_arrivals[model][m_served[model]] : HUGE_VAL;
    }

    void finish(std::size_t model, double endUs)
    {
        m_latencies[model].push_back(m_nowUs + endUs - m_arrivals[model][m_served[model]]);
        ++m_served[model];
    }

    void serveTogether(const QueueService::Together &together)
    {
        finish(0, together.endsUs[0]);
        finish(1, together.endsUs[1]);
        pass(together.us);
    }

    void serveAlone(std::size_t model)
    {
        finish(model, m_service.aloneUs[model]);
        pass(m_service.aloneUs[model]);
    }

    void pass(double us)
    {
        m_nowUs += us;
        m_busyUs += us;
    }

    // Requests without a result when the last one arrives.
    [[nodiscard]] std::size_t waitingAtTheEnd() const
    {
        double lastUs = 0;
        for (const Times &times : m_arrivals)
            lastUs = times.empty() ? lastUs : std::max(lastUs, times.back());
        std::size_t waiting = 0;
        for (std::size_t model = 0; model < 2; ++model) {
            for (std::size_t i = 0; i < m_latencies[model].size(); ++i)
                waiting += m_arrivals[model][i] + m_latencies[model][i] > lastUs ? 1 : 0;
        }
        return waiting;
    }

    const QueueService &m_service;
    std::array<Times, 2> m_arrivals;
    std::array<Times, 2> m_latencies;
    std::array<std::size_t, 2> m_served{};
    double m_nowUs = 0;
    double m_busyUs = 0;
};

} // namespace

QueueAnswer simulateQueue(const QueueService &service, const QueueArrivals &arrivals)
{
    return Server(service, arrivalTimes(arrivals)).serve();
}

} // namespace stagecraft
