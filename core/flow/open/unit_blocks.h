#pragma once

// The blocks that a source states for its operators, for the units that are formed of them.

#include "graph/block.h"
#include "graph/graph.h"

#include <cstddef>
#include <map>
#include <string>

namespace stagecraft {

class UnitBlocks {
public:
    // Of the operators as they were read.
    UnitBlocks(const Graph &graph, const Blocks &blocks);

    // A unit belongs to the block of the operator whose name it has; blocks of any size. Empty: the source states none,
    // or the units do not keep to them.
    [[nodiscard]] Blocks of(const Graph &units) const;

private:
    std::map<std::string, std::size_t, std::less<>> m_blockOf; // by operator
    std::size_t m_count = 0;
};

} // namespace stagecraft
