// Input expressions, joins and activations.

#include "cpu/onednn/emitter.h"
#include "cpu/onednn/flat_kernels.h"
#include "cpu/onednn/primitives.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::cpu {
namespace {

// Sums the tensors into `to`, after bringing their layouts in line.
void emitSum(Emitter &emitter, const std::vector<TensorId> &tensors, const Place &to, bool relu)
{
    std::vector<Place> places;
    places.reserve(tensors.size() + 1);
    for (const TensorId tensor : tensors)
        places.push_back(emitter.inLayout(emitter.place(tensor), to.desc));
    places.push_back(to);
    const std::size_t count = to.desc.get_size() / sizeof(float);
    emitter.host(
        [count, relu](std::span<float *const> pointers) {
            const std::vector<const float *> from(pointers.begin(), pointers.end() - 1);
            sumRuns(from, pointers.back(), count, relu);
        },
        places);
}

Place emitPart(Emitter &emitter, const std::vector<TensorId> &part)
{
    const Place &first = emitter.place(part.front());
    if (part.size() == 1)
        return first;
    const Place sum = emitter.scratch(first.desc);
    emitSum(emitter, part, sum, false);
    return sum;
}

// One pass, where all tensors have their channels last. Parts that a merge has already written in place are skipped.
bool emitJoinedRows(Emitter &emitter, const Operator &op, const Place &to)
{
    const auto pitch = pixelPitch(to.desc);
    const bool last = pitch && std::ranges::all_of(op.inputs, [&](const auto &part) {
                          return pixelPitch(emitter.place(part.front()).desc).has_value();
                      });
    if (!last)
        return false;
    std::vector<Place> places;
    std::vector<JoinedChannels> parts;
    std::int64_t channel = 0;
    for (const auto &part : op.inputs) {
        const Place from = emitPart(emitter, part);
        const std::int64_t width = from.desc.dims()[1];
        const bool there = from.buffer == to.buffer && *pixelPitch(from.desc) == *pitch &&
                           from.offsetBytes == to.offsetBytes + static_cast<std::size_t>(channel) * sizeof(float);
        if (!there) {
            places.push_back(from);
            parts.push_back({width, *pixelPitch(from.desc), channel});
        }
        channel += width;
    }
    if (places.empty())
        return true;
    places.push_back(to);
    const auto dims = to.desc.dims();
    emitter.host(
        [parts, pitch = *pitch, pixels = dims[0] * dims[2] * dims[3]](std::span<float *const> pointers) {
            const std::vector<const float *> from(pointers.begin(), pointers.end() - 1);
            joinChannelsLast(from, parts, pointers.back(), pitch, pixels);
        },
        places);
    return true;
}

// Part by part, where the channels of every part and of `to` are strided regularly.
bool emitChannelCopies(Emitter &emitter, const Operator &op, const Place &to)
{
    const auto toLayout = channelLayoutOf(to.desc);
    const bool regular = toLayout && std::ranges::all_of(op.inputs, [&](const auto &part) {
                             return channelLayoutOf(emitter.place(part.front()).desc).has_value();
                         });
    if (!regular)
        return false;
    std::int64_t channel = 0;
    for (const auto &part : op.inputs) {
        const Place from = emitPart(emitter, part);
        const ChannelLayout fromLayout = *channelLayoutOf(from.desc);
        const bool last = channel + fromLayout.channels == toLayout->channels;
        emitter.host(
            [=, toLayout = *toLayout](std::span<float *const> pointers) {
                copyChannels(pointers[0], fromLayout, 0, pointers[1], toLayout, channel, fromLayout.channels);
                if (last)
                    zeroPadding(pointers[1], toLayout);
            },
            {from, to});
        channel += fromLayout.channels;
    }
    return true;
}

// Tensors that alias `joined` are in place already; `joined` is invalid for a temporary.
void emitConcat(Emitter &emitter, const Operator &op, const Place &to, TensorId joined)
{
    std::vector<std::optional<std::size_t>> offsets;
    std::int64_t channel = 0;
    for (const auto &part : op.inputs) {
        const Desc &desc = emitter.place(part.front()).desc;
        offsets.push_back(sliceOffsetBytes(to.desc, channel, desc));
        channel += emitter.graph().tensor(part.front()).shape.channels();
    }
    if (std::ranges::all_of(offsets, [](const auto &offset) { return offset.has_value(); })) {
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            const auto &part = op.inputs[i];
            const auto &alias = emitter.layouts().aliases[part.front().index()];
            if (part.size() == 1 && alias && joined.isValid() && alias->joined == joined)
                continue;
            const Place slice{to.buffer, to.offsetBytes + *offsets[i], emitter.place(part.front()).desc};
            emitSum(emitter, part, slice, false);
        }
        return;
    }
    if (emitJoinedRows(emitter, op, to) || emitChannelCopies(emitter, op, to))
        return;
    std::vector<Argument> arguments;
    std::vector<Desc> descs;
    for (const auto &part : op.inputs) {
        const Place place = emitPart(emitter, part);
        arguments.push_back({DNNL_ARG_MULTIPLE_SRC + static_cast<int>(descs.size()), place, nullptr});
        descs.push_back(place.desc);
    }
    arguments.push_back({DNNL_ARG_DST, to, nullptr});
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::concat::primitive_desc desc(to.desc, 1, descs, emitter.engine(), attr);
    emitter.primitive(dnnl::concat(desc), arguments, desc.scratchpad_desc());
}

