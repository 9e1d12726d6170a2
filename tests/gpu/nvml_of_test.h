#pragma once

// The next answers of the fake NVML.

struct PlayedClocks {
    int status = 0; // of every call; 0: success
    unsigned smMHz = 0;
    unsigned memoryMHz = 0;
    unsigned long long reasons = 0;
    int clockCalls = 0;
};

[[nodiscard]] PlayedClocks &playedClocks();
