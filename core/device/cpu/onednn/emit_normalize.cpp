// Normalisations.

#include "device/cpu/onednn/generic_operands.h"
#include "device/cpu/onednn/generic_operators.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::cpu {
namespace {

using Values = std::vector<float>;

// `affine` gets (row, index in the row).
void emitRows(Emitter &emitter, const Operator &op, const Place &from, std::int64_t rows, std::int64_t length,
              ScaleAndBias affine)
{
    const float epsilon = real(op, "epsilon");
    emitPlain(emitter, op, {from}, 0,
              [=, affine = std::move(affine)](std::span<const float *const> sources, float *to) {
                  normalizeRows(sources[0], to, rows, length, epsilon, affine);
              });
}

// A row is a group of channels of an image; for InstanceNormalization, a single channel. Before opset 21,
// GroupNormalization had one scale per group.
bool emitGroupNorm(Emitter &emitter, const Operator &op, const Place &from, const Dims &in)
{
    const auto scale = constantAt(op, 1);
    const auto bias = constantAt(op, 2);
    const std::int64_t groups = op.type == "GroupNormalization" ? integer(op, "num_groups") : in[1];
    if (!scale || !bias || scale->size() != bias->size() || groups < 1 || in[1] % groups != 0)
        return false;
    const auto scales = static_cast<std::int64_t>(scale->size());
    const std::int64_t channels = in[1] / groups;
    const std::int64_t pixels = elementsOf({in.begin() + 2, in.end()});
    if (scales != in[1] && scales != groups)
        return false;
    const bool perGroup = scales != in[1];
    emitRows(emitter, op, from, in[0] * groups, channels * pixels, [=](std::int64_t row, std::int64_t i) {
        const std::int64_t group = row % groups;
        const auto index = static_cast<std::size_t>(perGroup ? group : group * channels + i / pixels);
        return std::pair((*scale)[index], (*bias)[index]);
    });
    return true;
}

bool emitLayerNorm(Emitter &emitter, const Operator &op, const Place &from, const Dims &in)
{
    const auto scale = constantAt(op, 1);
    const auto bias = constantAt(op, 2);
    const std::size_t axis = axisIn(integer(op, "axis"), in.size());
    const Dims row(in.begin() + static_cast<std::ptrdiff_t>(axis), in.end());
    const std::int64_t length = elementsOf(row);
    const auto operands = operandsOf(op);
    // One value for each of a row, and the same ones for all rows.
    const auto fits = [&](std::size_t place) {
        Dims dims = operands[place]->dims(emitter.graph().tensors());
        while (dims.size() > row.size() && dims.front() == 1)
            dims.erase(dims.begin());
        return dims == row;
    };
    if (op.outputs.size() != 1 || isComputed(op, 2) || !scale || !fits(1) || (bias && !fits(2)))
        return false;
    emitRows(emitter, op, from, elementsOf(in) / length, length, [=](std::int64_t, std::int64_t i) {
        const auto index = static_cast<std::size_t>(i);
        return std::pair((*scale)[index], bias ? (*bias)[index] : 0.0F);
    });
    return true;
}

void emitLocalResponse(Emitter &emitter, const Operator &op, const Place &from, const Dims &in)
{
    const std::int64_t size = integer(op, "size");
    const float alpha = real(op, "alpha") / static_cast<float>(size);
    const float beta = real(op, "beta");
    const float offset = real(op, "bias");
    const std::int64_t pixels = elementsOf({in.begin() + 2, in.end()});
    emitPlain(emitter, op, {from}, 0, [=](std::span<const float *const> sources, float *to) {
        const float *x = sources[0];
        for (std::int64_t image = 0; image < in[0]; ++image, x += in[1] * pixels) {
            for (std::int64_t channel = 0; channel < in[1]; ++channel) {
                const std::int64_t low = std::max<std::int64_t>(channel - (size - 1) / 2, 0);
                const std::int64_t high = std::min(channel + size / 2, in[1] - 1);
                for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
                    float squares = 0;
                    for (std::int64_t other = low; other <= high; ++other)
                        squares += x[other * pixels + pixel] * x[other * pixels + pixel];
                    *to++ = x[channel * pixels + pixel] / std::pow(offset + alpha * squares, beta);
                }
            }
        }
    });
}

void emitByMoments(Emitter &emitter, const Operator &op, const Place &from, const Dims &in,
                   const std::vector<std::int64_t> &axes, float (*function)(float, const Moments &))
{
    std::vector<bool> reduced(in.size());
    for (const std::int64_t axis : axes)
        reduced[axisIn(axis, in.size())] = true;
    emitPlain(emitter, op, {from}, 0, [=](std::span<const float *const> sources, float *to) {
        mapByMoments(sources[0], in, reduced, to, function);
    });
}

float centred(float x, const Moments &moments)
{
    const auto count = static_cast<double>(moments.count);
    const double mean = moments.sum / count;
    const double variance = std::max(moments.squares / count - mean * mean, 0.0);
    return static_cast<float>((x - mean) / (std::sqrt(variance) + 1e-9));
}

float perSum(float x, const Moments &moments)
{
    return moments.magnitudes == 0 ? 0 : static_cast<float>(x / moments.magnitudes);
}

float perLength(float x, const Moments &moments)
{
    return moments.squares == 0 ? 0 : static_cast<float>(x / std::sqrt(moments.squares));
}

} // namespace

Result<bool> emitNormalize(Emitter &emitter, const Operator &op)
{
    const auto operands = operandsOf(op);
    if (operands.empty() || !operands[0] || !operands[0]->tensor.isValid())
        return false;
    const Dims in = operands[0]->dims(emitter.graph().tensors());
    const Place from = plainOperand(emitter, op, *operands[0]);
    if (op.type == "LayerNormalization")
        return emitLayerNorm(emitter, op, from, in);
    if (op.type == "LpNormalization") {
        const std::int64_t p = integer(op, "p");
        if (p != 1 && p != 2)
            return false;
        emitByMoments(emitter, op, from, in, {integer(op, "axis")}, p == 1 ? perSum : perLength);
        return true;
    }
    if (op.type == "MeanVarianceNormalization") {
        emitByMoments(emitter, op, from, in, *integers(op, "axes"), centred);
        return true;
    }
    if (in.size() < 2)
        return false;
    if (op.type == "InstanceNormalization" || op.type == "GroupNormalization")
        return emitGroupNorm(emitter, op, from, in);
    emitLocalResponse(emitter, op, from, in);
    return true;
}

} // namespace stagecraft::cpu
