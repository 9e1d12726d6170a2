#include "gpu/profile/cupti.h"

#include "gpu/cuda/failure.h"

#include <array>
#include <dlfcn.h>
#include <fmt/format.h>
#include <vector>

namespace stagecraft::gpu {

Result<Cupti> loadCupti(std::span<const std::string> files)
{
    void *library = nullptr;
    for (const std::string &file : files) {
        library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library)
            break;
    }
    // The version of the toolkit's headers.
    const std::string remedy =
        fmt::format("install CUPTI {0} (package cuda-cupti-{0}-{1}), or add its folder to LD_LIBRARY_PATH",
                    CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    if (!library)
        return fail(ErrorCode::DeviceFailed, "a timeline needs CUPTI, which is not found", remedy);
    Cupti loaded;
    std::string missing;
#define STAGECRAFT_CUPTI_FIND(name)                                                                                    \
    loaded.name = reinterpret_cast<decltype(loaded.name)>(dlsym(library, #name));                                      \
    if (!loaded.name && missing.empty())                                                                               \
        missing = #name;
    STAGECRAFT_CUPTI_FUNCTIONS(STAGECRAFT_CUPTI_FIND)
    STAGECRAFT_CUPTI_SAMPLING_FUNCTIONS(STAGECRAFT_CUPTI_FIND)
#undef STAGECRAFT_CUPTI_FIND
    if (!missing.empty())
        return fail(ErrorCode::DeviceFailed, "a timeline needs another CUPTI: this one has no " + missing, remedy);
    return loaded;
}

const Result<Cupti> &cupti()
{
    static const std::string name = fmt::format("libcupti.so.{}", CUDA_VERSION / 1000);
    static const std::array<std::string, 3> files{name, STAGECRAFT_CUDA_LIBRARY_FOLDER "/" + name,
                                                  "/usr/local/cuda/extras/CUPTI/lib64/" + name};
    static const Result<Cupti> loaded = loadCupti(files);
    return loaded;
}

std::string refusalText(int code, const std::string &cuptiText)
{
    switch (code) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
        return "the NVIDIA driver allows performance counters only to administrators: run as root (or with "
               "CAP_SYS_ADMIN), or load the driver with NVreg_RestrictProfilingToAdminUsers=0";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
        return "this is a virtual machine's GPU, and its host does not allow profiling: the host's administrator has "
               "to "
               "enable it (vGPU plug-in parameter enable_profiling), or pass the whole GPU through";
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_NOT_COMPATIBLE: return "this GPU, or this driver, does not support it";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
        return "the GPU runs in confidential computing mode, which does not allow profiling";
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED: return "mining processors do not allow profiling";
    case kMigNotSupported: return "the GPU is partitioned (MIG): a partition cannot use counters of the whole GPU";
    case kSliNotSupported: return "the GPU is linked with another one (SLI)";
    case kWslNotSupported: return "the Windows Subsystem for Linux does not allow profiling here";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
        return "another profiler is active in this process: run without it";
    case CUPTI_ERROR_HARDWARE_BUSY: return "another program is profiling this GPU: try again when it is done";
    default: return "CUPTI says " + cuptiText;
    }
}

void requireCupti(const Cupti &cupti, CUptiResult code, const char *what)
{
    if (code == CUPTI_SUCCESS)
        return;
    const char *word = nullptr;
    cupti.cuptiGetResultString(code, &word);
    const std::string why = refusalText(code, word ? word : std::to_string(code));
    throw Failure{fail(ErrorCode::DeviceFailed, fmt::format("{} failed: {}", what, why)).value(), false};
}

} // namespace stagecraft::gpu
