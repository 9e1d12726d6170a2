#pragma once

// A kernel on the simulated device: a grid of equal thread blocks, and what each of them needs.

#include <array>
#include <cstdint>
#include <string>

namespace stagecraft {

struct Kernel {
    std::string name;
    std::array<std::int64_t, 3> grid{1, 1, 1};
    int threadsPerBlock = 0;
    int registersPerThread = 0;
    std::int64_t sharedBytesPerBlock = 0;
    bool cudnnCall = false; // launched by a call into cuDNN

    double flops = 0;             // useful arithmetic of the whole kernel, without the padding of tiles
    double bytes = 0;             // read and written by the whole kernel, each byte once
    double smNsPerBlock = 0;      // time of one block alone on a saturated SM
    double latencyNsPerBlock = 0; // in addition, whatever else runs: until its first operands are there
    double dramBytesPerBlock = 0;
    double l2BytesPerBlock = 0;

    [[nodiscard]] std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
    [[nodiscard]] int warpsPerBlock() const { return (threadsPerBlock + 31) / 32; }

    friend bool operator==(const Kernel &, const Kernel &) = default;
};

} // namespace stagecraft
