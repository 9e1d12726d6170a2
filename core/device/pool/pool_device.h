#pragma once

// Equal devices that measure one search side by side: "A,B,C". Equal are those whose stored latencies count for each
// other: of the same fingerprint; devices that store none, of the same title and version.

#include "device/device.h"
#include "device/pool/pool_work.h"
#include "support/result.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

// Called again to find a member that was lost, and from several threads at a time.
using FindMember = std::function<Result<std::unique_ptr<Device>>(const std::string &id)>;

// `id`: of the pool. A member that is not available now takes part as soon as it is. Errors: WrongUse, naming members
// that are not equal, a recording, a device that is named twice and would disturb itself, or fewer than two;
// DeviceFailed if none is available; the finder's.
[[nodiscard]] Result<std::unique_ptr<Device>> makePool(const std::string &id, const std::vector<std::string> &members,
                                                       const FindMember &find, PoolOptions options = {});

} // namespace stagecraft
