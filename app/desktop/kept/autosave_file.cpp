#include "desktop/kept/autosave_file.h"

#include "results/files/session_json.h"
#include "support/user_folders.h"

#include <QFile>
#include <QUuid>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;

constexpr qint64 kNoteBytes = 65'536; // the note is within these bytes

fs::path lockOf(const fs::path &path)
{
    return path.string() + ".lock";
}

fs::path markerOf(const fs::path &path)
{
    return path.string() + ".restoring";
}

// Whether the lock file of this name is still the locked one, not a new one after a removal.
bool isStillThere(int lock, const fs::path &path)
{
    struct stat mine {};
    struct stat there {};
    return fstat(lock, &mine) == 0 && stat(path.c_str(), &there) == 0 && mine.st_dev == there.st_dev &&
           mine.st_ino == there.st_ino;
}

// Negative if another holds it or it cannot be created.
int lockFor(const fs::path &path)
{
    const int file = open(lockOf(path).c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0 && isStillThere(file, lockOf(path)))
        return file;
    const int why = errno;
    if (file >= 0)
        close(file);
    errno = why;
    return -1;
}

std::optional<AutosaveNote> noteOf(const fs::path &path)
{
    QFile file(QFile::decodeName(path.c_str()));
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    return autosaveNoteIn(file.read(kNoteBytes).toStdString());
}

} // namespace

Result<std::unique_ptr<AutosaveFile>> AutosaveFile::create(const fs::path &folder)
{
    if (const std::error_code error = makePrivateFolders(folder))
        return within(folder.string(), Error{ErrorCode::InvalidInput, error.message(), {}, {}});
    const std::string name = QUuid::createUuid().toString(QUuid::WithoutBraces).toStdString();
    const fs::path path = folder / (name + std::string(kSessionExtension));
    const int file = lockFor(path);
    if (file < 0)
        return within(path.string(), Error{ErrorCode::InvalidInput, std::strerror(errno), {}, {}});
    return std::unique_ptr<AutosaveFile>(new AutosaveFile(path, file));
}

std::unique_ptr<AutosaveFile> AutosaveFile::take(const fs::path &path)
{
    const int file = lockFor(path);
    if (file < 0)
        return nullptr;
    std::unique_ptr<AutosaveFile> taken(new AutosaveFile(path, file));
    std::error_code none;
    return fs::is_regular_file(path, none) ? std::move(taken) : nullptr;
}

AutosaveFile::~AutosaveFile()
{
    unlink(lockOf(m_path).c_str()); // while it is locked: nobody else can hold it
    close(m_lock);
}

void AutosaveFile::remove() const
{
    std::error_code none;
    fs::remove(m_path, none);
    endRestoring(m_path);
}

void AutosaveFile::beginRestoring() const
{
    const int marker = open(markerOf(m_path).c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (marker >= 0)
        close(marker);
}

void AutosaveFile::endRestoring(const fs::path &path)
{
    std::error_code none;
    fs::remove(markerOf(path), none);
}

std::optional<fs::path> autosaveFolder()
{
    const auto folder = dataFolder();
    return folder ? std::optional(*folder / "sessions") : std::nullopt;
}

std::vector<KeptSession> keptSessions(const fs::path &folder)
{
    std::vector<KeptSession> kept;
    std::error_code none;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, none)) {
        if (entry.path().extension() == ".lock") // left by a killed program: locking removes it
            (void)AutosaveFile::take(entry.path().parent_path() / entry.path().stem());
        if (entry.path().extension() != kSessionExtension)
            continue;
        const auto note = noteOf(entry.path());
        if (note && AutosaveFile::take(entry.path()))
            kept.push_back({entry.path(), *note, fs::exists(markerOf(entry.path()), none)});
    }
    std::ranges::sort(kept, std::ranges::greater(), [](const KeptSession &each) { return each.note.atSeconds; });
    return kept;
}

} // namespace stagecraft
