#pragma once

// This machine's processor, as far as latencies depend on it.

#include <string>

namespace stagecraft::cpu {

struct Processor {
    std::string model;           // "AMD EPYC ..."
    int cores = 1;               // that this process may use
    std::string frequencyPolicy; // "performance", "schedutil", ... or "unknown" (virtual machines)
    std::string library;         // "oneDNN 2.6.3, avx512_core"
};

[[nodiscard]] Processor thisProcessor();

} // namespace stagecraft::cpu
