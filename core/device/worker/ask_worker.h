#pragma once

// How a worker is started for a device, and asked again where one is lost.

#include "device/worker/worker_process.h"
#include "support/result.h"

#include <stop_token>
#include <string>

namespace stagecraft {

struct WorkerOptions;

namespace worker {

// What it waits for and says is told in the name of the device.
[[nodiscard]] WorkerCommand commandFrom(const WorkerOptions &options, const std::string &deviceId);

// How often a request is repeated, each time to a new worker, before it fails: the worker may have been killed, or
// short of memory for a moment. Fewer times if the worker refused or never finished.
inline constexpr int kAttempts = 3;
inline constexpr int kAttemptsAfterRefusal = 2;

// After the request was `asked` so many times and failed.
[[nodiscard]] bool isWorthAnother(const WorkerProcess &process, const Error &error, int asked);

// For what needs no session: the description of a device, the list of them.
[[nodiscard]] Result<Reply> askAnyWorker(WorkerProcess &process, const WorkerOptions &options, Request &request,
                                         const std::stop_token &stop = {});

[[nodiscard]] tl::unexpected<Error> unexpectedReply();

} // namespace worker
} // namespace stagecraft
