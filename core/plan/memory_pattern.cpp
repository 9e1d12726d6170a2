#include "plan/memory_pattern.h"

#include <algorithm>
#include <limits>

namespace stagecraft::plan {

void MemoryPattern::allocate(std::size_t value, std::size_t bytes)
{
    if (bytes == 0)
        return;
    std::size_t behind = 0; // the last block before the gap
    std::size_t leastLeft = std::numeric_limits<std::size_t>::max();
    auto place = m_blocks.end();
    std::size_t begin = m_blocks.empty() ? 0 : m_blocks.back().end;
    for (auto block = m_blocks.begin(); block != m_blocks.end(); ++block) {
        const std::size_t gap = block->begin - behind;
        if (gap >= bytes && gap - bytes < leastLeft) {
            leastLeft = gap - bytes;
            place = block;
            begin = behind;
        }
        behind = block->end;
    }
    m_blocks.insert(place, {value, begin, begin + bytes});
    m_bytes = std::max(m_bytes, begin + bytes);
}

void MemoryPattern::free(std::size_t value)
{
    std::erase_if(m_blocks, [value](const Block &block) { return block.value == value; });
}

} // namespace stagecraft::plan
