#include "gpu/module.h"

#include "gpu/session/gpu_device.h"

extern "C" __attribute__((visibility("default"))) const stagecraft::gpu::Module *stagecraftGpuModule();

const stagecraft::gpu::Module *stagecraftGpuModule()
{
    static constexpr stagecraft::gpu::Module module{stagecraft::gpu::kModuleVersion, stagecraft::gpu::listGpus,
                                                    stagecraft::gpu::makeGpuDevice};
    return &module;
}
