#pragma once

// Workers that `srun` starts in an allocation of Slurm, and that end with it.

#include "device/worker/transports/transport.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::worker {

struct SlurmJob {
    std::string partition;
    std::vector<std::string> options; // of srun: "--time=30", "--gres=gpu:1"

    friend bool operator==(const SlurmJob &, const SlurmJob &) = default;
};

// "gpu:time=30,gres=gpu:1": the partition, then options from a fixed table; a word without = goes on with the value
// before it (nodelist=n1,n2). WrongUse, with the known options as remedy.
[[nodiscard]] Result<SlurmJob> slurmJobFrom(std::string_view text);

[[nodiscard]] std::shared_ptr<const Transport> slurmTransport(SlurmJob job, RemoteProgram program);

} // namespace stagecraft::worker
