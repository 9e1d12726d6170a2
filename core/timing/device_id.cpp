#include "timing/device_id.h"

#include <algorithm>

namespace stagecraft {

std::string storedDeviceId(std::string_view id)
{
    const std::string_view own = ownDeviceId(id);
    for (const std::string_view gpu : {"gpu:", "pytorch:cuda:"}) {
        if (!own.starts_with(gpu))
            continue;
        const std::string_view behind = own.substr(gpu.size());
        const std::string_view number = behind.substr(0, behind.find(':'));
        const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
        if (!number.empty() && std::ranges::all_of(number, isDigit))
            return std::string(gpu) + "0" + std::string(behind.substr(number.size()));
    }
    return own == "cpu:library" ? "cpu" : std::string(own); // the fingerprint names tuned kernels
}

bool isFingerprint(std::string_view version)
{
    return version.ends_with(';');
}

} // namespace stagecraft
