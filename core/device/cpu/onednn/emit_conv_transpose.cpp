// Transposed convolutions.

#include "device/cpu/onednn/emit_convolution.h"
#include "device/cpu/onednn/flat_kernels.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <algorithm>

namespace stagecraft::cpu {
namespace {

using dnnl::memory;

void emitOverlapping(Emitter &emitter, const Operator &op, const Place &from, const Place &to)
{
    const ConvAttributes &conv = *op.convTranspose();
    const Window &window = conv.window;
    const memory::dims in = from.desc.dims();
    const memory::dims out = to.desc.dims();
    const std::int64_t groups = conv.groups;
    memory::dims weights{out[1] / groups, in[1] / groups, window.kernel[0], window.kernel[1]};
    if (groups > 1)
        weights.insert(weights.begin(), groups);
    memory::dims behind(2);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::int64_t reach = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
        behind[axis] = (in[axis + 2] - 1) * window.stride[axis] + reach - window.padding[axis] - out[axis + 2];
    }
    const memory::dims strides{window.stride[0], window.stride[1]};
    const memory::dims dilation{window.dilation[0] - 1, window.dilation[1] - 1};
    const memory::dims before{window.padding[0], window.padding[1]};
    const Parameter *bias = op.parameter(role::kBias);
    const bool isApart = !eltwise(conv.after).empty() && emitter.isCareful();
    const Desc biasDesc = bias ? Desc({out[1]}, memory::data_type::f32, memory::format_tag::x) : Desc();
    const dnnl::deconvolution_forward::primitive_desc desc(
        {kInference, dnnl::algorithm::deconvolution_direct, anyDesc(in), anyDesc(weights), biasDesc, to.desc, strides,
         dilation, before, behind},
        attributes(isApart ? Activation{} : conv.after), emitter.engine());
    // The model lists input channels first, oneDNN output channels first.
    const auto values = [&] {
        const Values own = parameterValues(*op.parameter(role::kWeight));
        const std::int64_t inner = window.kernel[0] * window.kernel[1];
        const std::int64_t inPerGroup = in[1] / groups;
        const std::int64_t outPerGroup = out[1] / groups;
        auto result = std::make_shared<std::vector<float>>(own->size());
        for (std::int64_t group = 0; group < groups; ++group) {
            for (std::int64_t i = 0; i < inPerGroup; ++i) {
                for (std::int64_t o = 0; o < outPerGroup; ++o) {
                    const std::int64_t source = ((group * inPerGroup + i) * outPerGroup + o) * inner;
                    const std::int64_t target = ((group * outPerGroup + o) * inPerGroup + i) * inner;
                    std::copy_n(own->begin() + source, inner, result->begin() + target);
                }
            }
        }
        return result;
    };
    const Place source = emitter.inLayout(from, desc.src_desc());
    std::vector<Argument> arguments{
        {DNNL_ARG_SRC, source, nullptr},
        {DNNL_ARG_WEIGHTS, {}, emitter.weights().packed(op.name + "/weight", desc.weights_desc(), true, values)},
        {DNNL_ARG_DST, to, nullptr}};
    if (bias)
        arguments.push_back({DNNL_ARG_BIAS, {}, emitter.weights().packed(op.name + "/bias", biasDesc, true, [bias] {
                                 return parameterValues(*bias);
                             })});
    emitter.primitive(dnnl::deconvolution_forward(desc), std::move(arguments), desc.scratchpad_desc());
    if (isApart || eltwise(conv.after).empty())
        emitActivation(emitter, conv.after, op, to, to);
}

// A pixel of the convolution's output holds the rows of its patch; they become rows of the result.
void emitPatchwise(Emitter &emitter, const Operator &op, const Place &from, const Place &to)
{
    const ConvAttributes &conv = *op.convTranspose();
    const memory::dims in = from.desc.dims();
    const std::int64_t outChannels = to.desc.dims()[1];
    const std::int64_t height = conv.window.kernel[0];
    const std::int64_t width = conv.window.kernel[1];
    const memory::dims patches{in[0], height * width * outChannels, in[2], in[3]};
    LayerWeights weights{op.name + "/patches", true, {}, {}};
    weights.weight = [&] {
        const Values own = parameterValues(*op.parameter(role::kWeight));
        auto result = std::make_shared<std::vector<float>>(own->size());
        auto source = own->begin();
        for (std::int64_t i = 0; i < in[1]; ++i) {
            for (std::int64_t o = 0; o < outChannels; ++o) {
                for (std::int64_t pixel = 0; pixel < height * width; ++pixel, ++source)
                    (*result)[static_cast<std::size_t>((pixel * outChannels + o) * in[1] + i)] = *source;
            }
        }
        return result;
    };
    if (const Parameter *bias = op.parameter(role::kBias)) {
        weights.bias = [=] {
            const Values own = parameterValues(*bias);
            auto result = std::make_shared<std::vector<float>>();
            for (std::int64_t pixel = 0; pixel < height * width; ++pixel)
                result->insert(result->end(), own->begin(), own->end());
            return result;
        };
    }
    const Place middle = emitter.scratch(arranged(patches, TensorLayout::ChannelsLast));
    emitConvolution(emitter, {in, patches, {}, 1}, weights, conv.after, op, from, middle);
    emitter.host(
        [rows = in[0] * in[2], columns = in[3], height, run = width * outChannels](std::span<float *const> pointers) {
            unfoldPatches(pointers[0], pointers[1], rows, columns, height, run);
        },
        {middle, to});
}

} // namespace

bool isPatchwise(const Operator &op, const memory::dims &in, const memory::dims &out)
{
    const ConvAttributes &conv = *op.convTranspose();
    const Window &window = conv.window;
    return conv.groups == 1 && in.size() == 4 && window.kernel == window.stride &&
           window.padding == std::array<std::int64_t, 4>{} && window.dilation == std::array<std::int64_t, 2>{1, 1} &&
           out[2] == in[2] * window.stride[0] && out[3] == in[3] * window.stride[1] &&
           (conv.after.kind == ActivationKind::None || !eltwise(conv.after).empty());
}

void emitConvTranspose(Emitter &emitter, const Operator &op)
{
    const Place from = emitter.input();
    const Place &to = emitter.place(op.outputs.front());
    if (isPatchwise(op, from.desc.dims(), to.desc.dims()))
        emitPatchwise(emitter, op, from, to);
    else
        emitOverlapping(emitter, op, from, to);
}

} // namespace stagecraft::cpu
