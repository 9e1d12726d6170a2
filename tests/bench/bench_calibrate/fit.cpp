#include "fit.h"

#include "engine/published_figures.h"
#include "model/built_in.h"
#include "search/search.h"
#include "simulate/simulated_device.h"

#include <algorithm>

namespace stagecraft {

namespace {

// A single stage was timed with synchronisations of its own and repeats less well than a whole schedule. Of 0.1, 0.15
// and 0.2 the one with which both the stages keep within 20 % and a network left out keeps within 5 % on average.
constexpr double kStageWeight = 0.15;

const DeviceNumber &numberOf(const std::string &key)
{
    return *std::ranges::find(deviceNumbers(), key, &DeviceNumber::key);
}

} // namespace

const std::vector<std::string> &Calibration::constants()
{
    static const std::vector<std::string> keys{"cudnn_call_us", "kernel_ramp_us", "barrier_us",
                                               "saturating_warps_per_sm", "winograd_efficiency"};
    return keys;
}

DeviceDescription Calibration::start(DeviceDescription device)
{
    device.cudnnCallUs = 5;
    device.kernelRampUs = 5;
    device.barrierUs = 3;
    device.saturatingWarpsPerSm = 5;
    device.winogradEfficiency = 0.55;
    return device;
}

Calibration::Calibration()
{
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
    const Network &sample = add("sample");
    const auto addStage = [&](const published::SampleStage &stage) {
        Schedule schedule;
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
}

std::vector<Calibration::Residual> Calibration::residuals(const DeviceDescription &device) const
{
    std::vector<Residual> residuals;
    const auto simulated = makeSimulatedDevice(device);
    for (const Network &network : m_networks) {
        const auto session = *simulated->open(network.graph);
        for (const Target &target : m_targets) {
            if (target.network != network.name)
                continue;
            double us = session->measureSchedule(target.schedule, {})->whole.medianUs;
            if (target.synchronised)
                us += session->boundaryCost().barrierUs;
            residuals.push_back({&target, us / target.publishedUs - 1});
        }
    }
    return residuals;
}

double Calibration::cost(const DeviceDescription &device, const std::string &without) const
{
    double sum = 0;
    for (const Residual &residual : residuals(device)) {
        if (residual.target->network != without)
            sum += residual.target->weight * residual.target->weight * residual.error * residual.error;
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
    double bestCost = cost(best, without);
    const auto tryChanges = [&](std::initializer_list<std::pair<const std::string *, double>> factors) {
        DeviceDescription changed = best;
        for (const auto &[key, factor] : factors) {
            const DeviceNumber &number = numberOf(*key);
            changed.*number.member = std::clamp(best.*number.member * factor, number.minimum, number.maximum);
        }
        const double changedCost = cost(changed, without);
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
