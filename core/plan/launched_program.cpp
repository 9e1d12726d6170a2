#include "plan/launched_program.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace stagecraft::plan {

std::vector<const ProgramLaunch *> launchesOf(const LaunchedProgram &program)
{
    std::vector<const ProgramLaunch *> launches;
    for (const ProgramStep &step : program.steps) {
        if (const auto *launch = std::get_if<ProgramLaunch>(&step))
            launches.push_back(launch);
    }
    return launches;
}

std::size_t wholeAllocations(const LaunchedProgram &program)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(program.allocations, [](const Allocation &each) { return !each.partOf; }));
}

std::size_t sharingPairs(const LaunchedProgram &program)
{
    std::vector<Allocation> wholes;
    std::ranges::copy_if(program.allocations, std::back_inserter(wholes),
                         [](const Allocation &each) { return !each.partOf && each.begin < each.end; });
    const auto first = [](const Allocation &each) { return std::pair(each.arena, each.begin); };
    std::ranges::sort(wholes, {}, first);
    std::size_t pairs = 0;
    for (auto each = wholes.begin(); each != wholes.end(); ++each) {
        const auto behind = std::ranges::lower_bound(each, wholes.end(), std::pair(each->arena, each->end), {}, first);
        pairs += static_cast<std::size_t>(behind - each) - 1;
    }
    return pairs;
}

} // namespace stagecraft::plan
