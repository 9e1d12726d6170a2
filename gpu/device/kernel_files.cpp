#include "gpu/device/kernel_files.h"

#include "support/output_file.h"
#include "support/user_folders.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

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

// Other processes see the whole file or nothing. If it cannot be written, the kernels are compiled again next time.
void writeTo(const std::filesystem::path &file, const std::vector<char> &code)
{
    if (makePrivateFolders(file.parent_path()))
        return;
    const std::uint64_t sum = checksum(code);
    std::string bytes(kMagic);
    bytes.append(reinterpret_cast<const char *>(&sum), sizeof sum).append(code.begin(), code.end());
    (void)writeFile(file, bytes);
}

} // namespace

std::filesystem::path kernelFolder()
{
    const auto cache = cacheFolder();
    return cache ? *cache / "kernels" : std::filesystem::path();
}

std::vector<char> storedOrCompiled(const std::filesystem::path &file, const std::function<std::vector<char>()> &compile)
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
