#include "graph/cost_basis.h"
#include "graph/graph.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

namespace stagecraft {
namespace {

// Types whose constant operands configure the operator and were not learned.
bool hasArguments(const Operator &op)
{
    constexpr std::array<std::string_view, 10> kTypes{"Clip",   "Pad",  "Resize", "Upsample",       "Slice",
                                                      "Expand", "Tile", "Range",  "QuantizeLinear", "OneHot"};
    return std::ranges::find(kTypes, op.type) != kTypes.end();
}

class Weights {
public:
    void add(const Graph &graph)
    {
        for (const Operator &op : graph.operators()) {
            if (const Graph *body = op.body())
                add(*body);
            else if (!hasArguments(op))
                add(op);
        }
    }

    [[nodiscard]] WeightTotals totals() const { return m_totals; }

private:
    void add(const Operator &op)
    {
        const bool isQuantized = op.type.find("QLinear") != std::string::npos || op.type.ends_with("Integer") ||
                                 op.type.ends_with("QGemm") || op.type == "DequantizeLinear";
        for (const Parameter &parameter : op.parameters) {
            const bool isReal = parameter.type == DataType::Float32 || parameter.type == DataType::Float16;
            const bool isSmall = parameter.type == DataType::Int8 || parameter.type == DataType::UInt8;
            // The real operands of quantised operators are scales; their vectors are zero points.
            const bool isTable = isSmall && parameter.shape.dims.size() > 1 && (isQuantized || op.type == "Gather");
            const bool isLearned = isTable || (isReal && !isQuantized);
            if (!isLearned || (parameter.values && !m_seen.insert(parameter.values.identity()).second))
                continue;
            m_totals.parameters += parameter.shape.elements();
            m_totals.bytes += parameter.shape.elements() * sizeBytes(parameter.storedType.value_or(parameter.type));
        }
    }

    WeightTotals m_totals;
    std::unordered_set<const void *> m_seen; // values seen; generated weights are never shared
};

} // namespace

WeightTotals weightTotals(const Graph &graph)
{
    Weights weights;
    weights.add(graph);
    return weights.totals();
}

} // namespace stagecraft
