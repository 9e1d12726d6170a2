#include "observed_bounds.h"

#include "device/simulated/lowering.h"
#include "graph/cost_basis.h"
#include "support/graph_making.h"
#include "timing/timeline/timeline.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <thread>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kSameLatency = 1e-6; // times are whole nanoseconds
constexpr double kRoundingUs = 0.002;
constexpr std::chrono::microseconds kAnswer{100};

// The integral of a counter over a kernel, in its unit times microseconds.
double integral(const CounterSeries &series, std::int64_t fromNs, std::int64_t toNs)
{
    double sum = 0;
    for (std::size_t i = 0; i < series.timesNs.size(); ++i) {
        const std::int64_t begin = std::max(fromNs, series.timesNs[i]);
        const std::int64_t end = std::min(toNs, i + 1 < series.timesNs.size() ? series.timesNs[i + 1] : toNs);
        if (begin < end)
            sum += series.values[i] * static_cast<double>(end - begin) / 1000;
    }
    return sum;
}

} // namespace

ObservedBounds::ObservedBounds(std::unique_ptr<DeviceSession> session, const DeviceDescription &device,
                               const Graph &graph, const TimedSchedule &sequential, ObservedParts parts)
    : m_session(std::move(session)), m_limits(limitsOf(device)), m_needs(graph.size()), m_parts(parts),
      m_graph(graph), m_checks{{.what = "groups"},   {.what = "active SMs"}, {.what = "warps"},     {.what = "DRAM"},
                               {.what = "launches"}, {.what = "ordered"},    {.what = "host order"}}
{
    const Timeline timeline = test::take(m_session->timeline(sequential, {}));
    const CounterSeries &sms = *timeline.counter("SM active");
    const CounterSeries &warps = *timeline.counter("active warps");
    const CounterSeries &dram = *timeline.counter("DRAM bandwidth");
    const double dramBytesPerUs = device.dramGbPerSecond * device.dramEfficiency * 1e3;
    for (const KernelSpan &kernel : timeline.kernels) {
        Needs &needs = m_needs[kernel.operators.front().index()];
        const double spanUs = static_cast<double>(kernel.endNs - kernel.startNs) / 1000;
        const double smUs = integral(sms, kernel.startNs, kernel.endNs) / 100;
        const double warpsPerSm =
            smUs > 0 ? integral(warps, kernel.startNs, kernel.endNs) / (smUs * device.smCount) : 0;
        const double warpsUs = smUs * std::min(1.0, warpsPerSm / device.saturatingWarpsPerSm);
        const double dramUs = integral(dram, kernel.startNs, kernel.endNs) / 1e6 / dramBytesPerUs;
        needs.aloneUs += spanUs;
        needs.smUs += smUs;
        needs.warpsUs += warpsUs;
        needs.dramUs += dramUs;
        // An empty kernel tells the ramp.
        KernelNeeds &made = needs.kernels.emplace_back();
        made.aloneNs = std::max(0.0, 1000 * (spanUs - kRoundingUs) - m_limits.rampNs);
        made.smNs = 1000 * warpsUs;
        made.dramNs = 1000 * dramUs;
    }
    // The time of a launch can be read from a clock of the host.
    Lowering lowering(device);
    const std::vector<DataType> arithmetic = arithmeticTypes(graph);
    std::vector<std::vector<Kernel>> classes;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const auto kernels = lowering.lower(graph, OperatorId::fromIndex(i), arithmetic[i]);
        for (std::size_t k = 0; k < kernels.size() && k < m_needs[i].kernels.size(); ++k) {
            const double hostUs = device.launchUs + (kernels[k].cudnnCall ? device.cudnnCallUs : 0);
            m_needs[i].hostUs += hostUs;
            m_needs[i].kernels[k].hostNs = 1000 * hostUs;
        }
        const auto known = std::ranges::find(classes, kernels);
        m_class.push_back(static_cast<std::size_t>(known - classes.begin()));
        if (known == classes.end())
            classes.push_back(kernels);
        for (KernelNeeds kernel : m_needs[i].kernels) {
            kernel.smNs = kernel.dramNs = 0;
            m_needs[i].chain.push_back(kernel);
        }
    }
}

