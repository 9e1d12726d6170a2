#pragma once

// SMs with the same blocks at the same progress as one class. Private to the block scheduler.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stagecraft {

inline constexpr std::size_t kMaxCohorts = 64; // bound of max_blocks_per_sm

// Blocks of one kernel that were dispatched together to one SM.
struct Cohort {
    int launch = 0;
    int blocks = 0;
    double remaining = 1; // share of each block's work, 1 at the start
    double rate = 0;      // per ns
};

// SMs that hold the same cohorts.
struct SmClass {
    int sms = 0;
    int freeBlocks = 0;
    int freeWarps = 0;
    std::int64_t freeRegisters = 0;
    std::int64_t freeSharedBytes = 0;
    int residentWarps = 0;
    int cohortCount = 0;
    std::array<Cohort, kMaxCohorts> cohorts;

    SmClass() = default;
    SmClass(const SmClass &other) { *this = other; }
    SmClass &operator=(const SmClass &other) // copies only the cohorts in use
    {
        sms = other.sms;
        freeBlocks = other.freeBlocks;
        freeWarps = other.freeWarps;
        freeRegisters = other.freeRegisters;
        freeSharedBytes = other.freeSharedBytes;
        residentWarps = other.residentWarps;
        cohortCount = other.cohortCount;
        std::copy_n(other.cohorts.begin(), cohortCount, cohorts.begin());
        return *this;
    }
};

// Merges classes with the same cohorts if each differs by less than a hundredth of a block; their progress is the mean.
void mergeSameProgress(std::vector<SmClass> &classes);

} // namespace stagecraft
