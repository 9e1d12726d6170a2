#pragma once

// A session on a device in a worker, with the promises of worker_device.h.

#include "device/device.h"
#include "device/worker/worker_device.h"
#include "support/result.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace stagecraft {
namespace worker {
class WorkerProcess;
}

struct WorkerSessionParts {
    DeviceInfo device;
    std::string inner; // its id in the worker
    WorkerOptions options;
    std::shared_ptr<const Graph> graph;
    std::optional<ModelFile> file;
    std::shared_ptr<const TunedKernels> kernels; // null: none
};

// Starts the worker and sends it the graph. `process`: one that runs already, or null.
[[nodiscard]] Result<std::unique_ptr<DeviceSession>> openWorkerSession(WorkerSessionParts parts,
                                                                       std::unique_ptr<worker::WorkerProcess> process,
                                                                       const std::stop_token &stop);

} // namespace stagecraft
