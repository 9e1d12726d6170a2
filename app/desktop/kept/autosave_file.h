#pragma once

// The automatically saved files, one per window, in a folder of the user. A file belongs to one window in all running
// programs while that window exists; the system releases it when a program ends in any way. Errors: InvalidInput,
// naming the file. Used on the UI thread.

#include "results/files/session.h"
#include "support/result.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace stagecraft {

class AutosaveFile {
public:
    // A file with a new name; creates the folder if it is missing. Writes nothing yet.
    [[nodiscard]] static Result<std::unique_ptr<AutosaveFile>> create(const std::filesystem::path &folder);
    // An existing file. Null if a window holds it or it is gone.
    [[nodiscard]] static std::unique_ptr<AutosaveFile> take(const std::filesystem::path &path);
    ~AutosaveFile(); // keeps the written file
    AutosaveFile(const AutosaveFile &) = delete;
    AutosaveFile &operator=(const AutosaveFile &) = delete;

    [[nodiscard]] const std::filesystem::path &path() const { return m_path; }
    void remove() const; // removes the written file

    // Between the two a file is there that outlives the program: if it is found again, restoring ended the program.
    void beginRestoring() const;
    static void endRestoring(const std::filesystem::path &path);

private:
    AutosaveFile(std::filesystem::path path, int lock) : m_path(std::move(path)), m_lock(lock) {}

    std::filesystem::path m_path;
    int m_lock; // file descriptor
};

// The folder for these files; nullopt if there is none.
[[nodiscard]] std::optional<std::filesystem::path> autosaveFolder();

struct KeptSession {
    std::filesystem::path path;
    AutosaveNote note;
    bool endedTheProgram = false; // when it was restored
};

// The files that no window holds, newest first.
[[nodiscard]] std::vector<KeptSession> keptSessions(const std::filesystem::path &folder);

} // namespace stagecraft
