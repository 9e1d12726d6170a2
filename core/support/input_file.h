#pragma once

// The one way this program reads whole files that people name: never more than a stated size, and only from what ends.

#include "support/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace stagecraft {

enum class ReadFrom {
    RegularFiles,
    FilesAndPipes, // what a shell's <(...) gives, too
};

// Refuses (InvalidInput) what is missing, a folder, a device, unreadable or larger than `limitBytes`, in words that do
// not repeat the path: the caller adds it as context.
[[nodiscard]] Result<std::string> readInputFile(const std::filesystem::path &path, std::uintmax_t limitBytes,
                                                ReadFrom from = ReadFrom::RegularFiles);

} // namespace stagecraft
