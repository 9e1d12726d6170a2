// Convolutions: plain, grouped, separable, merged.

#include "cpu/onednn/emit_convolution.h"
#include "cpu/onednn/flat_kernels.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"
#include "schedule/merge.h"

#include <algorithm>

namespace stagecraft::cpu {
namespace {

ConvWeights ownWeights(const Operator &op, std::string_view weightRole, std::string_view biasRole)
{
    ConvWeights weights{op.name + '/' + std::string(weightRole), true, {}, {}};
    weights.weight = [weight = op.parameter(weightRole)] { return parameterValues(*weight); };
    if (const Parameter *bias = op.parameter(biasRole))
        weights.bias = [bias] { return parameterValues(*bias); };
    return weights;
}

} // namespace

void emitConvolution(Emitter &emitter, ConvShape shape, const ConvWeights &weights, const Activation &after,
                     const Operator &owner, const Place &from, const Place &to)
{
    shape.hasBias = static_cast<bool>(weights.bias);
    const auto desc = convolution(emitter.engine(), shape, to.desc, after);
    const Place source = emitter.inLayout(from, desc.src_desc());
    std::vector<Argument> arguments{
        {DNNL_ARG_SRC, source, nullptr},
        {DNNL_ARG_WEIGHTS,
         {},
         emitter.weights().packed(weights.key, desc.weights_desc(), weights.keep, weights.weight)},
        {DNNL_ARG_DST, to, nullptr}};
    if (shape.hasBias)
        arguments.push_back(
            {DNNL_ARG_BIAS,
             {},
             emitter.weights().packed(weights.key + "/bias", desc.bias_desc(), weights.keep, weights.bias)});
    emitter.primitive(dnnl::convolution_forward(desc), std::move(arguments), desc.scratchpad_desc());
    if (eltwise(after).empty())
        emitActivation(emitter, after, owner, to, to);
}

void emitConv(Emitter &emitter, const Operator &op)
{
    const ConvAttributes &conv = *op.conv();
    const Place from = emitInput(emitter, op, conv.before);
    const Place &to = emitter.place(op.outputs.front());
    emitConvolution(emitter, {from.desc.dims(), to.desc.dims(), conv.window, conv.groups},
                    ownWeights(op, role::kWeight, role::kBias), conv.after, op, from, to);
}

void emitSepConv(Emitter &emitter, const Operator &op)
{
    const SepConvAttributes &sep = *op.sepConv();
    const Place from = emitInput(emitter, op, sep.before);
    const Place &to = emitter.place(op.outputs.front());
    auto between = to.desc.dims();
    between[1] = from.desc.dims()[1];
    const ConvShape pointwise{between, to.desc.dims(), {}, 1};
    const bool bias = op.parameter(role::kPointwiseBias) != nullptr;
    // The depthwise result, in the layout that the pointwise convolution reads.
    const Desc betweenDesc =
        convolution(emitter.engine(), {between, to.desc.dims(), {}, 1, bias}, to.desc, sep.after).src_desc();
    const Place middle = emitter.scratch(betweenDesc);
    emitConvolution(emitter, {from.desc.dims(), between, sep.window, between[1]},
                    ownWeights(op, role::kDepthwiseWeight, role::kDepthwiseBias), sep.between, op, from, middle);
    emitConvolution(emitter, pointwise, ownWeights(op, role::kPointwiseWeight, role::kPointwiseBias), sep.after, op,
                    middle, to);
}

Desc mergedDesc(const Layouts &layouts, const Graph &graph, std::span<const OperatorId> operators)
{
    const Desc &first = layouts.tensors[graph.op(operators.front()).outputs.front().index()];
    dnnl::memory::dims dims = first.dims();
    dims[1] = 0;
    bool same = channelLayoutOf(first).has_value();
    for (const OperatorId id : operators) {
        const Desc &desc = layouts.tensors[graph.op(id).outputs.front().index()];
        dims[1] += desc.dims()[1];
        same = same && arrangementOf(desc) == arrangementOf(first);
    }
    return same ? arranged(dims, arrangementOf(first)) : plainDesc(dims);
}

void emitMergedConv(Emitter &emitter, std::span<const OperatorId> operators, const Operator &merged, const Place &to)
{
    const ConvAttributes &conv = *merged.conv();
    const Graph &graph = emitter.graph();
    const Place from = emitInput(emitter, merged, conv.before);
    ConvWeights weights{"merged", false, {}, {}};
    bool anyBias = false;
    for (const OperatorId id : operators) {
        weights.key += '/' + graph.op(id).name;
        anyBias = anyBias || graph.op(id).parameter(role::kBias);
    }
    weights.weight = [&] { return mergedWeights(graph, operators, merged); };
    if (anyBias)
        weights.bias = [&] { return mergedBias(graph, operators); };
    emitConvolution(emitter, {from.desc.dims(), to.desc.dims(), conv.window, 1}, weights, conv.after, merged, from, to);

    // Consumers read their channels in place where they can; otherwise the channels are copied to where they are
    // expected.
    std::int64_t channel = 0;
    for (const OperatorId id : operators) {
        const Place &own = emitter.place(graph.op(id).outputs.front());
        const auto offset = sliceOffsetBytes(to.desc, channel, own.desc);
        const bool inPlace = own.buffer == to.buffer;
        if (!inPlace && offset) {
            emitter.copy({to.buffer, to.offsetBytes + *offset, own.desc}, own);
        } else if (!inPlace) {
            // mergedDesc() gives a regular layout; the member's may be any.
            const ChannelLayout mergedLayout = *channelLayoutOf(to.desc);
            const bool regular = channelLayoutOf(own.desc).has_value();
            const Place target = regular ? own : emitter.scratch(plainDesc(own.desc.dims()));
            const ChannelLayout layout = *channelLayoutOf(target.desc);
            emitter.host(
                [=](std::span<float *const> pointers) {
                    copyChannels(pointers[0], mergedLayout, channel, pointers[1], layout, 0, layout.channels);
                    zeroPadding(pointers[1], layout);
                },
                {to, target});
            if (!regular)
                emitter.copy(target, own);
        }
        channel += own.desc.dims()[1];
    }
}

} // namespace stagecraft::cpu
