#pragma once

// Folders for a person's files (XDG base directory specification). As it asks, environment variables without an
// absolute path are ignored; without a usable HOME, the system's user database gives the home folder. Empty if there is
// no such folder: then nothing is stored.

#include <filesystem>
#include <optional>

namespace stagecraft {

[[nodiscard]] std::optional<std::filesystem::path> homeFolder();
[[nodiscard]] std::optional<std::filesystem::path> dataFolder();  // $XDG_DATA_HOME or ~/.local/share, then stagecraft
[[nodiscard]] std::optional<std::filesystem::path> cacheFolder(); // $XDG_CACHE_HOME or ~/.cache, then stagecraft
[[nodiscard]] std::filesystem::path temporaryFolder();            // $TMPDIR if it is a folder, or /tmp

// Creates a folder and its missing parents; only the owner may enter.
[[nodiscard]] std::error_code makePrivateFolders(const std::filesystem::path &folder);

} // namespace stagecraft
