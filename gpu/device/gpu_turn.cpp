#include "gpu/device/gpu_turn.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace stagecraft::gpu {
namespace {

constexpr std::chrono::milliseconds kPoll{1};
constexpr mode_t kForEveryone = 0666;

// Another user's file may be opened, but not with O_CREAT where the folder is everyone's.
int opened(const std::string &gpu)
{
    std::error_code error;
    const std::string path =
        (std::filesystem::temp_directory_path(error) / ("stagecraft-gpu-" + gpu + ".lock")).string();
    if (const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC); file >= 0)
        return file;
    const int file = open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, kForEveryone);
    if (file >= 0)
        fchmod(file, kForEveryone); // whatever the umask
    return file;
}

} // namespace

GpuTurn::GpuTurn(const std::string &gpu, const std::stop_token &stop) : m_file(opened(gpu))
{
    while (m_file >= 0 && flock(m_file, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
        if (stop.stop_requested())
            return;
        std::this_thread::sleep_for(kPoll);
    }
    m_isMine = true;
}

GpuTurn::~GpuTurn()
{
    if (m_file >= 0)
        close(m_file);
}

} // namespace stagecraft::gpu
