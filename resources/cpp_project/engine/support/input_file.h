#pragma once

#include "support/result.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace stagecraft {

// A file that is read piece by piece; one of more than `limitBytes` is refused.
class OpenedFile {
public:
    [[nodiscard]] static Result<OpenedFile> open(const std::string &path, std::uintmax_t limitBytes)
    {
        std::error_code error;
        const std::uintmax_t size = std::filesystem::file_size(path, error);
        if (error)
            return fail(ErrorCode::InvalidInput, error.message());
        if (size > limitBytes)
            return fail(ErrorCode::InvalidInput, "the file is too large");
        OpenedFile file(path, size);
        if (!file.m_file)
            return fail(ErrorCode::InvalidInput, "the file cannot be read");
        return file;
    }

    [[nodiscard]] std::uintmax_t sizeBytes() const { return m_sizeBytes; }

    // Reads at most `bytes`; 0 at the end.
    [[nodiscard]] Result<std::size_t> read(void *to, std::size_t bytes)
    {
        m_file.read(static_cast<char *>(to), static_cast<std::streamsize>(bytes));
        if (m_file.bad())
            return fail(ErrorCode::InvalidInput, "the file cannot be read");
        return static_cast<std::size_t>(m_file.gcount());
    }

private:
    OpenedFile(const std::string &path, std::uintmax_t sizeBytes)
        : m_file(path, std::ios::binary), m_sizeBytes(sizeBytes)
    {
    }

    std::ifstream m_file;
    std::uintmax_t m_sizeBytes;
};

} // namespace stagecraft
