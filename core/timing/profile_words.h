#pragma once

// What stands in the context of a run (timing/run_context.h) that a profile recorded.

#include <string_view>

namespace stagecraft {

inline constexpr std::string_view kPrecisionNotStated = "precision not stated";
inline constexpr std::string_view kOfProfile = " (profile)"; // what the id of its device ends in

} // namespace stagecraft
