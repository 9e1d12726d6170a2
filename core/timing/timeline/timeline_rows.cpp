#include "timing/timeline/timeline_rows.h"

#include <algorithm>

namespace stagecraft {
namespace {

bool isOnThreads(const KernelSpan &kernel)
{
    return kernel.threadsPerBlock == 0;
}

} // namespace

bool hasThreadRows(const Timeline &timeline)
{
    return !timeline.isOfProfile() && !timeline.kernels.empty() && std::ranges::all_of(timeline.kernels, isOnThreads);
}

TimelineRows rowsOf(const KernelSpan &kernel, const Timeline &timeline)
{
    if (!isOnThreads(kernel) || timeline.isOfProfile() || kernel.stream >= timeline.streams)
        return {kernel.stream, 1};
    const auto room = static_cast<std::int64_t>(timeline.streams - kernel.stream);
    return {kernel.stream, static_cast<std::size_t>(std::clamp<std::int64_t>(kernel.grid[0], 1, room))};
}

std::size_t runCount(const Timeline &timeline)
{
    if (!hasThreadRows(timeline))
        return timeline.kernels.size();
    std::size_t operators = 0;
    for (const KernelSpan &kernel : timeline.kernels)
        operators += kernel.operators.size();
    return operators;
}

} // namespace stagecraft
