#include "graph/quantised.h"

#include "graph/expanded_graph.h"
#include "graph/operator_cost.h"

#include <algorithm>

namespace stagecraft {
namespace {

bool isOfBytes(const Tensor &tensor)
{
    return tensor.type == DataType::Int8 || tensor.type == DataType::UInt8;
}

bool isConversion(const Operator &op)
{
    return op.type == "QuantizeLinear" || op.type == "DequantizeLinear";
}

// Of real numbers, which runtimes execute on integers where it stands between conversions.
bool hasIntegerForm(const Operator &op)
{
    switch (op.kind) {
    case OperatorKind::Conv:
    case OperatorKind::ConvTranspose:
    case OperatorKind::Gemm:
    case OperatorKind::Pool:
    case OperatorKind::Join:
    case OperatorKind::Activation:
    case OperatorKind::Reshape:
    case OperatorKind::Transpose:
    case OperatorKind::Slice:
    case OperatorKind::Resize: return true;
    default: return false;
    }
}

class RoleFinder {
public:
    explicit RoleFinder(const Graph &graph) : m_graph(graph) {}

    std::vector<QuantisedRole> find()
    {
        m_roles.resize(m_graph.size());
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const OperatorId id = OperatorId::fromIndex(i);
            const Operator &op = m_graph.op(id);
            if (multipliesIntegers(m_graph, id) ||
                (hasIntegerForm(op) && readsDequantised(op) && isQuantisedBehind(id)))
                m_roles[i] = QuantisedRole::Integers;
        }
        if (std::ranges::count(m_roles, QuantisedRole::Integers) == 0)
            return {};
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const OperatorId id = OperatorId::fromIndex(i);
            if (isPartOfOne(id))
                m_roles[i] = QuantisedRole::Conversion;
        }
        return std::move(m_roles);
    }

private:
    [[nodiscard]] bool isOutput(const Operator &op) const
    {
        return std::ranges::any_of(op.outputs, [&](TensorId output) {
            return std::ranges::find(m_graph.outputs(), output) != m_graph.outputs().end();
        });
    }

    // An activation also behind what has a role already.
    [[nodiscard]] bool readsDequantised(const Operator &op) const
    {
        const auto isDequantised = [&](TensorId id) {
            const OperatorId producer = m_graph.tensor(id).producer;
            const bool isBehind = producer.isValid() && op.kind == OperatorKind::Activation &&
                                  hasIntegerForm(m_graph.op(producer)) &&
                                  m_roles[producer.index()] == QuantisedRole::Integers;
            return isBehind || (producer.isValid() && isDequantising(producer));
        };
        return !op.inputs.empty() && std::ranges::all_of(op.inputs, [&](const auto &part) {
            return std::ranges::all_of(part, isDequantised);
        });
    }

    [[nodiscard]] bool isDequantising(OperatorId id) const
    {
        const Operator &op = m_graph.op(id);
        return op.type == "DequantizeLinear" && !op.inputs.empty() && isOfBytes(m_graph.tensor(op.inputs[0][0]));
    }

    // With an activation in between, where there may be one.
    [[nodiscard]] bool isQuantisedBehind(OperatorId id, bool mayActivate = true) const
    {
        const auto successors = m_graph.successors(id);
        return !successors.empty() && !isOutput(m_graph.op(id)) &&
               std::ranges::all_of(successors, [&](OperatorId next) {
                   const Operator &op = m_graph.op(next);
                   const bool quantises = op.type == "QuantizeLinear" && isOfBytes(m_graph.tensor(op.outputs.front()));
                   return quantises ||
                          (mayActivate && op.kind == OperatorKind::Activation && isQuantisedBehind(next, false));
               });
    }

    // A DequantizeLinear that only operators of integers read, a QuantizeLinear of what one makes.
    [[nodiscard]] bool isPartOfOne(OperatorId id) const
    {
        const Operator &op = m_graph.op(id);
        const bool leads = op.type == "DequantizeLinear";
        if (!isConversion(op) || (leads && isOutput(op)))
            return false;
        const auto neighbours = leads ? m_graph.successors(id) : m_graph.predecessors(id);
        return !neighbours.empty() && std::ranges::all_of(neighbours, [&](OperatorId next) {
            return hasIntegerForm(m_graph.op(next)) && m_roles[next.index()] == QuantisedRole::Integers;
        });
    }

    const Graph &m_graph;
    std::vector<QuantisedRole> m_roles;
};

// A unit has the role of what it computes, conversions aside.
QuantisedRole roleOfUnit(const std::vector<OperatorId> &parts, const std::vector<QuantisedRole> &roles)
{
    const auto computes = [&](OperatorId id) { return roles[id.index()] != QuantisedRole::Conversion; };
    const auto first = std::ranges::find_if(parts, computes);
    if (first == parts.end())
        return parts.empty() ? QuantisedRole::None : QuantisedRole::Conversion;
    const bool isOfIntegers = std::ranges::all_of(
        parts, [&](OperatorId id) { return !computes(id) || roles[id.index()] == QuantisedRole::Integers; });
    return isOfIntegers ? QuantisedRole::Integers : QuantisedRole::None;
}

std::vector<QuantisedRole> rolesOfUnits(const ExpandedGraph &expanded, const std::vector<QuantisedRole> &roles)
{
    std::vector<QuantisedRole> found;
    for (const auto &parts : expanded.parts) {
        if (!roles.empty())
            found.push_back(roleOfUnit(parts, roles));
    }
    return found;
}

} // namespace

bool multipliesIntegers(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    return op.kind == OperatorKind::Unknown && !op.inputs.empty() && !op.inputs[0].empty() &&
           isOfBytes(graph.tensor(op.inputs[0][0])) && multiplyAdds(graph, id).value_or(0) > 0;
}

std::vector<QuantisedRole> quantisedRoles(const Graph &graph)
{
    if (hasFusedUnits(graph)) {
        const ExpandedGraph expanded = expandUnits(graph);
        return rolesOfUnits(expanded, quantisedRoles(*expanded.graph));
    }
    const auto hasBytes = std::ranges::any_of(graph.tensors(), isOfBytes);
    return hasBytes ? RoleFinder(graph).find() : std::vector<QuantisedRole>();
}

} // namespace stagecraft
