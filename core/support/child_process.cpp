#include "support/child_process.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace stagecraft {
namespace {

constexpr std::chrono::milliseconds kReapTimeout{10'000};

class SpawnAttributes {
public:
    SpawnAttributes()
    {
        posix_spawnattr_init(&m_attributes);
        posix_spawn_file_actions_init(&m_actions);
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setflags(&m_attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setpgroup(&m_attributes, 0);
        posix_spawnattr_setsigmask(&m_attributes, &none);
        posix_spawnattr_setsigdefault(&m_attributes, &all);
    }
    ~SpawnAttributes()
    {
        posix_spawnattr_destroy(&m_attributes);
        posix_spawn_file_actions_destroy(&m_actions);
    }
    SpawnAttributes(const SpawnAttributes &) = delete;
    SpawnAttributes &operator=(const SpawnAttributes &) = delete;

    void give(int from, int to)
    {
        if (from >= 0)
            posix_spawn_file_actions_adddup2(&m_actions, from, to);
    }

    posix_spawnattr_t m_attributes{};
    posix_spawn_file_actions_t m_actions{};
};

} // namespace

int startChild(std::vector<std::string> arguments, const ChildDescriptors &descriptors)
{
    SpawnAttributes attributes;
    attributes.give(descriptors.input, STDIN_FILENO);
    attributes.give(descriptors.output, STDOUT_FILENO);
    attributes.give(descriptors.errors, STDERR_FILENO);
    std::vector<char *> texts;
    for (std::string &argument : arguments)
        texts.push_back(argument.data());
    texts.push_back(nullptr);
    pid_t child = -1;
    const int status =
        posix_spawnp(&child, texts.front(), &attributes.m_actions, &attributes.m_attributes, texts.data(), environ);
    return status == 0 ? child : -status;
}

std::string programInPath(const std::string &name)
{
    const char *path = std::getenv("PATH");
    std::stringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::filesystem::path program = std::filesystem::path(folder) / name;
        std::error_code error;
        if (program.is_absolute() && std::filesystem::is_regular_file(program, error) &&
            access(program.c_str(), X_OK) == 0)
            return program.string();
    }
    return {};
}

std::optional<int> endedWithin(int child, std::chrono::milliseconds time)
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + time;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) != child) {
        if (Clock::now() >= end)
            return std::nullopt;
        usleep(2000);
    }
    return status;
}

std::string exitText(int status)
{
    if (WIFSIGNALED(status))
        return fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return fmt::format("ended with status {}", WEXITSTATUS(status));
}

void killChild(int child)
{
    kill(child, SIGKILL);
    if (!endedWithin(child, kReapTimeout))
        std::thread([child] { (void)waitpid(child, nullptr, 0); }).detach();
}

} // namespace stagecraft
