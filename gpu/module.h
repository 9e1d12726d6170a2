#pragma once

// The interface of the module libstagecraft_gpu.so, which stagecraft-worker loads at run time with dlopen. Both must be
// built from the same sources by the same compiler; the version checks that.

#include "device/device.h"

#include <memory>
#include <string>
#include <vector>

namespace stagecraft::gpu {

inline constexpr const char *kModuleFile = "libstagecraft_gpu.so";
inline constexpr const char *kModuleEntry = "stagecraftGpuModule";
inline constexpr const char *kModuleVersion = "stagecraft-gpu 3";

struct Module {
    const char *version; // kModuleVersion of the module's own sources
    std::vector<DeviceInfo> (*list)();
    Result<std::unique_ptr<Device>> (*make)(const std::string &id);
};

using ModuleEntry = const Module *();

} // namespace stagecraft::gpu
