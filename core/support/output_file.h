#pragma once

// The only way this program writes files: all or nothing. The bytes go into a new file in the same folder without a
// name (with a random name if the file system requires one), are flushed to the disk, and replace the old file in one
// step. Until then, and after any error, the old file is unchanged and no other file is left.
//
// - A replaced file keeps its permissions; a file that is not writable is refused.
// - A symbolic link stays: its target is written, even if that does not exist. A link that another user placed in a
//   folder everyone may write to is refused.
// - "-", devices, pipes and whatever is standard output already are written directly, as the bytes come.
//
// Errors: InvalidInput, without the path; writeFile adds it. Threads: an object is used by one thread at a time.

#include "support/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace stagecraft {

inline constexpr const char *kStandardOutput = "-";

// When the bytes are on the disk: then, or when the system finds time. Later is enough against the end of the program,
// not against that of the machine.
enum class Flush { Now, Later };

class OutputFile {
public:
    [[nodiscard]] static Result<OutputFile> create(const std::filesystem::path &path);

    OutputFile(OutputFile &&other) noexcept;
    OutputFile &operator=(OutputFile &&) = delete;
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;
    ~OutputFile(); // discards what was not published

    [[nodiscard]] Result<void> write(std::string_view bytes);
    // For libraries that write to descriptors.
    [[nodiscard]] int descriptor() const { return m_file; }
    [[nodiscard]] bool isDirect() const { return m_folder < 0; }

    [[nodiscard]] Result<void> publish(Flush when = Flush::Now);

private:
    OutputFile() = default;
    [[nodiscard]] Result<void> openBeside(const std::filesystem::path &target);

    int m_file = -1;
    int m_folder = -1;       // folder of the target; negative: written directly
    std::string m_name;      // of the target in its folder
    std::string m_temporary; // in that folder; empty: the file has no name yet
    // About the file that is replaced.
    bool m_replaces = false;
    mode_t m_mode = 0;
    uid_t m_owner = 0;
    gid_t m_group = 0;
};

[[nodiscard]] Result<void> writeFile(const std::filesystem::path &path, std::string_view bytes,
                                     Flush when = Flush::Now);

// Whether writing `path` takes content away: a file, not empty, that is not what standard output already is. Devices
// and pipes take what comes.
[[nodiscard]] bool replacesContent(const std::filesystem::path &path);

// Refuses, with both names, an output that is the same file as `input`.
[[nodiscard]] Result<void> refuseOverwriting(const std::filesystem::path &output, const std::filesystem::path &input);

} // namespace stagecraft
