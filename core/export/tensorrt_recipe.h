#pragma once

// What TensorRT takes of a schedule. It gives layers to streams by itself, in an order of its own; what can be said is
// the model, in which merged operators are one, and how many auxiliary streams it may use beside the stream of its
// caller (IBuilderConfig::setMaxAuxStreams, since TensorRT 8.6).

#include "schedule/schedule.h"

#include <string>
#include <vector>

namespace stagecraft {

// One less than the widest stage has groups, or than there are streams.
[[nodiscard]] std::size_t tensorRtAuxStreams(const Schedule &schedule);

// For people: what TensorRT takes, with the command that builds and times `onnxFile`, and the one that reads back what
// it writes beside it.
[[nodiscard]] std::vector<std::string> tensorRtRemarks(const Schedule &schedule, const std::string &onnxFile);

} // namespace stagecraft
