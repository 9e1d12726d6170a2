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
#include <poll.h>
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
// Of ssh and srun.
constexpr std::chrono::milliseconds kTransportExit{3000};
constexpr std::chrono::milliseconds kWorthTelling{10'000}; // a connection that takes longer
constexpr std::chrono::milliseconds kTellAgain{5'000};

} // namespace

WorkerProcess::WorkerProcess(WorkerCommand command) : m_command(std::move(command)) {}

WorkerProcess::~WorkerProcess()
{
    stop();
}

void WorkerProcess::stop()
{
    if (m_pid <= 0)
        return;
    const int pid = m_pid;
    if (endedWithin(pid, std::chrono::milliseconds(0))) {
        forget();
        return;
    }
    if (m_command.transport && !m_hasBegun) { // it reads no input yet
        kill();
        forget();
        return;
    }
    ::close(std::exchange(m_socket, -1)); // tells the worker to exit
    const bool ended = endedWithin(pid, kCloseTimeout).has_value();
    if (!ended)
        kill();
    forget();
}

void WorkerProcess::kill()
{
    m_said.read();
    if (!m_command.transport || !m_command.transport->endGently(m_pid, end(std::nullopt)))
        killChild(m_pid);
}

TransportEnd WorkerProcess::end(std::optional<int> status) const
{
    return {status, m_said.last(), m_hasBegun, m_greeting};
}

bool WorkerProcess::isRunning()
{
    const auto status = m_pid > 0 ? endedWithin(m_pid, std::chrono::milliseconds(0)) : std::nullopt;
    if (status) {
        m_said.read();
        if (m_command.transport)
            m_closed = m_command.transport->lost(end(status));
        forget();
    }
    return m_pid > 0;
}

void WorkerProcess::forget()
{
    if (m_socket >= 0)
        ::close(std::exchange(m_socket, -1));
    m_receiver.reset();
    m_said.close();
    m_hasBegun = false;
    m_pid = -1;
}

Result<void> WorkerProcess::start()
{
    std::vector<std::string> arguments = m_command.arguments;
    const bool isElsewhere = m_command.transport != nullptr;
    if (isElsewhere) {
        TRY_AS(arguments, m_command.transport->command());
    }
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return fail(ErrorCode::DeviceFailed, std::string("no connection to a worker: ") + std::strerror(errno));
    const int errors = isElsewhere ? m_said.open() : -1;
    const int started = startChild(arguments, {.input = sockets[1], .output = sockets[1], .errors = errors},
                                   isElsewhere ? Passwords::Asked : Passwords::None);
    ::close(sockets[1]);
    if (errors >= 0)
        ::close(errors);
    if (started < 0) {
        ::close(sockets[0]);
        return fail(ErrorCode::DeviceFailed,
                    fmt::format("the worker {} cannot be started: {}", arguments.front(), std::strerror(-started)),
                    m_command.howToGet);
    }
    m_pid = started;
    m_greeting.clear();
    m_closed.reset();
    m_socket = sockets[0];
    m_receiver = std::make_unique<Receiver>(m_socket);
    return {};
}

Result<void> WorkerProcess::begin(const std::stop_token &stop)
{
    const Transport &transport = *m_command.transport;
    const auto start = Clock::now();
    auto told = start + kWorthTelling;
    while (!m_hasBegun) {
        const auto begun = m_receiver->skipBeyond(kBeginning, kPoll, m_greeting);
        if (!begun)
            return lose(begun.error());
        m_hasBegun = *begun;
        tellSaid();
        if (stop.stop_requested()) {
            kill();
            forget();
            m_lost = true;
            return fail(ErrorCode::Cancelled, "stopped");
        }
        const auto longest = transport.longestBeginning();
        if (!m_hasBegun && longest && Clock::now() - start > *longest)
            return giveUp("did not begin");
        if (!m_hasBegun && Clock::now() >= told) {
            told += kTellAgain;
            DeviceWait wait;
            wait.reason = transport.waitsFor(m_said.last());
            wait.seconds = std::chrono::duration<double>(Clock::now() - start).count();
            tellWait(wait);
        }
    }
    return {};
}

tl::unexpected<Error> WorkerProcess::lose(const Error &why)
{
    m_lost = true;
    // A dying process closes its socket shortly before it can be waited for.
    const auto status = endedWithin(m_pid, m_command.transport ? kTransportExit : kExitTimeout);
    if (!status)
        kill();
    if (!m_command.transport) {
        forget();
        if (why.code != ErrorCode::InvalidInput)
            return failure(status ? exitText(*status) : "does not answer");
        auto lost = failure("wrote something else than messages to its standard output");
        lost.value().remedy = "see that nothing else prints there, as start-up files of Python may";
        return lost;
    }
    if (!status) {
        forget();
        m_loss = Loss::Place;
        return failure("has written what is no message: " + why.message);
    }
    m_said.read();
    auto lost = m_command.transport->lost(end(status));
    forget();
    m_loss = lost.what;
    if (m_loss != Loss::Worker || m_preparing.empty())
        return tl::unexpected(std::move(lost.error));
    lost.error.message += " while it prepared operator " + m_preparing;
    return tl::unexpected(std::move(lost.error));
}

tl::unexpected<Error> WorkerProcess::giveUp(const std::string &what)
{
    m_lost = true;
    m_said.read();
    const TransportEnd silent = end(std::nullopt);
    kill();
    forget();
    if (!m_command.transport || m_gaveUp)
        return failure(what);
    auto lost = m_command.transport->lost(silent);
    m_loss = lost.what;
    return tl::unexpected(std::move(lost.error));
}

tl::unexpected<Error> WorkerProcess::failure(const std::string &what) const
{
    const std::string place = m_command.transport ? "on " + m_command.transport->place() + " " : "";
    return fail(ErrorCode::DeviceFailed, "the worker " + place + what +
                                             (m_preparing.empty() ? "" : " while it prepared operator " + m_preparing));
}

Result<Reply> WorkerProcess::ask(Request &request, std::chrono::milliseconds deadline, const std::stop_token &stop)
{
    noteBlockingCall();
    m_lost = false;
    m_gaveUp = false;
    m_loss = Loss::Worker;
    m_preparing.clear();
    m_deadline = deadline;
    request.set_version(kVersion);
    request.set_id(++m_lastId);
    TRY_AS(const std::string bytes, framed(request));
    const bool isNew = !isRunning();
    if (isNew) {
        TRY(start());
    }
    if (isNew && m_command.transport) {
        const auto begun = begin(stop);
        tellWait(std::nullopt);
        TRY(begun);
    }
    Watchdog watchdog(m_pid, deadline, m_command.silence);
    if (isNew && m_command.transport) {
        TRY(push(m_command.transport->program().prologue, watchdog, stop));
    }
    TRY(push(bytes, watchdog, stop));
    watchdog.restart();
    auto reply = waitFor(m_lastId, watchdog, stop);
    tellWait(std::nullopt);
    return reply;
}

Result<void> WorkerProcess::push(std::string_view bytes, Watchdog &watchdog, const std::stop_token &stop)
{
    while (!bytes.empty()) {
        pollfd waiting{m_socket, POLLOUT, 0};
        (void)poll(&waiting, 1, static_cast<int>(kPoll.count()));
        const auto sent = sendSome(m_socket, bytes);
        if (!sent)
            return lose(sent.error());
        bytes.remove_prefix(*sent);
        tellSaid();
        if (*sent > 0)
            watchdog.heard();
        if (stop.stop_requested()) { // the worker has half a message
            (void)giveUp({});
            return fail(ErrorCode::Cancelled, "stopped");
        }
        if (*sent == 0) {
            TRY(judge(watchdog, false));
        }
    }
    return {};
}

void WorkerProcess::tellSaid()
{
    m_said.read();
    for (const std::string &line : m_said.takeLines()) {
        if (m_command.onSaid)
            m_command.onSaid(line);
    }
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

Result<Reply> WorkerProcess::waitFor(std::uint64_t id, Watchdog &watchdog, const std::stop_token &stop)
{
    bool cancelled = false;
    for (;;) {
        Reply reply;
        const auto received = m_receiver->receive(reply, kPoll);
        tellSaid();
        if (!received)
            return lose(received.error());
        if (*received) {
            watchdog.heard();
            if (reply.version() != kVersion) {
                m_gaveUp = true;
                m_loss = Loss::Place;
                auto error =
                    giveUp(fmt::format("speaks version {} of the protocol, not {}", reply.version(), kVersion));
                error.value().remedy = "install the worker that belongs to this program";
                return error;
            }
            if (reply.id() == id && reply.what_case() != Reply::kHeartbeat) {
                if (reply.what_case() == Reply::kFailure) {
                    if (reply.failure().worker_ends()) {
                        m_gaveUp = true;
                        (void)giveUp({});
                    }
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
        if (!*received) {
            TRY(judge(watchdog, cancelled));
        }
    }
}

Result<void> WorkerProcess::judge(Watchdog &watchdog, bool cancelled)
{
    const Watchdog::Verdict verdict = watchdog.judge();
    if (verdict == Watchdog::Verdict::Stopped && m_command.onStopped)
        m_command.onStopped(m_pid);
    if (verdict != Watchdog::Verdict::Overdue && verdict != Watchdog::Verdict::Silent)
        return {};
    m_gaveUp = verdict == Watchdog::Verdict::Overdue;
    const auto seconds = fmt::format("{:f}", static_cast<double>(m_deadline.count()) / 1000);
    auto error = giveUp(m_gaveUp ? fmt::format("took longer than {:.5} s", seconds) : "fell silent");
    if (cancelled)
        return fail(ErrorCode::Cancelled, "stopped");
    return error;
}

} // namespace stagecraft::worker
