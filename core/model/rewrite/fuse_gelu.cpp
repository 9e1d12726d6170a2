// Exporters without Gelu write x / 2 * (1 + erf(x / sqrt(2))), with the half anywhere in the product.

#include "model/rewrite/activation_patterns.h"
#include "model/rewrite/passes.h"

#include <numbers>
#include <vector>

namespace stagecraft {
namespace {

constexpr auto kRoot = std::numbers::sqrt2_v<float>;

bool halves(const GraphEdit &graph, OperatorId id)
{
    return id.isValid() && (combinesNumber(graph, id, "Mul", 0.5F) || combinesNumber(graph, id, "Div", 2.0F));
}

bool dividesByRoot(const GraphEdit &graph, OperatorId id)
{
    return combinesNumber(graph, id, "Div", kRoot) || combinesNumber(graph, id, "Mul", 1 / kRoot);
}

// The operators of one Gelu, the last one at the end, and its input. Empty: `erf` is not in one.
struct WrittenGelu {
    TensorId input;
    std::vector<OperatorId> operators;
};

// Half of x, times `sum`; invalid if `product` is not that.
OperatorId halfOf(const GraphEdit &graph, OperatorId product, TensorId x, TensorId sum)
{
    for (const OperatorId half : graph.readers(x)) {
        if (halves(graph, half) && graph.onlyReader(half) == product &&
            multiplies(graph, product, graph.op(half).outputs.front(), sum))
            return half;
    }
    return {};
}

WrittenGelu geluAround(const GraphEdit &graph, OperatorId erf)
{
    if (graph.op(erf).type != "Erf" || graph.isKeptApart(erf) || !graph.onlyInput(erf).isValid())
        return {};
    const OperatorId scale = graph.producer(graph.onlyInput(erf));
    const OperatorId sum = graph.onlyReader(erf);
    if (!scale.isValid() || !dividesByRoot(graph, scale) || graph.onlyReader(scale) != erf || !sum.isValid() ||
        !combinesNumber(graph, sum, "Add", 1.0F))
        return {};
    const TensorId x = graph.onlyInput(scale);
    OperatorId last = sum;
    std::vector<OperatorId> operators{scale, erf, sum};
    const auto next = [&] { return graph.onlyReader(last); };
    if (halves(graph, next())) { // x * (1 + erf / 2)
        last = next();
        operators.push_back(last);
        const OperatorId product = next();
        if (!product.isValid() || !multiplies(graph, product, x, graph.op(last).outputs.front()))
            return {};
        operators.push_back(product);
        return {x, operators};
    }
    const OperatorId product = next();
    if (!product.isValid())
        return {};
    const TensorId shifted = graph.op(sum).outputs.front();
    if (const OperatorId half = halfOf(graph, product, x, shifted); half.isValid()) {
        operators.insert(operators.end(), {half, product});
        return {x, operators};
    }
    const OperatorId behind = graph.onlyReader(product);
    if (!multiplies(graph, product, x, shifted) || !halves(graph, behind))
        return {};
    operators.insert(operators.end(), {product, behind});
    return {x, operators};
}

} // namespace

void fuseGelu(GraphEdit &graph)
{
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        const WrittenGelu gelu = graph.isAlive(id) ? geluAround(graph, id) : WrittenGelu{};
        if (gelu.operators.empty())
            continue;
        const OperatorId last = gelu.operators.back();
        becomeActivation(graph, last, gelu.input, {ActivationKind::Gelu, 0, 0});
        for (const OperatorId other : gelu.operators) {
            if (other != last)
                graph.remove(other, last);
        }
    }
}

} // namespace stagecraft
