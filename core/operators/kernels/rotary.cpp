// Embeddings whose pairs of values are turned by angles that tell their place in the sequence.

#include "operators/kernels/rotary.h"

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

#include <numeric>

namespace stagecraft::kernels {

Result<RotaryPlan> planRotary(const NodeFacts &node)
{
    const Dims &dims = node.shape(0).dims;
    if (dims.size() != 3 && dims.size() != 4)
        return refuse("it needs an embedding of three or four dimensions");
    RotaryPlan plan;
    plan.headsFirst = dims.size() == 4;
    plan.batch = dims[0];
    plan.places = dims[plan.headsFirst ? 2 : 1];
    plan.heads = plan.headsFirst ? dims[1] : node.integer("num_heads");
    if (plan.heads < 1 || (!plan.headsFirst && dims.back() % plan.heads != 0))
        return refuse("its input does not fall into its heads");
    plan.size = plan.headsFirst ? dims.back() : dims.back() / plan.heads;
    const std::int64_t asked = node.integer("rotary_embedding_dim");
    const std::int64_t turned = asked == 0 ? plan.size : asked;
    if (turned < 0 || turned > plan.size || turned % 2 != 0)
        return refuse("what it turns are not pairs of values of a head");
    plan.pairs = turned / 2;
    if (!node.has(1) || !node.has(2))
        return refuse("it has no cosines and sines");
    const Dims &cosines = node.shape(1).dims;
    const bool fits = node.has(3) ? cosines.size() == 2 && cosines.back() == plan.pairs &&
                                        node.shape(3).dims == Dims{plan.batch, plan.places}
                                  : cosines == Dims{plan.batch, plan.places, plan.pairs};
    if (!fits || node.shape(2).dims != cosines)
        return refuse("its cosines, sines or positions do not fit its input");
    return plan;
}

Result<void> rotated(KernelCall &call)
{
    TRY_AS(const auto plan, planRotary(call.node));
    const TensorView &from = call.in(0);
    if (call.in(1).type != from.type || call.in(2).type != from.type)
        return noTypes(call);
    // Of the cosines and sines, by batch and place.
    Dims rows(static_cast<std::size_t>(plan.batch * plan.places));
    std::iota(rows.begin(), rows.end(), 0);
    if (call.has(3)) {
        rows = integersIn(call.in(3));
        const std::int64_t count = call.in(1).dims.front();
        if (std::ranges::any_of(rows, [&](std::int64_t row) { return row < 0 || row >= count; }))
            return refuse("one of its positions is out of range");
    }
    const bool isInterleaved = call.node.integer("interleaved") != 0;
    const bool known = forReal(from.type, [&]<typename T>() {
        const auto x = from.as<T>();
        const auto y = call.out().as<T>();
        std::ranges::copy(x, y.begin());
        for (std::int64_t i = 0; i < plan.batch * plan.places * plan.heads * plan.pairs; ++i) {
            const std::int64_t pair = i % plan.pairs;
            const std::int64_t head = i / plan.pairs % plan.heads;
            const std::int64_t place = i / (plan.pairs * plan.heads);
            const std::int64_t row = plan.headsFirst
                                         ? (place / plan.places * plan.heads + head) * plan.places + place % plan.places
                                         : place * plan.heads + head;
            const auto first = static_cast<std::size_t>(row * plan.size + (isInterleaved ? 2 * pair : pair));
            const std::size_t second = first + static_cast<std::size_t>(isInterleaved ? 1 : plan.pairs);
            const std::int64_t angle = rows[static_cast<std::size_t>(place)] * plan.pairs + pair;
            const double cosine = realAt(call.in(1), angle);
            const double sine = realAt(call.in(2), angle);
            const auto real = static_cast<double>(x[first]);
            const auto imaginary = static_cast<double>(x[second]);
            y[first] = static_cast<T>(cosine * real - sine * imaginary);
            y[second] = static_cast<T>(sine * real + cosine * imaginary);
        }
    });
    return known ? Result<void>() : noTypes(call);
}

} // namespace stagecraft::kernels
