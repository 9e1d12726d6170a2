#pragma once

// Files that gzip compressed, as a whole. Source: RFC 1952; zlib.

#include "support/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace stagecraft {

[[nodiscard]] bool isGzip(std::string_view bytes);

// All members of the file, one after the other. Errors: it is damaged, cut short, or holds more than `limitBytes`.
[[nodiscard]] Result<std::string> unzipped(std::string_view bytes, std::size_t limitBytes);

} // namespace stagecraft
