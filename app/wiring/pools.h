#pragma once

// The ids of pools: "sim:v100,sim:v100" and "pool:FILE" (device/pool/pool_file.h).

#include "device/pool/pool_device.h"
#include "support/result.h"

#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

// Its parts, where each begins as a device does and the whole is no device from a file; else empty: a path may hold
// commas.
[[nodiscard]] std::vector<std::string> poolParts(const std::string &id);

// Devices that are named with commas between them; "pool:FILE" stands for its members. Errors: of the file.
[[nodiscard]] Result<std::vector<std::string>> eachDevice(const std::vector<std::string> &named);

[[nodiscard]] bool isPool(const std::string &id);

// Errors: those of makePool; of the file of the pool.
[[nodiscard]] Result<std::unique_ptr<Device>> findPool(const std::string &id, const FindMember &find,
                                                       PoolOptions options);

} // namespace stagecraft
