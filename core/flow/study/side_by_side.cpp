#include "flow/study/side_by_side.h"

#include "timing/device_id.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace stagecraft {
namespace {

bool measuresNothing(std::string_view device)
{
    return device.starts_with("sim:") || device.starts_with("rec:");
}

// "ssh:gpu1"; empty: this machine.
std::string machineOf(std::string_view device)
{
    return isElsewhere(device) ? std::string(device.substr(0, device.find('/'))) : std::string();
}

// Pools have members on several machines.
bool isOnOneMachine(std::string_view device)
{
    const std::string_view own = ownDeviceId(device);
    return !own.starts_with("pool:") && own.find(',') == std::string_view::npos;
}

// The number of the GPU; empty: it measures on processors.
std::string gpuOf(std::string_view device)
{
    const std::string_view own = ownDeviceId(device);
    for (const std::string_view kind : {"gpu:", "pytorch:cuda:"}) {
        if (own.starts_with(kind))
            return std::string(own.substr(kind.size(), own.substr(kind.size()).find(':')));
    }
    return {};
}

std::string laneOf(const RunPlace &place, std::span<const RunPlace> all)
{
    const auto isMeasured = [](const RunPlace &each) { return !measuresNothing(each.device); };
    if (!isMeasured(place))
        return place.device;
    if (!std::ranges::all_of(all,
                             [&](const RunPlace &each) { return !isMeasured(each) || isOnOneMachine(each.device); }))
        return "all that measure";
    const std::string machine = machineOf(place.device);
    const bool areGpus = std::ranges::all_of(all, [&](const RunPlace &each) {
        return !isMeasured(each) || machineOf(each.device) != machine || !gpuOf(each.device).empty();
    });
    return fmt::format("{}/{}", machine, areGpus ? gpuOf(place.device) : "");
}

} // namespace

std::vector<std::vector<RunPlace>> sideBySide(std::span<const RunPlace> places)
{
    std::vector<std::vector<RunPlace>> lanes;
    std::map<std::string, std::size_t> byName;
    std::size_t simulating = 0;
    const std::size_t mostSimulating = std::max(1U, std::thread::hardware_concurrency());
    for (const RunPlace &place : places) {
        std::string name = laneOf(place, places);
        if (measuresNothing(place.device) && !byName.contains(name) && simulating++ >= mostSimulating)
            name = "the rest"; // the processors are at work
        const auto [lane, isNew] = byName.try_emplace(name, lanes.size());
        if (isNew)
            lanes.emplace_back();
        lanes[lane->second].push_back(place);
    }
    return lanes;
}

} // namespace stagecraft
