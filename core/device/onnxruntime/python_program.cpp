#include "device/onnxruntime/python_program.h"

#include "support/child_process.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::chrono::milliseconds kPoll{50}; // longest delay until a stop is noticed
constexpr std::chrono::milliseconds kCloseTimeout{500};
constexpr std::chrono::milliseconds kExitTimeout{200};
constexpr off_t kMostOfError = 4096; // bytes that are looked at

// Nothing is imported from the current folder, where a downloaded model may lie.
constexpr const char *kBoot = R"(import sys
sys.path[:] = [folder for folder in sys.path if folder]
import json, types
for name, text in json.loads(sys.stdin.readline()):
    module = sys.modules[name] = types.ModuleType(name)
    module.__file__ = name + ".py"
    exec(compile(text, module.__file__, "exec"), module.__dict__)
    globals()[name] = module
)";

} // namespace

PythonProgram::PythonProgram(std::string python, std::vector<PythonModule> modules, const std::string &call)
    : m_python(std::move(python)), m_modules(std::move(modules)), m_boot(kBoot + call)
{
}

PythonProgram::~PythonProgram()
{
    stop();
}

void PythonProgram::stop()
{
    if (!isRunning())
        return;
    const int child = m_child;
    forget(); // it ends with its input
    if (!endedWithin(child, kCloseTimeout))
        killChild(child);
}

bool PythonProgram::isRunning()
{
    if (m_child > 0 && endedWithin(m_child, std::chrono::milliseconds(0)))
        forget();
    return m_child > 0;
}

void PythonProgram::kill()
{
    killChild(m_child);
    forget();
}

void PythonProgram::forget()
{
    ::close(std::exchange(m_socket, -1));
    ::close(std::exchange(m_errors, -1));
    m_received.clear();
    m_child = -1;
}

Result<void> PythonProgram::start()
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return fail(ErrorCode::DeviceFailed, fmt::format("no connection to {}: {}", m_python, std::strerror(errno)));
    const int errors = memfd_create("errors", MFD_CLOEXEC);
    const int started =
        startChild({m_python, "-c", m_boot}, {.input = sockets[1], .output = sockets[1], .errors = errors});
    ::close(sockets[1]);
    if (started < 0) {
        ::close(sockets[0]);
        ::close(errors);
        return fail(ErrorCode::DeviceFailed, fmt::format("{} cannot be started: {}", m_python, std::strerror(-started)),
                    "Set STAGECRAFT_PYTHON to a Python");
    }
    m_child = started;
    m_socket = sockets[0];
    m_errors = errors;
    auto modules = nlohmann::json::array();
    for (const PythonModule &module : m_modules)
        modules.push_back({module.name, module.text});
    if (!send(modules.dump() + '\n'))
        return lost();
    return {};
}

bool PythonProgram::send(const std::string &text) const
{
    for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t more = ::send(m_socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (more < 0 && errno != EINTR)
            return false;
        sent += more > 0 ? static_cast<std::size_t>(more) : 0;
    }
    return true;
}

std::string PythonProgram::lastError() const
{
    std::string text(static_cast<std::size_t>(kMostOfError), '\0');
    const off_t size = lseek(m_errors, 0, SEEK_END);
    const ssize_t read = pread(m_errors, text.data(), text.size(), std::max<off_t>(0, size - kMostOfError));
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read)));
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
        text.pop_back();
    return text.substr(text.rfind('\n') + 1); // all of it, if there is one line
}

tl::unexpected<Error> PythonProgram::lost()
{
    std::string how = "does not answer";
    if (const auto status = endedWithin(m_child, kExitTimeout))
        how = exitText(*status);
    else
        killChild(m_child);
    const std::string last = lastError();
    forget();
    return fail(ErrorCode::DeviceFailed, fmt::format("{} {}{}{}", m_python, how, last.empty() ? "" : ": ", last));
}

Result<std::string> PythonProgram::line(const std::stop_token &stop, std::optional<std::chrono::milliseconds> limit)
{
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
        if (const std::size_t end = m_received.find('\n'); end != std::string::npos) {
            std::string one = m_received.substr(0, end);
            m_received.erase(0, end + 1);
            return one;
        }
        if (limit && std::chrono::steady_clock::now() - begin > *limit)
            return lost();
        if (stop.stop_requested()) {
            kill();
            return fail(ErrorCode::Cancelled, "stopped");
        }
        pollfd waiting{m_socket, POLLIN, 0};
        if (::poll(&waiting, 1, static_cast<int>(kPoll.count())) <= 0)
            continue;
        char part[65536];
        const ssize_t read = ::recv(m_socket, part, sizeof part, 0);
        if (read < 0 && errno == EINTR)
            continue;
        if (read <= 0)
            return lost();
        m_received.append(part, static_cast<std::size_t>(read));
    }
}

Result<nlohmann::json> PythonProgram::ask(const nlohmann::json &request, const std::stop_token &stop,
                                          std::optional<std::chrono::milliseconds> limit)
{
    if (m_child < 0)
        return fail(ErrorCode::DeviceFailed, m_python + " does not run");
    const std::string text = request.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + '\n';
    if (!send(text))
        return lost();
    TRY_AS(const auto answered, line(stop, limit));
    auto answer = nlohmann::json::parse(answered, nullptr, false);
    if (!answer.is_object()) { // the next line would be the answer to this
        kill();
        return fail(ErrorCode::DeviceFailed, m_python + " answered something else than it was asked");
    }
    if (const auto error = answer.find("error"); error != answer.end() && error->is_string())
        return fail(ErrorCode::DeviceFailed, "ONNX Runtime: " + error->get<std::string>());
    return answer;
}

} // namespace stagecraft
