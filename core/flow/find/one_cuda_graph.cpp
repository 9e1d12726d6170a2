#include "flow/find/one_cuda_graph.h"

#include "device/simulated/simulated_device.h"
#include "device/simulated/simulated_options.h"
#include "flow/find/baselines_in_rounds.h"

namespace stagecraft {

Result<std::optional<OneCudaGraph>> sequentialInOneCudaGraph(const Model &model, const DeviceInfo &device,
                                                             const std::stop_token &stop)
{
    constexpr std::string_view kSimulated = "sim:";
    if (!device.id.starts_with(kSimulated) || device.launches != toString(Launches::Host))
        return std::nullopt;
    const std::string asked = device.id.substr(kSimulated.size());
    TRY_AS(auto options, simulatedOptions(asked));
    TRY_AS(const auto description, findDeviceDescription(asked));
    options.launches = Launches::Graph;
    if (!runOf(description, options))
        return std::nullopt;
    TRY_AS(const auto graph, openSimulatedDevice(nameWith(simulatedName(asked), options, description)));
    TRY_AS(const auto session, graph->open(model.graph));
    const DeviceInfo info = graph->info();
    TRY_AS(const auto made, measuredBaseline(ScheduleKind::Sequential, model, *session, info, stop));
    return OneCudaGraph{info.id, *made.schedule.latencyUs()};
}

} // namespace stagecraft
