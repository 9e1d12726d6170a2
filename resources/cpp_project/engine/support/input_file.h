#pragma once

#include "support/result.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace stagecraft {

// The bytes of a file; refuses one of more than `maxBytes`.
[[nodiscard]] inline Result<std::string> readInputFile(const std::string &path, std::uintmax_t maxBytes)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error)
        return fail(ErrorCode::InvalidInput, error.message());
    if (size > maxBytes)
        return fail(ErrorCode::InvalidInput, "the file is too large");
    std::string bytes(size, '\0');
    std::ifstream file(path, std::ios::binary);
    if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
        return fail(ErrorCode::InvalidInput, "the file cannot be read");
    return bytes;
}

} // namespace stagecraft
