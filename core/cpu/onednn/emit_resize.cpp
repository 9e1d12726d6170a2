// Resize and Upsample: nearest and linear.

#include "cpu/onednn/generic_operands.h"
#include "cpu/onednn/generic_operators.h"
#include "cpu/onednn/resample.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::cpu {
namespace {

struct Sampling {
    std::string coordinates;
    std::string nearest;
};

double sourceCoordinate(const Sampling &sampling, std::int64_t index, std::int64_t in, std::int64_t out, double scale)
{
    const auto i = static_cast<double>(index);
    if (sampling.coordinates == "asymmetric")
        return i / scale;
    if (sampling.coordinates == "align_corners")
        return out > 1 ? i * static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
    if (sampling.coordinates == "pytorch_half_pixel" && out == 1)
        return 0;
    return (i + 0.5) / scale - 0.5;
}

std::int64_t nearestIndex(const Sampling &sampling, double x)
{
    if (sampling.nearest == "floor")
        return std::llround(std::floor(x));
    if (sampling.nearest == "ceil")
        return std::llround(std::ceil(x));
    if (sampling.nearest == "round_prefer_ceil")
        return std::llround(std::floor(x + 0.5));
    return std::llround(std::ceil(x - 0.5));
}

// Images whose channels stay as they are, in the layout they lie in.
bool emitImages(Emitter &emitter, const Operator &op, bool linear, const std::vector<Dims> &maps,
                const std::vector<Interpolation> &axes)
{
    const Place &to = emitter.place(op.outputs.front());
    const auto result = channelLayoutOf(to.desc);
    const auto operand = operandsOf(op).front();
    if (!result || to.desc.dims().size() != 4 || !operand->tensor.isValid())
        return false;
    const Desc wanted = arranged(dimsOf(emitter.graph().tensor(operand->tensor).shape), arrangementOf(to.desc));
    const auto source = channelLayoutOf(wanted);
    if (!source || source->batch != result->batch || source->channels != result->channels)
        return false;
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
    if (op.type != "Resize" && op.type != "Upsample")
        return false;
    const auto operands = operandsOf(op);
    const Dims in = operands[0]->dims(emitter.graph());
    const Dims out = emitter.graph().tensor(op.outputs.front()).shape.dims;
    const std::string mode = text(op, "mode", "nearest");
    // The first form of Resize has the scales in second place, and Upsample's sampling.
    const auto second = constantAt(op, 1);
    const bool first = op.type == "Upsample" || (operands.size() == 2 && second && second->size() == in.size());
    const Sampling sampling{first ? "asymmetric" : text(op, "coordinate_transformation_mode", "half_pixel"),
                            first ? "floor" : text(op, "nearest_mode", "round_prefer_floor")};
    const bool known = sampling.coordinates == "asymmetric" || sampling.coordinates == "align_corners" ||
                       sampling.coordinates == "half_pixel" || sampling.coordinates == "pytorch_half_pixel";
    const bool linear = mode == "linear" || mode == "bilinear";
    if (!known || (mode != "nearest" && !linear) || in.size() != out.size())
        return fail(ErrorCode::InvalidInput,
                    "cpu has no kernel for a Resize of mode " + mode + ", " + sampling.coordinates);
    const auto scales = first ? second : constantAt(op, 2);
    std::vector<Dims> maps(in.size());
    std::vector<Interpolation> axes(in.size());
    for (std::size_t axis = 0; axis < in.size(); ++axis) {
        const double scale = scales && scales->size() == in.size()
                                 ? static_cast<double>((*scales)[axis])
                                 : static_cast<double>(out[axis]) / static_cast<double>(in[axis]);
        for (std::int64_t i = 0; i < out[axis]; ++i) {
            const double x = in[axis] == out[axis] ? static_cast<double>(i)
                                                   : sourceCoordinate(sampling, i, in[axis], out[axis], scale);
            maps[axis].push_back(std::clamp<std::int64_t>(nearestIndex(sampling, x), 0, in[axis] - 1));
            const double inside = std::clamp(x, 0.0, static_cast<double>(in[axis] - 1));
            axes[axis].lower.push_back(static_cast<std::int64_t>(inside));
            axes[axis].weight.push_back(static_cast<float>(inside - std::floor(inside)));
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
