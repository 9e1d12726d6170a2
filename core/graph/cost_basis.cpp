#include "graph/cost_basis.h"

#include "graph/expanded_graph.h"
#include "graph/graph.h"
#include "graph/quantised.h"
#include "operators/parameter_roles.h"
#include "operators/schema.h"
#include "support/number_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

namespace stagecraft {
namespace {

std::string named(const Operator &op)
{
    const std::string type = displayType(op);
    return type.empty() || type == op.name ? op.name : fmt::format("{} ({})", op.name, type);
}

std::vector<TensorId> operandsOf(const Operator &op)
{
    std::vector<TensorId> operands;
    for (const auto &part : op.inputs)
        operands.insert(operands.end(), part.begin(), part.end());
    return operands;
}

bool isKnown(const Graph &graph, TensorId id)
{
    return graph.tensor(id).shape.known;
}

bool makesKnown(const Graph &graph, const Operator &op)
{
    return std::ranges::all_of(op.outputs, [&](TensorId id) { return isKnown(graph, id); });
}

// Finds, front to back, where costs are lost. Operators of one type that lose them in the same way share a cause.
class CauseFinder {
public:
    explicit CauseFinder(const Graph &graph) : m_graph(graph), m_causeOf(graph.size()) {}

    std::vector<UncostedWork> find()
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            m_causeOf[i] = causeOf(m_graph.operators()[i]);
            if (m_causeOf[i])
                ++m_causes[*m_causeOf[i]].count;
        }
        std::ranges::stable_sort(m_causes, std::greater{}, &UncostedWork::count);
        return std::move(m_causes);
    }

private:
    enum class Loss { InputShape, OutputShape, Type };
    using Key = std::tuple<Loss, std::string, bool>; // kind of loss, operator type, shapes lost

    std::optional<std::size_t> causeOf(const Operator &op)
    {
        for (const auto &part : op.inputs) {
            for (const TensorId input : part) {
                if (isKnown(m_graph, input))
                    continue;
                const OperatorId producer = m_graph.tensor(input).producer;
                return producer.isValid() ? m_causeOf[producer.index()] : cause(op, Loss::InputShape);
            }
        }
        if (!hasArithmetic(op))
            return cause(op, Loss::Type);
        return makesKnown(m_graph, op) ? std::nullopt : std::optional(cause(op, Loss::OutputShape));
    }

    std::size_t cause(const Operator &op, Loss loss)
    {
        const bool losesShapes = !makesKnown(m_graph, op);
        const std::string type = displayType(op);
        const auto [found, isNew] = m_byKey.emplace(Key{loss, type, losesShapes}, m_causes.size());
        if (isNew)
            m_causes.push_back({op.name, type, reason(op, loss), 0, losesShapes});
        return found->second;
    }

    [[nodiscard]] std::string reason(const Operator &op, Loss loss) const
    {
        switch (loss) {
        case Loss::InputShape: return "the shape of an input of the model is unknown";
        case Loss::Type: return opaqueReason(op);
        case Loss::OutputShape: return shapeReason(op);
        }
        return {};
    }

    // A shape that does not follow from known input shapes depends on values.
    [[nodiscard]] std::string shapeReason(const Operator &op) const
    {
        const std::vector<TensorId> operands = operandsOf(op);
        if (operands.empty() || (operands.size() == 1 && op.type != "ConstantOfShape" && op.type != "Range" &&
                                 !op.parameter(role::operand(0))))
            return "its output shape cannot be told from its inputs";
        return "its output shape depends on values that the program does not know in advance: those of " +
               makerOf(operands.back());
    }

    // What produces values that should be constants: the first computation with constant inputs only, if there is one.
    [[nodiscard]] std::string makerOf(TensorId id) const
    {
        const Tensor &tensor = m_graph.tensor(id);
        if (!tensor.producer.isValid())
            return "the input " + tensor.name;
        std::set<OperatorId> seen{tensor.producer};
        std::vector<OperatorId> open{tensor.producer};
        while (!open.empty()) {
            const OperatorId next = open.back();
            open.pop_back();
            if (operandsOf(m_graph.op(next)).empty())
                return named(m_graph.op(next)) + ", which has constant inputs only";
            for (const OperatorId before : m_graph.predecessors(next)) {
                if (seen.insert(before).second)
                    open.push_back(before);
            }
        }
        return named(m_graph.op(tensor.producer));
    }

    const Graph &m_graph;
    std::vector<std::optional<std::size_t>> m_causeOf; // of each operator
    std::vector<UncostedWork> m_causes;
    std::map<Key, std::size_t> m_byKey;
};

