#pragma once

// The only way this program reads files that people name: never more than a stated size, and only files that end.

#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace stagecraft {

enum class ReadFrom {
    RegularFiles,
    FilesAndPipes, // including a shell's <(...)
};

// Errors (InvalidInput) do not repeat the path: the caller adds it as context.
class OpenedFile {
public:
    // Refuses a missing file, a folder, a device, and a file that is unreadable or larger than `limitBytes`.
    [[nodiscard]] static Result<OpenedFile> open(const std::filesystem::path &path, std::uintmax_t limitBytes,
                                                 ReadFrom from = ReadFrom::RegularFiles);
    OpenedFile(OpenedFile &&other) noexcept;
    OpenedFile &operator=(OpenedFile &&) = delete;
    ~OpenedFile();

    // The reported size; some files do not know it.
    [[nodiscard]] std::uintmax_t sizeBytes() const { return m_sizeBytes; }

    // Reads at most `bytes`; 0 at the end. Fails beyond the limit.
    [[nodiscard]] Result<std::size_t> read(void *to, std::size_t bytes);

private:
    OpenedFile(int file, std::uintmax_t limitBytes) : m_file(file), m_limitBytes(limitBytes) {}

    int m_file;
    std::uintmax_t m_limitBytes;
    std::uintmax_t m_sizeBytes = 0;
    std::uintmax_t m_readBytes = 0;
};

// The whole file.
[[nodiscard]] Result<std::string> readInputFile(const std::filesystem::path &path, std::uintmax_t limitBytes,
                                                ReadFrom from = ReadFrom::RegularFiles);

} // namespace stagecraft
