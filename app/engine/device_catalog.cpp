#include "engine/device_catalog.h"

#include "cpu/cpu_device.h"
#include "device/recorded_device.h"
#include "simulate/simulated_device.h"

namespace stagecraft {

std::vector<DeviceInfo> listDevices()
{
    std::vector<DeviceInfo> devices = listSimulatedDevices();
    devices.push_back(makeCpuDevice()->info());
    return devices;
}

Result<std::unique_ptr<Device>> findDevice(const std::string &id)
{
    if (id.starts_with("sim:"))
        return openSimulatedDevice(id.substr(4));
    if (id == "cpu")
        return makeCpuDevice();
    if (id.starts_with("rec:"))
        return openRecordedDevice(id.substr(4));
    std::string known;
    for (const DeviceInfo &device : listDevices())
        known += device.id + ", ";
    return fail(ErrorCode::WrongUse, "the device " + id + " is not known",
                "Known are " + known + "sim:FILE.json and rec:FILE");
}

std::string defaultDeviceId()
{
    return "sim:v100";
}

} // namespace stagecraft
