// Losses of classifications.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

namespace stagecraft::kernels {

// Input: batch x classes x places; the target has one class per place. SoftmaxCrossEntropyLoss takes the logarithms of
// the softmax first and may return them, too.
Result<void> likelihoodLoss(KernelCall &call)
{
    const TensorView &input = call.in(0);
    if (input.dims.size() < 2)
        return refuse("it needs batch and classes");
    const AxisParts parts = partsOf(input.dims, 1);
    std::vector<double> logs = realsIn(input);
    const bool isSoftmax = call.node.type == "SoftmaxCrossEntropyLoss";
    for (std::int64_t i = 0; isSoftmax && i < parts.outer * parts.inner; ++i) {
        const auto at = [&](std::int64_t c) {
            return static_cast<std::size_t>((i / parts.inner * parts.size + c) * parts.inner + i % parts.inner);
        };
        double largest = -std::numeric_limits<double>::infinity();
        double sum = 0;
        for (std::int64_t c = 0; c < parts.size; ++c)
            largest = std::max(largest, logs[at(c)]);
        for (std::int64_t c = 0; c < parts.size; ++c)
            sum += std::exp(logs[at(c)] - largest);
        for (std::int64_t c = 0; c < parts.size; ++c)
            logs[at(c)] -= largest + std::log(sum);
    }
    for (std::size_t i = 0; call.wants(1) && i < logs.size(); ++i)
        setReal(call.out(1), static_cast<std::int64_t>(i), logs[i]);
    if (!call.wants(0))
        return {};
    if (auto fits = needsElements(call, 1, "target", parts.outer * parts.inner); !fits)
        return fits;
    if (auto fits = needsElements(call, 2, "weight", parts.size); !fits)
        return fits;
    const Dims target = integersIn(call.in(1));
    const std::string reduction = call.node.text("reduction");
    double sum = 0;
    double weights = 0;
    for (std::int64_t i = 0; i < parts.outer * parts.inner; ++i) {
        const std::int64_t c = target[static_cast<std::size_t>(i)];
        const bool isIgnored = call.node.gives("ignore_index") && c == call.node.integer("ignore_index");
        if (!isIgnored && (c < 0 || c >= parts.size))
            return refuse("one of its classes is out of range");
        const double weight = isIgnored ? 0 : call.has(2) ? realAt(call.in(2), c) : 1;
        const double loss = isIgnored
                                ? 0
                                : -weight * logs[static_cast<std::size_t>(
                                                (i / parts.inner * parts.size + c) * parts.inner + i % parts.inner)];
        sum += loss;
        weights += weight;
        if (reduction == "none")
            setReal(call.out(), i, loss);
    }
    if (reduction != "none")
        setReal(call.out(), 0, reduction == "mean" ? sum / weights : sum);
    return {};
}

} // namespace stagecraft::kernels
