#include "device/device_turn.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace stagecraft {
namespace {

constexpr std::chrono::milliseconds kPoll{1};
constexpr mode_t kForEveryone = 0666;

std::filesystem::path lockFile(std::string_view hardware, std::string_view kind)
{
    std::error_code error;
    std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (error) // $TMPDIR is no folder
        folder = "/tmp";
    return folder / ("stagecraft-" + std::string(hardware) + std::string(kind));
}

// Another user's file may be opened, but not with O_CREAT where the folder is everyone's.
int opened(const std::filesystem::path &path)
{
    if (const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC); file >= 0)
        return file;
    const int file = open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, kForEveryone);
    if (file >= 0)
        fchmod(file, kForEveryone); // whatever the umask
    return file;
}

// False: stopped before.
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

std::filesystem::path DeviceTurn::turnFile(std::string_view hardware)
{
    return lockFile(hardware, ".lock");
}

std::filesystem::path DeviceTurn::queueFile(std::string_view hardware)
{
    return lockFile(hardware, ".queue");
}

bool DeviceTurn::canBeTaken(std::string_view hardware)
{
    if (hardware.empty())
        return true;
    bool can = true;
    for (const auto &path : {queueFile(hardware), turnFile(hardware)}) {
        const int file = opened(path);
        can = can && file >= 0;
        if (file >= 0)
            close(file);
    }
    return can;
}

// A search asks again as soon as it is answered: without a queue nobody else would ever find the turn free.
DeviceTurn::DeviceTurn(std::string_view hardware, const std::stop_token &stop)
{
    if (hardware.empty()) {
        m_isMine = true;
        return;
    }
    const int queue = opened(queueFile(hardware));
    if (lock(queue, stop)) {
        m_file = opened(turnFile(hardware));
        m_isMine = lock(m_file, stop);
    }
    if (queue >= 0)
        close(queue);
}

DeviceTurn::~DeviceTurn()
{
    if (m_file >= 0)
        close(m_file);
}

} // namespace stagecraft
