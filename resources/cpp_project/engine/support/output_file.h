#pragma once

#include "support/result.h"

#include <fstream>
#include <string>
#include <string_view>

namespace stagecraft {

[[nodiscard]] inline Result<void> writeFile(const std::string &path, std::string_view bytes)
{
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file)
        return within(path, fail(ErrorCode::InvalidInput, "the file cannot be written").value());
    return {};
}

} // namespace stagecraft
