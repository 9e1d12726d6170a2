#include "device/simulated/stage_program.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {

void appendLaunch(StageProgram &program, const DeviceDescription &device, const Kernel &kernel, std::size_t stream,
                  std::vector<OperatorId> operators, double eventsNs)
{
    const double hostNs = 1000 * (device.launchUs + (kernel.cudnnCall ? device.cudnnCallUs : 0)) + eventsNs;
    const double arrivalNs = program.launches.empty() ? 0 : program.launches.back().arrivalNs + hostNs;
    program.launches.push_back(Launch{&kernel, stream, arrivalNs});
    program.operators.push_back(std::move(operators));
    program.hostNs += hostNs;
}

double stageLatencyNs(const StageProgram &program, double deviceEndNs)
{
    const double exact = program.isConcurrent ? deviceEndNs : std::max(deviceEndNs, program.hostNs);
    return std::max(1.0, std::floor(exact + 0.5));
}

} // namespace stagecraft
