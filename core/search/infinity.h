#pragma once

#include <limits>

namespace stagecraft {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

} // namespace stagecraft
