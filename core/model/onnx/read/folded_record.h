#pragma once

// Keeps nodes that become constants while a file is read (model/folded_nodes.h), and what the graph reads of them.

#include "graph/graph.h"
#include "model/onnx/file/file_names.h"
#include "model/onnx/file/node.h"
#include "model/source_graph.h"

#include <cstddef>
#include <span>
#include <unordered_map>

namespace stagecraft {

class FoldedRecord {
public:
    // Both outlive this.
    FoldedRecord(FoldedNodes &folded, const FileNames &names) : m_folded(folded), m_names(names) {}

    // The node as it stands in the file, with what it makes of constants. `index`: of it in the file; `place`: the
    // operators of the graph before it.
    void keep(FoldedNode::Why why, const OnnxNode &node, int index, std::size_t place,
              std::span<const Constant> constants);
    // What the node with this index, which became the operator, reads of the nodes that were kept.
    void noteReads(int index, OperatorId op);

private:
    FoldedNodes &m_folded;
    const FileNames &m_names;
    std::unordered_map<NameId, std::size_t> m_tensors; // by name, those of m_folded
};

} // namespace stagecraft
