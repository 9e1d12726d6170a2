#include "device/worker/worker_process.h"

#include <fmt/format.h>
#include <worker.pb.h>

#include "device/worker/protocol/messages.h"
#include "device/worker/worker_watchdog.h"
#include "support/blocking_calls.h"
#include "support/child_process.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace stagecraft::worker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{50};          // longest delay until a stop is noticed
constexpr std::chrono::milliseconds kCancelGrace{3000}; // from cancel to kill
constexpr std::chrono::milliseconds kCloseTimeout{200}; // from closing its input to kill
constexpr std::chrono::milliseconds kExitTimeout{100};

} // namespace

WorkerProcess::WorkerProcess(WorkerCommand command) : m_command(std::move(command)) {}

WorkerProcess::~WorkerProcess()
{
    stop();
}

void WorkerProcess::stop()
{
    if (!isRunning())
        return;
    const int pid = m_pid;
    forget(); // closing its input tells the worker to exit
    if (endedWithin(pid, kCloseTimeout))
        return;
    killChild(pid);
}

bool WorkerProcess::isRunning()
{
    if (m_pid > 0 && endedWithin(m_pid, std::chrono::milliseconds(0)))
        forget();
    return m_pid > 0;
}

void WorkerProcess::forget()
{
    ::close(std::exchange(m_socket, -1));
    m_receiver.reset();
    m_pid = -1;
}

Result<void> WorkerProcess::start()
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return fail(ErrorCode::DeviceFailed, std::string("no connection to a worker: ") + std::strerror(errno));
    const int started = startChild(m_command.arguments, {.input = sockets[1], .output = sockets[1]});
    ::close(sockets[1]);
    if (started < 0) {
        ::close(sockets[0]);
        return fail(
            ErrorCode::DeviceFailed,
            fmt::format("the worker {} cannot be started: {}", m_command.arguments.front(), std::strerror(-started)),
            m_command.howToGet);
    }
    m_pid = started;
    m_socket = sockets[0];
    m_receiver = std::make_unique<Receiver>(m_socket);
    return {};
}

std::string WorkerProcess::end()
{
    std::string text = "does not answer";
    // A dying process closes its socket shortly before it can be waited for.
    if (const auto status = endedWithin(m_pid, kExitTimeout)) {
        text = exitText(*status);
    } else {
        killChild(m_pid);
    }
    forget();
    m_lost = true;
    return text;
}

tl::unexpected<Error> WorkerProcess::failure(const std::string &what) const
{
    return fail(ErrorCode::DeviceFailed,
                "the worker " + what + (m_preparing.empty() ? "" : " while it prepared operator " + m_preparing));
}

Result<Reply> WorkerProcess::ask(Request &request, std::chrono::milliseconds deadline, const std::stop_token &stop)
{
    noteBlockingCall();
    m_lost = false;
    m_gaveUp = false;
    m_preparing.clear();
    if (!isRunning()) {
        TRY(start());
    }
    request.set_version(kVersion);
    request.set_id(++m_lastId);
    if (const auto sent = send(m_socket, request); !sent) {
        if (sent.error().code == ErrorCode::InvalidInput)
            return tl::unexpected(sent.error());
        return failure(end());
    }
    auto reply = waitFor(m_lastId, deadline, stop);
    tellWait(std::nullopt);
    return reply;
}

void WorkerProcess::tellWait(const std::optional<DeviceWait> &wait)
{
    if (!wait && !m_isWaiting)
        return;
    m_isWaiting = wait.has_value();
    if (m_command.onWaiting)
        m_command.onWaiting(wait);
}

void WorkerProcess::sendCancel(std::uint64_t id)
{
    Request cancel;
    cancel.set_version(kVersion);
    cancel.set_id(id);
    cancel.mutable_cancel();
    // If the worker is gone, the wait for its answer reports it.
    (void)send(m_socket, cancel);
}

Result<Reply> WorkerProcess::waitFor(std::uint64_t id, std::chrono::milliseconds deadline, const std::stop_token &stop)
{
    Watchdog watchdog(m_pid, deadline, m_command.silence);
    bool cancelled = false;
    for (;;) {
        Reply reply;
        const auto received = m_receiver->receive(reply, kPoll);
        if (!received)
            return failure(this->end());
        if (*received) {
            watchdog.heard();
            if (reply.version() != kVersion) {
                (void)this->end();
                return fail(
                    ErrorCode::DeviceFailed,
                    fmt::format("the worker speaks version {} of the protocol, not {}", reply.version(), kVersion),
                    "install the worker that belongs to this program");
            }
            if (reply.id() == id && reply.what_case() != Reply::kHeartbeat) {
                if (reply.what_case() == Reply::kFailure) {
                    m_gaveUp = reply.failure().worker_ends();
                    if (m_gaveUp)
                        (void)this->end();
                    return tl::unexpected(read(reply.failure()));
                }
                return reply;
            }
            if (reply.id() == id && reply.heartbeat().has_preparing())
                m_preparing = reply.heartbeat().preparing();
            if (!cancelled && reply.heartbeat().waiting()) {
                watchdog.restart();
                tellWait(read(reply.heartbeat()));
            } else {
                tellWait(std::nullopt);
            }
        }
        if (!cancelled && stop.stop_requested()) {
            cancelled = true;
            watchdog.endWithin(kCancelGrace);
            sendCancel(id);
        }
        // Messages that arrived while this process was stopped are read before the worker is judged.
        const Watchdog::Verdict verdict = *received ? Watchdog::Verdict::Wait : watchdog.judge();
        if (verdict == Watchdog::Verdict::Stopped && m_command.onStopped)
            m_command.onStopped(m_pid);
        if (verdict == Watchdog::Verdict::Overdue || verdict == Watchdog::Verdict::Silent) {
            (void)this->end();
            if (cancelled)
                return fail(ErrorCode::Cancelled, "stopped");
            m_gaveUp = verdict == Watchdog::Verdict::Overdue;
            const auto seconds = fmt::format("{:f}", static_cast<double>(deadline.count()) / 1000);
            return failure(m_gaveUp ? fmt::format("took longer than {:.5} s", seconds) : "fell silent");
        }
    }
}

} // namespace stagecraft::worker
