#include "device/cpu/processor.h"

#include "device/cpu/thread_affinity.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <oneapi/dnnl/dnnl.hpp>

namespace stagecraft::cpu {
namespace {

std::string modelName()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("model name"))
            continue;
        const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
        return value == std::string::npos ? "unknown processor" : line.substr(value);
    }
    return "unknown processor";
}

std::string frequencyPolicy()
{
    std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    std::string governor;
    return std::getline(file, governor) ? governor : "unknown";
}

std::string instructionSet()
{
    switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::sse41: return "sse41";
    case dnnl::cpu_isa::avx: return "avx";
    case dnnl::cpu_isa::avx2: return "avx2";
    case dnnl::cpu_isa::avx512_core: return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni: return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16: return "avx512_core_bf16";
    default: return fmt::format("isa {}", static_cast<int>(dnnl::get_effective_cpu_isa()));
    }
}

} // namespace

Processor thisProcessor()
{
    const dnnl_version_t *version = dnnl_version();
    return {modelName(), std::max(static_cast<int>(usableProcessors().size()), 1), frequencyPolicy(),
            fmt::format("oneDNN {}.{}.{}, {}", version->major, version->minor, version->patch, instructionSet())};
}

} // namespace stagecraft::cpu
