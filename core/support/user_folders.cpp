#include "support/user_folders.h"

#include <cerrno>
#include <cstdlib>
#include <pwd.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> absolute(const char *path)
{
    return path && *path == '/' ? std::optional<fs::path>(path) : std::nullopt;
}

std::optional<fs::path> homeOfUser()
{
    std::vector<char> text(16384);
    passwd entry{};
    passwd *found = nullptr;
    if (getpwuid_r(geteuid(), &entry, text.data(), text.size(), &found) != 0 || !found)
        return std::nullopt;
    return absolute(found->pw_dir);
}

std::optional<fs::path> ownFolder(const char *variable, const char *belowHome)
{
    if (const auto given = absolute(std::getenv(variable)))
        return *given / "stagecraft";
    if (const auto home = homeFolder())
        return *home / belowHome / "stagecraft";
    return std::nullopt;
}

} // namespace

std::optional<fs::path> homeFolder()
{
    const auto given = absolute(std::getenv("HOME"));
    return given ? given : homeOfUser();
}

std::optional<fs::path> dataFolder()
{
    return ownFolder("XDG_DATA_HOME", ".local/share");
}

std::optional<fs::path> cacheFolder()
{
    return ownFolder("XDG_CACHE_HOME", ".cache");
}

fs::path temporaryFolder()
{
    std::error_code error;
    const auto given = absolute(std::getenv("TMPDIR"));
    return given && fs::is_directory(*given, error) ? *given : fs::path("/tmp");
}

std::error_code makePrivateFolders(const fs::path &folder)
{
    if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST)
        return {};
    if (errno != ENOENT || !folder.has_relative_path())
        return {errno, std::generic_category()};
    if (const std::error_code error = makePrivateFolders(folder.parent_path()))
        return error;
    return mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST ? std::error_code()
                                                               : std::error_code(errno, std::generic_category());
}

} // namespace stagecraft
