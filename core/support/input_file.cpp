#include "support/input_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stagecraft {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 16U;

tl::unexpected<Error> refuseInput(std::string reason, std::string remedy)
{
    return fail(ErrorCode::InvalidInput, std::move(reason), std::move(remedy));
}

class Descriptor {
public:
    explicit Descriptor(int file) : m_file(file) {}
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor()
    {
        if (m_file >= 0)
            close(m_file);
    }

    [[nodiscard]] int get() const { return m_file; }

private:
    int m_file;
};

bool isPipe(mode_t mode)
{
    return S_ISFIFO(mode) || S_ISSOCK(mode);
}

tl::unexpected<Error> unreadable(int code)
{
    if (code == ENOENT || code == ENOTDIR)
        return refuseInput("there is no such file", "Check the path");
    return refuseInput(std::string("the file cannot be read: ") + std::strerror(code), "Check its permissions");
}

tl::unexpected<Error> tooLarge(std::uintmax_t limitBytes)
{
    return refuseInput("the file has more than " + std::to_string(limitBytes) + " bytes, the most that is read", "");
}

} // namespace

Result<std::string> readInputFile(const std::filesystem::path &path, std::uintmax_t limitBytes, ReadFrom from)
{
    const auto accepts = [from](mode_t mode) {
        return S_ISREG(mode) || (from == ReadFrom::FilesAndPipes && isPipe(mode));
    };
    struct stat status {};
    if (stat(path.c_str(), &status) != 0)
        return unreadable(errno);
    if (S_ISDIR(status.st_mode))
        return refuseInput("this is a folder, not a file", "Name a file in it");
    if (!accepts(status.st_mode)) // asked before it is opened: opening a device can do something
        return refuseInput("this is not a regular file", "Name a regular file");
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (file.get() < 0 || fstat(file.get(), &status) != 0)
        return unreadable(errno);
    if (!accepts(status.st_mode))
        return refuseInput("this is not a regular file", "Name a regular file");
    const auto size = S_ISREG(status.st_mode) ? static_cast<std::uintmax_t>(status.st_size) : 0;
    if (size > limitBytes)
        return tooLarge(limitBytes);
    std::string bytes(static_cast<std::size_t>(size) + 1, '\0'); // the end is seen by reading on
    for (std::size_t have = 0;;) {
        if (have == bytes.size()) // not every file knows its size
            bytes.resize(have + kChunkBytes);
        const ssize_t got = ::read(file.get(), bytes.data() + have, bytes.size() - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return unreadable(errno);
        have += static_cast<std::size_t>(got);
        if (have > limitBytes)
            return tooLarge(limitBytes);
        if (got == 0) {
            bytes.resize(have);
            return bytes;
        }
    }
}

} // namespace stagecraft
