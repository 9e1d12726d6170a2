#include "device/recorded/profile_device.h"

#include "timing/profile_words.h"

namespace stagecraft {

std::string profileDeviceId(const std::string &nameInProfile)
{
    return (nameInProfile.empty() ? "unknown device" : nameInProfile) + std::string(kOfProfile);
}

bool isProfileDevice(std::string_view id)
{
    return id.ends_with(kOfProfile);
}

DeviceInfo profileDevice(const std::string &id)
{
    DeviceInfo info;
    info.id = id;
    info.title = id;
    info.provenance = Provenance::Recorded;
    info.available = false;
    info.unavailableReason = "a profile was recorded there: its latencies are shown, and nothing more can be measured";
    info.precision = kPrecisionNotStated;
    return info;
}

} // namespace stagecraft
