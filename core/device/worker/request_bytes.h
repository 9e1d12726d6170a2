#pragma once

// Requests as bytes, for a worker that reads them from files instead of a connection: as they are sent, each behind its
// length (protocol/channel.h).

#include "device/worker/python_statements.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <cstdint>
#include <string>

namespace stagecraft {

// Opens the graph on the device, with what a worker for PyTorch runs. Errors: InvalidInput (an operator that has no
// code there; more than a message holds).
[[nodiscard]] Result<std::string> openRequestBytes(const std::string &deviceId, const Graph &graph,
                                                   const PythonMaker &python);

// Measures the stage, which is legal. The same errors.
[[nodiscard]] Result<std::string> stageRequestBytes(const Graph &graph, const Stage &stage, std::uint64_t id,
                                                    const PythonMaker &python);

} // namespace stagecraft
