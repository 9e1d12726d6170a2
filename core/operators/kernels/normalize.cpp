// Normalisations: values less their mean, over their deviation. Sums are in double precision. Tensors without elements
// are left out first: one of their dimensions may have any size.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

#include <fmt/format.h>

namespace stagecraft::kernels {
namespace {

struct Moments {
    double mean = 0;
    double deviation = 0; // of 1 over the root of the variance and epsilon
};

template <typename T>
Moments momentsOf(std::span<const T> row, double epsilon, bool isCentred)
{
    const auto count = static_cast<double>(row.size());
    double sum = 0;
    for (const T x : row)
        sum += static_cast<double>(x);
    const double mean = isCentred ? sum / count : 0;
    double squares = 0;
    for (const T x : row)
        squares += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
    return {mean, 1 / std::sqrt(squares / count + epsilon)};
}

// Of a channel of a parameter with one value per channel; 1 value counts for all.
double channelValue(const TensorView &tensor, std::int64_t channel)
{
    return realAt(tensor, tensor.size() == 1 ? 0 : channel);
}

} // namespace

Result<void> batchNormalized(KernelCall &call)
{
    const TensorView &from = call.in(0);
    const Dims &dims = from.dims;
    const std::int64_t elements = dims.size() > 1 ? productOf(std::span(dims).subspan(1)) : 1;
    const bool byElement = dims.size() > 2 && call.in(1).size() == elements; // spatial=0, before opset 9
    const std::int64_t channels = byElement ? elements : dims.size() > 1 ? dims[1] : 1;
    const std::int64_t inner = elements / std::max<std::int64_t>(1, channels);
    const std::int64_t images = dims.empty() ? 1 : dims[0];
    for (const auto &[place, name] :
         {std::pair<std::size_t, std::string_view>(1, "scale"), {2, "B"}, {3, "input_mean"}, {4, "input_var"}}) {
        if (auto fits = needsElements(call, place, name, channels); !fits)
            return fits;
    }
    const double epsilon = call.node.real("epsilon");
    const bool trains = call.node.integer("training_mode") != 0;
    if (trains && (dims.size() < 2 || from.size() == 0 || byElement))
        return refuse("it needs batch and channels to be trained");
    if (from.size() == 0)
        return {};
    const double momentum = call.node.gives("momentum") ? call.node.real("momentum") : 0.9;
    const bool known = forReal(from.type, [&]<typename T>() {
        for (std::int64_t c = 0; c < channels; ++c) {
            double mean = realAt(call.in(3), c);
            double variance = realAt(call.in(4), c);
            if (trains) {
                std::vector<T> all;
                for (std::int64_t n = 0; n < images; ++n) {
                    const auto plane = from.as<T>().subspan(static_cast<std::size_t>((n * channels + c) * inner),
                                                            static_cast<std::size_t>(inner));
                    all.insert(all.end(), plane.begin(), plane.end());
                }
                const Moments moments = momentsOf<T>(all, 0, true);
                const double own = 1 / (moments.deviation * moments.deviation);
                if (call.wants(1))
                    setReal(call.out(1), c, mean * momentum + moments.mean * (1 - momentum));
                if (call.wants(2))
                    setReal(call.out(2), c, variance * momentum + own * (1 - momentum));
                mean = moments.mean;
                variance = own;
            }
            const double scale = realAt(call.in(1), c) / std::sqrt(variance + epsilon);
            const double shift = realAt(call.in(2), c) - mean * scale;
            for (std::int64_t n = 0; n < images; ++n) {
                const auto begin = static_cast<std::size_t>((n * channels + c) * inner);
                for (std::size_t i = begin; i < begin + static_cast<std::size_t>(inner); ++i)
                    call.out().as<T>()[i] = static_cast<T>(static_cast<double>(from.as<T>()[i]) * scale + shift);
            }
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> channelsNormalized(KernelCall &call)
{
    const TensorView &from = call.in(0);
    if (from.dims.size() < 2)
        return refuse("it needs batch and channels");
    const bool inGroups = call.node.type == "GroupNormalization";
    const std::int64_t channels = from.dims[1];
    const std::int64_t groups = inGroups ? call.node.integer("num_groups") : channels;
    if (groups < 1 || channels % groups != 0)
        return refuse("its channels do not fall into its groups");
    const std::int64_t inner = productOf(std::span(from.dims).subspan(2));
    const std::int64_t each = channels / groups * inner;
    // Before opset 21, scale and bias of a GroupNormalization are per group.
    const bool perGroup = inGroups && call.in(1).size() == groups && groups != channels;
    for (const std::size_t place : {std::size_t{1}, std::size_t{2}}) {
        const std::int64_t count = call.in(place).size();
        if (count != 1 && count != (perGroup ? groups : channels))
            return refuse(fmt::format("it has {} scales or biases for {} channels", count, channels));
    }
    if (from.size() == 0)
        return {};
    const bool known = forReal(from.type, [&]<typename T>() {
        for (std::int64_t row = 0; row < from.dims[0] * groups; ++row) {
            const auto values =
                from.as<T>().subspan(static_cast<std::size_t>(row * each), static_cast<std::size_t>(each));
            const Moments moments = momentsOf<T>(values, call.node.real("epsilon"), true);
            for (std::int64_t i = 0; i < each; ++i) {
                const std::int64_t group = row % groups;
                const std::int64_t at = perGroup ? group : group * (channels / groups) + i / inner;
                const double x =
                    (static_cast<double>(values[static_cast<std::size_t>(i)]) - moments.mean) * moments.deviation;
                call.out().as<T>()[static_cast<std::size_t>(row * each + i)] =
                    static_cast<T>(x * channelValue(call.in(1), at) + channelValue(call.in(2), at));
            }
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> layerNormalized(KernelCall &call)
{
    const TensorView &from = call.in(0);
    TRY_AS(const auto axis, axisOf(call.node.integer("axis"), from.dims.size()));
    const bool isCentred = call.node.type == "LayerNormalization";
    const Dims inner(from.dims.begin() + static_cast<std::ptrdiff_t>(axis), from.dims.end());
    const std::int64_t each = productOf(inner);
    // They broadcast to the whole input, so that rows may have different ones.
    const auto scaleAt = broadcastStrides(call.in(1).dims, from.dims);
    const auto biasAt =
        call.has(2) ? broadcastStrides(call.in(2).dims, from.dims) : std::optional(Dims(from.dims.size(), 0));
    if (!scaleAt || !biasAt)
        return refuse("its scale or bias does not fit its input");
    const bool known = forReal(from.type, [&]<typename T>() {
        Moments moments;
        forElements<2>(from.dims, {*scaleAt, *biasAt}, [&](std::int64_t i, const auto &at) {
            if (i % each == 0) {
                moments =
                    momentsOf<T>(from.as<T>().subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(each)),
                                 call.node.real("epsilon"), isCentred);
                if (call.wants(1))
                    setReal(call.out(1), i / each, moments.mean);
                if (call.wants(2))
                    setReal(call.out(2), i / each, moments.deviation);
            }
            const double x =
                (static_cast<double>(from.as<T>()[static_cast<std::size_t>(i)]) - moments.mean) * moments.deviation;
            const double bias = call.has(2) ? realAt(call.in(2), at[1]) : 0;
            call.out().as<T>()[static_cast<std::size_t>(i)] = static_cast<T>(x * realAt(call.in(1), at[0]) + bias);
        });
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> lpNormalized(KernelCall &call)
{
    const TensorView &from = call.in(0);
    TRY_AS(const auto axis, axisOf(call.node.integer("axis"), from.dims.size()));
    const AxisParts parts = partsOf(from.dims, axis);
    if (from.size() == 0)
        return {};
    const bool isSquare = call.node.integer("p") == 2;
    const bool known = forReal(from.type, [&]<typename T>() {
        for (std::int64_t i = 0; i < parts.outer * parts.inner; ++i) {
            const std::int64_t row = i / parts.inner * parts.size * parts.inner + i % parts.inner;
            const auto at = [&](std::int64_t k) { return static_cast<std::size_t>(row + k * parts.inner); };
            double sum = 0;
            for (std::int64_t k = 0; k < parts.size; ++k) {
                const auto x = static_cast<double>(from.as<T>()[at(k)]);
                sum += isSquare ? x * x : std::abs(x);
            }
            const double length = isSquare ? std::sqrt(sum) : sum;
            for (std::int64_t k = 0; k < parts.size; ++k)
                call.out().as<T>()[at(k)] =
                    length == 0 ? T{} : static_cast<T>(static_cast<double>(from.as<T>()[at(k)]) / length);
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> meanVarianceNormalized(KernelCall &call)
{
    const TensorView &from = call.in(0);
    const Dims strides = stridesOf(from.dims);
    std::vector<bool> isReduced(from.dims.size(), false);
    for (const std::int64_t axis : call.node.integers("axes")) {
        TRY_AS(const auto within, axisOf(axis, from.dims.size()));
        isReduced[within] = true;
    }
    if (from.size() == 0)
        return {};
    Dims kept;
    Dims keptSteps;
    Dims sizes;
    Dims steps;
    for (std::size_t axis = 0; axis < from.dims.size(); ++axis) {
        (isReduced[axis] ? sizes : kept).push_back(from.dims[axis]);
        (isReduced[axis] ? steps : keptSteps).push_back(strides[axis]);
    }
    constexpr double kEpsilon = 1e-9;
    const bool known = forReal(from.type, [&]<typename T>() {
        forElements<1>(kept, {keptSteps}, [&](std::int64_t, const auto &begin) {
            std::vector<T> row;
            const auto each = [&](const auto &visit) {
                forElements<1>(sizes, {steps}, [&](std::int64_t, const auto &at) {
                    visit(static_cast<std::size_t>(begin[0] + at[0]));
                });
            };
            each([&](std::size_t at) { row.push_back(from.as<T>()[at]); });
            const Moments moments = momentsOf<T>(row, 0, true);
            const double deviation = 1 / (1 / moments.deviation + kEpsilon);
            each([&](std::size_t at) {
                call.out().as<T>()[at] =
                    static_cast<T>((static_cast<double>(from.as<T>()[at]) - moments.mean) * deviation);
            });
        });
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> responseNormalized(KernelCall &call)
{
    const TensorView &from = call.in(0);
    if (from.dims.size() < 2)
        return refuse("it needs batch and channels");
    const AxisParts parts = partsOf(from.dims, 1);
    const std::int64_t size = call.node.integer("size");
    if (size < 1)
        return refuse(fmt::format("its size is {}", size));
    const double alpha = call.node.real("alpha") / static_cast<float>(size);
    const bool known = forReal(from.type, [&]<typename T>() {
        for (std::int64_t i = 0; i < from.size(); ++i) {
            const std::int64_t channel = i / parts.inner % parts.size;
            double sum = 0;
            for (std::int64_t c = std::max<std::int64_t>(0, channel - (size - 1) / 2);
                 c <= std::min(parts.size - 1, channel + size / 2); ++c) {
                const auto x =
                    static_cast<double>(from.as<T>()[static_cast<std::size_t>(i + (c - channel) * parts.inner)]);
                sum += x * x;
            }
            const double divisor =
                std::pow(call.node.real("bias") + alpha * sum, static_cast<double>(call.node.real("beta")));
            call.out().as<T>()[static_cast<std::size_t>(i)] =
                static_cast<T>(static_cast<double>(from.as<T>()[static_cast<std::size_t>(i)]) / divisor);
        }
    });
    return known ? Result<void>() : noTypes(call);
}

} // namespace stagecraft::kernels
