#include "support/input_file.h"

#include "support/blocking_calls.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 16U;

bool isPipe(mode_t mode)
{
    return S_ISFIFO(mode) || S_ISSOCK(mode);
}

tl::unexpected<Error> unreadable(int code)
{
    if (code == ENOENT || code == ENOTDIR)
        return refused("there is no such file", "Check the path");
    return refused(fmt::format("the file cannot be read: {}", std::strerror(code)), "Check its permissions");
}

tl::unexpected<Error> tooLarge(std::uintmax_t limitBytes)
{
    return refused(fmt::format("the file is larger than the limit of {} bytes", limitBytes));
}

} // namespace

Result<OpenedFile> OpenedFile::open(const std::filesystem::path &path, std::uintmax_t limitBytes, ReadFrom from)
{
    noteBlockingCall();
    const auto accepts = [from](mode_t mode) {
        return S_ISREG(mode) || (from == ReadFrom::FilesAndPipes && isPipe(mode));
    };
    struct stat status {};
    if (stat(path.c_str(), &status) != 0)
        return unreadable(errno);
    if (S_ISDIR(status.st_mode))
        return refused("this is a folder, not a file", "Name a file in it");
    if (!accepts(status.st_mode)) // checked before opening: opening a device can have effects
        return refused("this is not a regular file", "Name a regular file");
    OpenedFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY), limitBytes);
    if (file.m_file < 0 || fstat(file.m_file, &status) != 0)
        return unreadable(errno);
    if (!accepts(status.st_mode))
        return refused("this is not a regular file", "Name a regular file");
    file.m_sizeBytes = S_ISREG(status.st_mode) ? static_cast<std::uintmax_t>(status.st_size) : 0;
    if (file.m_sizeBytes > limitBytes)
        return tooLarge(limitBytes);
    return file;
}

OpenedFile::OpenedFile(OpenedFile &&other) noexcept
    : m_file(std::exchange(other.m_file, -1)), m_limitBytes(other.m_limitBytes), m_sizeBytes(other.m_sizeBytes),
      m_readBytes(other.m_readBytes)
{
}

OpenedFile::~OpenedFile()
{
    if (m_file >= 0)
        close(m_file);
}

Result<std::size_t> OpenedFile::read(void *to, std::size_t bytes)
{
    ssize_t got = 0;
    do {
        got = ::read(m_file, to, bytes);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return unreadable(errno);
    m_readBytes += static_cast<std::uintmax_t>(got);
    if (m_readBytes > m_limitBytes)
        return tooLarge(m_limitBytes);
    return static_cast<std::size_t>(got);
}

Result<std::string> readInputFile(const std::filesystem::path &path, std::uintmax_t limitBytes, ReadFrom from)
{
    TRY_AS(auto file, OpenedFile::open(path, limitBytes, from));
    std::string bytes(static_cast<std::size_t>(file.sizeBytes()) + 1, '\0'); // one byte more, to see the end
    for (std::size_t have = 0;;) {
        if (have == bytes.size())
            bytes.resize(have + kChunkBytes);
        TRY_AS(const auto got, file.read(bytes.data() + have, bytes.size() - have));
        have += got;
        if (got == 0) {
            bytes.resize(have);
            return bytes;
        }
    }
}

} // namespace stagecraft
