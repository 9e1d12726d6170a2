#pragma once

// The formats in which programs record what ran, as a table: what tells a file of the format, and how it is read. The
// format is recognised, never asked for; a format is one row (profile_reader.cpp) and one source in this folder.

#include "device/recorded/profiles/profile.h"
#include "support/result.h"

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// A file as it was read; gzip is undone. Of a database, which is read where it lies, `bytes` is its beginning.
struct ProfileFile {
    std::string path;
    std::string bytes;
    std::string sha256;
};

struct ProfileReader {
    std::string_view format; // "pytorch"
    std::string_view what;   // "a trace of the PyTorch profiler"
    bool (*sniff)(std::string_view bytes);
    bool joinsFiles = false; // several of them make one profile
    // Kernels in any order, `files` left out. Errors name the file and the line or table.
    Result<Profile> (*read)(std::span<const ProfileFile> files, const std::stop_token &stop);
};

[[nodiscard]] std::span<const ProfileReader> profileReaders();

// Null: no reader knows it.
[[nodiscard]] const ProfileReader *readerOf(std::string_view bytes);

inline constexpr std::size_t kLargestProfile = std::size_t{1} << 30U; // unzipped; a database may be larger

// Errors: InvalidInput, naming the file; Cancelled.
[[nodiscard]] Result<ProfileFile> openProfileFile(const std::string &path, const std::stop_token &stop = {});

// Files that together are one profile, opened before or here. Errors: InvalidInput, naming the file; Cancelled.
[[nodiscard]] Result<Profile> profileOf(std::vector<ProfileFile> files, const std::stop_token &stop = {});
[[nodiscard]] Result<Profile> readProfile(std::span<const std::string> files, const std::stop_token &stop = {});

} // namespace stagecraft
