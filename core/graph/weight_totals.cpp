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
    constexpr std::array<std::string_view, 11> kTypes{"Clip",   "Pad",  "Resize", "Upsample",       "Slice",
                                                      "Expand", "Tile", "Range",  "QuantizeLinear", "DequantizeLinear",
                                                      "OneHot"};
    return std::ranges::find(kTypes, op.type) != kTypes.end();
}

} // namespace

WeightTotals weightTotals(const Graph &graph)
{
    WeightTotals totals;
    std::unordered_set<const void *> seen; // values seen; generated weights are never shared
    for (const Operator &op : graph.operators()) {
        if (hasArguments(op))
            continue;
        const bool isQuantized =
            op.type.find("QLinear") != std::string::npos || op.type.ends_with("Integer") || op.type.ends_with("QGemm");
        for (const Parameter &parameter : op.parameters) {
            const bool isReal = parameter.type == DataType::Float32 || parameter.type == DataType::Float16;
            const bool isSmall = parameter.type == DataType::Int8 || parameter.type == DataType::UInt8;
            // The real operands of quantised operators are scales; their vectors are zero points.
            const bool isTable = isSmall && parameter.shape.dims.size() > 1 && (isQuantized || op.type == "Gather");
            const bool isLearned = isTable || (isReal && !isQuantized);
            if (!isLearned || (parameter.values && !seen.insert(parameter.values.identity()).second))
                continue;
            totals.parameters += parameter.shape.elements();
            totals.bytes += parameter.shape.elements() * sizeBytes(parameter.type);
        }
    }
    return totals;
}

} // namespace stagecraft
