#pragma once

#include <string>
#include <string_view>

namespace stagecraft {

// Lower-case hexadecimal SHA-256 of the bytes.
[[nodiscard]] std::string sha256(std::string_view bytes);

} // namespace stagecraft
