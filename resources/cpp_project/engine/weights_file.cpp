#include "weights_file.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stagecraft {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie in the file");

constexpr std::string_view kFileMagic("network weights\0", 16);
constexpr std::size_t kHashAt = 24;
constexpr std::size_t kHeaderBytes = 128;

unexpected<Error> refuse(const std::string &path, std::string reason)
{
    return within(path, Error{ErrorCode::InvalidInput, std::move(reason), "use the file of this export", {}});
}

} // namespace

void WeightsFile::Unmap::operator()(const std::byte *mapped) const
{
    munmap(const_cast<std::byte *>(mapped), bytes);
}

Result<WeightsFile> WeightsFile::open(const std::string &path, std::string_view sha256, std::uint64_t bytes)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return refuse(path, std::strerror(errno));
    struct stat state {};
    const bool known = fstat(file, &state) == 0;
    const auto size = static_cast<std::uint64_t>(state.st_size);
    if (!known || size != bytes || bytes < kHeaderBytes) {
        close(file);
        return refuse(path, "it has " + std::to_string(size) + " bytes, the weights of this network have " +
                                std::to_string(bytes));
    }
    void *mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    const int code = errno;
    close(file);
    if (mapped == MAP_FAILED)
        return refuse(path, std::strerror(code));
    WeightsFile weights(std::unique_ptr<const std::byte, Unmap>(static_cast<const std::byte *>(mapped), {bytes}));
    const std::string_view header(static_cast<const char *>(mapped), kHeaderBytes);
    if (!header.starts_with(kFileMagic) || header.substr(kHashAt, sha256.size()) != sha256)
        return refuse(path, "these are not the weights of this network");
    return weights;
}

} // namespace stagecraft
