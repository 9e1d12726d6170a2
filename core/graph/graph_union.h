#pragma once

// Several graphs as one, with no edge between them: what runs on one device side by side.

#include "graph/block.h"
#include "graph/graph.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace stagecraft {

// The operators of a union that are of one graph, in the order of that graph.
struct UnionPart {
    std::string name;              // of the graph within the union: no two are equal
    std::size_t firstOperator = 0; // by index
    std::size_t operators = 0;

    [[nodiscard]] OperatorId idOf(OperatorId own) const { return OperatorId::fromIndex(firstOperator + own.index()); }
    [[nodiscard]] bool contains(OperatorId id) const
    {
        return id.index() >= firstOperator && id.index() < firstOperator + operators;
    }

    friend bool operator==(const UnionPart &, const UnionPart &) = default;
};

struct NamedGraph {
    std::string name;
    const Graph *graph = nullptr;
};

struct GraphUnion {
    Graph graph;
    std::vector<UnionPart> parts; // in the order of the graphs
};

// Names that differ: of equal ones, the second becomes "NAME#2", and so on.
[[nodiscard]] std::vector<std::string> distinctNames(std::vector<std::string> names);

// Operators and tensors are named "PART/NAME"; parameters keep their names, and with them the values that are drawn
// from these. Inputs and outputs follow each other in the order of the graphs. The names are distinct.
[[nodiscard]] GraphUnion unionOf(std::span<const NamedGraph> graphs);

// Blocks of a part, as blocks of the union.
[[nodiscard]] Blocks blocksIn(const UnionPart &part, const Blocks &own);

} // namespace stagecraft