// Who launches knows the order: of the simulator (device/simulated/simulated_session.cpp), by classes.
std::vector<std::vector<OperatorId>> ObservedBounds::launchOrder(const Stage &stage) const
{
    std::vector<std::vector<OperatorId>> groups = stage.groups;
    const auto classOf = [&](OperatorId id) { return m_class[id.index()]; };
    for (std::vector<OperatorId> &group : groups) {
        for (std::size_t done = 0; done + 1 < group.size(); ++done) {
            const auto left = std::span(group).subspan(done);
            const auto isReady = [&](OperatorId id) {
                return std::ranges::none_of(m_graph.predecessors(id), [&](OperatorId before) {
                    return std::ranges::find(left, before) != left.end();
                });
            };
            auto next = left.end();
            for (auto candidate = left.begin(); candidate != left.end(); ++candidate) {
                if (isReady(*candidate) && (next == left.end() || std::pair(classOf(*candidate), *candidate) <
                                                                      std::pair(classOf(*next), *next)))
                    next = candidate;
            }
            std::iter_swap(left.begin(), next);
        }
    }
    std::ranges::stable_sort(groups, [&](const auto &a, const auto &b) {
        return std::ranges::lexicographical_compare(a, b, {}, classOf, classOf);
    });
    return groups;
}

std::vector<double> ObservedBounds::boundsUs(const Stage &stage) const
{
    std::vector<double> bounds(m_checks.size(), 0);
    std::vector<BoundLaunch> launches;
    std::vector<BoundLaunch> withoutWork;
    double firstUs = 0; // the host launches the first kernel before the stage begins
    const auto groups = launchOrder(stage);
    for (std::size_t group = 0; group < groups.size(); ++group) {
        double groupUs = 0;
        for (const OperatorId id : groups[group]) {
            const Needs &needs = m_needs[id.index()];
            groupUs += needs.aloneUs - kRoundingUs * static_cast<double>(needs.kernels.size());
            bounds[1] += needs.smUs;
            bounds[2] += needs.warpsUs;
            bounds[3] += needs.dramUs;
            bounds[4] += needs.hostUs;
            for (const KernelNeeds &kernel : needs.kernels) {
                launches.push_back({&kernel, group});
                withoutWork.push_back({&needs.chain[static_cast<std::size_t>(&kernel - needs.kernels.data())], group});
                firstUs = std::max(firstUs, kernel.hostNs / 1000);
            }
        }
        bounds[0] = std::max(bounds[0], groupUs);
    }
    bounds[4] -= firstUs;
    bounds[5] = stageBoundNs(launches, m_limits) / 1000;
    bounds[6] = stageBoundNs(withoutWork, m_limits) / 1000;
    return bounds;
}

Result<StageLatency> ObservedBounds::stageLatency(const StageQuestion &question, std::stop_token stop)
{
    std::this_thread::sleep_for(kAnswer);
    auto latency = m_session->stageLatency(question, std::move(stop));
    if (latency && question.stage.strategy == Strategy::Concurrent && question.stage.operatorCount() > 1) {
        const std::vector<double> bounds = boundsUs(question.stage);
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            Check &check = m_checks[i];
            const double share = bounds[i] / latency->timing.latencyUs;
            ++check.stages;
            check.broken += share > 1 + kSameLatency;
            check.worst = std::max(check.worst, share - 1);
            check.tightness += share;
        }
    }
    return latency;
}

double ObservedBounds::lowerBoundUs(const Stage &stage) const
{
    if (stage.strategy == Strategy::Merge)
        return 0;
    const std::vector<double> bounds = boundsUs(stage);
    const bool used[]{m_parts.groups,   m_parts.activeSms, m_parts.warps,    m_parts.dram,
                      m_parts.launches, m_parts.ordered,   m_parts.hostOrder};
    double bound = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i)
        bound = used[i] ? std::max(bound, bounds[i]) : bound;
    return bound;
}

std::vector<double> ObservedBounds::sharesUs(OperatorId id) const
{
    const Needs &needs = m_needs[id.index()];
    return {m_parts.activeSms                  ? needs.smUs
            : m_parts.warps || m_parts.ordered ? needs.warpsUs
                                               : 0,
            m_parts.dram || m_parts.ordered ? needs.dramUs : 0};
}

std::vector<ObservedBounds::Check> ObservedBounds::checks() const
{
    std::vector<Check> checks = m_checks;
    for (Check &check : checks)
        check.tightness /= std::max(1.0, static_cast<double>(check.stages));
    return checks;
}

} // namespace stagecraft
