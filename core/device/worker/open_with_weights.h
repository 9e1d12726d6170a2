#pragma once

// Opens a graph in a worker elsewhere, which keeps large values of constants by their SHA-256: those that it lacks are
// sent first.

#include "support/result.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>

namespace stagecraft::worker {

class Reply;
class Request;
class WorkerProcess;

// `request` opens a graph. `sending`: called with the bytes before they are sent. Errors: those of asking.
[[nodiscard]] Result<Reply> openWithWeights(WorkerProcess &process, Request &request,
                                            std::chrono::milliseconds deadline,
                                            const std::function<void(std::size_t bytes)> &sending,
                                            const std::stop_token &stop);

} // namespace stagecraft::worker
