// The shape rules of the operator table.

#include "graph/operator_table.h"

namespace stagecraft {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 36; // 256 GiB of float32: far beyond any activation

tl::unexpected<Error> refuse(std::string message, std::string remedy = {})
{
    return fail(ErrorCode::InvalidInput, std::move(message), std::move(remedy));
}

Result<Shape> checked(Shape shape)
{
    std::int64_t product = 1;
    for (const std::int64_t dim : shape.dims) {
        if (dim <= 0)
            return refuse("its output shape " + toString(shape) + " has a size that is not positive");
        if (dim > kMaxElements / product)
            return refuse("its output shape " + toString(shape) + " is absurdly large");
        product *= dim;
    }
    return shape;
}

Result<std::int64_t> windowed(std::int64_t size, std::size_t axis, const Window &window, bool ceilMode)
{
    const std::int64_t reach = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
    const std::int64_t before = window.padding[axis];
    const std::int64_t padded = size + before + window.padding[axis + 2];
    const std::int64_t stride = window.stride[axis];
    if (window.kernel[axis] < 1 || stride < 1 || window.dilation[axis] < 1)
        return refuse("its kernel, stride and dilation must be at least 1");
    if (before < 0 || window.padding[axis + 2] < 0)
        return refuse("its padding is negative");
    if (reach > padded)
        return refuse("its window of " + std::to_string(reach) + " is larger than the padded input of " +
                      std::to_string(padded));
    std::int64_t output = (padded - reach) / stride + 1;
    // A last window that would start in the padding after the input does not count.
    if (ceilMode && (padded - reach) % stride != 0 && output * stride < size + before)
        ++output;
    return output;
}

Result<Shape> imageShape(const Shape &input, std::int64_t channels, const Window &window, bool ceilMode)
{
    if (input.dims.size() != 4)
        return refuse("it needs an input of four dimensions (NCHW) and gets " + toString(input));
    const auto height = windowed(input.height(), 0, window, ceilMode);
    if (!height)
        return tl::unexpected(height.error());
    const auto width = windowed(input.width(), 1, window, ceilMode);
    if (!width)
        return tl::unexpected(width.error());
    return checked({{input.batch(), channels, *height, *width}});
}

Result<Shape> convShape(const Operator &op, const ConvAttributes &conv, const Shape &input)
{
    if (conv.groups < 1 || conv.outChannels < 1)
        return refuse("it has " + std::to_string(conv.outChannels) + " output channels in " +
                      std::to_string(conv.groups) + " groups");
    if (input.channels() % conv.groups != 0 || conv.outChannels % conv.groups != 0)
        return refuse("its " + std::to_string(conv.groups) + " groups do not divide " +
                      std::to_string(input.channels()) + " input and " + std::to_string(conv.outChannels) +
                      " output channels");
    const Parameter *weight = op.parameter("weight");
    if (weight && weight->shape.dims.size() == 4 && weight->shape.dims[1] * conv.groups != input.channels())
        return refuse("its weights are for " + std::to_string(weight->shape.dims[1] * conv.groups) +
                          " input channels, but its input has " + std::to_string(input.channels()),
                      "Export the model again with consistent shapes");
    return imageShape(input, conv.outChannels, conv.window, false);
}

Result<Shape> poolShape(const PoolAttributes &pool, const Shape &input)
{
    if (!pool.global)
        return imageShape(input, input.channels(), pool.window, pool.ceilMode);
    Shape output = input;
    for (std::size_t axis = 2; axis < output.dims.size(); ++axis)
        output.dims[axis] = 1;
    return checked(std::move(output));
}

Result<Shape> gemmShape(const GemmAttributes &gemm, const Shape &input)
{
    if (input.dims.empty())
        return refuse("it needs an input of at least one dimension");
    if (input.dims.back() != gemm.inFeatures)
        return refuse("its weights are for " + std::to_string(gemm.inFeatures) + " features, but its input has " +
                      std::to_string(input.dims.back()));
    Shape output = input;
    output.dims.back() = gemm.outFeatures;
    return checked(std::move(output));
}

} // namespace

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
                return refuse("it adds tensors of different shapes (" + toString(first) + " and " + toString(summand) +
                              ")");
        }
        if (next == 0) {
            joined = first;
        } else {
            bool fits = joined.dims.size() == first.dims.size() && joined.dims.size() >= 2;
            for (std::size_t axis = 0; fits && axis < joined.dims.size(); ++axis)
                fits = axis == 1 || joined.dims[axis] == first.dims[axis];
            if (!fits)
                return refuse("it joins tensors whose shapes do not fit (" + toString(joined) + " and " +
                              toString(first) + ")");
            joined.dims[1] += first.dims[1];
        }
        next += part.size();
    }
    return checked(std::move(joined));
}

Result<Shape> inferShape(const Operator &op, std::span<const Shape> operandShapes)
{
    if (operandShapes.empty())
        return refuse("it has no input");
    auto expression = factsOf(op.kind).expressionInput ? expressionShape(op.inputs, operandShapes)
                                                       : Result<Shape>(operandShapes.front());
    if (!expression || !expression->known)
        return expression;
    Shape &input = *expression;
    switch (op.kind) {
    case OperatorKind::Conv:
        if (op.conv())
            return convShape(op, *op.conv(), input);
        break;
    case OperatorKind::SepConv:
        if (op.sepConv())
            return imageShape(input, op.sepConv()->outChannels, op.sepConv()->window, false);
        break;
    case OperatorKind::Pool:
        if (op.pool())
            return poolShape(*op.pool(), input);
        break;
    case OperatorKind::Gemm:
        if (op.gemm())
            return gemmShape(*op.gemm(), input);
        break;
    case OperatorKind::Activation:
    case OperatorKind::Join:
    case OperatorKind::BatchNorm:
    case OperatorKind::Softmax:
    case OperatorKind::Normalize: return expression;
    default: break;
    }
    return refuse("the program has no shape rule for " + displayType(op));
}

} // namespace stagecraft
