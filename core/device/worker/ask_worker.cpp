#include "device/worker/ask_worker.h"

#include "device/worker/protocol/messages.h"
#include "device/worker/worker_device.h"
#include "support/shown_text.h"

#include <fmt/format.h>
#include <optional>

namespace stagecraft::worker {

WorkerCommand commandFrom(const WorkerOptions &options, const std::string &deviceId)
{
    WorkerCommand command{options.command, options.silence, {}, {}, options.howToGet, options.transport, {}};
    if (options.onWaiting)
        command.onWaiting = [tell = options.onWaiting, deviceId](std::optional<DeviceWait> wait) {
            if (wait)
                wait->device = deviceId;
            tell(wait);
        };
    if (options.tell) {
        command.onStopped = [tell = options.tell, deviceId](int pid) {
            tell(fmt::format("waiting for {0}: its worker, process {1}, was stopped; it goes on with kill -CONT {1}",
                             deviceId, pid));
        };
        command.onSaid = [tell = options.tell, deviceId](const std::string &line) {
            tell(fmt::format("{}: {}", deviceId, shownText(line)));
        };
    }
    return command;
}

bool isWorthAnother(const WorkerProcess &process, const Error &error, int asked)
{
    return process.lost() && process.loss() == Loss::Worker && error.code == ErrorCode::DeviceFailed &&
           asked < (process.gaveUp() ? kAttemptsAfterRefusal : kAttempts);
}

Result<Reply> askAnyWorker(WorkerProcess &process, const WorkerOptions &options, Request &request,
                           const std::stop_token &stop)
{
    for (int asked = 1;; ++asked) {
        auto reply = process.ask(request, options.stageDeadline, stop);
        if (reply || !isWorthAnother(process, reply.error(), asked))
            return reply;
    }
}

tl::unexpected<Error> unexpectedReply()
{
    return fail(ErrorCode::DeviceFailed, "the worker answered something else than it was asked");
}

} // namespace stagecraft::worker
