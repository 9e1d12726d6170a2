#pragma once

// The files that windows keep by themselves, one for each window, in a folder of the person's own. A file is its
// window's alone, here and in other programs, as long as that is there: the system lets it go when a program ends,
// however it ends. Errors: InvalidInput, naming the file. Used on the UI thread.

#include "shelf/session.h"
#include "support/result.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace stagecraft {

class AutosaveFile {
public:
    // One of a new name; the folder is made where it is missing. Nothing is written yet.
    [[nodiscard]] static Result<std::unique_ptr<AutosaveFile>> create(const std::filesystem::path &folder);
    // One that is there. Null: a window has it, or it is gone.
    [[nodiscard]] static std::unique_ptr<AutosaveFile> take(const std::filesystem::path &path);
    ~AutosaveFile(); // what was written stays
    AutosaveFile(const AutosaveFile &) = delete;
    AutosaveFile &operator=(const AutosaveFile &) = delete;

    [[nodiscard]] const std::filesystem::path &path() const { return m_path; }
    void remove() const; // what was written

    // Between the two a file is there that outlives the program: if it is found again, restoring ended the program.
    void beginRestoring() const;
    static void endRestoring(const std::filesystem::path &path);

private:
    AutosaveFile(std::filesystem::path path, int lock) : m_path(std::move(path)), m_lock(lock) {}

    std::filesystem::path m_path;
    int m_lock; // a descriptor
};

// Where the files are. Nothing: there is no place for them.
[[nodiscard]] std::optional<std::filesystem::path> autosaveFolder();

struct KeptSession {
    std::filesystem::path path;
    AutosaveNote note;
    bool endedTheProgram = false; // when it was restored
};

// Those that no window has, the newest first.
[[nodiscard]] std::vector<KeptSession> keptSessions(const std::filesystem::path &folder);

} // namespace stagecraft
