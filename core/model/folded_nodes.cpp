#include "model/folded_nodes.h"

#include <unordered_set>
#include <utility>

namespace stagecraft {
namespace {

class Merger {
public:
    Merger(const Graph &graph, const FoldedNodes &folded, bool alsoEvaluated)
        : m_folded(folded), m_alsoEvaluated(alsoEvaluated), m_parts(Graph(graph).take()),
          m_tensors(folded.tensors.size())
    {
        for (const Operator &op : m_parts.operators)
            m_names.insert(op.name);
    }

    Graph made() &&
    {
        std::vector<Operator> operators = std::exchange(m_parts.operators, {});
        auto node = m_folded.nodes.begin();
        auto reader = m_folded.readers.begin();
        for (std::size_t i = 0; i <= operators.size(); ++i) {
            for (; node != m_folded.nodes.end() && node->place <= i; ++node)
                add(*node);
            if (i == operators.size())
                break;
            Operator &op = operators[i];
            for (; reader != m_folded.readers.end() && reader->op.index() <= i; ++reader) {
                if (const TensorId read = m_tensors[reader->tensor]; read.isValid())
                    op.inputs.push_back({read});
            }
            push(std::move(op));
        }
        m_parts.byName.reset();
        return Graph::fromParts(std::move(m_parts));
    }

private:
    void push(Operator op)
    {
        for (const TensorId output : op.outputs)
            m_parts.tensors[output.index()].producer = OperatorId::fromIndex(m_parts.operators.size());
        m_parts.operators.push_back(std::move(op));
    }

    void add(const FoldedNode &node)
    {
        if (node.why == FoldedNode::Why::Evaluated && !m_alsoEvaluated)
            return;
        Operator op;
        op.name = node.name;
        for (int i = 2; !m_names.insert(op.name).second; ++i)
            op.name = node.name + " " + std::to_string(i);
        op.type = node.type;
        op.attributes = GenericAttributes{};
        for (const TensorId read : node.reads)
            op.inputs.push_back({read});
        for (const std::size_t read : node.folded) {
            if (m_tensors[read].isValid())
                op.inputs.push_back({m_tensors[read]});
        }
        for (const std::size_t made : node.makes) {
            m_tensors[made] = TensorId::fromIndex(m_parts.tensors.size());
            op.outputs.push_back(m_tensors[made]);
            m_parts.tensors.push_back(m_folded.tensors[made]);
        }
        push(std::move(op));
    }

    const FoldedNodes &m_folded;
    const bool m_alsoEvaluated;
    Graph::Parts m_parts;
    std::vector<TensorId> m_tensors; // of the result, by folded tensor; invalid: left out
    std::unordered_set<std::string> m_names;
};

} // namespace

Graph withFolded(const Graph &graph, const FoldedNodes &folded, bool alsoEvaluated)
{
    return Merger(graph, folded, alsoEvaluated).made();
}

} // namespace stagecraft
