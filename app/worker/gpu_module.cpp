#include "worker/gpu_module.h"

#include "gpu/module.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>

namespace stagecraft::worker {
namespace {

namespace fs = std::filesystem;

struct Loaded {
    const gpu::Module *module = nullptr;
    std::string reason; // why there is no module
};

// STAGECRAFT_GPU_MODULE if set; otherwise next to this program, or where an installation has it. Never a relative path:
// nobody chose what is in the current folder.
std::vector<fs::path> candidates()
{
    if (const char *given = std::getenv("STAGECRAFT_GPU_MODULE"))
        return {given};
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    return {folder / gpu::kModuleFile,
            folder.parent_path() / STAGECRAFT_LIBRARY_FOLDER / "stagecraft" / gpu::kModuleFile};
}

// The module stays loaded until the process ends: its libraries cannot be unloaded safely.
Loaded load()
{
    for (const fs::path &path : candidates()) {
        std::error_code error;
        if (path.is_relative())
            return {nullptr, "the path of the GPU module is not absolute (" + path.string() +
                                 "); set STAGECRAFT_GPU_MODULE to an absolute path"};
        if (!fs::exists(path, error))
            continue;
        void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library)
            return {nullptr, std::string("the GPU module does not load: ") + dlerror() +
                                 "; install the CUDA runtime libraries and cuDNN 9, or add their folder to "
                                 "LD_LIBRARY_PATH"};
        const auto entry = reinterpret_cast<gpu::ModuleEntry *>(dlsym(library, gpu::kModuleEntry));
        const gpu::Module *module = entry ? entry() : nullptr;
        if (!module || std::strcmp(module->version, gpu::kModuleVersion) != 0)
            return {nullptr,
                    path.string() + " belongs to another version of the program; install the version of this program"};
        return {module, {}};
    }
    return {
        nullptr,
        "this installation has no GPU module; build it on a machine with the CUDA toolkit (12.4 or later) and cuDNN 9"};
}

const Loaded &loaded()
{
    static const Loaded result = load();
    return result;
}

class MissingGpu : public Device {
public:
    explicit MissingGpu(std::string id) : m_id(std::move(id)) {}

    DeviceInfo info() const override
    {
        DeviceInfo info;
        info.id = m_id;
        info.title = "NVIDIA GPU";
        info.provenance = Provenance::Measured;
        info.available = false;
        info.unavailableReason = loaded().reason;
        return info;
    }
    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const stagecraft::Graph>) const override
    {
        return fail(ErrorCode::DeviceFailed, m_id + " is not available: " + loaded().reason);
    }

private:
    std::string m_id;
};

} // namespace

std::vector<DeviceInfo> listGpus()
{
    if (loaded().module)
        return loaded().module->list();
    return {MissingGpu("gpu:0").info()};
}

Result<std::unique_ptr<Device>> gpuById(const std::string &id)
{
    if (loaded().module)
        return loaded().module->make(id);
    return std::make_unique<MissingGpu>(id);
}

} // namespace stagecraft::worker
