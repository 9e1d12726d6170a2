#include "wiring/devices_elsewhere.h"

#include "device/onnxruntime/onnxruntime_options.h"
#include "device/pytorch/pytorch_options.h"
#include "device/worker/transports/elsewhere.h"
#include "device/worker/transports/pytorch.h"
#include "gpu/plan/gpu_options.h"
#include "support/error_text.h"
#include "timing/device_id.h"
#include "wiring/pytorch_worker.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <future>
#include <iterator>
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
    if (isPytorch(device))
        return pytorchOptionsFrom(device).map([](const PytorchOptions &options) { return toId(options); });
    if (device.starts_with("gpu:"))
        return gpu::gpuOptionsFrom(device).map([](const gpu::GpuOptions &options) { return gpu::toId(options); });
    return fail(ErrorCode::WrongUse,
                device.empty() ? fmt::format("{} names no device", id)
                               : fmt::format("{} is no device of another machine", device),
                "Use one of cpu, gpu:NUMBER, onnxruntime, pytorch:cpu and pytorch:cuda:NUMBER, as in ssh:HOST/cpu; "
                "stagecraft-cli devices ssh:HOST lists "
                "those of a machine");
}

Result<worker::RemoteProgram> pythonThere()
{
    const std::string named = environment("STAGECRAFT_REMOTE_PYTHON");
    return worker::remotePython(pytorchWorkerText(), named.empty() ? "python3" : named);
}

Result<WorkerOptions> optionsFor(const std::string &where, WorkerOptions options)
{
    const bool isPython = options.python.has_value();
    TRY_AS(auto program, isPython ? pythonThere() : worker::remoteWorker(environment("STAGECRAFT_REMOTE_WORKER")));
    TRY_AS(auto route, worker::routeTo(where, std::move(program)));
    options.command.clear();
    options.transport = std::move(route.transport);
    options.makesWeights = route.makesWeights;
    options.silence = kSilence;
    return options;
}

Result<std::vector<DeviceInfo>> listed(const std::string &place, WorkerOptions options, const std::stop_token &stop)
{
    TRY_AS(options, optionsFor(place, std::move(options)));
    TRY_AS(auto devices, listWorkerDevices(options, stop));
    for (DeviceInfo &device : devices)
        device.id = fmt::format("{}/{}", place, device.id);
    return devices;
}

} // namespace

bool isPlaceElsewhere(std::string_view id)
{
    return isElsewhere(id) && ownDeviceId(id).empty();
}

Result<std::unique_ptr<Device>> findDeviceElsewhere(const std::string &id, WorkerOptions options)
{
    const auto [where, device] = worker::elsewhereFrom(id);
    if (isPytorch(device))
        options = withPytorchWorker(std::move(options));
    TRY_AS(options, optionsFor(where, std::move(options)));
    TRY_AS(const std::string inner, deviceThere(id, device));
    return makeWorkerDevice(inner, options, fmt::format("{}/{}", where, inner));
}

Result<std::vector<DeviceInfo>> listDevicesElsewhere(const std::string &where, const WorkerOptions &options,
                                                     const std::stop_token &stop)
{
    const std::string place = worker::elsewhereFrom(where).where;
    auto pytorch = std::async(std::launch::async,
                              [&place, options, stop] { return listed(place, withPytorchWorker(options), stop); });
    auto devices = listed(place, options, stop);
    auto more = pytorch.get();
    if (!devices && !more)
        return devices;
    if (!devices) { // what is said of the worker there is said of its device
        DeviceInfo own;
        own.id = place + "/cpu";
        own.title = "the processor";
        own.provenance = Provenance::Measured;
        own.available = false;
        own.unavailableReason = errorText(devices.error());
        devices = std::vector{std::move(own)};
    }
    if (more)
        std::ranges::move(*more, std::back_inserter(*devices));
    return devices;
}

} // namespace stagecraft
