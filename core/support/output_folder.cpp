#include "support/output_folder.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <utility>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> refuseFolder(const fs::path &path, const std::string &reason, std::string remedy)
{
    return within(path.string(),
                  Error{ErrorCode::InvalidInput, "the folder cannot be written: " + reason, std::move(remedy), {}});
}

tl::unexpected<Error> refuseFor(const fs::path &path, int code)
{
    return refuseFolder(path, std::strerror(code), "Check that the folder it lies in exists, is writable and has room");
}

} // namespace

Result<OutputFolder> OutputFolder::create(const fs::path &path, bool mayReplace)
{
    fs::path target = path.lexically_normal();
    if (!target.has_filename()) // "out/"
        target = target.parent_path();
    if (target.empty() || target.filename() == "." || target.filename() == "..")
        return refuseFolder(path, "it has no name of its own", "Name a new folder");
    std::error_code error;
    const fs::file_status there = fs::symlink_status(target, error);
    if (fs::exists(there) && !fs::is_directory(there))
        return refuseFolder(path, "a file or link of this name is there", "Choose another name");
    if (fs::exists(there) && !mayReplace) {
        const bool isEmpty = fs::is_empty(target, error);
        if (error)
            return refuseFor(path, error.value());
        if (!isEmpty)
            return refuseFolder(path, "it is not empty", "Choose another name, or delete the folder");
    }
    std::string beside = (target.has_parent_path() ? target.parent_path() : fs::path(".")) / ".stagecraft-XXXXXX";
    if (!mkdtemp(beside.data()))
        return refuseFor(path, errno);
    const mode_t mask = umask(0);
    umask(mask);
    (void)chmod(beside.c_str(), 0777 & ~mask); // mkdtemp: private to its owner
    return OutputFolder(std::move(target), std::move(beside));
}

OutputFolder::OutputFolder(fs::path path, fs::path beside) : m_path(std::move(path)), m_beside(std::move(beside)) {}

OutputFolder::OutputFolder(OutputFolder &&other) noexcept
    : m_path(std::move(other.m_path)), m_beside(std::exchange(other.m_beside, {}))
{
}

OutputFolder::~OutputFolder()
{
    std::error_code error;
    if (!m_beside.empty())
        fs::remove_all(m_beside, error);
}

Result<void> OutputFolder::publish()
{
    // Replaces nothing or an empty folder; a full one changes places with the new one and is deleted under its name.
    if (std::rename(m_beside.c_str(), m_path.c_str()) == 0) {
        m_beside.clear();
        return {};
    }
    if (errno != ENOTEMPTY && errno != EEXIST)
        return refuseFor(m_path, errno);
    if (renameat2(AT_FDCWD, m_beside.c_str(), AT_FDCWD, m_path.c_str(), RENAME_EXCHANGE) != 0)
        return refuseFor(m_path, errno);
    return {}; // the destructor deletes the old folder
}

} // namespace stagecraft
