#include "support/reference_execution.h"

#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <QtGlobal>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace stagecraft {
namespace {

using Values = std::vector<float>;

struct Image {
    Shape shape;
    Values values;

    [[nodiscard]] float at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) const
    {
        return values[static_cast<std::size_t>(((n * shape.channels() + c) * shape.height() + y) * shape.width() + x)];
    }
};

float activated(const Activation &activation, float x)
{
    switch (activation.kind) {
    case ActivationKind::None: return x;
    case ActivationKind::Relu: return std::max(x, 0.0F);
    case ActivationKind::Relu6: return std::clamp(x, 0.0F, 6.0F);
    case ActivationKind::LeakyRelu: return x >= 0 ? x : activation.alpha * x;
    case ActivationKind::Sigmoid: return 1 / (1 + std::exp(-x));
    case ActivationKind::Tanh: return std::tanh(x);
    case ActivationKind::HardSwish: return x * std::clamp(x / 6 + 0.5F, 0.0F, 1.0F);
    case ActivationKind::HardSigmoid: return std::clamp(activation.alpha * x + activation.beta, 0.0F, 1.0F);
    case ActivationKind::Silu: return x / (1 + std::exp(-x));
    case ActivationKind::Elu: return x >= 0 ? x : activation.alpha * (std::exp(x) - 1);
    case ActivationKind::Gelu: return 0.5F * x * (1 + std::erf(x / std::sqrt(2.0F)));
    case ActivationKind::Mish: return x * std::tanh(std::log1p(std::exp(x)));
    case ActivationKind::PRelu: // of operands, by its own kernel
    case ActivationKind::Other: break;
    }
    qFatal("the reference has no such activation");
}

void activate(const Activation &activation, Values &values)
{
    for (float &value : values)
        value = activated(activation, value);
}

Image convolved(const Image &input, const Window &window, std::int64_t groups, const Shape &output,
                const Values &weight, const Values *bias)
{
    Image result{output, {}};
    const std::int64_t in = input.shape.channels() / groups;
    const std::int64_t outPerGroup = output.channels() / groups;
    for (std::int64_t n = 0; n < output.batch(); ++n) {
        for (std::int64_t o = 0; o < output.channels(); ++o) {
            for (std::int64_t y = 0; y < output.height(); ++y) {
                for (std::int64_t x = 0; x < output.width(); ++x) {
                    double sum = bias ? (*bias)[static_cast<std::size_t>(o)] : 0;
                    for (std::int64_t c = 0; c < in; ++c) {
                        for (std::int64_t ky = 0; ky < window.kernel[0]; ++ky) {
                            for (std::int64_t kx = 0; kx < window.kernel[1]; ++kx) {
                                const std::int64_t sy =
                                    y * window.stride[0] + ky * window.dilation[0] - window.padding[0];
                                const std::int64_t sx =
                                    x * window.stride[1] + kx * window.dilation[1] - window.padding[1];
                                if (sy < 0 || sx < 0 || sy >= input.shape.height() || sx >= input.shape.width())
                                    continue;
                                const auto at = ((o * in + c) * window.kernel[0] + ky) * window.kernel[1] + kx;
                                sum += static_cast<double>(weight[static_cast<std::size_t>(at)]) *
                                       input.at(n, o / outPerGroup * in + c, sy, sx);
                            }
                        }
                    }
                    result.values.push_back(static_cast<float>(sum));
                }
            }
        }
    }
    return result;
}

Image pooled(const Image &input, const PoolAttributes &pool, const Shape &output)
{
    Image result{output, {}};
    Window window = pool.window;
    if (pool.global)
        window = {{input.shape.height(), input.shape.width()}, {1, 1}, {1, 1}, {0, 0, 0, 0}};
    for (std::int64_t n = 0; n < output.batch(); ++n) {
        for (std::int64_t c = 0; c < output.channels(); ++c) {
            for (std::int64_t y = 0; y < output.height(); ++y) {
                for (std::int64_t x = 0; x < output.width(); ++x) {
                    double sum = 0;
                    float largest = -std::numeric_limits<float>::infinity();
                    std::int64_t inside = 0;
                    std::int64_t withPadding = 0; // what ceiling mode reaches beyond the padding counts for nothing
                    for (std::int64_t ky = 0; ky < window.kernel[0]; ++ky) {
                        for (std::int64_t kx = 0; kx < window.kernel[1]; ++kx) {
                            const std::int64_t sy = y * window.stride[0] + ky * window.dilation[0] - window.padding[0];
                            const std::int64_t sx = x * window.stride[1] + kx * window.dilation[1] - window.padding[1];
                            withPadding += sy < input.shape.height() + window.padding[2] &&
                                                   sx < input.shape.width() + window.padding[3]
                                               ? 1
                                               : 0;
                            if (sy < 0 || sx < 0 || sy >= input.shape.height() || sx >= input.shape.width())
                                continue;
                            ++inside;
                            sum += input.at(n, c, sy, sx);
                            largest = std::max(largest, input.at(n, c, sy, sx));
                        }
                    }
                    const std::int64_t count = pool.countIncludePad ? withPadding : inside;
                    result.values.push_back(pool.mode == PoolAttributes::Mode::Max
                                                ? largest
                                                : static_cast<float>(sum / static_cast<double>(count)));
                }
            }
        }
    }
    return result;
}

