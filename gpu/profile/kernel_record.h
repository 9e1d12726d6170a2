#pragma once

// A kernel that ran, as a profiler recorded it, and which task of a program it belongs to. No CUPTI here: what reads
// records, and what makes a timeline of them, is tested anywhere.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace stagecraft::gpu {

struct KernelRecord {
    std::string name;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::array<std::int64_t, 3> grid{1, 1, 1};
    int threadsPerBlock = 1;
    int registersPerThread = 0;
    std::int64_t staticSharedBytes = 0;
    std::int64_t dynamicSharedBytes = 0;
    std::uint64_t graphNode = 0; // 0: launched directly
    std::uint32_t correlation = 0;

    [[nodiscard]] std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
};

// Which task a graph node or a launch belongs to: the one that was being handed out when it was made. A graph that is
// made ready to run has nodes of its own, cloned from those that were captured.
class TaskMap {
public:
    void begin(std::size_t task) { m_current = task; }
    void end() { m_current.reset(); }

    void nodeMade(std::uint64_t node);
    void nodeCloned(std::uint64_t original, std::uint64_t clone);
    void launched(std::uint32_t correlation);

    [[nodiscard]] std::optional<std::size_t> taskOf(const KernelRecord &record) const;

private:
    std::optional<std::size_t> m_current;
    std::map<std::uint64_t, std::size_t> m_nodes;
    std::map<std::uint32_t, std::size_t> m_launches;
};

// The part of a C++ kernel name that people read: without its parameters, and without template arguments that make it
// long.
[[nodiscard]] std::string shortKernelName(const std::string &name);

} // namespace stagecraft::gpu
