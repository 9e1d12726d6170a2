#include "device/executing/processor_clock.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>

namespace stagecraft {
namespace {

// "cpu MHz		: 2596.118" gives "2596.118".
std::string valueOf(const std::string &line)
{
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    return value == std::string::npos ? std::string() : line.substr(value);
}

// Linux reports the counters of actual cycles (APERF, MPERF), or the nominal frequency if the processor does not have
// them (arch/x86/kernel/cpu/proc.c).
int countedMhz(int processor, const std::string &root)
{
    std::ifstream file(root + "/proc/cpuinfo");
    double mhz = 0;
    bool isOurs = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("processor"))
            isOurs = valueOf(line) == std::to_string(processor);
        else if (isOurs && line.starts_with("cpu MHz"))
            mhz = std::strtod(valueOf(line).c_str(), nullptr);
        else if (isOurs && line.starts_with("flags"))
            return (valueOf(line) + ' ').find(" aperfmperf ") == std::string::npos ? 0
                                                                                   : static_cast<int>(std::lround(mhz));
    }
    return 0;
}

} // namespace

ClockRates processorClock(int processor, const std::string &root)
{
    std::ifstream file(fmt::format("{}/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", root, processor));
    long khz = 0;
    if (file >> khz && khz > 0)
        return {static_cast<int>((khz + 500) / 1000), 0};
    return {countedMhz(processor, root), 0};
}

} // namespace stagecraft
