#include "wiring/device_catalog.h"

#include "device/checked_device.h"
#include "device/device_wait_words.h"
#include "device/expanding_device.h"
#include "device/laid_out_device.h"
#include "device/onnxruntime/onnxruntime_options.h"
#include "device/pytorch/pytorch_options.h"
#include "device/recorded/profile_device.h"
#include "device/recorded/recorded_device.h"
#include "device/simulated/simulated_device.h"
#include "device/simulated/simulated_options.h"
#include "device/worker/worker_device.h"
#include "gpu/plan/gpu_options.h"
#include "measure/tuned_device.h"
#include "support/closest_name.h"
#include "support/error_text.h"
#include "timing/device_id.h"
#include "wiring/devices_elsewhere.h"
#include "wiring/equal_outputs.h"
#include "wiring/pools.h"
#include "wiring/pytorch_worker.h"
#include "wiring/sibling_program.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <future>
#include <iostream>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>

namespace stagecraft {
namespace {

// STAGECRAFT_WORKER if set; otherwise the one that belongs to this program.
std::string workerProgram()
{
    if (const char *given = std::getenv("STAGECRAFT_WORKER"))
        return given;
    return siblingProgram("stagecraft-worker");
}

std::function<void(const std::string &)> &noticeListener()
{
    static std::function<void(const std::string &)> listener = [](const std::string &text) {
        std::cerr << "stagecraft: " << text << '\n';
    };
    return listener;
}

void reportOnce(const std::string &text)
{
    static std::mutex mutex;
    static std::set<std::string> told;
    const std::lock_guard lock(mutex);
    if (told.insert(text).second)
        noticeListener()(text);
}

void printStoreError(const Error &error)
{
    reportOnce("latency store: " + errorText(error));
}

WorkerOptions workerOptions()
{
    WorkerOptions options;
    options.command = {workerProgram()};
    options.tell = reportOnce;
    options.onWaiting = [](const std::optional<DeviceWait> &wait) {
        if (wait)
            reportOnce(waitText(*wait) + ". A stop ends the wait and keeps what was measured.");
    };
    return options;
}

// Outputs of PyTorch are compared with those of cpu once. TF32 has 10 of 23 bits.
std::unique_ptr<Device> checkedAgainstCpu(std::unique_ptr<Device> device)
{
    constexpr double kOfTf32 = 0.03;
    OutputCheck check;
    check.reference = [] { return makeWorkerDevice("cpu", workerOptions()); };
    check.tolerance = device->info().precision == "tf32" ? kOfTf32 : check.tolerance;
    check.tell = reportOnce;
    rememberEqualOutputs(check, device->info(), defaultLatencyStorePath());
    return checkedDevice(std::move(device), check);
}

// What it measures is stored.
std::unique_ptr<Device> storing(std::unique_ptr<Device> device, const StoreErrorHandler &trouble)
{
    return expandingDevice(
        storedDevice(std::move(device), defaultLatencyStorePath(), trouble ? trouble : printStoreError));
}

// Runs in a worker process.
std::unique_ptr<Device> ownDevice(const std::string &id, const StoreErrorHandler &trouble)
{
    return layingOutDevice(storing(makeWorkerDevice(id, workerOptions()), trouble));
}

constexpr const char *kLibraryOnly = "cpu:library";

// With the kernels that tuning found, or those of the library alone.
std::unique_ptr<Device> processor(const std::string &id, const StoreErrorHandler &trouble)
{
    auto device = makeWorkerDevice("cpu", workerOptions(), id);
    if (id != kLibraryOnly)
        device = tunedDevice(std::move(device), defaultLatencyStorePath(), trouble ? trouble : printStoreError);
    return layingOutDevice(storing(std::move(device), trouble));
}

// `isConnectedAgain`: as WorkerOptions has it.
Result<std::unique_ptr<Device>> deviceElsewhere(const std::string &id, const StoreErrorHandler &trouble,
                                                bool isConnectedAgain)
{
    WorkerOptions options = workerOptions();
    options.isConnectedAgain = isConnectedAgain;
    TRY_AS(auto device, findDeviceElsewhere(id, std::move(options)));
    if (isPytorch(ownDeviceId(id)))
        return refusingLayouts(storing(checkedAgainstCpu(std::move(device)), trouble));
    return layingOutDevice(storing(std::move(device), trouble));
}

} // namespace

std::vector<DeviceInfo> listDevices()
{
    auto pytorch = std::async(std::launch::async, [] { return listPytorchDevices(workerOptions()); });
    std::vector<DeviceInfo> devices = listSimulatedDevices();
    const auto measuring = listWorkerDevices(workerOptions());
    if (measuring)
        devices.insert(devices.end(), measuring->begin(), measuring->end());
    else { // their infos say why
        for (const char *id : {"cpu", "gpu:0", "onnxruntime"})
            devices.push_back(ownDevice(id, {})->info());
    }
    std::ranges::move(pytorch.get(), std::back_inserter(devices));
    return devices;
}

Result<std::vector<DeviceInfo>> listDevicesOf(const std::string &place, const std::stop_token &stop)
{
    return listDevicesElsewhere(place, workerOptions(), stop);
}

Result<std::unique_ptr<Device>> findDevice(const std::string &id, const StoreErrorHandler &trouble)
{
    if (isPool(id)) {
        const auto find = [trouble](const std::string &member) {
            return isElsewhere(member) ? deviceElsewhere(member, trouble, false) : findDevice(member, trouble);
        };
        return findPool(id, find, {.tell = reportOnce});
    }
    if (id.starts_with("sim:"))
        return openSimulatedDevice(id.substr(4)).map(refusingLayouts);
    if (id == "cpu" || id == kLibraryOnly)
        return processor(id, trouble);
    if (isOnnxRuntime(id)) {
        TRY_AS(const auto options, onnxRuntimeOptionsFrom(id));
        return refusingLayouts(expandingDevice(makeWorkerDevice(toId(options), workerOptions())));
    }
    if (id.starts_with("gpu:")) {
        TRY_AS(const auto options, gpu::gpuOptionsFrom(id));
        return ownDevice(gpu::toId(options), trouble);
    }
    if (isPytorch(id)) {
        TRY_AS(const auto options, pytorchOptionsFrom(id));
        auto device = makeWorkerDevice(toId(options), withPytorchWorker(workerOptions()));
        return refusingLayouts(storing(checkedAgainstCpu(std::move(device)), trouble));
    }
    if (isElsewhere(id))
        return deviceElsewhere(id, trouble, true);
    if (id.starts_with("rec:"))
        return openRecordedDevice(id.substr(4)).map(refusingLayouts);
    if (isProfileDevice(id))
        return fail(ErrorCode::WrongUse, "a profile was recorded on " + id + ", where nothing more can be measured",
                    "Measure on a device of this installation");
    std::vector<std::string> known;
    for (const DeviceInfo &device : listDevices())
        known.push_back(device.id);
    return fail(ErrorCode::WrongUse,
                id.empty() ? std::string("the name of the device is empty") : "the device " + id + " is not known",
                didYouMean(id, known) + "Known are " + listed(known) +
                    ", sim:FILE.json, rec:FILE, ssh:HOST/DEVICE, slurm:PARTITION/DEVICE, and pools of equal devices: "
                    "A,B,C or pool:FILE");
}

bool isDeviceId(const std::string &id)
{
    if (id.starts_with("sim:"))
        return openSimulatedDevice(id.substr(4)).has_value();
    return id == "cpu" || id == kLibraryOnly || onnxRuntimeOptionsFrom(id) || pytorchOptionsFrom(id) ||
           gpu::gpuOptionsFrom(id);
}

void tellDeviceNotices(std::function<void(const std::string &)> listener)
{
    noticeListener() = std::move(listener);
}

std::string defaultDeviceId()
{
    return "sim:v100";
}

std::vector<DeviceOptions> deviceOptions()
{
    const auto options = [](std::string kind, std::string_view who, const OptionWords &words) {
        std::vector<std::string> names = words.names();
        std::string text = fmt::format("{}: {} ({})", who, listed(names), words.example);
        return DeviceOptions{std::move(kind), std::move(text), std::move(names)};
    };
    return {options("sim", "A simulated device takes options after its name", simulatedOptionWords()),
            {"cpu",
             "The processor takes library after its name: kernels of the library alone, none that tune found "
             "(cpu:library)",
             {"library"}},
            options("onnxruntime", "ONNX Runtime takes a number of threads and options after its name",
                    onnxRuntimeOptionWords()),
            options("pytorch", "PyTorch takes options after the number of a GPU, or of threads", pytorchOptionWords()),
            options("gpu", "A GPU takes options after its number", gpu::gpuOptionWords())};
}

} // namespace stagecraft
