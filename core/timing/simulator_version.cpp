#include "timing/simulator_version.h"

#include "timing/profile_words.h"

#include <charconv>
#include <fmt/format.h>
#include <string_view>

namespace stagecraft {
namespace {

constexpr std::string_view kSimulator = "simulator ";

}

std::string simulatorVersion()
{
    return fmt::format("{}{}", kSimulator, kSimulatorVersion);
}

bool isOfOlderSimulator(const RunContext &context)
{
    if (!context.device.starts_with("sim:") || context.device.ends_with(kOfProfile)) // a trace does not say
        return false;
    const std::string_view version = context.deviceVersion;
    int number = 1;
    if (version.starts_with(kSimulator))
        std::from_chars(version.data() + kSimulator.size(), version.data() + version.size(), number);
    return number < kSimulatorVersion;
}

} // namespace stagecraft
