#include "timing/run_context.h"

#include "timing/device_id.h"

namespace stagecraft {

bool RunContext::isOnSameDevice(const RunContext &other) const
{
    if (deviceVersion != other.deviceVersion)
        return false;
    return device == other.device ||
           (isFingerprint(deviceVersion) && storedDeviceId(device) == storedDeviceId(other.device));
}

} // namespace stagecraft
