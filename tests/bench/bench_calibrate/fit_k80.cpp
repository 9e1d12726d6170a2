#include "fit_k80.h"

#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "reproduction/published_figures.h"
#include "search/stages/search.h"

#include <memory>

namespace stagecraft {

K80Residuals k80Residuals(const DeviceDescription &k80, const DeviceDescription &v100)
{
    SourceGraph source = *builtInNetwork("inception_v3");
    const auto graph = std::make_shared<const Graph>(std::move(source.graph));
    std::array<std::unique_ptr<DeviceSession>, 2> sessions;
    std::array<TimedSchedule, 2> schedules;
    const std::array devices{&k80, &v100};
    for (std::size_t i = 0; i < devices.size(); ++i) {
        sessions[i] = *makeSimulatedDevice(*devices[i])->open(graph);
        SearchOptions options;
        options.exhaustive = true; // cheaper than choosing what to simulate
        schedules[i] = searchSchedule(*graph, source.blocks, *sessions[i], options)->schedule;
    }
    K80Residuals residuals{};
    for (std::size_t on = 0; on < 2; ++on) {
        for (std::size_t made = 0; made < 2; ++made) {
            const double ms = sessions[on]->measureSchedule(schedules[made], {})->whole.timing.latencyUs / 1000;
            residuals[2 * on + made] = ms / published::kSpecialDeviceMs[on][made] - 1;
        }
    }
    return residuals;
}

DeviceDescription fitK80(const DeviceDescription &start, const DeviceDescription &v100)
{
    constexpr double kFirstStep = 0.2;
    constexpr double kLastStep = 0.002;
    const auto cost = [&](const DeviceDescription &device) {
        double sum = 0;
        for (const double residual : k80Residuals(device, v100))
            sum += residual * residual;
        return sum;
    };
    DeviceDescription best = start;
    double bestCost = cost(best);
    for (double step = kFirstStep; step > kLastStep; step /= 2) {
        for (const double factor : {1 + step, 1 / (1 + step)}) {
            for (bool better = true; better;) {
                DeviceDescription changed = best;
                changed.gemmEfficiency *= factor;
                const double changedCost = cost(changed);
                better = changed.gemmEfficiency <= 1 && changedCost < bestCost;
                if (better) {
                    best = changed;
                    bestCost = changedCost;
                }
            }
        }
    }
    return best;
}

} // namespace stagecraft
