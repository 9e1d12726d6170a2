#pragma once

// Stores compiled kernels in files: compiling takes seconds, and every worker is a process of its own. A file is named
// after everything its content depends on and has a checksum; a damaged one counts as missing. If files cannot be
// written, kernels are compiled every time: storing never fails.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace stagecraft::gpu {

// In the cache folder (support/user_folders.h). Empty if there is none.
[[nodiscard]] std::filesystem::path kernelFolder();

// The content of the file, or else the result of `compile`, which is then written to it. Empty path: compiles.
[[nodiscard]] std::vector<char> storedOrCompiled(const std::filesystem::path &file,
                                                 const std::function<std::vector<char>()> &compile);

// FNV-1a; continues from `seed`.
inline constexpr std::uint64_t kHashSeed = 14695981039346656037ULL;
[[nodiscard]] std::uint64_t hashOf(std::string_view bytes, std::uint64_t seed = kHashSeed);

} // namespace stagecraft::gpu
