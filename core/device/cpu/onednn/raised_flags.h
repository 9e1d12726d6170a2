#pragma once

#include <atomic>
#include <cfenv>

namespace stagecraft::cpu {

// The flag of the calling thread, and of the others of its OpenMP team, that the processor raises where a value is no
// number and an instruction does not pass it on, or makes one.
inline void clearFlags()
{
#pragma omp parallel
    std::feclearexcept(FE_INVALID);
}

[[nodiscard]] inline bool hasRaisedFlags()
{
    std::atomic<bool> raised = false;
#pragma omp parallel
    if (std::fetestexcept(FE_INVALID) != 0)
        raised.store(true, std::memory_order_relaxed);
    return raised;
}

} // namespace stagecraft::cpu
