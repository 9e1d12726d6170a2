#pragma once

// Values of constants that programs on other machines sent, by their SHA-256 in hexadecimal: files of a folder, so that
// each model travels once. Together they stay within a limit; those that were not used for longest go first. What does
// not fit, or cannot be written, is held in memory as long as this object lives. Threads: used by one at a time.

#include "support/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace stagecraft::worker {

class WeightCache {
public:
    // Without a folder everything is held in memory. `limit`: bytes of all files together.
    WeightCache(std::optional<std::filesystem::path> folder, std::uint64_t limit);

    // Of `names` those that it lacks. The others stay until the next call, whatever else is kept.
    [[nodiscard]] std::vector<std::string> lacking(const std::vector<std::string> &names);
    // InvalidInput: the values have another hash.
    [[nodiscard]] Result<void> keep(const std::string &name, std::string values);
    // Empty: it lacks them. A file whose content has another hash is removed.
    [[nodiscard]] std::optional<std::string> values(const std::string &name);

private:
    // Removes files until `bytes` more fit; false: they do not.
    [[nodiscard]] bool makeRoom(std::uint64_t bytes) const;
    [[nodiscard]] std::filesystem::path pathOf(const std::string &name) const { return *m_folder / name; }

    std::optional<std::filesystem::path> m_folder;
    std::uint64_t m_limit;
    std::set<std::string> m_wanted;
    std::unordered_map<std::string, std::string> m_held;
};

// In the person's cache folder, within STAGECRAFT_WEIGHTS_LIMIT bytes, else 8 GiB; 0: nothing is kept on disk.
[[nodiscard]] WeightCache ownWeightCache();

} // namespace stagecraft::worker
