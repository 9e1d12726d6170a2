#include "operators/parameter_roles.h"
#include "operators/shapes/unit_rules.h"

namespace stagecraft::unit_rules {
namespace {

double activationFlops(const Activation &activation, const Shape &shape)
{
    return activationSchema(activation.kind).operations * static_cast<double>(shape.elements());
}

double area(const Window &window)
{
    return static_cast<double>(window.kernel[0] * window.kernel[1]);
}

} // namespace

double convFlops(const Operator &op, const Shape &input, const Shape &output)
{
    const ConvAttributes &conv = *op.conv();
    const std::int64_t inputs =
        input.channels() / conv.groups * conv.window.kernel[0] * conv.window.kernel[1]; // for one output element
    return 2.0 * static_cast<double>(output.elements()) * static_cast<double>(inputs) +
           (activationFlops(conv.before, input) + activationFlops(conv.after, output));
}

double convTransposeFlops(const Operator &op, const Shape &input, const Shape &)
{
    const Parameter *weight = op.parameter(role::kWeight);
    if (!weight || input.channels() <= 0)
        return 0;
    const std::int64_t pixels = input.elements() / input.channels();
    return 2.0 * static_cast<double>(pixels * weight->shape.elements());
}

double sepConvFlops(const Operator &op, const Shape &input, const Shape &output)
{
    const SepConvAttributes &sep = *op.sepConv();
    const auto pixels = static_cast<double>(output.batch() * output.height() * output.width());
    const auto channels = static_cast<double>(input.channels());
    const double depthwise = 2.0 * pixels * channels * area(sep.window);
    const double pointwise = 2.0 * pixels * channels * static_cast<double>(sep.outChannels);
    return depthwise + pointwise + (activationFlops(sep.before, input) + activationFlops(sep.after, output));
}

double poolFlops(const Operator &op, const Shape &input, const Shape &output)
{
    const PoolAttributes &pool = *op.pool();
    return pool.global ? static_cast<double>(input.elements())
                       : static_cast<double>(output.elements()) * area(pool.window);
}

double gemmFlops(const Operator &op, const Shape &, const Shape &output)
{
    const GemmAttributes &gemm = *op.gemm();
    return 2.0 * static_cast<double>(output.elements()) * static_cast<double>(gemm.inFeatures) +
           activationFlops(gemm.after, output);
}

double activationOnlyFlops(const Operator &op, const Shape &, const Shape &output)
{
    return op.activation() ? activationFlops(*op.activation(), output) : static_cast<double>(output.elements());
}

double elementFlops(const Operator &, const Shape &, const Shape &output)
{
    return static_cast<double>(output.elements());
}

double inputFlops(const Operator &, const Shape &input, const Shape &)
{
    return static_cast<double>(input.elements());
}

double noFlops(const Operator &, const Shape &, const Shape &)
{
    return 0;
}

} // namespace stagecraft::unit_rules
