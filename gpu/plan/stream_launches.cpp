#include "gpu/plan/stream_launches.h"

#include "schedule/streams/launch_order.h"

#include <algorithm>
#include <optional>

namespace stagecraft::gpu {
namespace {

constexpr std::size_t kStart = 0; // the event that streams other than 0 begin with

// The last launch of each stream.
std::vector<std::size_t> lastLaunches(const Streams &streams)
{
    std::vector<std::size_t> last(streams.count, 0);
    for (std::size_t launch = 0; launch < streams.launches.size(); ++launch)
        last[streams.launches[launch].stream] = launch;
    return last;
}

// The streams that stream 0 still has to wait for at the end: none whose last launch came before a later one's.
std::vector<std::size_t> streamsToJoin(const Streams &streams, const std::vector<std::size_t> &last)
{
    const LaunchOrder order(streams);
    std::vector<std::size_t> joined;
    for (std::size_t stream = 1; stream < last.size(); ++stream) {
        const bool isTaken = std::ranges::any_of(
            last, [&](std::size_t other) { return other != last[stream] && order.isBefore(last[stream], other); });
        if (!isTaken)
            joined.push_back(stream);
    }
    return joined;
}

} // namespace

LaunchPlan planStreamLaunches(std::span<const Task> tasks, const Streams &streams, Mode mode)
{
    using Kind = LaunchStep::Kind;
    const std::vector<std::size_t> last = lastLaunches(streams);
    const std::vector<std::size_t> joined = streamsToJoin(streams, last);
    LaunchPlan plan;
    plan.streams = std::max<std::size_t>(1, streams.count);
    std::vector<std::optional<std::size_t>> events(streams.launches.size());
    plan.events = plan.streams > 1 ? 1 : 0;
    const auto addEvent = [&](std::size_t launch) {
        if (!events[launch])
            events[launch] = plan.events++;
    };
    for (const StreamLaunch &launch : streams.launches)
        std::ranges::for_each(launch.waits, addEvent);
    for (const std::size_t stream : joined)
        addEvent(last[stream]);

    std::vector<bool> begun(plan.streams, false);
    begun[0] = true;
    if (plan.streams > 1)
        plan.steps.push_back({Kind::Record, 0, kStart});
    std::size_t task = 0;
    for (std::size_t index = 0; index < streams.launches.size(); ++index) {
        const StreamLaunch &launch = streams.launches[index];
        if (!begun[launch.stream] && launch.waits.empty())
            plan.steps.push_back({Kind::Wait, launch.stream, kStart});
        begun[launch.stream] = true;
        for (const std::uint32_t before : launch.waits)
            plan.steps.push_back({Kind::Wait, launch.stream, *events[before]});
        for (; task < tasks.size() && tasks[task].stage == index; ++task)
            plan.steps.push_back({Kind::Run, launch.stream, task});
        if (events[index])
            plan.steps.push_back({Kind::Record, launch.stream, *events[index]});
    }
    for (const std::size_t stream : joined)
        plan.steps.push_back({Kind::Wait, 0, *events[last[stream]]});
    if (mode == Mode::Streams)
        plan.steps.push_back({Kind::Synchronize, 0, 0});
    return plan;
}

} // namespace stagecraft::gpu
