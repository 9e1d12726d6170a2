#pragma once

// The precision of a run that nobody states (RunContext::precision): that of a profile.

#include <string_view>

namespace stagecraft {

inline constexpr std::string_view kPrecisionNotStated = "precision not stated";

} // namespace stagecraft
