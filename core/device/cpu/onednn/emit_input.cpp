// Joins, slices of merged outputs, and activations.

#include "device/cpu/onednn/careful.h"
#include "device/cpu/onednn/emit_convolution.h"
#include "device/cpu/onednn/emitter.h"
#include "device/cpu/onednn/flat_kernels.h"
#include "device/cpu/onednn/primitives.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::cpu {
namespace {

// Sums the views into `to`, after bringing their layouts in line. One alone is copied or converted.
void emitSum(Emitter &emitter, const std::vector<plan::View> &summands, const Place &to, bool relu)
{
    if (summands.size() == 1 && !relu && placeOf(summands.front()).desc != to.desc) {
        emitter.copy(placeOf(summands.front()), to);
        return;
    }
    std::vector<Place> places;
    places.reserve(summands.size() + 1);
    for (const plan::View &summand : summands)
        places.push_back(emitter.inLayout(placeOf(summand), to.desc));
    places.push_back(to);
    const std::size_t count = to.desc.get_size() / sizeof(float);
    emitter.host(
        [count, relu](std::span<float *const> pointers) {
            const std::vector<const float *> from(pointers.begin(), pointers.end() - 1);
            sumRuns(from, pointers.back(), count, relu);
        },
        places);
}

// A part as one tensor.
Place emitPart(Emitter &emitter, const plan::Part &part)
{
    const Place first = placeOf(part.summands.front());
    if (part.summands.size() == 1)
        return first;
    const Place sum = emitter.scratch(first.desc);
    emitSum(emitter, part.summands, sum, false);
    return sum;
}

// Every part where it belongs, if each goes to channels that lie as a tensor of their own would.
bool emitInPlace(Emitter &emitter, const plan::Task &task)
{
    const plan::View &to = task.output();
    const auto target = [&](const plan::Part &part) {
        return plan::channelsOf(to, task.layout, part.channel, part.channels());
    };
    const bool inPlace = std::ranges::all_of(task.reads, [&](const plan::Part &part) {
        return part.channel % to.block == 0 && part.channels() % to.block == 0 &&
               isDense(part.summands.front(), task.layout) && isDense(target(part), task.layout);
    });
    for (std::size_t i = 0; inPlace && i < task.reads.size(); ++i)
        emitSum(emitter, task.reads[i].summands, placeOf(target(task.reads[i])), false);
    return inPlace;
}

// One pass into a tensor with its channels last. Parts in other layouts are converted first: to copy their channels one
// by one takes longer.
bool emitJoinedRows(Emitter &emitter, const plan::Task &task, const Place &to)
{
    const auto pitch = pixelPitch(to.desc);
    if (!pitch)
        return false;
    std::vector<Place> places;
    std::vector<JoinedChannels> parts;
    for (const plan::Part &part : task.reads) {
        Place from = emitPart(emitter, part);
        if (!pixelPitch(from.desc))
            from = emitter.inLayout(from, arranged(from.desc.dims(), TensorLayout::ChannelsLast));
        places.push_back(from);
        parts.push_back({part.channels(), *pixelPitch(from.desc), part.channel});
    }
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

// Channels of one tensor to channels of another; every layout of a plan will do.
void emitChannels(Emitter &emitter, const Place &from, std::int64_t fromChannel, const Place &to,
                  std::int64_t toChannel, std::int64_t count)
{
    const ChannelLayout fromLayout = *channelLayoutOf(from.desc);
    const ChannelLayout toLayout = *channelLayoutOf(to.desc);
    const bool last = toChannel + count == toLayout.channels;
    emitter.host(
        [=](std::span<float *const> pointers) {
            copyChannels(pointers[0], fromLayout, fromChannel, pointers[1], toLayout, toChannel, count);
            if (last)
                zeroPadding(pointers[1], toLayout);
        },
        {from, to});
}

// Part by part.
void emitChannelCopies(Emitter &emitter, const plan::Task &task, const Place &to)
{
    for (const plan::Part &part : task.reads) {
        Place from = emitPart(emitter, part);
        if (!channelLayoutOf(from.desc)) // channels of a merged output with its channels last
            from = emitter.inLayout(from, arranged(from.desc.dims(), TensorLayout::ChannelsLast));
        emitChannels(emitter, from, 0, to, part.channel, part.channels());
    }
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
    if (emitter.isCareful()) {
        emitActivationCarefully(emitter, activation, from, to);
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

void emitJoin(Emitter &emitter, const Operator &owner, const plan::Task &task)
{
    const Place to = placeOf(task.output());
    const bool isWhole = task.reads.front().summands.front().dims == task.output().dims;
    const bool isFused = isWhole && task.activation.kind == ActivationKind::Relu;
    if (isWhole)
        emitSum(emitter, task.reads.front().summands, to, isFused);
    else if (!emitInPlace(emitter, task) && !emitJoinedRows(emitter, task, to))
        emitChannelCopies(emitter, task, to);
    if (!isFused)
        emitActivation(emitter, task.activation, owner, to, to);
}

// Readers take their channels in place where they can; these are copied to where they are expected.
void emitSlice(Emitter &emitter, const plan::Task &task)
{
    const plan::View &whole = task.input();
    const plan::View &own = task.output();
    const std::int64_t channel = task.reads.front().channel;
    if (whole.dims == own.dims) { // columns of a merged product
        emitter.copy(placeOf(whole), placeOf(own));
        return;
    }
    const std::int64_t channels = own.dims[plan::kChannelAxis];
    if (channel % whole.block == 0 && channels % whole.block == 0) {
        const plan::View slice = plan::channelsOf(whole, task.layout, channel, channels);
        if (isDense(slice, task.layout)) {
            emitter.copy(placeOf(slice), placeOf(own));
            return;
        }
    }
    emitChannels(emitter, placeOf(whole), channel, placeOf(own), 0, channels);
}

bool emitActivationOperator(Emitter &emitter, const Operator &op)
{
    const Activation *activation = op.activation();
    if (!activation || activation->kind == ActivationKind::Other)
        return false;
    const Place &to = emitter.place(op.outputs.front());
    emitActivation(emitter, *activation, op, emitter.inLayout(emitter.input(), to.desc), to);
    return true;
}

void emitBatchNorm(Emitter &emitter, const Operator &op)
{
    Place from = emitter.input();
    Place to = emitter.place(op.outputs.front());
    dnnl::memory::dims dims = to.desc.dims();
    // Images of one pixel are rows: as images oneDNN 2.6 adds the first channel's bias to all.
    if (dims.size() > 2 && std::all_of(dims.begin() + 2, dims.end(), [](auto size) { return size == 1; })) {
        dims.resize(2);
        from.desc = from.desc.reshape(dims);
        to.desc = to.desc.reshape(dims);
    }
    dnnl::memory::dims perChannel(dims.size(), 1);
    perChannel[1] = dims[1];
    const Desc channelDesc = plainDesc(perChannel);
    const auto constant = [&](std::string_view role) {
        const SlicedValues sliced = slicedValues(emitter, op, *op.parameter(role));
        return emitter.weights().packed(sliced.key, channelDesc, true, sliced.values);
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
