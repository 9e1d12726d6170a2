// For LD_PRELOAD: makes writing fail, as full and broken disks do, and the clock of the day jump. Counts the calls that
// write to regular files below a folder; one of them fails, or all from one on.
//
//   STAGECRAFT_FAULTS_UNDER   the folder
//   STAGECRAFT_FAULT_AT       which call fails, from 1; 0: none
//   STAGECRAFT_FAULT          the error's number
//   STAGECRAFT_FAULTS_LAST    set: all from there on fail
//   STAGECRAFT_FAULTS_COUNT   a file that gets the number of calls at the end
//   STAGECRAFT_CLOCK_JUMP     seconds by which the clock of the day jumps ahead and back, at every call

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

std::atomic<long> calls{0};
std::atomic<long> looks{0};

long number(const char *variable)
{
    const char *text = std::getenv(variable);
    return text ? std::strtol(text, nullptr, 10) : 0;
}

bool isFaulty()
{
    const long call = ++calls;
    const long chosen = number("STAGECRAFT_FAULT_AT");
    if (chosen == 0 || call < chosen || (call > chosen && !std::getenv("STAGECRAFT_FAULTS_LAST")))
        return false;
    errno = static_cast<int>(number("STAGECRAFT_FAULT"));
    return true;
}

bool isUnder(const char *path)
{
    const char *folder = std::getenv("STAGECRAFT_FAULTS_UNDER");
    return folder && std::strncmp(path, folder, std::strlen(folder)) == 0;
}

// A file or a folder that is open.
bool isUnder(int file)
{
    std::array<char, 64> link{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", file);
    std::array<char, 4096> path{};
    return readlink(link.data(), path.data(), path.size() - 1) > 0 && isUnder(path.data());
}

bool isOurs(int file)
{
    struct stat status {};
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && isUnder(file);
}

// Ahead, back, ahead ...
time_t jump()
{
    return looks++ % 2 == 0 ? number("STAGECRAFT_CLOCK_JUMP") : 0;
}

struct CountTeller {
    ~CountTeller()
    {
        const char *path = std::getenv("STAGECRAFT_FAULTS_COUNT");
        if (std::FILE *file = path ? std::fopen(path, "w") : nullptr) {
            std::fprintf(file, "%ld\n", calls.load());
            std::fclose(file);
        }
    }
} teller;

template <typename Function>
Function next(const char *name)
{
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

} // namespace

#define NEXT(name) next<decltype(&(name))>(#name)

extern "C" {

ssize_t write(int file, const void *bytes, size_t count)
{
    return isOurs(file) && isFaulty() ? -1 : NEXT(write)(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at)
{
    return isOurs(file) && isFaulty() ? -1 : NEXT(pwrite)(file, bytes, count, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at)
{
    return isOurs(file) && isFaulty() ? -1 : NEXT(pwrite64)(file, bytes, count, at);
}

int fsync(int file)
{
    return isOurs(file) && isFaulty() ? -1 : NEXT(fsync)(file);
}

int fdatasync(int file)
{
    return isOurs(file) && isFaulty() ? -1 : NEXT(fdatasync)(file);
}

int ftruncate(int file, off_t size) noexcept
{
    return isOurs(file) && isFaulty() ? -1 : NEXT(ftruncate)(file, size);
}

int linkat(int from, const char *old, int to, const char *name, int flags) noexcept
{
    return isUnder(to) && isFaulty() ? -1 : NEXT(linkat)(from, old, to, name, flags);
}

int renameat(int from, const char *old, int to, const char *name) noexcept
{
    return isUnder(to) && isFaulty() ? -1 : NEXT(renameat)(from, old, to, name);
}

int mkdir(const char *path, mode_t mode) noexcept
{
    return isUnder(path) && isFaulty() ? -1 : NEXT(mkdir)(path, mode);
}

int clock_gettime(clockid_t clock, struct timespec *now) noexcept
{
    const int result = NEXT(clock_gettime)(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME)
        now->tv_sec += jump();
    return result;
}

time_t time(time_t *to) noexcept
{
    struct timespec now {};
    NEXT(clock_gettime)(CLOCK_REALTIME, &now);
    const time_t seconds = now.tv_sec + jump();
    if (to)
        *to = seconds;
    return seconds;
}

int gettimeofday(struct timeval *now, void *zone) noexcept
{
    const int result = NEXT(gettimeofday)(now, zone);
    if (result == 0)
        now->tv_sec += jump();
    return result;
}

} // extern "C"
