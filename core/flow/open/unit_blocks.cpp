#include "flow/open/unit_blocks.h"

#include <algorithm>
#include <vector>

namespace stagecraft {

UnitBlocks::UnitBlocks(const Graph &graph, const Blocks &blocks) : m_count(blocks.size())
{
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        for (const OperatorId id : blocks[block].operators)
            m_blockOf.emplace(graph.op(id).name, block);
    }
}

Blocks UnitBlocks::of(const Graph &units) const
{
    Blocks blocks(m_count);
    std::vector<std::size_t> blockOf;
    for (std::size_t i = 0; i < units.size() && m_count > 0; ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        const auto found = m_blockOf.find(units.op(id).name);
        const auto isLater = [&](OperatorId read) { return blockOf[read.index()] > found->second; };
        if (found == m_blockOf.end() || std::ranges::any_of(units.predecessors(id), isLater))
            return {};
        blockOf.push_back(found->second);
        blocks[found->second].operators.push_back(id);
    }
    std::erase_if(blocks, [](const Block &block) { return block.operators.empty(); });
    return blocks;
}

} // namespace stagecraft
