// Resize and Upsample: nearest and linear.

#include "device/cpu/onednn/generic_operands.h"
#include "device/cpu/onednn/generic_operators.h"
#include "device/cpu/onednn/resample.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::cpu {
namespace {

struct Sampling {
    std::string coordinates;
    std::string nearest;
};

// In single precision, as other runtimes compute it: rounding decides which pixel is nearest.
float sourceCoordinate(const Sampling &sampling, std::int64_t index, std::int64_t inSize, std::int64_t outSize,
                       float scale)
{
    const auto i = static_cast<float>(index);
    const auto in = static_cast<float>(inSize);
    const auto out = static_cast<float>(outSize);
    if (sampling.coordinates == "asymmetric")
        return i / scale;
    if (sampling.coordinates == "align_corners")
        return out > 1 ? i * (in - 1) / (out - 1) : 0;
    if (sampling.coordinates == "pytorch_half_pixel" && out == 1)
        return 0;
    if (sampling.coordinates != "half_pixel_symmetric")
        return (i + 0.5F) / scale - 0.5F;
    // Keeps input and output centred on each other, although the scale may ask for a fraction of a pixel. In double
    // precision from here on, as in other runtimes.
    const float offset = in / 2 * (1 - out / (scale * in));
    return static_cast<float>(offset + (i + 0.5) / scale - 0.5);
}

std::int64_t nearestIndex(const Sampling &sampling, float x)
{
    if (sampling.nearest == "floor")
        return std::llround(std::floor(x));
    if (sampling.nearest == "ceil")
        return std::llround(std::ceil(x));
    if (sampling.nearest == "round_prefer_ceil")
        return std::llround(std::floor(x + 0.5F));
    return std::llround(std::ceil(x - 0.5F));
}

// Scales by axis. The file may give sizes instead, or scales for some axes only.
std::vector<float> scalesOf(const Operator &op, std::size_t place, const Dims &in, const Dims &out)
{
    std::vector<float> scales;
    for (std::size_t axis = 0; axis < in.size(); ++axis)
        scales.push_back(static_cast<float>(out[axis]) / static_cast<float>(in[axis]));
    const auto given = constantAt(op, place).value_or(std::vector<float>());
    const auto axes = integers(op, "axes");
    if (given.size() != (axes ? axes->size() : in.size()))
        return scales;
    for (std::size_t k = 0; k < given.size(); ++k)
        scales[axes ? axisIn((*axes)[k], in.size()) : k] = given[k];
    return scales;
}

// Images whose channels are not resized, in the layout they have.
bool emitImages(Emitter &emitter, const Operator &op, bool linear, const std::vector<Dims> &maps,
                const std::vector<Interpolation> &axes)
{
    const Place &to = emitter.place(op.outputs.front());
    const auto result = channelLayoutOf(to.desc);
    const auto operand = operandsOf(op).front();
    if (!result || to.desc.dims().size() != 4 || !operand->tensor.isValid())
        return false;
    const Desc wanted = arranged(dimsOf(emitter.graph().tensor(operand->tensor).shape), *layoutOf(to.desc));
    auto source = channelLayoutOf(wanted);
    if (!source || source->batch != result->batch || source->channels != result->channels)
        return false;
    source->block = result->block; // the layouts of a single pixel look the same
    const std::int64_t height = wanted.dims()[2];
    const std::int64_t width = wanted.dims()[3];
    const auto sampled = [&](std::size_t axis, std::int64_t size) {
        if (!linear)
            return Sampled{maps[axis], maps[axis], std::vector<float>(maps[axis].size())};
        Sampled along{axes[axis].lower, {}, axes[axis].weight};
        for (const std::int64_t lower : along.lower)
            along.upper.push_back(std::min(lower + 1, size - 1));
        return along;
    };
    emitter.host(
        [layout = *source, width, rows = sampled(2, height), columns = sampled(3, width)](
            std::span<float *const> pointers) { resample(pointers[0], layout, width, pointers[1], rows, columns); },
        {emitter.inLayout(emitter.place(operand->tensor), wanted), to});
    return true;
}

} // namespace

