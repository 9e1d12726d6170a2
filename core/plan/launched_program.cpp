#include "plan/launched_program.h"

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

std::size_t sharingPairs(const LaunchedProgram &program)
{
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < program.allocations.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
            pairs += program.allocations[i].shares(program.allocations[j]) ? 1 : 0;
    }
    return pairs;
}

} // namespace stagecraft::plan
