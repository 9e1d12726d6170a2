#pragma once

// The one way this program writes files: all or nothing. The bytes go into a new file of the same folder that has no
// name yet (a random one where the file system cannot do without), are written through to the disk, and take the place
// of what was there in one step. Until then, and after any failure, what was there is as it was and nothing is left
// beside it.
//
// - The permissions of a file that is replaced are kept; one that may not be written is refused.
// - A symbolic link stays: what it names is written, also where that is missing. A link that another user placed in a
//   folder everyone may write to is refused.
// - "-" and whatever is standard output already, devices and pipes are written directly, as the bytes come.
//
// Errors: InvalidInput, without the path; writeFile names it. Threads: an object is used by one thread at a time.

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
    ~OutputFile(); // what was not published is gone

    [[nodiscard]] Result<void> write(std::string_view bytes);
    // For libraries that write by themselves.
    [[nodiscard]] int descriptor() const { return m_file; }
    [[nodiscard]] bool isDirect() const { return m_folder < 0; }

    [[nodiscard]] Result<void> publish(Flush when = Flush::Now);

private:
    OutputFile() = default;
    [[nodiscard]] Result<void> openBeside(const std::filesystem::path &target);

    int m_file = -1;
    int m_folder = -1;       // of the target; negative: written directly
    std::string m_name;      // of the target in its folder
    std::string m_temporary; // in that folder; empty: the file has no name yet
    // Of the file that is replaced.
    bool m_replaces = false;
    mode_t m_mode = 0;
    uid_t m_owner = 0;
    gid_t m_group = 0;
};

[[nodiscard]] Result<void> writeFile(const std::filesystem::path &path, std::string_view bytes,
                                     Flush when = Flush::Now);

// Refuses, by name, an output that is the same file as `input`.
[[nodiscard]] Result<void> refuseOverwriting(const std::filesystem::path &output, const std::filesystem::path &input);

} // namespace stagecraft
