#include "device/simulated/device_description.h"

#include "device/simulated/embedded_devices.h"
#include "device/simulated/simulated_options.h"
#include "support/closest_name.h"
#include "support/input_file.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace stagecraft {

namespace {

using D = DeviceDescription;

constexpr std::array kNumbers{
    DeviceNumber{"sm_count", "SMs", "", 1, 1024, true, &D::smCount},
    DeviceNumber{"sm_clock_mhz", "SM clock", "MHz", 50, 10000, false, &D::smClockMhz},
    DeviceNumber{"fp32_fma_per_clock_per_sm", "FP32 FMA per clock and SM", "", 1, 4096, true, &D::fp32FmaPerClockPerSm},
    DeviceNumber{"fp16_fma_per_clock_per_sm", "FP16 FMA per clock and SM", "", 1, 8192, true, &D::fp16FmaPerClockPerSm},
    DeviceNumber{"tensor_fma_per_clock_per_sm", "FP16 tensor FMA per clock and SM", "", 0, 65536, true,
                 &D::tensorFmaPerClockPerSm},
    DeviceNumber{"tf32_fma_per_clock_per_sm", "TF32 tensor FMA per clock and SM", "", 0, 65536, true,
                 &D::tf32FmaPerClockPerSm, false},
    DeviceNumber{"int8_fma_per_clock_per_sm", "INT8 FMA per clock and SM", "", 0, 131072, true,
                 &D::int8FmaPerClockPerSm, false},
    DeviceNumber{"max_blocks_per_sm", "Resident blocks per SM", "", 1, 64, true, &D::maxBlocksPerSm},
    DeviceNumber{"max_warps_per_sm", "Resident warps per SM", "warps", 8, 256, true, &D::maxWarpsPerSm},
    DeviceNumber{"registers_per_sm", "Registers per SM", "", 32768, 1048576, true, &D::registersPerSm},
    DeviceNumber{"shared_memory_per_sm_kib", "Shared memory per SM", "KiB", 48, 4096, false, &D::sharedMemoryPerSmKib},
    DeviceNumber{"l2_kib", "L2 cache", "KiB", 64, 4194304, false, &D::l2Kib},
    DeviceNumber{"l2_gb_per_second", "L2 bandwidth", "GB/s", 10, 200000, false, &D::l2GbPerSecond},
    DeviceNumber{"dram_gb_per_second", "DRAM bandwidth", "GB/s", 1, 100000, false, &D::dramGbPerSecond},
    DeviceNumber{"launch_us", "Host time per launch", "us", 0, 1000, false, &D::launchUs},
    DeviceNumber{"cudnn_call_us", "Host time per cuDNN call", "us", 0, 1000, false, &D::cudnnCallUs},
    DeviceNumber{"kernel_ramp_us", "Ramp and drain of a kernel", "us", 0, 1000, false, &D::kernelRampUs},
    DeviceNumber{"block_latency_us", "Latency of a block", "us", 0, 1000, false, &D::blockLatencyUs, false},
    DeviceNumber{"barrier_us", "Barrier", "us", 0, 1000, false, &D::barrierUs},
    DeviceNumber{"saturating_warps_per_sm", "Warps that saturate an SM", "warps", 1, 64, false,
                 &D::saturatingWarpsPerSm},
    DeviceNumber{"gemm_efficiency", "GEMM efficiency", "", 0.001, 1, false, &D::gemmEfficiency},
    DeviceNumber{"conv_efficiency", "Convolution efficiency", "", 0, 1, false, &D::convEfficiency, false},
    DeviceNumber{"tensor_conv_efficiency", "Tensor convolution efficiency", "", 0, 1, false, &D::tensorConvEfficiency,
                 false},
    DeviceNumber{"winograd_efficiency", "Winograd efficiency", "", 0.001, 1, false, &D::winogradEfficiency},
    DeviceNumber{"depthwise_efficiency", "Depthwise efficiency", "", 0.001, 1, false, &D::depthwiseEfficiency},
    DeviceNumber{"dram_efficiency", "DRAM efficiency", "", 0.001, 1, false, &D::dramEfficiency},
    DeviceNumber{"graph_kernel_us", "Kernel in a CUDA graph", "us", 0, 1000, false, &D::graphKernelUs, false},
    DeviceNumber{"event_us", "Event between streams", "us", 0, 1000, false, &D::eventUs, false},
};

std::vector<std::string> builtInNames()
{
    std::vector<std::string> names;
    for (const DeviceDescription &description : builtInDeviceDescriptions())
        names.push_back(description.name);
    return names;
}

// Title and calibration say that they come from this file, whatever it was copied from.
Result<DeviceDescription> readFile(const std::string &path)
{
    constexpr std::uintmax_t kLargestFileBytes = 1 << 20;
    auto text = readInputFile(path, kLargestFileBytes);
    if (!text && text.error().remedy.empty())
        return fail(ErrorCode::InvalidInput, "this file is too large for a device description",
                    "A description has about thirty lines");
    TRY(text);
    Result<DeviceDescription> read = deviceDescriptionFromJson(*text);
    if (!read)
        return read;
    if (std::ranges::find(builtInDeviceDescriptions(), read->name, &D::name) != builtInDeviceDescriptions().end())
        return fail(ErrorCode::InvalidInput, "name is " + read->name + ", which comes with the program",
                    "Give the device a name of its own");
    const std::string fileName = std::filesystem::path(path).filename().string();
    read->title += ", from " + fileName;
    read->calibration = read->calibration.empty() ? "unknown, " + fileName + " does not say"
                                                  : "as " + fileName + " says, " + read->calibration;
    return read;
}

} // namespace

