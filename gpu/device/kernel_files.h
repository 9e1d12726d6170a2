#pragma once

// Compiled kernels kept in files: compiling takes seconds, and every worker is a process of its own. A file is named
// after all that its content depends on and carries a checksum; one that is damaged counts as missing. Where nothing
// can be kept, kernels are compiled every time: keeping them never fails.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace stagecraft::gpu {

// Below the cache folder (support/user_folders.h). Empty: there is no place.
[[nodiscard]] std::filesystem::path kernelFolder();

// What the file holds, otherwise what `compile` makes, which the file holds from then on. Empty path: compiles.
[[nodiscard]] std::vector<char> keptOrCompiled(const std::filesystem::path &file,
                                               const std::function<std::vector<char>()> &compile);

// FNV-1a; goes on from `seed`.
inline constexpr std::uint64_t kHashSeed = 14695981039346656037ULL;
[[nodiscard]] std::uint64_t hashOf(std::string_view bytes, std::uint64_t seed = kHashSeed);

} // namespace stagecraft::gpu
