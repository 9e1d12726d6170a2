#include "device/recorded/profiles/profile_parts.h"

#include "support/shown_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace stagecraft::profiles {
namespace {

constexpr std::int64_t kNsPerUs = 1000;

Result<std::int64_t> timeOf(const TraceEvent &event, std::string_view key)
{
    const auto ns = event.members.nanoseconds(key, kNsPerUs);
    if (!ns)
        return refused(
            fmt::format("\"{}\" of the event \"{}\" is not a time in microseconds", key, shownText(event.name())));
    return *ns;
}

} // namespace

void sortByStart(Profile &profile)
{
    std::ranges::stable_sort(profile.kernels, {}, [](const ProfiledKernel &kernel) { return kernel.startNs; });
}

std::uint32_t iterationAt(const Profile &profile, std::int64_t hostNs)
{
    const auto later = std::ranges::upper_bound(profile.iterations, hostNs, {}, &ProfiledIteration::startNs);
    if (later == profile.iterations.begin() || std::prev(later)->endNs < hostNs)
        return kNoPlace;
    return static_cast<std::uint32_t>(later - profile.iterations.begin() - 1);
}

Result<std::int64_t> startOf(const TraceEvent &event)
{
    return timeOf(event, "ts");
}

Result<std::int64_t> durationOf(const TraceEvent &event)
{
    if (!event.members.find("dur"))
        return 0;
    TRY_AS(const std::int64_t ns, timeOf(event, "dur"));
    if (ns < 0)
        return refused(fmt::format("the event \"{}\" ends before it begins", shownText(event.name())));
    return ns;
}

} // namespace stagecraft::profiles
