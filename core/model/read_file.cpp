#include "model/read_file.h"

#include <fstream>
#include <system_error>

namespace stagecraft {

Result<std::string> readFile(const std::filesystem::path &path, std::uintmax_t limitBytes)
{
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found)
        return fail(ErrorCode::InvalidInput, "there is no such file", "Check the path");
    if (error)
        return fail(ErrorCode::InvalidInput, "the file cannot be read: " + error.message(), "Check its permissions");
    if (std::filesystem::is_directory(status))
        return fail(ErrorCode::InvalidInput, "this is a folder, not a file", "Name a file inside it");
    if (!std::filesystem::is_regular_file(status))
        return fail(ErrorCode::InvalidInput, "this is not a regular file", "Name a regular file");
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error)
        return fail(ErrorCode::InvalidInput, "the file cannot be read: " + error.message(), "Check its permissions");
    if (size == 0)
        return fail(ErrorCode::InvalidInput, "the file is empty", "Export or download the model again");
    if (size > limitBytes)
        return fail(ErrorCode::InvalidInput,
                    "the file has " + std::to_string(size) + " bytes; at most " + std::to_string(limitBytes) +
                        " are possible",
                    "Keep weights in external data files beside the model");
    std::ifstream stream(path, std::ios::binary);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (!stream || !stream.read(bytes.data(), static_cast<std::streamsize>(size)))
        return fail(ErrorCode::InvalidInput, "the file cannot be read", "Check its permissions");
    return bytes;
}

} // namespace stagecraft