Result<bool> emitResize(Emitter &emitter, const Operator &op)
{
    const auto operands = operandsOf(op);
    if (operands.empty() || !operands[0])
        return false;
    const Dims in = operands[0]->dims(emitter.graph().tensors());
    const Dims out = emitter.graph().tensor(op.outputs.front()).shape.dims;
    const std::string mode = text(op, "mode");
    // The first form of Resize has its scales as second operand, and samples like Upsample.
    const auto second = constantAt(op, 1);
    const bool first = op.type == "Upsample" || (operands.size() == 2 && second && second->size() == in.size());
    const Sampling sampling{first ? "asymmetric" : text(op, "coordinate_transformation_mode"),
                            first ? "floor" : text(op, "nearest_mode")};
    const bool known = sampling.coordinates == "asymmetric" || sampling.coordinates == "align_corners" ||
                       sampling.coordinates == "half_pixel" || sampling.coordinates == "pytorch_half_pixel" ||
                       sampling.coordinates == "half_pixel_symmetric";
    const bool linear = mode == "linear" || mode == "bilinear";
    if (!known || (mode != "nearest" && !linear) || in.size() != out.size())
        return fail(ErrorCode::InvalidInput,
                    "cpu has no kernel for a Resize of mode " + mode + ", " + sampling.coordinates);
    if (integer(op, "antialias") != 0 || (!first && text(op, "keep_aspect_ratio_policy") != "stretch"))
        return fail(ErrorCode::InvalidInput, "cpu has no kernel for a Resize that smooths or keeps the aspect ratio");
    // If an operand is left out, a computed one takes its place.
    const bool given = first || constantAt(op, 2) || constantAt(op, 3);
    if (isComputed(op, 2) || isComputed(op, 3) || (isComputed(op, 1) && !given))
        return fail(ErrorCode::InvalidInput, "cpu has no kernel for a Resize whose scales or sizes are computed");
    const std::vector<float> scales = scalesOf(op, first ? 1 : 2, in, out);
    for (std::size_t axis = 0; axis < in.size(); ++axis) {
        const float wanted = scales[axis] * static_cast<float>(in[axis]);
        if (sampling.coordinates == "align_corners" && std::abs(wanted - static_cast<float>(out[axis])) > 1e-3F)
            return fail(ErrorCode::InvalidInput,
                        "cpu has no kernel for a Resize that aligns corners at a scale that "
                        "gives no whole number of pixels",
                        "export the model with sizes in place of scales");
    }
    std::vector<Dims> maps(in.size());
    std::vector<Interpolation> axes(in.size());
    for (std::size_t axis = 0; axis < in.size(); ++axis) {
        for (std::int64_t i = 0; i < out[axis]; ++i) {
            const float x = scales[axis] == 1 ? static_cast<float>(i)
                                              : sourceCoordinate(sampling, i, in[axis], out[axis], scales[axis]);
            maps[axis].push_back(std::clamp<std::int64_t>(nearestIndex(sampling, x), 0, in[axis] - 1));
            const float inside = std::clamp(x, 0.0F, static_cast<float>(in[axis] - 1));
            axes[axis].lower.push_back(static_cast<std::int64_t>(inside));
            axes[axis].weight.push_back(inside - std::floor(inside));
        }
    }
    if (emitImages(emitter, op, linear, maps, axes))
        return true;
    const Place from = plainOperand(emitter, op, *operands[0]);
    emitPlain(emitter, op, {from}, 0, [=](std::span<const float *const> sources, float *to) {
        if (linear)
            interpolate(sources[0], in, to, axes);
        else
            mapAxes(sources[0], in, to, maps, 0);
    });
    return true;
}

} // namespace stagecraft::cpu
