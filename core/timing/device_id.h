#pragma once

// Ids of devices elsewhere name the place before the first slash and the device there behind it: "ssh:gpu1/gpu:0",
// "slurm:gpu:time=30/cpu".

#include <string>
#include <string_view>

namespace stagecraft {

// Whether the device belongs to a machine that ssh or Slurm reach.
[[nodiscard]] inline bool isElsewhere(std::string_view id)
{
    return id.starts_with("ssh:") || id.starts_with("slurm:");
}

// As the device is called on the machine that it belongs to; empty: the id names a place alone.
[[nodiscard]] inline std::string_view ownDeviceId(std::string_view id)
{
    if (!isElsewhere(id))
        return id;
    const std::size_t slash = id.find('/');
    return slash == std::string_view::npos ? std::string_view() : id.substr(slash + 1);
}

// As the latency store calls the device, so that equal ones share latencies wherever they are: as on its own machine,
// and a GPU with the number 0. "gpu:0:tf32" of "ssh:gpu1/gpu:3:tf32".
[[nodiscard]] std::string storedDeviceId(std::string_view id);

// Whether a version of a device is a fingerprint, which says all that its latencies depend on: its kind, then facts,
// each with a semicolon, "cpu;processor=X;cores=8;".
[[nodiscard]] bool isFingerprint(std::string_view version);

} // namespace stagecraft
