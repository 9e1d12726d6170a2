#pragma once

// Where files of a person live (XDG base directory specification): environment variables that hold no absolute path are
// ignored, as it asks, and without a usable HOME the system's list of users says where the home folder is. Nothing:
// there is no such folder, and nothing is kept.

#include <filesystem>
#include <optional>

namespace stagecraft {

[[nodiscard]] std::optional<std::filesystem::path> homeFolder();
[[nodiscard]] std::optional<std::filesystem::path> dataFolder();  // $XDG_DATA_HOME or ~/.local/share, then stagecraft
[[nodiscard]] std::optional<std::filesystem::path> cacheFolder(); // $XDG_CACHE_HOME or ~/.cache, then stagecraft
[[nodiscard]] std::filesystem::path temporaryFolder();            // $TMPDIR where it is a folder, or /tmp

// Makes a folder of the person's own and those above it that are missing; only they may enter.
[[nodiscard]] std::error_code makePrivateFolders(const std::filesystem::path &folder);

} // namespace stagecraft