bool converts(const Operator &op)
{
    return op.type.ends_with("uantizeLinear"); // QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear
}

std::string precisionText(const std::vector<DataType> &types)
{
    const auto halves = std::ranges::count(types, DataType::Float16);
    if (halves == 0)
        return "fp32";
    return halves == std::ssize(types) ? "fp16" : "fp16 and fp32";
}

// Rounded down, so that 100 % always means all.
std::string shareText(std::int64_t part, std::int64_t whole)
{
    const std::int64_t tenths = whole > 0 ? part * 1000 / whole : 1000;
    const bool isWhole = tenths % 10 == 0 || tenths < 990;
    return isWhole ? fmt::format("{} %", tenths / 10) : fmt::format("{}.{} %", tenths / 10, tenths % 10);
}

} // namespace

std::int64_t CostBasis::costed() const
{
    std::int64_t missing = 0;
    for (const UncostedWork &work : uncosted)
        missing += work.count;
    return operators - missing;
}

std::vector<UncostedWork> uncostedWork(const Graph &graph)
{
    return CauseFinder(graph).find();
}

CostBasis costBasis(const Graph &graph)
{
    CostBasis basis;
    basis.operators = static_cast<std::int64_t>(graph.size());
    basis.uncosted = uncostedWork(graph);
    basis.precision = precisionText(arithmeticTypes(graph));
    const auto expanded = hasFusedUnits(graph) ? expandUnits(graph).graph : nullptr;
    const Graph &plain = expanded ? *expanded : graph;
    basis.conversions = std::ranges::count_if(plain.operators(), converts);
    const auto roles = quantisedRoles(plain);
    for (std::size_t i = 0; i < roles.size(); ++i) {
        const Operator &op = plain.operators()[i];
        const bool multiplies = op.conv() || op.convTranspose() || op.gemm() || op.kind == OperatorKind::Unknown;
        basis.integerProducts += roles[i] == QuantisedRole::Integers && multiplies ? 1 : 0;
    }
    basis.conversions -= std::ranges::count(roles, QuantisedRole::Conversion);
    return basis;
}

bool isCosted(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    const std::vector<TensorId> operands = operandsOf(op);
    return hasArithmetic(op) && makesKnown(graph, op) &&
           std::ranges::all_of(operands, [&](TensorId input) { return isKnown(graph, input); });
}

bool areCosted(const Graph &graph, const std::vector<std::vector<OperatorId>> &groups)
{
    return std::ranges::all_of(groups, [&](const std::vector<OperatorId> &group) {
        return std::ranges::all_of(group, [&](OperatorId id) { return isCosted(graph, id); });
    });
}

std::string missingCostText(const CostBasis &basis)
{
    if (basis.isComplete())
        return {};
    const UncostedWork &first = basis.uncosted.front();
    const std::string where =
        first.type == first.operatorName ? first.operatorName : fmt::format("{} ({})", first.operatorName, first.type);
    std::string text = fmt::format("{} of operators costed ({} of {}); ", shareText(basis.costed(), basis.operators),
                                   grouped(basis.costed()), grouped(basis.operators));
    if (first.losesShapes)
        text += fmt::format("shapes unknown from {} on, because {}", where, first.reason);
    else if (first.count > 1)
        text += fmt::format("{} and {} more have no cost, because {}", where, grouped(first.count - 1), first.reason);
    else
        text += fmt::format("{} has no cost, because {}", where, first.reason);
    if (const std::size_t others = basis.uncosted.size() - 1; others > 0)
        text += fmt::format("; and {} other cause{}", others, others == 1 ? "" : "s");
    return text;
}

std::string conversionText(const CostBasis &basis)
{
    const std::string conversions = grouped(basis.conversions) +
                                    (basis.conversions == 1 ? " conversion" : " conversions") +
                                    " between integers and floating point as operators of their own";
    if (basis.integerProducts > 0)
        return fmt::format(
            "{} {} on integers of 8 bits: costed as int8 where the device has a rate for it, otherwise as {}{}",
            grouped(basis.integerProducts),
            basis.integerProducts == 1 ? "convolution or product computes" : "convolutions and products compute",
            basis.precision, basis.conversions > 0 ? "; " + conversions : "");
    if (basis.conversions == 0)
        return {};
    return fmt::format("quantised operators are costed as {}, and {}: a device with integer arithmetic is faster",
                       basis.precision, conversions);
}

} // namespace stagecraft
