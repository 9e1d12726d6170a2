#include "every_sm_simulator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace stagecraft::test {

namespace {

struct RunningBlock {
    std::size_t launch;
    double remaining = 1;
    double rate = 0;
};

using Sm = std::vector<RunningBlock>;

double throughput(const SmLimits &limits, double warps) // per SM, at most 1
{
    const double share = std::min(1.0, warps / limits.saturatingWarps);
    return 1 - (1 - share) * (1 - share);
}

bool fits(const SmLimits &limits, std::span<const Launch> launches, const Sm &sm, const Kernel &kernel)
{
    std::int64_t warps = kernel.warpsPerBlock();
    std::int64_t registers = std::int64_t{kernel.threadsPerBlock} * kernel.registersPerThread;
    std::int64_t sharedBytes = kernel.sharedBytesPerBlock;
    for (const RunningBlock &block : sm) {
        const Kernel &other = *launches[block.launch].kernel;
        warps += other.warpsPerBlock();
        registers += std::int64_t{other.threadsPerBlock} * other.registersPerThread;
        sharedBytes += other.sharedBytesPerBlock;
    }
    return static_cast<int>(sm.size()) < limits.blocks && warps <= limits.warps && registers <= limits.registers &&
           sharedBytes <= limits.sharedBytes;
}

class Simulation {
public:
    Simulation(const SmLimits &limits, std::span<const Launch> launches)
        : m_limits(limits), m_launches(launches), m_sms(static_cast<std::size_t>(limits.smCount)),
          m_undispatched(launches.size()), m_running(launches.size()), m_ready(launches.size(), -1),
          m_ended(launches.size(), -1)
    {
        for (std::size_t i = 0; i < launches.size(); ++i)
            m_undispatched[i] = launches[i].kernel->blocks();
    }

    double finish()
    {
        while (std::ranges::any_of(m_ended, [](double end) { return end < 0; })) {
            noteReady();
            dispatch();
            setRates();
            step();
        }
        return m_now;
    }

private:
    double warps(std::size_t launch) const { return m_launches[launch].kernel->warpsPerBlock(); }
    double work(std::size_t launch) const { return m_launches[launch].kernel->smNsPerBlock; }
    // Blocks per ns, with so much of the throughput of an SM.
    double rate(std::size_t launch, double throughputOfBlock) const
    {
        return 1 / (work(launch) / throughputOfBlock + m_launches[launch].kernel->latencyNsPerBlock);
    }

    void noteReady()
    {
        for (std::size_t i = 0; i < m_launches.size(); ++i) {
            double from = m_launches[i].arrivalNs;
            bool blocked = false;
            for (std::size_t before = 0; before < i; ++before) {
                if (m_launches[before].stream == m_launches[i].stream) {
                    blocked = blocked || m_ended[before] < 0;
                    from = std::max(from, m_ended[before]);
                }
            }
            m_ready[i] = blocked ? -1 : from + m_limits.rampNs;
        }
    }

    void dispatch()
    {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < m_launches.size(); ++i) {
            if (m_ready[i] >= 0 && m_ready[i] <= m_now && m_undispatched[i] > 0)
                order.push_back(i);
        }
        std::ranges::stable_sort(order, {}, [this](std::size_t i) { return m_ready[i]; });
        const auto load = [this](const Sm &sm) {
            return std::accumulate(sm.begin(), sm.end(), 0.0,
                                   [this](double sum, const RunningBlock &b) { return sum + warps(b.launch); });
        };
        for (const std::size_t launch : order) {
            while (m_undispatched[launch] > 0) {
                Sm *best = nullptr;
                for (Sm &sm : m_sms) {
                    if (fits(m_limits, m_launches, sm, *m_launches[launch].kernel) && (!best || load(sm) < load(*best)))
                        best = &sm;
                }
                if (!best)
                    return;
                best->push_back({launch});
                --m_undispatched[launch];
                ++m_running[launch];
            }
        }
    }

