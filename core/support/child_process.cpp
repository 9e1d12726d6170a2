#include "support/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <poll.h>
#include <set>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace stagecraft {
namespace {

constexpr std::chrono::milliseconds kReapTimeout{10'000};

// Those that are asked to end with this program.
struct AskedChildren {
    std::mutex mutex; // protects what follows
    std::set<pid_t> children;
    bool isEnding = false;
};

AskedChildren &askedChildren()
{
    static AskedChildren asked;
    return asked;
}

void forget(pid_t child)
{
    const std::lock_guard lock(askedChildren().mutex);
    askedChildren().children.erase(child);
}

class SpawnAttributes {
public:
    explicit SpawnAttributes(Passwords passwords)
    {
        posix_spawnattr_init(&m_attributes);
        posix_spawn_file_actions_init(&m_actions);
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        const int group = passwords == Passwords::None ? POSIX_SPAWN_SETPGROUP : 0;
        posix_spawnattr_setflags(&m_attributes,
                                 static_cast<short>(group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
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

int startChild(std::vector<std::string> arguments, const ChildDescriptors &descriptors, Passwords passwords)
{
    if (passwords == Passwords::Asked) // what a shell ignores, the program that it becomes ignores
        arguments.insert(arguments.begin(), {"/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh"});
    SpawnAttributes attributes(passwords);
    attributes.give(descriptors.input, STDIN_FILENO);
    attributes.give(descriptors.output, STDOUT_FILENO);
    attributes.give(descriptors.errors, STDERR_FILENO);
    std::vector<char *> texts;
    for (std::string &argument : arguments)
        texts.push_back(argument.data());
    texts.push_back(nullptr);
    const std::lock_guard lock(askedChildren().mutex);
    if (passwords == Passwords::Asked && askedChildren().isEnding)
        return -ECANCELED;
    pid_t child = -1;
    const int status =
        posix_spawnp(&child, texts.front(), &attributes.m_actions, &attributes.m_attributes, texts.data(), environ);
    if (status == 0 && passwords == Passwords::Asked)
        askedChildren().children.insert(child);
    return status == 0 ? child : -status;
}

void askChildrenToEnd()
{
    const std::lock_guard lock(askedChildren().mutex);
    askedChildren().isEnding = true;
    for (const pid_t child : askedChildren().children)
        kill(child, SIGTERM);
}

std::optional<std::string> outputOf(std::vector<std::string> arguments, std::chrono::milliseconds time)
{
    int ends[2];
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        close(nothing);
        return std::nullopt;
    }
    const int child = startChild(std::move(arguments), {.input = nothing, .output = ends[1], .errors = nothing});
    close(nothing);
    close(ends[1]);
    std::string text;
    const auto end = std::chrono::steady_clock::now() + time;
    for (bool more = child > 0; more;) {
        pollfd ready{ends[0], POLLIN, 0};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        std::array<char, 4096> bytes{};
        more = left.count() > 0 && poll(&ready, 1, static_cast<int>(left.count())) > 0;
        const ssize_t got = more ? read(ends[0], bytes.data(), bytes.size()) : 0;
        more = got > 0;
        text.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
    close(ends[0]);
    if (child <= 0)
        return std::nullopt;
    const auto status =
        endedWithin(child, std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()));
    if (!status)
        killChild(child);
    return status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0 ? std::optional(std::move(text)) : std::nullopt;
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
    forget(child);
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