Image expression(const Graph &graph, const Operator &op, const std::vector<Values> &tensors)
{
    Image result;
    for (const auto &part : op.inputs) {
        Image sum{graph.tensor(part.front()).shape, tensors[part.front().index()]};
        for (std::size_t k = 1; k < part.size(); ++k) {
            for (std::size_t i = 0; i < sum.values.size(); ++i)
                sum.values[i] += tensors[part[k].index()][i];
        }
        if (result.values.empty()) {
            result = std::move(sum);
            continue;
        }
        Image joined{result.shape, {}};
        joined.shape.dims[1] += sum.shape.channels();
        const auto pixels = sum.shape.height() * sum.shape.width();
        for (std::int64_t n = 0; n < joined.shape.batch(); ++n) {
            for (const Image *image : {&std::as_const(result), &std::as_const(sum)}) {
                const auto count = image->shape.channels() * pixels;
                joined.values.insert(joined.values.end(), image->values.begin() + n * count,
                                     image->values.begin() + (n + 1) * count);
            }
        }
        result = std::move(joined);
    }
    return result;
}

Values parameter(const Operator &op, std::string_view role)
{
    const Parameter *found = op.parameter(role);
    return found ? *parameterValues(*found) : Values();
}

Image convolved(const Operator &op, const Image &input, const Window &window, std::int64_t groups, const Shape &output,
                std::string_view weightRole, std::string_view biasRole)
{
    const Values bias = parameter(op, biasRole);
    return convolved(input, window, groups, output, parameter(op, weightRole), bias.empty() ? nullptr : &bias);
}

Values product(const Operator &op, const Image &input)
{
    const GemmAttributes &gemm = *op.gemm();
    const Values weight = parameter(op, role::kWeight);
    const Values bias = parameter(op, role::kBias);
    Values result;
    for (std::size_t row = 0; row * static_cast<std::size_t>(gemm.inFeatures) < input.values.size(); ++row) {
        for (std::int64_t o = 0; o < gemm.outFeatures; ++o) {
            double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(o)];
            for (std::int64_t i = 0; i < gemm.inFeatures; ++i) {
                const auto at = gemm.transposeB ? o * gemm.inFeatures + i : i * gemm.outFeatures + o;
                sum += static_cast<double>(weight[static_cast<std::size_t>(at)]) *
                       input.values[row * static_cast<std::size_t>(gemm.inFeatures) + static_cast<std::size_t>(i)];
            }
            result.push_back(activated(gemm.after, static_cast<float>(sum)));
        }
    }
    return result;
}

} // namespace

std::vector<Values> referenceTensors(const Graph &graph, const std::vector<HostTensor> &inputs)
{
    std::vector<Values> tensors(graph.tensors().size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
        tensors[graph.inputs()[i].index()] = inputs[i].values;
    for (const Operator &op : graph.operators()) {
        const Shape &output = graph.tensor(op.outputs.front()).shape;
        Image image = expression(graph, op, tensors);
        Values &result = tensors[op.outputs.front().index()];
        switch (op.kind) {
        case OperatorKind::Conv: {
            const ConvAttributes &conv = *op.conv();
            activate(conv.before, image.values);
            result = convolved(op, image, conv.window, conv.groups, output, role::kWeight, role::kBias).values;
            activate(conv.after, result);
            break;
        }
        case OperatorKind::SepConv: {
            const SepConvAttributes &sep = *op.sepConv();
            activate(sep.before, image.values);
            Shape between = output;
            between.dims[1] = image.shape.channels();
            Image middle = convolved(op, image, sep.window, between.channels(), between, role::kDepthwiseWeight,
                                     role::kDepthwiseBias);
            activate(sep.between, middle.values);
            result = convolved(op, middle, {}, 1, output, role::kPointwiseWeight, role::kPointwiseBias).values;
            activate(sep.after, result);
            break;
        }
        case OperatorKind::Pool: result = pooled(image, *op.pool(), output).values; break;
        case OperatorKind::Activation:
            result = image.values;
            activate(std::get<Activation>(op.attributes), result);
            break;
        case OperatorKind::Join:
        case OperatorKind::Reshape: result = image.values; break;
        case OperatorKind::BatchNorm: {
            const Values scale = parameter(op, role::kScale);
            const Values bias = parameter(op, role::kBias);
            const auto pixels = static_cast<std::size_t>(output.height() * output.width());
            for (std::size_t i = 0; i < image.values.size(); ++i) {
                const std::size_t channel = i / pixels % scale.size();
                result.push_back(image.values[i] * scale[channel] + bias[channel]);
            }
            break;
        }
        case OperatorKind::Gemm: result = product(op, image); break;
        default: qFatal("the reference does not know %s", op.type.c_str());
        }
    }
    return tensors;
}

std::vector<HostTensor> randomInputs(const Graph &graph, unsigned seed)
{
    std::mt19937 generator(seed);
    std::vector<HostTensor> inputs;
    for (const TensorId input : graph.inputs()) {
        const Tensor &tensor = graph.tensor(input);
        HostTensor &host = inputs.emplace_back(HostTensor{tensor.name, tensor.shape, {}});
        for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
            host.values.push_back(static_cast<float>(generator() >> 8U) * 0x1p-23F - 1.0F);
    }
    return inputs;
}

double relativeDifference(const std::vector<float> &values, const std::vector<float> &expected)
{
    if (values.size() != expected.size())
        return std::numeric_limits<double>::infinity();
    double largest = 1e-12;
    double difference = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]))
            return std::numeric_limits<double>::infinity();
        largest = std::max(largest, static_cast<double>(std::abs(expected[i])));
        difference = std::max(difference, static_cast<double>(std::abs(values[i] - expected[i])));
    }
    return difference / largest;
}

} // namespace stagecraft
