#pragma once

// A folder that appears as a whole or not at all: its files are written into a folder with a random name beside it,
// which takes its name when they are complete. Until then, and after any error, what was there is unchanged.
//
// Errors: InvalidInput, with the path of the folder. Threads: an object is used by one thread at a time.

#include "support/result.h"

#include <filesystem>

namespace stagecraft {

class OutputFolder {
public:
    // What is there may be nothing or an empty folder; `mayReplace`: any folder, which publish() deletes.
    [[nodiscard]] static Result<OutputFolder> create(const std::filesystem::path &path, bool mayReplace);

    OutputFolder(OutputFolder &&other) noexcept;
    OutputFolder &operator=(OutputFolder &&) = delete;
    OutputFolder(const OutputFolder &) = delete;
    OutputFolder &operator=(const OutputFolder &) = delete;
    ~OutputFolder(); // discards what was not published

    [[nodiscard]] const std::filesystem::path &beside() const { return m_beside; } // where to write
    [[nodiscard]] Result<void> publish();

private:
    OutputFolder(std::filesystem::path path, std::filesystem::path beside);

    std::filesystem::path m_path;
    std::filesystem::path m_beside; // empty: published
};

} // namespace stagecraft
