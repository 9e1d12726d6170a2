#include "model/onnx/read/folded_record.h"

#include "model/onnx/read/node_order.h"

#include <string>

namespace stagecraft {

void FoldedRecord::keep(FoldedNode::Why why, const OnnxNode &node, int index, std::size_t place,
                        std::span<const Constant> constants)
{
    FoldedNode &kept =
        m_folded.nodes.emplace_back(FoldedNode{why, nodeLabel(*node.proto), std::string(node.type), place, {}, {}, {}});
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (const auto made = m_tensors.find(m_names.reads(index)[i]); made != m_tensors.end())
            kept.folded.push_back(made->second);
        else if (node.isTensor(i))
            kept.reads.push_back(node.inputs[i]->tensor);
    }
    const std::span<const NameId> makes = m_names.makes(index);
    for (std::size_t i = 0; i < constants.size() && i < makes.size(); ++i) {
        if (!makes[i].isValid())
            continue;
        m_tensors[makes[i]] = m_folded.tensors.size();
        kept.makes.push_back(m_folded.tensors.size());
        m_folded.tensors.push_back(
            {std::string(m_names.text(makes[i])), Shape{constants[i].dims}, constants[i].type, {}});
    }
}

void FoldedRecord::noteReads(int index, OperatorId op)
{
    for (const NameId name : m_names.reads(index)) {
        if (const auto made = m_tensors.find(name); made != m_tensors.end())
            m_folded.readers.push_back({op, made->second});
    }
}

} // namespace stagecraft
