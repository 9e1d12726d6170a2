#include "worker/weight_cache.h"

#include "support/output_file.h"
#include "support/sha256.h"
#include "support/user_folders.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace stagecraft::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLimit = std::uint64_t{8} << 30U; // bytes
constexpr std::size_t kHashLetters = 64;

// No path leads out of the folder through one.
bool isHash(const std::string &name)
{
    return name.size() == kHashLetters && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::optional<std::string> contentOf(const fs::path &path)
{
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error || !fs::is_regular_file(path, error))
        return std::nullopt;
    std::string content(size, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(content.data(), static_cast<std::streamsize>(size));
    return file ? std::optional(std::move(content)) : std::nullopt;
}

struct KeptFile {
    fs::path path;
    std::uint64_t bytes = 0;
    fs::file_time_type used;
};

std::vector<KeptFile> filesIn(const fs::path &folder)
{
    std::vector<KeptFile> files;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(folder, error)) {
        std::error_code gone; // another worker may remove it
        const KeptFile file{entry.path(), entry.file_size(gone), entry.last_write_time(gone)};
        if (!gone && isHash(file.path.filename().string()))
            files.push_back(file);
    }
    return files;
}

} // namespace

WeightCache::WeightCache(std::optional<fs::path> folder, std::uint64_t limit)
    : m_folder(std::move(folder)), m_limit(limit)
{
    if (m_folder && (m_limit == 0 || makePrivateFolders(*m_folder)))
        m_folder.reset();
}

std::vector<std::string> WeightCache::lacking(const std::vector<std::string> &names)
{
    m_wanted = {names.begin(), names.end()};
    std::erase_if(m_held, [&](const auto &held) { return !m_wanted.contains(held.first); });
    std::vector<std::string> lacking;
    std::error_code error;
    for (const std::string &name : m_wanted) {
        const bool isThere = m_held.contains(name) || (m_folder && isHash(name) && fs::exists(pathOf(name), error));
        if (!isThere)
            lacking.push_back(name);
    }
    return lacking;
}

bool WeightCache::makeRoom(std::uint64_t bytes) const
{
    std::vector<KeptFile> files = filesIn(*m_folder);
    std::uint64_t total = bytes;
    for (const KeptFile &file : files)
        total += file.bytes;
    std::ranges::sort(files, {}, &KeptFile::used);
    for (const KeptFile &file : files) {
        if (total <= m_limit)
            break;
        std::error_code error;
        if (!m_wanted.contains(file.path.filename().string()) && fs::remove(file.path, error))
            total -= file.bytes;
    }
    return total <= m_limit;
}

Result<void> WeightCache::keep(const std::string &name, std::string values)
{
    if (sha256(values) != name)
        return refused("weights arrived with another hash than their own", "try again");
    if (!m_folder || !makeRoom(values.size()) || !writeFile(pathOf(name), values, Flush::Later))
        m_held.insert_or_assign(name, std::move(values));
    return {};
}

std::optional<std::string> WeightCache::values(const std::string &name)
{
    if (const auto held = m_held.find(name); held != m_held.end())
        return held->second;
    if (!m_folder || !isHash(name))
        return std::nullopt;
    const fs::path path = pathOf(name);
    auto content = contentOf(path);
    std::error_code error;
    if (content && sha256(*content) == name) {
        fs::last_write_time(path, fs::file_time_type::clock::now(), error); // it was used
        return content;
    }
    fs::remove(path, error);
    return std::nullopt;
}

WeightCache ownWeightCache()
{
    std::uint64_t limit = kLimit;
    if (const char *given = std::getenv("STAGECRAFT_WEIGHTS_LIMIT"))
        (void)std::from_chars(given, given + std::strlen(given), limit);
    auto folder = cacheFolder();
    if (folder)
        *folder /= "weights";
    return {std::move(folder), limit};
}

} // namespace stagecraft::worker
