#include "graph/graph_part.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace stagecraft {
namespace {

class PartMaker {
public:
    PartMaker(const Graph &graph, std::span<const OperatorId> operators) : m_graph(graph), m_operators(operators) {}

    Graph made() &&
    {
        m_parts.name = m_graph.name();
        m_parts.operators.reserve(m_operators.size());
        for (const OperatorId id : m_operators)
            takeInputs(m_graph.op(id));
        for (const OperatorId id : m_operators)
            take(id);
        return Graph::fromParts(std::move(m_parts));
    }

private:
    [[nodiscard]] bool isInside(OperatorId id) const { return std::ranges::binary_search(m_operators, id); }

    TensorId add(TensorId from, OperatorId producer)
    {
        const TensorId id = TensorId::fromIndex(m_parts.tensors.size());
        Tensor &tensor = m_parts.tensors.emplace_back(m_graph.tensor(from));
        tensor.producer = producer;
        m_ids.emplace(from.index(), id);
        return id;
    }

    void takeInputs(const Operator &op)
    {
        for (const auto &part : op.inputs) {
            for (const TensorId input : part) {
                const OperatorId producer = m_graph.tensor(input).producer;
                if ((!producer.isValid() || !isInside(producer)) && !m_ids.contains(input.index()))
                    m_parts.inputs.push_back(add(input, {}));
            }
        }
    }

    [[nodiscard]] bool isReadOutside(OperatorId producer, TensorId tensor) const
    {
        const auto reads = [&](const auto &part) { return std::ranges::find(part, tensor) != part.end(); };
        return std::ranges::any_of(m_graph.successors(producer), [&](OperatorId reader) {
            return !isInside(reader) && std::ranges::any_of(m_graph.op(reader).inputs, reads);
        });
    }

    void take(OperatorId id)
    {
        Operator op = m_graph.op(id);
        for (auto &part : op.inputs) {
            for (TensorId &input : part)
                input = m_ids.at(input.index());
        }
        for (TensorId &output : op.outputs) {
            const TensorId from = output;
            output = add(from, OperatorId::fromIndex(m_parts.operators.size()));
            if (m_outputs.contains(from.index()) || isReadOutside(id, from))
                m_parts.outputs.push_back(output);
        }
        m_parts.operators.push_back(std::move(op));
    }

    const Graph &m_graph;
    std::span<const OperatorId> m_operators;
    Graph::Parts m_parts;
    std::unordered_map<std::size_t, TensorId> m_ids; // of the part, by tensor of the graph
    const std::unordered_set<std::size_t> m_outputs = [this] {
        std::unordered_set<std::size_t> outputs;
        for (const TensorId output : m_graph.outputs())
            outputs.insert(output.index());
        return outputs;
    }();
};

} // namespace

std::vector<OperatorId> neighbourhood(const Graph &graph, std::span<const OperatorId> operators, std::size_t steps,
                                      std::size_t most)
{
    std::vector<OperatorId> found;
    std::unordered_set<std::size_t> isFound;
    const auto find = [&](OperatorId id) {
        if (found.size() < most && isFound.insert(id.index()).second)
            found.push_back(id);
    };
    std::ranges::for_each(operators, find);
    std::size_t next = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        for (const std::size_t end = found.size(); next < end; ++next) {
            const OperatorId id = found[next];
            std::ranges::for_each(graph.predecessors(id), find);
            std::ranges::for_each(graph.successors(id), find);
        }
    }
    std::ranges::sort(found);
    return found;
}

Graph partOf(const Graph &graph, std::span<const OperatorId> operators)
{
    return PartMaker(graph, operators).made();
}

} // namespace stagecraft
