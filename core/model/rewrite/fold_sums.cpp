// A sum read only by one concat or Relu-SepConv, or a concat read only by one concat, becomes part of the reader's
// input expression, as in the published graphs.

#include "model/rewrite/graph_edit.h"
#include "model/rewrite/passes.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace stagecraft {
namespace {

bool takes(const Operator &reader, const Operator &join)
{
    return (join.isConcat() && reader.isConcat()) || (join.isSum() && (reader.isConcat() || reader.sepConv()));
}

// Joins as they are taken: each reader takes all of its own at once, as it may have thousands.
class Taking {
public:
    explicit Taking(GraphEdit &graph) : m_graph(graph) {}

    void run()
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const OperatorId id = OperatorId::fromIndex(i);
            takeInto(id);
            if (!m_graph.isAlive(id) || m_graph.isKeptApart(id))
                continue;
            const OperatorId reader = m_graph.onlyReader(id);
            if (!reader.isValid() || !takes(m_graph.op(reader), m_graph.op(id)) ||
                !isWholePart(reader, m_graph.op(id).outputs.front()))
                continue;
            m_taken[reader].emplace(m_graph.op(id).outputs.front(), id);
            m_graph.remove(id, reader);
        }
    }

private:
    // What is taken is made before, and has taken its own.
    void takeInto(OperatorId reader)
    {
        const auto taken = m_taken.find(reader);
        if (taken == m_taken.end())
            return;
        InputExpression inputs;
        for (const auto &part : m_graph.op(reader).inputs) {
            const auto join = taken->second.find(part.front());
            if (join == taken->second.end()) {
                inputs.push_back(part);
                continue;
            }
            const InputExpression &parts = std::as_const(m_graph).op(join->second).inputs;
            inputs.insert(inputs.end(), parts.begin(), parts.end());
        }
        m_graph.setInputs(reader, std::move(inputs));
        m_taken.erase(taken);
        m_reads.erase(reader);
    }

    // Whether the reader reads the tensor once, as a part of its own.
    bool isWholePart(OperatorId reader, TensorId tensor)
    {
        const auto [reads, isNew] = m_reads.try_emplace(reader);
        for (const auto &part : isNew ? m_graph.op(reader).inputs : InputExpression()) {
            for (const TensorId input : part)
                reads->second[input] += part.size() == 1 ? 1 : 2;
        }
        return reads->second[tensor] == 1;
    }

    GraphEdit &m_graph;
    std::unordered_map<OperatorId, std::unordered_map<TensorId, OperatorId>> m_taken; // by reader: joins by output
    std::unordered_map<OperatorId, std::unordered_map<TensorId, int>> m_reads; // by reader: 1 for a part of its own
};

} // namespace

void foldSums(GraphEdit &graph)
{
    Taking(graph).run();
}

} // namespace stagecraft
