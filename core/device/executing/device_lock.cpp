#include "device/executing/device_lock.h"

#include "support/user_folders.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>

namespace stagecraft {
namespace {

constexpr std::chrono::milliseconds kPoll{1};
constexpr mode_t kReadableByAll = 0644; // a lock needs no more

std::filesystem::path lockFile(std::string_view hardware, std::string_view kind)
{
    return temporaryFolder() / ("stagecraft-" + std::string(hardware) + std::string(kind));
}

// In a folder that everyone may write to, another user's file can be opened, but not with O_CREAT. A lock is always a
// regular file: links are not followed, and a pipe does not block anybody.
int opened(const std::filesystem::path &path)
{
    constexpr int kHow = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int file = open(path.c_str(), kHow);
    if (file < 0 && errno == ENOENT) {
        file = open(path.c_str(), kHow | O_CREAT | O_EXCL, kReadableByAll);
        if (file >= 0)
            fchmod(file, kReadableByAll); // whatever the umask
        else if (errno == EEXIST)         // another program created it first
            file = open(path.c_str(), kHow);
    }
    struct stat status {};
    if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(file);
        return -1;
    }
    return file;
}

// "fe:00:10953445": a file as /proc/locks names it.
std::string nameInLocks(const struct stat &status)
{
    return fmt::format("{:02x}:{:02x}:{}", major(status.st_dev), minor(status.st_dev), status.st_ino);
}

// False: stopped while waiting.
bool lock(int file, const std::stop_token &stop)
{
    while (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
        if (stop.stop_requested())
            return false;
        std::this_thread::sleep_for(kPoll);
    }
    return true;
}

} // namespace

std::filesystem::path DeviceLock::holderFile(std::string_view hardware)
{
    return lockFile(hardware, ".lock");
}

std::filesystem::path DeviceLock::queueFile(std::string_view hardware)
{
    return lockFile(hardware, ".queue");
}

bool DeviceLock::canBeTaken(std::string_view hardware)
{
    if (hardware.empty())
        return true;
    bool can = true;
    for (const auto &path : {queueFile(hardware), holderFile(hardware)}) {
        const int file = opened(path);
        can = can && file >= 0;
        if (file >= 0)
            close(file);
    }
    return can;
}

// Lines of proc_locks(5): "1: FLOCK  ADVISORY  WRITE 708 08:01:2097 0 EOF"; those that wait have "->" after the number.
std::optional<int> DeviceLock::holder(std::string_view hardware)
{
    struct stat status {};
    if (hardware.empty() || stat(holderFile(hardware).c_str(), &status) != 0)
        return std::nullopt;
    const std::string wanted = nameInLocks(status);
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words(line);
        std::string number, kind, mode, access, file;
        int process = 0;
        if (words >> number >> kind >> mode >> access >> process >> file && kind == "FLOCK" && file == wanted)
            return process > 0 ? std::optional(process) : std::nullopt;
    }
    return std::nullopt;
}

// A search asks again as soon as it has an answer: without a queue nobody else would ever get the lock.
DeviceLock::DeviceLock(std::string_view hardware, const std::stop_token &stop)
{
    if (hardware.empty()) {
        m_isHeld = true;
        return;
    }
    const int queue = opened(queueFile(hardware));
    if (lock(queue, stop)) {
        m_file = opened(holderFile(hardware));
        m_isHeld = lock(m_file, stop);
    }
    if (queue >= 0)
        close(queue);
}

DeviceLock::~DeviceLock()
{
    if (m_file >= 0)
        close(m_file);
}

} // namespace stagecraft
