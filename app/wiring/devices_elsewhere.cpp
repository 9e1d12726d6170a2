#include "wiring/devices_elsewhere.h"

#include "device/onnxruntime/onnxruntime_options.h"
#include "device/worker/transports/elsewhere.h"
#include "gpu/plan/gpu_options.h"
#include "timing/device_id.h"

#include <cstdlib>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::chrono::milliseconds kSilence{30'000}; // a network may pause for longer than a machine

std::string environment(const char *name)
{
    const char *value = std::getenv(name);
    return value ? value : "";
}

// As the worker there knows it.
Result<std::string> deviceThere(const std::string &id, const std::string &device)
{
    if (device == "cpu")
        return device;
    if (isOnnxRuntime(device))
        return onnxRuntimeOptionsFrom(device).map([](const OnnxRuntimeOptions &options) { return toId(options); });
    if (device.starts_with("gpu:"))
        return gpu::gpuOptionsFrom(device).map([](const gpu::GpuOptions &options) { return gpu::toId(options); });
    return fail(ErrorCode::WrongUse,
                device.empty() ? fmt::format("{} names no device", id)
                               : fmt::format("{} is no device of another machine", device),
                "Use one of cpu, gpu:NUMBER and onnxruntime, as in ssh:HOST/cpu; stagecraft-cli devices ssh:HOST lists "
                "those of a machine");
}

Result<WorkerOptions> optionsFor(const std::string &where, WorkerOptions options)
{
    TRY_AS(auto program, worker::remoteWorker(environment("STAGECRAFT_REMOTE_WORKER")));
    TRY_AS(auto route, worker::routeTo(where, std::move(program)));
    options.command.clear();
    options.transport = std::move(route.transport);
    options.makesWeights = route.makesWeights;
    options.silence = kSilence;
    return options;
}

} // namespace

bool isPlaceElsewhere(std::string_view id)
{
    return isElsewhere(id) && ownDeviceId(id).empty();
}

Result<std::unique_ptr<Device>> findDeviceElsewhere(const std::string &id, WorkerOptions options)
{
    const auto [where, device] = worker::elsewhereFrom(id);
    TRY_AS(options, optionsFor(where, std::move(options)));
    TRY_AS(const std::string inner, deviceThere(id, device));
    return makeWorkerDevice(inner, options, fmt::format("{}/{}", where, inner));
}

Result<std::vector<DeviceInfo>> listDevicesElsewhere(const std::string &where, WorkerOptions options)
{
    const std::string place = worker::elsewhereFrom(where).where;
    TRY_AS(options, optionsFor(place, std::move(options)));
    TRY_AS(auto devices, listWorkerDevices(options));
    for (DeviceInfo &device : devices)
        device.id = fmt::format("{}/{}", place, device.id);
    return devices;
}

} // namespace stagecraft