// oneDNN has no PRelu. One slope, or one per channel.
void emitPRelu(Emitter &emitter, const Operator &owner, const Place &from, const Place &to)
{
    const Place plainFrom = emitter.inLayout(from, plainDesc(from.desc.dims()));
    const bool direct = to.desc == plainFrom.desc;
    const Place plainTo = direct ? to : emitter.scratch(plainFrom.desc);
    const auto dims = from.desc.dims();
    const std::size_t count = plainFrom.desc.get_size() / sizeof(float);
    const Values slopes = parameterValues(*owner.parameter(role::kSlope));
    std::size_t pixels = 1;
    for (std::size_t axis = 2; axis < dims.size(); ++axis)
        pixels *= static_cast<std::size_t>(dims[axis]);
    emitter.host(
        [=](std::span<float *const> pointers) {
            const float *x = pointers[0];
            float *y = pointers[1];
            const auto runs = static_cast<std::ptrdiff_t>(count / pixels);
#pragma omp parallel for schedule(static) if (count > kMinParallelElements)
            for (std::ptrdiff_t run = 0; run < runs; ++run) {
                const float slope = (*slopes)[static_cast<std::size_t>(run) % slopes->size()];
                const std::size_t begin = static_cast<std::size_t>(run) * pixels;
                for (std::size_t i = begin; i < begin + pixels; ++i)
                    y[i] = x[i] >= 0 ? x[i] : x[i] * slope;
            }
        },
        {plainFrom, plainTo});
    if (!direct)
        emitter.copy(plainTo, to);
}

} // namespace

void emitActivation(Emitter &emitter, const Activation &activation, const Operator &owner, const Place &from,
                    const Place &to)
{
    if (activation.kind == ActivationKind::None)
        return;
    const auto functions = eltwise(activation);
    if (functions.empty()) {
        emitPRelu(emitter, owner, from, to);
        return;
    }
    // One pass for images; for other shapes oneDNN may write zeros where a second function follows the first.
    const bool atOnce = to.desc.dims().size() == 4;
    for (std::size_t i = 0; i < (atOnce ? 1 : functions.size()); ++i) {
        const EltwiseParameters &function = functions[i];
        const auto behind = std::span(functions).subspan(atOnce ? 1 : functions.size());
        const dnnl::eltwise_forward::primitive_desc desc(
            {kInference, function.algorithm, to.desc, function.alpha, function.beta}, attributes(behind),
            emitter.engine());
        emitter.primitive(dnnl::eltwise_forward(desc),
                          {{DNNL_ARG_SRC, i == 0 ? from : to, nullptr}, {DNNL_ARG_DST, to, nullptr}},
                          desc.scratchpad_desc());
    }
}

Place emitInput(Emitter &emitter, const Operator &op, const Activation &before)
{
    const auto &first = op.inputs.front();
    const bool relu = before.kind == ActivationKind::Relu;
    const bool fused = relu || before.kind == ActivationKind::None;
    if (op.inputs.size() == 1 && first.size() == 1 && before.kind == ActivationKind::None)
        return emitter.place(first.front());
    const Place input = emitter.scratch(expressionDesc(emitter.layouts(), emitter.graph(), op.inputs));
    if (op.inputs.size() == 1) {
        emitSum(emitter, first, input, relu);
        if (!fused)
            emitActivation(emitter, before, op, input, input);
        return input;
    }
    emitConcat(emitter, op, input, TensorId{});
    emitActivation(emitter, before, op, input, input);
    return input;
}

void emitJoin(Emitter &emitter, const Operator &op)
{
    const TensorId output = op.outputs.front();
    const Place &to = emitter.place(output);
    if (op.inputs.size() == 1)
        emitSum(emitter, op.inputs.front(), to, false);
    else
        emitConcat(emitter, op, to, output);
}

bool emitActivationOperator(Emitter &emitter, const Operator &op)
{
    const auto *activation = std::get_if<Activation>(&op.attributes);
    if (!activation || activation->kind == ActivationKind::Other)
        return false;
    const Place &to = emitter.place(op.outputs.front());
    emitActivation(emitter, *activation, op, emitter.inLayout(emitInput(emitter, op, {}), to.desc), to);
    return true;
}

void emitBatchNorm(Emitter &emitter, const Operator &op)
{
    const Place from = emitInput(emitter, op, {});
    const Place &to = emitter.place(op.outputs.front());
    const auto dims = to.desc.dims();
    dnnl::memory::dims perChannel(dims.size(), 1);
    perChannel[1] = dims[1];
    const Desc channelDesc = plainDesc(perChannel);
    const auto constant = [&](std::string_view role) {
        const Parameter &parameter = *op.parameter(role);
        return emitter.weights().packed(op.name + '/' + parameter.role, channelDesc, true,
                                        [&parameter] { return parameterValues(parameter); });
    };
    // One pass: a multiplication with the addition fused after it.
    dnnl::post_ops addition;
    addition.append_binary(dnnl::algorithm::binary_add, channelDesc);
    dnnl::primitive_attr attr = attributes();
    attr.set_post_ops(addition);
    const dnnl::binary::primitive_desc desc({dnnl::algorithm::binary_mul, from.desc, channelDesc, to.desc}, attr,
                                            emitter.engine());
    emitter.primitive(dnnl::binary(desc),
                      {{DNNL_ARG_SRC_0, from, nullptr},
                       {DNNL_ARG_SRC_1, {}, constant(role::kScale)},
                       {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, {}, constant(role::kBias)},
                       {DNNL_ARG_DST, to, nullptr}},
                      desc.scratchpad_desc());
}

} // namespace stagecraft::cpu
