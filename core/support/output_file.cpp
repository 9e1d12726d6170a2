#include "support/output_file.h"

#include "support/blocking_calls.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40; // as in Linux

tl::unexpected<Error> refuseOutput(const std::string &reason, std::string remedy = "Choose another place")
{
    return fail(ErrorCode::InvalidInput, "the file cannot be written: " + reason, std::move(remedy));
}

tl::unexpected<Error> refuseFor(int code)
{
    return refuseOutput(std::strerror(code), "Check that the folder exists, is writable and has room");
}

fs::path folderOf(const fs::path &path)
{
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// In a folder such as /tmp anybody can create a link; a program that follows it writes where that person wants. Linux
// refuses links there (proc_sys_fs(5), protected_symlinks) only if it resolves them itself.
bool isPlanted(const fs::path &path, const struct stat &link)
{
    struct stat folder {};
    if (stat(folderOf(path).c_str(), &folder) != 0)
        return true;
    const bool forEveryone = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
    return forEveryone && link.st_uid != geteuid() && link.st_uid != folder.st_uid;
}

// The target of a chain of links; it need not exist.
Result<fs::path> endOfLinks(fs::path path)
{
    for (int links = 0; links < kMostLinks; ++links) {
        struct stat link {};
        if (lstat(path.c_str(), &link) != 0 || !S_ISLNK(link.st_mode))
            return path;
        if (isPlanted(path, link))
            return refuseOutput("it is a symbolic link of another user in a folder that everyone may write to",
                                "Remove the link or choose another place");
        std::error_code error;
        const fs::path next = fs::read_symlink(path, error);
        if (error)
            return refuseOutput(error.message());
        path = folderOf(path) / next; // an absolute path replaces it
    }
    return refuseOutput("its symbolic links form a cycle");
}

std::string randomName()
{
    std::uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
        number = static_cast<std::uint64_t>(getpid()); // an existing name is refused, not followed
    return fmt::format(".stagecraft-{:016x}.part", number);
}

bool isStandardOutput(const struct stat &file)
{
    struct stat output {};
    return fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == file.st_dev && output.st_ino == file.st_ino;
}

// File systems that cannot be flushed return EINVAL or EROFS.
bool flush(int file)
{
    return fsync(file) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

} // namespace

Result<OutputFile> OutputFile::create(const fs::path &path)
{
    noteBlockingCall();
    OutputFile file;
    struct stat there {};
    const bool isThere = path != kStandardOutput && stat(path.c_str(), &there) == 0;
    if (path == kStandardOutput || (isThere && isStandardOutput(there))) {
        file.m_file = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        if (file.m_file < 0)
            return refuseOutput("standard output is closed", "Redirect it to a file or a program");
        return file;
    }
    if (path.empty())
        return refuseOutput("it has no name", "Name a file");
    if (isThere && S_ISDIR(there.st_mode))
        return refuseOutput("this is a folder", "Name a file in it");
    TRY_AS(const auto target, endOfLinks(path));
    if (isThere && !S_ISREG(there.st_mode)) {
        file.m_file = open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
        if (file.m_file < 0)
            return refuseFor(errno);
        return file;
    }
    TRY(file.openBeside(target));
    return file;
}

Result<void> OutputFile::openBeside(const fs::path &target)
{
    m_name = target.filename().string();
    if (m_name.empty() || m_name == "." || m_name == "..")
        return refuseOutput("this is a folder", "Name a file in it");
    const fs::path folder = folderOf(target);
    m_folder = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (m_folder < 0 && errno == EACCES) // writable, but not readable
        m_folder = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (m_folder < 0)
        return refuseFor(errno);
    struct stat old {};
    m_replaces = fstatat(m_folder, m_name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
    if (m_replaces && faccessat(m_folder, m_name.c_str(), W_OK, AT_EACCESS) != 0)
        return refuseOutput(std::strerror(errno), "Check its permissions");
    m_mode = old.st_mode & 0777U;
    m_owner = old.st_uid;
    m_group = old.st_gid;
    // A new file gets the permissions of the umask; a replacement is private to its owner until it is complete.
    const mode_t mode = m_replaces ? 0600 : 0666;
    if (access("/proc/self/fd", X_OK) == 0) // publish() names the file through it
        m_file = openat(m_folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (m_file < 0) {
        m_temporary = randomName();
        m_file = openat(m_folder, m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (m_file < 0) {
            const int code = errno;
            m_temporary.clear();
            return refuseFor(code);
        }
    }
    return {};
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : m_file(std::exchange(other.m_file, -1)), m_folder(std::exchange(other.m_folder, -1)),
      m_name(std::move(other.m_name)), m_temporary(std::exchange(other.m_temporary, {})), m_replaces(other.m_replaces),
      m_mode(other.m_mode), m_owner(other.m_owner), m_group(other.m_group)
{
}

OutputFile::~OutputFile()
{
    if (!m_temporary.empty())
        unlinkat(m_folder, m_temporary.c_str(), 0);
    for (const int file : {m_file, m_folder}) {
        if (file >= 0)
            close(file);
    }
}

Result<void> OutputFile::write(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return refuseFor(errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<void> OutputFile::publish(Flush when)
{
    if (isDirect())
        return {};
    if (m_replaces) {
        // If the group cannot be kept, its permissions are not given to another group.
        if (fchown(m_file, m_owner, m_group) != 0 && fchown(m_file, static_cast<uid_t>(-1), m_group) != 0)
            m_mode = (m_mode & ~070U) | (m_mode & 07U) << 3U;
        if (fchmod(m_file, m_mode) != 0)
            return refuseFor(errno);
    }
    if (when == Flush::Now && !flush(m_file))
        return refuseFor(errno);
    if (m_temporary.empty()) {
        std::string name = randomName();
        const std::string self = fmt::format("/proc/self/fd/{}", m_file);
        if (linkat(AT_FDCWD, self.c_str(), m_folder, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
            return refuseFor(errno);
        m_temporary = std::move(name);
    }
    if (renameat(m_folder, m_temporary.c_str(), m_folder, m_name.c_str()) != 0)
        return refuseFor(errno);
    m_temporary.clear();
    if (when == Flush::Now)
        (void)flush(m_folder); // the file is in place already, so an error changes nothing
    return {};
}

Result<void> writeFile(const fs::path &path, std::string_view bytes, Flush when)
{
    auto file = OutputFile::create(path);
    if (!file)
        return within(path.string(), std::move(file.error()));
    auto done = file->write(bytes).and_then([&] { return file->publish(when); });
    if (!done)
        return within(path.string(), std::move(done.error()));
    return {};
}

bool replacesContent(const fs::path &path)
{
    struct stat there {};
    return path != kStandardOutput && stat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode) && there.st_size > 0 &&
           !isStandardOutput(there);
}

Result<void> refuseOverwriting(const fs::path &output, const fs::path &input)
{
    std::error_code error;
    if (!fs::is_regular_file(input, error) || !fs::equivalent(output, input, error))
        return {};
    return within(
        output.string(),
        Error{ErrorCode::WrongUse, "this is the input file " + input.string(), "Name another file to write", {}});
}

} // namespace stagecraft
