#pragma once

// Which of several files are profiles of other programs, told by their content.

#include "device/recorded/profiles/profile_reader.h"
#include "support/result.h"

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace stagecraft {

struct ProfilesAmong {
    std::vector<std::vector<ProfileFile>> profiles; // files that belong together are one
    std::vector<std::string> others;                // or that cannot be read, in their order
};

// Errors: Cancelled.
[[nodiscard]] Result<ProfilesAmong> profilesAmong(std::span<const std::string> paths, const std::stop_token &stop);

} // namespace stagecraft
