#pragma once

// Devices of other machines: "ssh:me@gpu1:2222/cpu", "slurm:gpu:time=30,gres=gpu:1/gpu:0". Before the first slash
// stands where, behind it the device there. "random" among the words of a place (ssh:gpu1:random/cpu) stands for
// weights that are made there instead of sent.

#include "device/worker/transports/transport.h"

#include <memory>
#include <string>
#include <string_view>

namespace stagecraft::worker {

struct ElsewhereId {
    std::string where;  // "ssh:me@gpu1:2222"
    std::string device; // "cpu"; empty: no device was named
};

[[nodiscard]] ElsewhereId elsewhereFrom(std::string_view id); // timing/device_id.h says which are

struct Route {
    std::shared_ptr<const Transport> transport;
    bool makesWeights = false; // at random, there
};

// WrongUse: a place that is written wrongly.
[[nodiscard]] Result<Route> routeTo(std::string_view where, RemoteProgram program);

} // namespace stagecraft::worker