    // The share of the blocks of each launch that bandwidth allows, at most 1.
    std::vector<double> slowdowns(const std::vector<double> &demand, const std::vector<double> &weight) const
    {
        std::vector<double> slowdown(m_launches.size(), 1);
        const auto limitBy = [&](double capacity, double Kernel::*bytes) {
            const auto used = [&](double perWarp) {
                double sum = 0;
                for (std::size_t i = 0; i < m_launches.size(); ++i)
                    sum += std::min(demand[i] * (m_launches[i].kernel->*bytes), perWarp * weight[i]);
                return sum;
            };
            double low = 0;
            double high = capacity;
            if (used(high) <= capacity)
                return;
            for (int i = 0; i < 200; ++i) {
                const double middle = (low + high) / 2;
                (used(middle) < capacity ? low : high) = middle;
            }
            for (std::size_t i = 0; i < m_launches.size(); ++i) {
                const double need = demand[i] * (m_launches[i].kernel->*bytes);
                if (need > low * weight[i])
                    slowdown[i] = std::min(slowdown[i], low * weight[i] / need);
            }
        };
        limitBy(m_limits.dramBytesPerNs, &Kernel::dramBytesPerBlock);
        limitBy(m_limits.l2BytesPerNs, &Kernel::l2BytesPerBlock);
        return slowdown;
    }

    void setRates()
    {
        std::vector<double> demand(m_launches.size());
        std::vector<double> weight(m_launches.size());
        for (Sm &sm : m_sms) {
            double resident = 0;
            for (const RunningBlock &block : sm)
                resident += warps(block.launch);
            for (RunningBlock &block : sm) {
                block.rate = rate(block.launch, throughput(m_limits, resident) * warps(block.launch) / resident);
                demand[block.launch] += block.rate;
                weight[block.launch] += warps(block.launch);
            }
        }
        const std::vector<double> slowdown = slowdowns(demand, weight);
        for (Sm &sm : m_sms) {
            double unused = 0;
            double hungry = 0;
            for (RunningBlock &block : sm) {
                if (slowdown[block.launch] < 1)
                    unused += (1 - slowdown[block.launch]) * block.rate * work(block.launch);
                else
                    hungry += warps(block.launch);
                block.rate *= slowdown[block.launch];
            }
            for (RunningBlock &block : sm) {
                if (slowdown[block.launch] < 1 || unused <= 0)
                    continue;
                const double share = warps(block.launch) / hungry;
                const double own = rate(block.launch, throughput(m_limits, hungry) * share);
                block.rate = std::max(block.rate, std::min(own, block.rate + unused * share / work(block.launch)));
            }
        }
    }

    void step()
    {
        double next = std::numeric_limits<double>::infinity();
        for (const Sm &sm : m_sms) {
            for (const RunningBlock &block : sm)
                next = std::min(next, m_now + block.remaining / block.rate);
        }
        for (std::size_t i = 0; i < m_launches.size(); ++i) {
            if (m_ready[i] > m_now && m_undispatched[i] > 0)
                next = std::min(next, m_ready[i]);
        }
        for (Sm &sm : m_sms) {
            for (RunningBlock &block : sm)
                block.remaining -= block.rate * (next - m_now);
            std::erase_if(sm, [this](const RunningBlock &block) {
                const bool done = block.remaining <= 1e-9;
                m_running[block.launch] -= done ? 1 : 0;
                return done;
            });
        }
        m_now = next;
        for (std::size_t i = 0; i < m_launches.size(); ++i) {
            if (m_ended[i] < 0 && m_undispatched[i] == 0 && m_running[i] == 0)
                m_ended[i] = m_now;
        }
    }

    const SmLimits &m_limits;
    std::span<const Launch> m_launches;
    std::vector<Sm> m_sms;
    std::vector<std::int64_t> m_undispatched;
    std::vector<std::int64_t> m_running;
    std::vector<double> m_ready; // -1: unknown
    std::vector<double> m_ended; // -1: running
    double m_now = 0;
};

} // namespace

double runEverySm(const SmLimits &limits, std::span<const Launch> launches)
{
    return Simulation(limits, launches).finish();
}

} // namespace stagecraft::test
