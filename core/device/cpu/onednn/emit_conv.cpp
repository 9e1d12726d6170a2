// Convolutions: plain, grouped, separable, merged.

#include "device/cpu/onednn/emit_convolution.h"
#include "device/cpu/onednn/flat_kernels.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <omp.h>

namespace stagecraft::cpu {
namespace {

LayerWeights ownWeights(const Emitter &emitter, const Operator &op, std::string_view weightRole,
                        std::string_view biasRole)
{
    SlicedValues weight = slicedValues(emitter, op, *op.parameter(weightRole));
    LayerWeights weights{std::move(weight.key), true, std::move(weight.values), {}};
    if (const Parameter *bias = op.parameter(biasRole))
        weights.bias = slicedValues(emitter, op, *bias).values;
    return weights;
}

// The layout in which a convolution has to read, if the graph states it. Images of one pixel are the same bytes in
// either order, and the library may have a kernel for one of them only: it chooses.
std::optional<Desc> statedSource(const Emitter &emitter, const Operator &op)
{
    const Desc source = emitter.input().desc;
    const auto dims = source.dims();
    const bool isStated = emitter.graph().tensor(op.inputs.front().front()).layout.has_value();
    return isStated && dims[2] * dims[3] > 1 ? std::optional(source) : std::nullopt;
}

// False: the library computes it.
bool emitTuned(Emitter &emitter, const ConvShape &shape, const LayerWeights &weights, const Activation &after,
               const Operator &owner, const Place &from, const Place &to)
{
    const EmitContext &context = emitter.context();
    if (!context.kernels && !context.onTunable)
        return false;
    const Desc source = convolution(emitter.engine(), shape, to.desc, after).src_desc();
    const auto own = tunableConvolution(shape, source, to.desc, after, owner.name, omp_get_max_threads());
    if (!own)
        return false;
    if (context.onTunable)
        context.onTunable(*own);
    const auto chosen = context.kernels ? context.kernels->find(own->key) : TunedKernels::const_iterator();
    if (!context.kernels || chosen == context.kernels->end())
        return false;
    const auto tiles = tilesFrom(own->tiled, chosen->second);
    if (!tiles)
        return false;
    const std::string key = weights.key + (own->tiled.isBlocked ? "/tiled/blocked" : "/tiled");
    const auto weight = emitter.weights().ordered(key, weights.keep,
                                                  [&] { return tiledWeights(own->tiled, weights.weight()->data()); });
    const auto bias = emitter.weights().ordered(key + "/bias", weights.keep, [&] {
        return tiledBias(own->tiled, weights.bias ? weights.bias()->data() : nullptr);
    });
    emitter.host(
        [what = own->tiled, tiles = *tiles, weight, bias](std::span<float *const> pointers) {
            runTiled(what, tiles, pointers[0], floatsOf(*weight), floatsOf(*bias), pointers[1]);
        },
        {emitter.inLayout(from, source), to});
    return true;
}

} // namespace

// Channels of the output are the outermost axis of weights, groups before channels of a group.
SlicedValues slicedValues(const Emitter &emitter, const Operator &op, const Parameter &parameter)
{
    const std::string key = op.name + '/' + parameter.role;
    const auto channels = emitter.slice().channels;
    if (!channels)
        return {key, [&parameter] { return parameterValues(parameter); }};
    return {key + '/' + std::to_string(channels->first) + '+' + std::to_string(channels->count),
            [&parameter, range = *channels] {
                const Values all = parameterValues(parameter);
                const auto each = std::ssize(*all) / parameter.shape.dims.front();
                const auto from = all->begin() + range.first * each;
                return std::make_shared<const std::vector<float>>(from, from + range.count * each);
            }};
}

Desc betweenDesc(const dnnl::engine &engine, const Operator &op, const Desc &from, const Desc &to)
{
    auto between = to.dims();
    between[1] = from.dims()[1];
    const bool bias = op.parameter(role::kPointwiseBias) != nullptr;
    return convolution(engine, {between, to.dims(), {}, 1, bias}, to, op.sepConv()->after).src_desc();
}

void emitConvolution(Emitter &emitter, ConvShape shape, const LayerWeights &weights, const Activation &after,
                     const Operator &owner, const Place &from, const Place &to)
{
    shape.hasBias = static_cast<bool>(weights.bias);
    if (emitTuned(emitter, shape, weights, after, owner, from, to))
        return;
    const bool isApart = !eltwise(after).empty() && emitter.isCareful();
    const auto desc = convolution(emitter.engine(), shape, to.desc, isApart ? Activation{} : after);
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
    if (isApart)
        emitter.primitiveLater([desc] { return dnnl::convolution_forward(desc); }, std::move(arguments),
                               desc.scratchpad_desc());
    else
        emitter.primitive(dnnl::convolution_forward(desc), std::move(arguments), desc.scratchpad_desc());
    if (isApart || eltwise(after).empty())
        emitActivation(emitter, after, owner, to, to);
}

void emitConv(Emitter &emitter, const Operator &op)
{
    const ConvAttributes &conv = *op.conv();
    const Place from = emitter.input();
    const Place &to = emitter.place(op.outputs.front());
    ConvShape shape{from.desc.dims(), to.desc.dims(), conv.window, conv.groups};
    shape.stated = statedSource(emitter, op);
    emitConvolution(emitter, shape, ownWeights(emitter, op, role::kWeight, role::kBias), conv.after, op, from, to);
}

void emitSepConv(Emitter &emitter, const Operator &op)
{
    const SepConvAttributes &sep = *op.sepConv();
    const OperatorSlice &slice = emitter.slice();
    const Place from = emitter.input();
    const Place &to = emitter.place(op.outputs.front());
    // The depthwise result, in the layout that the pointwise convolution reads.
    const Place middle =
        slice.between ? *slice.between : emitter.scratch(betweenDesc(emitter.engine(), op, from.desc, to.desc));
    const auto between = middle.desc.dims();
    if (slice.part != OperatorPart::Pointwise) {
        ConvShape depthwise{from.desc.dims(), between, sep.window, between[1]};
        depthwise.stated = statedSource(emitter, op);
        emitConvolution(emitter, depthwise, ownWeights(emitter, op, role::kDepthwiseWeight, role::kDepthwiseBias),
                        sep.between, op, from, middle);
    }
    if (slice.part != OperatorPart::Depthwise)
        emitConvolution(emitter, {between, to.desc.dims(), {}, 1},
                        ownWeights(emitter, op, role::kPointwiseWeight, role::kPointwiseBias), sep.after, op, middle,
                        to);
}

void emitMergedConv(Emitter &emitter, const plan::MergedOperator &merged, const Place &to)
{
    const ConvAttributes &conv = *merged.op.conv();
    const Place from = emitter.input();
    emitConvolution(emitter, {from.desc.dims(), to.desc.dims(), conv.window, conv.groups},
                    {merged.weightKey, false, merged.weight, merged.bias}, conv.after, merged.op, from, to);
}

} // namespace stagecraft::cpu
