#pragma once

// A stagecraft-worker as a child process, or elsewhere behind one (transports/transport.h), reached over its standard
// input and output. One request at a time. A worker that dies, falls silent or exceeds a deadline is killed; the next
// request starts a new one. Time in which nothing could run does not count (worker_watchdog.h). Threads: an object is
// used by one thread at a time.

#include "device/device.h"
#include "device/worker/error_output.h"
#include "device/worker/protocol/channel.h"
#include "device/worker/transports/transport.h"
#include "support/result.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft::worker {

class Request;
class Reply;
class Watchdog;

struct WorkerCommand {
    std::vector<std::string> arguments;      // the program first, as a path; not with a transport
    std::chrono::milliseconds silence{5000}; // without a heartbeat: the worker counts as stuck
    // Called when the worker reports that it waits for the device (whose id is left empty), and with nothing once that
    // is over.
    std::function<void(const std::optional<DeviceWait> &)> onWaiting;
    std::function<void(int pid)> onStopped;       // called when the worker is stopped, as by SIGSTOP, and is waited for
    std::string howToGet{};                       // if it cannot be started
    std::shared_ptr<const Transport> transport{}; // null: it runs on this machine
    std::function<void(const std::string &line)> onSaid{}; // what the transport or the machine there writes for people
};

class WorkerProcess {
public:
    explicit WorkerProcess(WorkerCommand command);
    ~WorkerProcess();

    WorkerProcess(const WorkerProcess &) = delete;
    WorkerProcess &operator=(const WorkerProcess &) = delete;

    // For what is asked and started from now on.
    void setCommand(WorkerCommand command) { m_command = std::move(command); }

    [[nodiscard]] bool isRunning(); // also false once the worker has exited by itself

    // Starts the worker if there is none, sends the request and waits for the answer. A Failure in the reply is
    // returned as its error. DeviceFailed: the worker could not be started, died, fell silent or exceeded `deadline`
    // (the error names the operator it was preparing); lost() is then true and the worker no longer runs. The deadline
    // does not run while the worker waits for the device, or the transport for the worker. Cancelled: a stop was
    // requested; the worker is told, and killed if it does not react.
    [[nodiscard]] Result<Reply> ask(Request &request, std::chrono::milliseconds deadline, const std::stop_token &stop);

    // Ends the worker, if there is one: first by closing its input.
    void stop();

    // Whether the last ask() lost the worker.
    [[nodiscard]] bool lost() const { return m_lost; }
    // Whether the lost worker did not die by itself: it took too long, or reported that it cannot go on.
    [[nodiscard]] bool gaveUp() const { return m_lost && m_gaveUp; }
    // What the last ask() lost, if it lost anything.
    [[nodiscard]] Loss loss() const { return m_loss; }
    // How the connection ended while nothing was asked, until another one is made; empty: it did not.
    [[nodiscard]] const std::optional<LostTransport> &closed() const { return m_closed; }

private:
    [[nodiscard]] Result<void> start();
    // Waits until the worker elsewhere has begun.
    [[nodiscard]] Result<void> begin(const std::stop_token &stop);
    [[nodiscard]] Result<void> push(std::string_view bytes, Watchdog &watchdog, const std::stop_token &stop);
    [[nodiscard]] Result<Reply> waitFor(std::uint64_t id, Watchdog &watchdog, const std::stop_token &stop);
    // Fails once the worker is silent or late.
    [[nodiscard]] Result<void> judge(Watchdog &watchdog, bool cancelled);
    void tellWait(const std::optional<DeviceWait> &wait);
    void sendCancel(std::uint64_t id);
    void tellSaid();
    [[nodiscard]] TransportEnd end(std::optional<int> status) const;
    void forget();
    void kill();
    // Ends the worker, whose stream failed with `why`. The error says how it ended by itself: "the worker was killed by
    // signal 11 (Segmentation fault)".
    [[nodiscard]] tl::unexpected<Error> lose(const Error &why);
    // The same for one that is given up.
    [[nodiscard]] tl::unexpected<Error> giveUp(const std::string &what);
    // Names the operator the worker was preparing, if any.
    [[nodiscard]] tl::unexpected<Error> failure(const std::string &what) const;

    WorkerCommand m_command;
    int m_pid = -1;
    int m_socket = -1;
    bool m_lost = false;
    bool m_gaveUp = false;
    Loss m_loss = Loss::Worker;
    bool m_hasBegun = false;
    ErrorOutput m_said;
    std::string m_greeting; // what came before kBeginning
    std::optional<LostTransport> m_closed;
    std::chrono::milliseconds m_deadline{}; // of the last request
    bool m_isWaiting = false;               // and this was told
    std::uint64_t m_lastId = 0;
    std::string m_preparing; // an operator, as last reported by the worker
    std::unique_ptr<Receiver> m_receiver;
};

} // namespace stagecraft::worker
