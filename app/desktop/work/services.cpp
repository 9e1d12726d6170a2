#include "desktop/work/services.h"

#include "measure/store/latency_store.h"
#include "wiring/device_catalog.h"

namespace stagecraft {

Services installedServices()
{
    Services services{openModel, listDevices, {}, defaultDeviceId(), defaultLatencyStorePath()};
    services.findDevice = [errors = services.storeErrors](const std::string &id) {
        return findDevice(id, [errors](const Error &error) { emit errors->reported(error); });
    };
    services.listDevicesOf = listDevicesOf;
    return services;
}

} // namespace stagecraft
