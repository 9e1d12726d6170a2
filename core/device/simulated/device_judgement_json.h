#pragma once

// The member "judged" of device descriptions. Private to device_description_json.cpp.

#include "device/simulated/device_description.h"
#include "support/result.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace stagecraft {

inline constexpr const char *kJudgedKey = "judged";

// Each entry has a sum over the numbers that it judged (those that are 0 left out, so that a number which later
// versions add does not change it). Entries for other numbers than those of `description` are left out. Errors name the
// key.
[[nodiscard]] Result<std::vector<DeviceJudgement>> judgementsFrom(const nlohmann::ordered_json &device,
                                                                  const DeviceDescription &description);
[[nodiscard]] nlohmann::ordered_json jsonOfJudgements(const DeviceDescription &description);

} // namespace stagecraft
