#pragma once

// How ONNX Runtime lays out the tensors of a session that runs one node after another, from what it allocated and freed
// in its first run: a tensor goes into the gap that it fills best, else behind all others. Source: its
// MemPatternPlanner.

#include <cstddef>
#include <vector>

namespace stagecraft::plan {

class MemoryPattern {
public:
    void allocate(std::size_t value, std::size_t bytes); // a multiple of the alignment; zero bytes take no place
    void free(std::size_t value);

    // Of one buffer that holds them all.
    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

private:
    struct Block {
        std::size_t value = 0;
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    std::vector<Block> m_blocks; // live, by their beginning
    std::size_t m_bytes = 0;
};

} // namespace stagecraft::plan
