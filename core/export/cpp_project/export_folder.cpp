#include "export/cpp_project/export_folder.h"

#include "support/input_file.h"
#include "support/output_file.h"
#include "support/sha256.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxManifest = 16U << 20U;

Result<std::string> hashOf(const fs::path &path)
{
    TRY_AS(auto file, OpenedFile::open(path, UINTMAX_MAX));
    Sha256 hash;
    std::vector<char> bytes(std::size_t{1} << 20U);
    for (;;) {
        TRY_AS(const auto count, file.read(bytes.data(), bytes.size()));
        if (count == 0)
            return hash.digest();
        hash.add({bytes.data(), count});
    }
}

// The hashes of an earlier export by file; empty: there is none.
std::map<std::string, std::string> manifestOf(const fs::path &folder)
{
    std::map<std::string, std::string> hashes;
    const auto text = readInputFile(folder / kManifestName, kMaxManifest);
    for (std::size_t at = 0; text && at < text->size();) {
        const std::size_t end = std::min(text->find('\n', at), text->size());
        const std::string line = text->substr(at, end - at);
        if (line.size() > 66)
            hashes[line.substr(66)] = line.substr(0, 64);
        at = end + 1;
    }
    return hashes;
}

// Refuses a folder that holds anything but what an earlier export wrote, and says what.
Result<void> checkUnchanged(const fs::path &folder)
{
    const auto refuse = [&](const std::string &file, const std::string &reason) {
        return within(folder.string(), Error{ErrorCode::InvalidInput,
                                             "the folder is not replaced: " + file + reason,
                                             "Choose another name, or delete the folder",
                                             {}});
    };
    const auto hashes = manifestOf(folder);
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (at->is_directory() && !at->is_symlink())
            continue;
        const std::string file = at->path().lexically_relative(folder).string();
        const auto known = hashes.find(file);
        if (file == kManifestName)
            continue;
        if (known == hashes.end() || at->is_symlink())
            return refuse(file, " is in it, which no export wrote");
        const auto hash = hashOf(at->path());
        if (!hash || *hash != known->second)
            return refuse(file, " is changed since it was exported");
    }
    if (error)
        return refuse("", error.message());
    return {};
}

bool isExport(const fs::path &path)
{
    std::error_code error;
    return fs::exists(path / kManifestName, error);
}

// The files below the folder by their paths in it, sorted.
Result<std::vector<std::string>> filesIn(const fs::path &folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (!at->is_directory())
            names.push_back(at->path().lexically_relative(folder).string());
    }
    if (error)
        return refused("the folder cannot be read: " + error.message());
    std::ranges::sort(names);
    return names;
}

} // namespace

Result<void> ExportFolder::check(const fs::path &path)
{
    TRY(create(path));
    return {};
}

Result<ExportFolder> ExportFolder::create(const fs::path &path)
{
    const bool mayReplace = isExport(path);
    if (mayReplace) {
        TRY(checkUnchanged(path));
    }
    TRY_AS(auto folder, OutputFolder::create(path, mayReplace));
    return ExportFolder(path, std::move(folder));
}

Result<WrittenFolder> ExportFolder::publish()
{
    const auto names = filesIn(beside());
    if (!names)
        return within(m_path.string(), names.error());
    WrittenFolder written;
    std::string manifest;
    for (const std::string &name : *names) {
        const auto known = m_hashes.find(name);
        const auto hash = known != m_hashes.end() ? Result<std::string>(known->second) : hashOf(beside() / name);
        if (!hash)
            return within((m_path / name).string(), hash.error());
        std::error_code error;
        written.bytes += fs::file_size(beside() / name, error);
        ++written.files;
        manifest += *hash + "  " + name + '\n';
    }
    if (auto done = writeFile(beside() / kManifestName, manifest); !done)
        return within(m_path.string(), done.error());
    written.bytes += manifest.size();
    ++written.files;
    TRY(m_folder.publish());
    return written;
}

} // namespace stagecraft
