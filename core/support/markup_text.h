#pragma once

#include <string>
#include <string_view>

namespace stagecraft {

[[nodiscard]] std::string escaped(std::string_view text); // for XML and HTML

} // namespace stagecraft
