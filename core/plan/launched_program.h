#pragma once

// A plan as it is carried out, whoever made it: launches on streams in the order in which the host gives them, with
// what they read and write. Nothing else puts one after the other but streams, events and waits for all, as CUDA has
// them: an event holds what its stream had been given when it was recorded, and a wait holds back what its stream is
// given later.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace stagecraft::plan {

// Bytes of one arena; those of other arenas are other bytes.
struct Allocation {
    std::size_t arena = 0;
    std::size_t begin = 0;
    std::size_t end = 0; // behind the last
    // Another one within which it lies: what is written in one is meant to be read in the other.
    std::optional<std::size_t> partOf = {};

    [[nodiscard]] bool shares(const Allocation &other) const
    {
        return arena == other.arena && begin < other.end && other.begin < end;
    }
};

// What launches name: a tensor, or scratch memory. Those of one allocation lie beside each other, or within one that
// launches name as well, as the parts of a joined tensor do.
struct NamedMemory {
    std::string name;
    std::size_t allocation = 0; // of LaunchedProgram::allocations
    bool isWorkspace = false;   // nobody reads what was left in it
    bool isOutput = false;      // read after the last launch
};

struct ProgramLaunch {
    std::string name;
    std::uint32_t stream = 0;
    std::vector<std::uint32_t> reads = {};  // of LaunchedProgram::memory
    std::vector<std::uint32_t> writes = {}; // workspace is written
};
struct EventRecord {
    std::uint32_t stream = 0;
    std::uint32_t event = 0; // may be recorded again: then the last record before a wait counts
};
struct EventWait {
    std::uint32_t stream = 0;
    std::uint32_t event = 0;
};
struct WaitForAll { // a barrier, or a host that waits for the device
};
using ProgramStep = std::variant<ProgramLaunch, EventRecord, EventWait, WaitForAll>;

struct LaunchedProgram {
    std::vector<std::string> streams = {};
    std::vector<std::string> events = {};
    std::vector<Allocation> allocations = {};
    std::vector<NamedMemory> memory = {};
    std::vector<ProgramStep> steps = {};          // in host order
    std::optional<std::uint32_t> capturedOn = {}; // all of it is captured, from this stream
};

// In host order.
[[nodiscard]] std::vector<const ProgramLaunch *> launchesOf(const LaunchedProgram &program);
// Allocations that are no parts of others, and pairs of these that share bytes.
[[nodiscard]] std::size_t wholeAllocations(const LaunchedProgram &program);
[[nodiscard]] std::size_t sharingPairs(const LaunchedProgram &program);

} // namespace stagecraft::plan
