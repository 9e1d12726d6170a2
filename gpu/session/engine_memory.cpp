#include "gpu/session/engine_memory.h"

#include "gpu/device/kernel_files.h"
#include "gpu/device/kernel_library.h"
#include "support/user_folders.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace stagecraft::gpu {
namespace {

constexpr const char *kCapability = "compute capability";
constexpr std::array<std::string_view, 6> kFacts{"GPU", kCapability, "SMs", "driver", "CUDA", "cuDNN"};

// "sm_90" for compute capability 9.0.
std::string architectureOf(const DeviceInfo &info)
{
    const auto fact = std::ranges::find(info.facts, kCapability, &std::pair<std::string, std::string>::first);
    std::string digits = fact == info.facts.end() ? "" : fact->second;
    std::erase(digits, '.');
    return "sm_" + digits;
}

} // namespace

std::string engineFingerprint(const DeviceInfo &info, const GpuOptions &options, const std::string &kernels)
{
    std::string text = "engines;";
    for (const auto &[name, value] : info.facts) {
        if (std::ranges::find(kFacts, name) != kFacts.end())
            text += fmt::format("{}={};", name, value);
    }
    text += fmt::format("precision={};layout={};kernels={};", toString(options.precision), toString(options.layout),
                        kernels);
    text += options.fewEngines ? "few;" : "";
    text += options.sweepsKnobs ? "sweep;" : "";
    text += options.compiledEngines ? "compiled;" : "";
    return text;
}

std::shared_ptr<TunedConvFile> engineMemory(const DeviceInfo &info, const GpuOptions &options)
{
    const std::string kernels = kernelFile("kernels", architectureOf(info), options.precision).filename().string();
    std::string fingerprint = engineFingerprint(info, options, kernels);
    std::filesystem::path file;
    if (const auto cache = cacheFolder()) {
        file = *cache / "engines" / fmt::format("{}-{:016x}.jsonl", toString(options.precision), hashOf(fingerprint));
    }
    return std::make_shared<TunedConvFile>(std::move(file), std::move(fingerprint));
}

} // namespace stagecraft::gpu
