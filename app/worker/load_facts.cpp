#include "worker/load_facts.h"

#include "device/executing/device_lock.h"
#include "device/executing/running_program.h"

#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <thread>

namespace stagecraft::worker {
namespace {

// "0.4 of 2 processors"; empty where the system does not tell.
std::string processorLoad()
{
    double lastMinute = 0;
    if (getloadavg(&lastMinute, 1) != 1)
        return {};
    const unsigned processors = std::thread::hardware_concurrency();
    return fmt::format("{:.1f} of {} {}", lastMinute, processors, processors == 1 ? "processor" : "processors");
}

} // namespace

void addLoad(std::vector<stagecraft::DeviceInfo> &devices)
{
    const std::string load = processorLoad();
    const auto holder = DeviceLock::holder("cpu");
    for (stagecraft::DeviceInfo &device : devices) {
        if (!device.available)
            continue;
        if (!load.empty())
            device.facts.emplace_back("load", load);
        const bool isOfProcessors = device.id == "cpu" || device.id.starts_with("onnxruntime");
        if (holder && isOfProcessors)
            device.facts.emplace_back("in use by", runningProgram(*holder));
    }
}

} // namespace stagecraft::worker
