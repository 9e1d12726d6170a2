#pragma once

// A kernel that ran, as recorded by a profiler, and the task of a program that it belongs to. Independent of CUPTI, so
// that tests run anywhere.

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

// Maps graph nodes and launches to the task that was being submitted when they were created. An instantiated graph has
// nodes of its own, cloned from the captured ones.
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

// The readable part of a C++ kernel name: without its parameters, and without long template arguments.
[[nodiscard]] std::string shortKernelName(const std::string &name);

} // namespace stagecraft::gpu
