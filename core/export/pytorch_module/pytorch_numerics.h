#pragma once

// How PyTorch computes an exported schedule: as the device did for which it was chosen. The module takes both as
// arguments, too.

#include "graph/graph.h"
#include "schedule/timed_schedule.h"

#include <string>
#include <string_view>

namespace stagecraft {

struct PytorchNumerics {
    std::string_view tf32;     // of what: "none", "convolutions", "all"; empty: not chosen, as PyTorch is set
    bool channelsLast = false; // of images
};

// TF32: the precision of the result, where a device is known. Channels-last: the layout in which the schedule states
// most images, else that of the GPU device by its id.
[[nodiscard]] PytorchNumerics pytorchNumerics(const Graph &graph, const TimedSchedule &schedule);

// Sentences for people, on lines of their own.
[[nodiscard]] std::string toText(const PytorchNumerics &numerics);

} // namespace stagecraft
