#include "gpu/session/gpu_device.h"

#include "gpu/device/clocks.h"
#include "gpu/session/gpu_session.h"

#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace stagecraft::gpu {
namespace {

constexpr int kOldestCapability = 75; // what CUDA 13 and cuDNN 9 support

std::string versionText(int version)
{
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string cudnnVersionText()
{
    const std::size_t version = cudnnGetVersion();
    return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::string pciBusId(int device)
{
    std::array<char, 32> text{};
    return cudaDeviceGetPCIBusId(text.data(), text.size(), device) == cudaSuccess ? text.data() : "";
}

DeviceInfo unavailable(const GpuOptions &options, std::string reason)
{
    DeviceInfo info;
    info.id = toId(options);
    info.title = fmt::format("NVIDIA GPU {}", options.device);
    info.provenance = Provenance::Measured;
    info.available = false;
    info.unavailableReason = std::move(reason);
    return info;
}

DeviceInfo describe(const GpuOptions &options)
{
    int count = 0;
    int driver = 0;
    int runtime = 0;
    const cudaError_t found = cudaGetDeviceCount(&count);
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    cudaGetLastError();
    if (found != cudaSuccess || count == 0)
        return unavailable(options, unavailableText(found == cudaSuccess ? cudaErrorNoDevice : found, driver, runtime));
    if (options.device >= count)
        return unavailable(options, fmt::format("there is no GPU with this number; the last one is gpu:{}", count - 1));
    cudaDeviceProp properties{};
    if (const cudaError_t asked = cudaGetDeviceProperties(&properties, options.device); asked != cudaSuccess)
        return unavailable(options, unavailableText(asked, driver, runtime));
    const int capability = properties.major * 10 + properties.minor;
    if (capability < kOldestCapability)
        return unavailable(
            options,
            fmt::format("{} has compute capability {}.{}; CUDA 13 needs 7.5 (Turing) or later: use a newer GPU",
                        properties.name, properties.major, properties.minor));
    const Clocks clocks(pciBusId(options.device));
    const std::string driverText = clocks.driverVersion().empty() ? versionText(driver) : clocks.driverVersion();
    DeviceInfo info;
    info.id = toId(options);
    info.title = properties.name;
    if (const std::string words = toId(options); std::count(words.begin(), words.end(), ':') > 1)
        info.title += " (" + words.substr(words.find(':', words.find(':') + 1) + 1) + ')';
    info.provenance = Provenance::Measured;
    info.precision = toString(options.precision);
    info.facts = {{"GPU", properties.name},
                  {"compute capability", fmt::format("{}.{}", properties.major, properties.minor)},
                  {"SMs", std::to_string(properties.multiProcessorCount)},
                  {"memory", fmt::format("{} MiB", properties.totalGlobalMem >> 20U)},
                  {"L2 cache", fmt::format("{} KiB", properties.l2CacheSize >> 10)},
                  {"driver", driverText},
                  {"CUDA", versionText(runtime)},
                  {"cuDNN", cudnnVersionText()},
                  {"precision", std::string(toString(options.precision))},
                  {"mode", std::string(toString(options.mode))},
                  {"layout", std::string(toString(options.layout))},
                  {"L2 between runs", options.flushL2 ? "emptied" : "as it is"},
                  {"engines timed", std::string(options.tuneInStage ? "in their stage" : "alone") +
                                        (options.fewEngines ? ", few" : "") +
                                        (options.sweepsKnobs ? ", every setting" : "") +
                                        (options.compiledEngines ? ", compiled ones too" : "")},
                  {"work queues", workQueuesText()},
                  {"clocks", clocks.policy()}};
    info.fingerprint = "gpu;";
    for (const auto &[name, value] : info.facts)
        info.fingerprint += fmt::format("{}={};", name, value);
    // Shown, but not part of what a stored latency depends on: it always changes.
    if (const auto reading = clocks.read())
        info.facts.emplace_back("clocks now",
                                fmt::format("{} MHz SM, {} MHz memory, {} C{}", reading->smMHz, reading->memoryMHz,
                                            reading->temperature,
                                            reading->slowedBy.empty() ? "" : ", slowed by " + reading->slowedBy));
    return info;
}

class GpuDevice : public Device {
public:
    explicit GpuDevice(const GpuOptions &options) : m_options(options), m_info(describe(options)) {}

    DeviceInfo info() const override { return m_info; }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        if (!m_info.available)
            return fail(ErrorCode::DeviceFailed, m_info.id + " is not available: " + m_info.unavailableReason);
        const std::string busId = pciBusId(m_options.device);
        return openGpuSession(std::move(graph), m_options, m_info, Clocks(busId), busId);
    }

private:
    GpuOptions m_options;
    DeviceInfo m_info;
};

} // namespace

std::string unavailableText(int code, int driverVersion, int runtimeVersion)
{
    const auto error = static_cast<cudaError_t>(code);
    switch (error) {
    case cudaErrorInsufficientDriver:
        if (driverVersion == 0)
            return fmt::format("no NVIDIA driver is loaded: install the driver for your GPU (CUDA {} or later)",
                               versionText(runtimeVersion));
        return fmt::format("the NVIDIA driver supports CUDA {} and CUDA {} is needed: install a newer driver",
                           versionText(driverVersion), versionText(runtimeVersion));
    case cudaErrorNoDevice:
        return "the NVIDIA driver finds no GPU: check that one is installed and not hidden (CUDA_VISIBLE_DEVICES)";
    case cudaErrorSystemDriverMismatch:
        return "the NVIDIA driver was updated but not loaded since: restart the machine";
    case cudaErrorStubLibrary: return "libcuda.so.1 is a stub: remove the toolkit's stubs from the library path";
    default: return fmt::format("CUDA does not start: {} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
    }
}

std::string workQueuesText()
{
    const char *asked = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    return asked && *asked ? asked : "as CUDA has them";
}

std::vector<DeviceInfo> listGpus()
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        count = 0;
    std::vector<DeviceInfo> gpus;
    GpuOptions options;
    do {
        gpus.push_back(describe(options));
        if (!gpus.back().available)
            continue;
        // The forms that people usually choose between; others can be typed.
        for (const char *form : {":streams", ":tf32", ":fp16"})
            gpus.push_back(describe(gpuOptionsFrom(fmt::format("gpu:{}{}", options.device, form)).value()));
    } while (++options.device < count);
    return gpus;
}

Result<std::unique_ptr<Device>> makeGpuDevice(const std::string &id)
{
    TRY_AS(const auto options, gpuOptionsFrom(id));
    return std::make_unique<GpuDevice>(options);
}

} // namespace stagecraft::gpu
