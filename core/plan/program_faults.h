#pragma once

// What can go wrong when a program runs: launches that use the same bytes while nothing puts one after the other, bytes
// that were written over before they are read, waits for nothing, streams that a capture loses.
//
// Launches are looked at in host order, and what a fault lacks counts as there from then on: each wait that is missing
// is named once, and with all of them in place no race is left.

#include "plan/launched_program.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace stagecraft::plan {

enum class ProgramFaultKind {
    TensorRace,     // two launches use a tensor, and one of them writes it
    ReuseRace,      // two use different memory in the same bytes
    WorkspaceRace,  // two use the same scratch memory
    Overwritten,    // other memory took the bytes before they were read
    WaitForNothing, // for an event that nothing has recorded yet
    NotForked,      // a launch of a stream that does not belong to the capture yet
    NotJoined,      // a stream that the capture's own does not wait for
};

inline constexpr std::uint32_t kNoFaultPart = 0xffffffff;

struct ProgramFault {
    ProgramFaultKind kind = ProgramFaultKind::TensorRace;
    std::uint32_t first = kNoFaultPart;  // launches, counted in host order; of Overwritten the one that writes
    std::uint32_t second = kNoFaultPart; // of Overwritten none where it is read after the last
    std::uint32_t firstMemory = kNoFaultPart;
    std::uint32_t secondMemory = kNoFaultPart;
    std::uint32_t stream = kNoFaultPart; // that waits, or is not forked or joined
    std::uint32_t event = kNoFaultPart;

    friend bool operator==(const ProgramFault &, const ProgramFault &) = default;
};

inline constexpr std::size_t kMostCheckedLaunches = std::size_t{1} << 15U; // what is before what takes their square
inline constexpr std::size_t kMostCheckedStreams = std::size_t{1} << 10U;
inline constexpr std::size_t kMostCheckedMemory = std::size_t{1} << 17U;
inline constexpr std::size_t kMostSharingPairs = std::size_t{1} << 24U; // of memory that shares bytes

// Errors: InvalidInput, there is more of something than that; Cancelled.
[[nodiscard]] Result<std::vector<ProgramFault>> faultsOf(const LaunchedProgram &program,
                                                         const std::stop_token &stop = {});

} // namespace stagecraft::plan
