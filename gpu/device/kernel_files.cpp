#include "gpu/device/kernel_files.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <unistd.h>

namespace stagecraft::gpu {
namespace {

constexpr std::string_view kMagic = "stagecraft kernels 1\n"; // then the checksum, then the code

std::uint64_t checksum(const std::vector<char> &code)
{
    return hashOf({code.data(), code.size()});
}

std::optional<std::vector<char>> readFrom(const std::filesystem::path &file)
{
    std::ifstream in(file, std::ios::binary);
    std::string magic(kMagic.size(), '\0');
    std::uint64_t expected = 0;
    if (!in.read(magic.data(), static_cast<std::streamsize>(magic.size())) || magic != kMagic ||
        !in.read(reinterpret_cast<char *>(&expected), sizeof expected))
        return std::nullopt;
    std::vector<char> code{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (code.empty() || checksum(code) != expected)
        return std::nullopt;
    return code;
}

// Renamed into its place when it is whole: other processes see all of it or nothing.
void writeTo(const std::filesystem::path &file, const std::vector<char> &code)
{
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    std::filesystem::path unfinished = file;
    unfinished += "." + std::to_string(getpid()) + ".part";
    const std::uint64_t sum = checksum(code);
    std::ofstream out(unfinished, std::ios::binary);
    out << kMagic;
    out.write(reinterpret_cast<const char *>(&sum), sizeof sum);
    out.write(code.data(), static_cast<std::streamsize>(code.size()));
    out.close();
    if (out)
        std::filesystem::rename(unfinished, file, ignored);
    if (!out || ignored)
        std::filesystem::remove(unfinished, ignored);
}

} // namespace

std::filesystem::path kernelFolder()
{
    const char *cache = std::getenv("XDG_CACHE_HOME");
    const char *home = std::getenv("HOME");
    // The base directory specification: a path that is not absolute is ignored.
    if (cache && *cache == '/')
        return std::filesystem::path(cache) / "stagecraft" / "kernels";
    if (home && *home == '/')
        return std::filesystem::path(home) / ".cache" / "stagecraft" / "kernels";
    return {};
}

std::vector<char> keptOrCompiled(const std::filesystem::path &file, const std::function<std::vector<char>()> &compile)
{
    if (file.empty())
        return compile();
    if (auto kept = readFrom(file))
        return *std::move(kept);
    std::vector<char> code = compile();
    writeTo(file, code);
    return code;
}

std::uint64_t hashOf(std::string_view bytes, std::uint64_t seed)
{
    for (const char byte : bytes)
        seed = (seed ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
    return seed;
}

} // namespace stagecraft::gpu
