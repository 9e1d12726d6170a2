#pragma once

// A folder that an export writes, with the SHA-256 of each of its files in MANIFEST.sha256, as `sha256sum --check`
// reads it. One rule for every such folder: it takes the place of nothing, of an empty folder, or of a folder that
// holds only what an earlier export wrote, unchanged. The whole folder appears or nothing does
// (support/output_folder.h).

#include "support/output_folder.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace stagecraft {

inline constexpr const char *kManifestName = "MANIFEST.sha256";

struct WrittenFolder {
    std::size_t files = 0; // with the manifest
    std::uint64_t bytes = 0;
};

class ExportFolder {
public:
    // InvalidInput, naming the folder and what is in the way. For work that takes long, to be asked before it.
    [[nodiscard]] static Result<void> check(const std::filesystem::path &path);
    [[nodiscard]] static Result<ExportFolder> create(const std::filesystem::path &path);

    [[nodiscard]] const std::filesystem::path &beside() const { return m_folder.beside(); } // where to write
    // Of a file in beside(), by its path there; those that are not known are computed.
    void setHash(const std::string &name, std::string sha256) { m_hashes[name] = std::move(sha256); }

    [[nodiscard]] Result<WrittenFolder> publish();

private:
    ExportFolder(std::filesystem::path path, OutputFolder folder) : m_path(std::move(path)), m_folder(std::move(folder))
    {
    }

    std::filesystem::path m_path;
    OutputFolder m_folder;
    std::map<std::string, std::string> m_hashes;
};

} // namespace stagecraft
