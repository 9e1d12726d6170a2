// Shapes of units with typed attributes, and of input expressions.

#include "operators/shapes/shape_rules.h"
#include "operators/shapes/unit_rules.h"

#include <fmt/format.h>

namespace stagecraft {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 36; // 256 GiB of float32: far beyond any activation

tl::unexpected<Error> refuseUnit(std::string message, std::string remedy = {})
{
    return fail(ErrorCode::InvalidInput, std::move(message), std::move(remedy));
}

Result<Shape> checked(Shape shape)
{
    std::int64_t product = 1;
    for (const std::int64_t dim : shape.dims) {
        if (dim <= 0)
            return refuseUnit(fmt::format("its output shape {} has a size that is not positive", toString(shape)));
        if (dim > kMaxElements / product)
            return refuseUnit(fmt::format("its output shape {} is absurdly large", toString(shape)));
        product *= dim;
    }
    return shape;
}

Result<std::int64_t> positions(std::int64_t size, std::size_t axis, const Window &window, bool ceilMode)
{
    const std::int64_t reach = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
    const std::int64_t before = window.padding[axis];
    const std::int64_t padded = size + before + window.padding[axis + 2];
    const std::int64_t stride = window.stride[axis];
    if (window.kernel[axis] < 1 || stride < 1 || window.dilation[axis] < 1)
        return refuseUnit("its kernel, stride and dilation must be at least 1");
    if (before < 0 || window.padding[axis + 2] < 0)
        return refuseUnit("its padding is negative");
    if (reach > padded)
        return refuseUnit(fmt::format("its window of {} is larger than the padded input of {}", reach, padded));
    return shape_rules::windowPositions(size, reach, stride, before, window.padding[axis + 2], ceilMode);
}

Result<Shape> imageShape(const Shape &input, std::int64_t channels, const Window &window, bool ceilMode)
{
    if (input.dims.size() != 4)
        return refuseUnit("it needs an input of four dimensions (NCHW) and gets " + toString(input));
    TRY_AS(const auto height, positions(input.height(), 0, window, ceilMode));
    TRY_AS(const auto width, positions(input.width(), 1, window, ceilMode));
    return checked({{input.batch(), channels, height, width}});
}

} // namespace

namespace unit_rules {

Result<Shape> convShape(const Operator &op, const Shape &input)
{
    const ConvAttributes &conv = *op.conv();
    if (conv.groups < 1 || conv.outChannels < 1)
        return refuseUnit(fmt::format("it has {} output channels in {} groups", conv.outChannels, conv.groups));
    if (input.channels() % conv.groups != 0 || conv.outChannels % conv.groups != 0)
        return refuseUnit(fmt::format("its {} groups do not divide {} input and {} output channels", conv.groups,
                                      input.channels(), conv.outChannels));
    const Parameter *weight = op.parameter("weight");
    if (weight && weight->shape.dims.size() == 4 && weight->shape.dims[1] * conv.groups != input.channels())
        return refuseUnit(fmt::format("its weights are for {} input channels, but its input has {}",
                                      weight->shape.dims[1] * conv.groups, input.channels()),
                          "Export the model again with consistent shapes");
    return imageShape(input, conv.outChannels, conv.window, false);
}

Result<Shape> sepConvShape(const Operator &op, const Shape &input)
{
    return imageShape(input, op.sepConv()->outChannels, op.sepConv()->window, false);
}

Result<Shape> poolShape(const Operator &op, const Shape &input)
{
    const PoolAttributes &pool = *op.pool();
    if (!pool.global)
        return imageShape(input, input.channels(), pool.window, pool.ceilMode);
    Shape output = input;
    for (std::size_t axis = 2; axis < output.dims.size(); ++axis)
        output.dims[axis] = 1;
    return checked(std::move(output));
}

Result<Shape> gemmShape(const Operator &op, const Shape &input)
{
    const GemmAttributes &gemm = *op.gemm();
    if (input.dims.empty())
        return refuseUnit("it needs an input of at least one dimension");
    if (input.dims.back() != gemm.inFeatures)
        return refuseUnit(
            fmt::format("its weights are for {} features, but its input has {}", gemm.inFeatures, input.dims.back()));
    Shape output = input;
    output.dims.back() = gemm.outFeatures;
    return checked(std::move(output));
}

Result<Shape> sameShape(const Operator &, const Shape &input)
{
    return input;
}

} // namespace unit_rules

Result<Shape> expressionShape(const InputExpression &inputs, std::span<const Shape> operandShapes)
{
    Shape joined;
    std::size_t next = 0;
    for (const std::vector<TensorId> &part : inputs) {
        const Shape &first = operandShapes[next];
        for (std::size_t i = 0; i < part.size(); ++i) {
            const Shape &summand = operandShapes[next + i];
            if (!summand.known)
                return Shape{{}, false};
            if (summand != first)
                return refuseUnit(
                    fmt::format("it adds tensors of different shapes ({} and {})", toString(first), toString(summand)));
        }
        if (next == 0) {
            joined = first;
        } else {
            bool fits = joined.dims.size() == first.dims.size() && joined.dims.size() >= 2;
            for (std::size_t axis = 0; fits && axis < joined.dims.size(); ++axis)
                fits = axis == 1 || joined.dims[axis] == first.dims[axis];
            if (!fits)
                return refuseUnit(fmt::format("it joins tensors whose shapes do not fit ({} and {})", toString(joined),
                                              toString(first)));
            joined.dims[1] += first.dims[1];
        }
        next += part.size();
    }
    return checked(std::move(joined));
}

} // namespace stagecraft
