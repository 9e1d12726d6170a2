#include "measure/stored_latencies.h"

#include "measure/store/latency_store.h"
#include "timing/device_id.h"

#include <filesystem>
#include <system_error>

namespace stagecraft {

Result<KnownTimings::Stored> storedLatencies(const std::string &path, const DeviceInfo &device, std::int64_t batch)
{
    std::error_code none;
    if (device.fingerprint.empty() || path.empty() || !std::filesystem::exists(path, none))
        return KnownTimings::Stored{};
    TRY_AS(auto store, LatencyStore::open(path));
    return store.latencies({device.fingerprint, {}, storedDeviceId(device.id), batch, {}});
}

} // namespace stagecraft
