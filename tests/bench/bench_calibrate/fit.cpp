#include "fit.h"

#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "reproduction/published_figures.h"
#include "search/stages/search.h"

#include <algorithm>
#include <limits>

namespace stagecraft {

namespace {

// Single stages were timed with their own synchronisation and are less repeatable than whole schedules. Of 0.1, 0.15
// and 0.2, this is the weight at which stages stay within 20 % and networks left out within 5 % on average.
constexpr double kStageWeight = 0.15;

const DeviceNumber &numberOf(const std::string &key)
{
    return *std::ranges::find(deviceNumbers(), key, &DeviceNumber::key);
}

} // namespace

DeviceDescription Calibration::start(DeviceDescription device) const
{
    device.cudnnCallUs = 5;
    device.kernelRampUs = 5;
    device.saturatingWarpsPerSm = 5;
    device.winogradEfficiency = 0.55;
    if (std::ranges::find(m_constants, "depthwise_efficiency") != m_constants.end())
        device.depthwiseEfficiency = 0.06;
    return device;
}

Calibration::Calibration(FittedConstants fitted)
    : m_constants{"cudnn_call_us", "kernel_ramp_us", "saturating_warps_per_sm", "winograd_efficiency"}
{
    if (fitted == FittedConstants::DepthwiseToo)
        m_constants.emplace_back("depthwise_efficiency");
    const auto add = [this](std::string_view name) -> const Network & {
        SourceGraph source = *builtInNetwork(name);
        m_networks.push_back(
            {std::string(name), std::make_shared<const Graph>(std::move(source.graph)), source.blocks});
        return m_networks.back();
    };
    for (const published::Network &network : published::kNetworks) {
        const Network &added = add(network.model);
        m_targets.push_back({added.name + " sequential", added.name, sequentialSchedule(*added.graph, added.blocks),
                             1000 * network.scheduleMs[0]});
        m_targets.push_back({added.name + " greedy", added.name, greedySchedule(*added.graph, added.blocks),
                             1000 * network.scheduleMs[1]});
    }
    const Network sample = add("sample");
    const auto addStage = [&](const published::SampleStage &stage) {
        TimedSchedule schedule;
        schedule.stages.emplace_back();
        for (const std::string_view name : stage.operators) {
            if (const auto id = sample.graph->find(name))
                schedule.stages.back().groups.push_back({*id});
        }
        const bool synchronised = schedule.stages.back().groups.size() > 1;
        m_targets.push_back(
            {"sample " + std::string(stage.title), sample.name, schedule, stage.us, kStageWeight, synchronised});
    };
    std::ranges::for_each(published::kSampleSequential, addStage);
    std::ranges::for_each(published::kSampleIos, addStage);
    std::ranges::sort(m_networks, {}, [](const Network &network) { return network.graph->size(); });
}

namespace {

// Of a single stage of the sample, or of a whole schedule.
double latencyUs(DeviceSession &session, const TimedSchedule &schedule)
{
    if (schedule.stages.size() == 1)
        return session.stageLatency(schedule.stages.front(), {})->timing.latencyUs;
    return session.measureWhole(schedule, {})->timing.latencyUs;
}

} // namespace

void Calibration::addResiduals(const Network &network, const Device &device, std::vector<Residual> &residuals) const
{
    const auto session = *device.open(network.graph);
    for (const Target &target : m_targets) {
        if (target.network != network.name)
            continue;
        double us = latencyUs(*session, target.schedule);
        if (target.synchronised)
            us += session->boundaryCost().barrierUs;
        residuals.push_back({&target, us / target.publishedUs - 1});
    }
}

std::vector<Calibration::Residual> Calibration::residuals(const DeviceDescription &device) const
{
    std::vector<Residual> residuals;
    const auto simulated = makeSimulatedDevice(device);
    for (const Network &network : m_networks)
        addResiduals(network, *simulated, residuals);
    return residuals;
}

double Calibration::cost(const DeviceDescription &device, const std::string &without, double limit) const
{
    const auto simulated = makeSimulatedDevice(device);
    std::vector<Residual> residuals;
    double sum = 0;
    for (const Network &network : m_networks) {
        if (network.name == without)
            continue;
        residuals.clear();
        addResiduals(network, *simulated, residuals);
        for (const Residual &residual : residuals)
            sum += residual.target->weight * residual.target->weight * residual.error * residual.error;
        if (sum >= limit)
            return std::numeric_limits<double>::infinity();
    }
    return sum;
}

DeviceDescription Calibration::fit(const DeviceDescription &start, const std::string &without) const
{
    constexpr double kFirstStep = 0.3;
    constexpr double kLastStep = 0.004;
    constexpr double kShrink = 0.6;
    constexpr int kSweeps = 6;
    DeviceDescription best = start;
    double bestCost = cost(best, without, std::numeric_limits<double>::infinity());
    const auto tryChanges = [&](std::initializer_list<std::pair<const std::string *, double>> factors) {
        DeviceDescription changed = best;
        for (const auto &[key, factor] : factors) {
            const DeviceNumber &number = numberOf(*key);
            changed.*number.member = std::clamp(best.*number.member * factor, number.minimum, number.maximum);
        }
        const double changedCost = cost(changed, without, bestCost);
        if (changedCost >= bestCost)
            return false;
        bestCost = changedCost;
        best = changed;
        return true;
    };
    for (double step = kFirstStep; step > kLastStep; step *= kShrink) {
        bool better = true;
        for (int sweep = 0; sweep < kSweeps && better; ++sweep) {
            better = false;
            for (const std::string &one : constants()) {
                for (const double factor : {1 + step, 1 / (1 + step)}) {
                    better = tryChanges({{&one, factor}}) || better;
                    for (const std::string &other : constants()) {
                        if (&other != &one)
                            better = tryChanges({{&one, factor}, {&other, 1 / factor}}) || better;
                    }
                }
            }
        }
    }
    return best;
}

} // namespace stagecraft
