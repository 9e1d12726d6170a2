#include "graph/expanded_graph.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace stagecraft {
namespace {

class Expander {
public:
    explicit Expander(const Graph &graph) : m_graph(graph), m_moved(graph.tensors().size())
    {
        m_parts.name = graph.name();
        m_expanded.parts.resize(graph.size());
    }

    ExpandedGraph expand() &&
    {
        for (const TensorId input : m_graph.inputs())
            m_parts.inputs.push_back(m_moved[input.index()] = added(m_graph.tensor(input), {}));
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const Operator &unit = m_graph.operators()[i];
            m_unit = OperatorId::fromIndex(i);
            if (const Graph *body = unit.body())
                addBody(unit, *body);
            else
                add(unit, m_moved, m_graph);
        }
        for (const TensorId output : m_graph.outputs())
            m_parts.outputs.push_back(m_moved[output.index()]);
        m_expanded.graph = std::make_shared<const Graph>(Graph::fromParts(std::move(m_parts)));
        return std::move(m_expanded);
    }

private:
    // By tensor of the graph that an operator comes from.
    using Moved = std::vector<TensorId>;

    TensorId added(Tensor tensor, OperatorId producer)
    {
        tensor.producer = producer;
        m_parts.tensors.push_back(std::move(tensor));
        return TensorId::fromIndex(m_parts.tensors.size() - 1);
    }

    void add(Operator op, Moved &moved, const Graph &from)
    {
        const OperatorId id = OperatorId::fromIndex(m_parts.operators.size());
        for (auto &part : op.inputs)
            std::ranges::transform(part, part.begin(), [&](TensorId input) { return moved[input.index()]; });
        for (TensorId &output : op.outputs)
            output = moved[output.index()] = added(from.tensor(output), id);
        m_parts.operators.push_back(std::move(op));
        m_expanded.parts[m_unit.index()].push_back(id);
        m_expanded.units.push_back(m_unit);
    }

    void addBody(const Operator &unit, const Graph &body)
    {
        Moved moved(body.tensors().size());
        for (std::size_t i = 0; i < body.inputs().size(); ++i)
            moved[body.inputs()[i].index()] = m_moved[unit.inputs[i].front().index()];
        for (const Operator &op : body.operators())
            add(op, moved, body);
        for (std::size_t i = 0; i < body.outputs().size(); ++i)
            m_moved[unit.outputs[i].index()] = moved[body.outputs()[i].index()];
    }

    const Graph &m_graph;
    Moved m_moved;
    OperatorId m_unit;
    Graph::Parts m_parts;
    ExpandedGraph m_expanded;
};

} // namespace

bool hasFusedUnits(const Graph &graph)
{
    return std::ranges::any_of(graph.operators(), [](const Operator &op) { return op.body() != nullptr; });
}

std::vector<bool> ExpandedGraph::isInUnit() const
{
    std::vector<bool> result;
    for (const OperatorId unit : units)
        result.push_back(parts[unit.index()].size() > 1);
    return result;
}

std::vector<OperatorId> ExpandedGraph::expanded(const std::vector<OperatorId> &group) const
{
    std::vector<OperatorId> operators;
    for (const OperatorId unit : group)
        std::ranges::copy(parts[unit.index()], std::back_inserter(operators));
    return operators;
}

ExpandedGraph expandUnits(const Graph &graph)
{
    return Expander(graph).expand();
}

} // namespace stagecraft
