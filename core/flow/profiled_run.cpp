#include "flow/profiled_run.h"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>

namespace stagecraft {

std::vector<SpanInRun> spansOfRun(const ImportedProfile &imported)
{
    const KernelPlaces &run = imported.times.runs.runs[imported.times.typical];
    std::vector<SpanInRun> spans;
    std::int64_t reachedNs = 0;
    for (const std::uint32_t place : run) {
        const ProfiledKernel &kernel = imported.profile.kernels[place];
        const std::int64_t startNs = kernel.startNs.value_or(reachedNs);
        spans.push_back({place, startNs, startNs + kernel.durationNs});
        reachedNs = spans.back().endNs;
    }
    std::ranges::stable_sort(spans, {}, &SpanInRun::startNs);
    const std::int64_t beginNs = spans.empty() ? 0 : spans.front().startNs;
    for (SpanInRun &span : spans) {
        span.startNs -= beginNs;
        span.endNs -= beginNs;
    }
    return spans;
}

std::vector<UnmappedKernels> unmappedByName(const ImportedProfile &imported)
{
    std::vector<UnmappedKernels> all;
    std::unordered_map<std::string, std::size_t> places;
    for (const std::uint32_t place : imported.unmapped) {
        const ProfiledKernel &kernel = imported.profile.kernels[place];
        const auto [found, isNew] = places.try_emplace(kernel.name, all.size());
        if (isNew)
            all.push_back({kernel.name, 0, 0});
        UnmappedKernels &entry = all[found->second];
        entry.timeUs += profiledUs(kernel.durationNs);
        ++entry.count;
    }
    std::ranges::stable_sort(all, std::greater<>(), &UnmappedKernels::timeUs);
    return all;
}

} // namespace stagecraft
