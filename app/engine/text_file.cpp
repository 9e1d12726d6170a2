#include "engine/text_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

namespace stagecraft {
namespace {

constexpr std::uintmax_t kMaxBytes = 256U << 20U;

tl::unexpected<Error> refuse(const std::string &path, std::string message, std::string remedy = {})
{
    return within(path, Error{ErrorCode::InvalidInput, std::move(message), std::move(remedy), {}});
}

} // namespace

Result<std::string> readTextFile(const std::string &path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status))
        return refuse(path, "there is no such file", "Check the path");
    if (std::filesystem::is_directory(status))
        return refuse(path, "this is a folder, not a file", "Name a file in it");
    if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, error) > kMaxBytes)
        return refuse(path, "the file is larger than 256 MiB, more than any file of this kind");
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        return refuse(path, "the file cannot be read", "Check its permissions");
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

Result<void> writeTextFile(const std::string &path, const std::string &content)
{
    const std::string neighbour = path + ".part" + std::to_string(getpid());
    std::error_code error;
    {
        std::ofstream stream(neighbour, std::ios::binary | std::ios::trunc);
        stream << content;
        stream.flush();
        if (!stream) {
            std::filesystem::remove(neighbour, error);
            return refuse(path, "the file cannot be written", "Check that the folder exists, is writable and has room");
        }
    }
    std::filesystem::rename(neighbour, path, error);
    if (error) {
        const std::string reason = error.message();
        std::filesystem::remove(neighbour, error);
        return refuse(path, "the file cannot be written (" + reason + ")", "Choose another place");
    }
    return {};
}

} // namespace stagecraft