double eventUs(const DeviceDescription &description)
{
    return description.eventUs > 0 ? description.eventUs : kAssumedEventUs;
}

std::span<const DeviceNumber> deviceNumbers()
{
    return kNumbers;
}

std::span<const DeviceNumber> calibratedNumbers()
{
    const auto first = std::ranges::find(kNumbers, "launch_us", &DeviceNumber::key);
    return deviceNumbers().subspan(static_cast<std::size_t>(first - kNumbers.begin()));
}

const std::vector<DeviceDescription> &builtInDeviceDescriptions()
{
    static const std::vector<DeviceDescription> descriptions = [] {
        std::vector<DeviceDescription> read;
        for (const std::string_view text : embeddedDeviceTexts()) {
            // A built-in file that cannot be read is a bug of ours: tst_device_description reads all of them.
            if (Result<DeviceDescription> description = deviceDescriptionFromJson(text))
                read.push_back(*std::move(description));
        }
        return read;
    }();
    return descriptions;
}

Result<DeviceDescription> findDeviceDescription(const std::string &nameOrPath)
{
    const auto &descriptions = builtInDeviceDescriptions();
    if (const auto found = std::ranges::find(descriptions, nameOrPath, &D::name); found != descriptions.end())
        return *found;

    std::error_code error;
    const bool isFile = std::filesystem::is_regular_file(nameOrPath, error);
    if (!isFile && nameOrPath.find('*') != std::string::npos) {
        TRY_AS(const auto whatIf, readWhatIfName(nameOrPath));
        auto original = findDeviceDescription(whatIf.original);
        return original ? withChanges(*std::move(original), whatIf.changes) : original;
    }
    if (const SimulatedName parts = simulatedName(nameOrPath); !isFile && !parts.options.empty()) {
        TRY(simulatedOptions(nameOrPath));
        return findDeviceDescription(parts.device);
    }
    if (!isFile)
        return fail(ErrorCode::WrongUse, "there is no simulated device " + nameOrPath,
                    didYouMean(nameOrPath, builtInNames()) + "Known are " + listed(builtInNames()) +
                        ", or the path of a device description");
    Result<DeviceDescription> description = readFile(nameOrPath);
    if (!description)
        return within(nameOrPath, description.error());
    return description;
}

} // namespace stagecraft
