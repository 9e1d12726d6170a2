// Operators that fold values: reductions, softmax, normalisations.

#include "cpu/onednn/generic_operands.h"
#include "cpu/onednn/generic_operators.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace stagecraft::cpu {
namespace {

const std::map<std::string, Fold> &folds()
{
    static const auto asIs = [](float sum, std::int64_t) { return sum; };
    static const auto add = [](float a, float b) { return a + b; };
    static const std::map<std::string, Fold> table{
        {"ReduceSum", {0, add, asIs}},
        {"ReduceMean", {0, add, [](float sum, std::int64_t count) { return sum / static_cast<float>(count); }}},
        {"ReduceMax", {-std::numeric_limits<float>::infinity(), [](float a, float b) { return std::max(a, b); }, asIs}},
        {"ReduceMin", {std::numeric_limits<float>::infinity(), [](float a, float b) { return std::min(a, b); }, asIs}},
        {"ReduceProd", {1, [](float a, float b) { return a * b; }, asIs}},
        {"ReduceL1", {0, [](float a, float b) { return a + std::abs(b); }, asIs}},
        {"ReduceL2",
         {0, [](float a, float b) { return a + b * b; }, [](float sum, std::int64_t) { return std::sqrt(sum); }}},
        {"ReduceSumSquare", {0, [](float a, float b) { return a + b * b; }, asIs}},
        {"ReduceLogSum", {0, add, [](float sum, std::int64_t) { return std::log(sum); }}},
    };
    return table;
}

Result<bool> emitNormalize(Emitter &emitter, const Operator &op, const Place &from, const Dims &in)
{
    const float epsilon = real(op, "epsilon", 1e-5F);
    const auto scale = constantAt(op, 1);
    const auto bias = constantAt(op, 2);
    if (op.type == "InstanceNormalization" && scale && bias) {
        const std::int64_t pixels = elementsOf({in.begin() + 2, in.end()});
        emitPlain(emitter, op, {from}, 0, [=](std::span<const float *const> sources, float *to) {
            normalizeRows(sources[0], to, in[0] * in[1], pixels, epsilon, [&](std::int64_t row, std::int64_t) {
                const auto channel = static_cast<std::size_t>(row % in[1]);
                return std::pair((*scale)[channel], (*bias)[channel]);
            });
        });
        return true;
    }
    if (op.type == "LayerNormalization" && scale && op.outputs.size() == 1) {
        const std::size_t axis = axisIn(integer(op, "axis", -1), in.size());
        const std::int64_t length = elementsOf({in.begin() + static_cast<std::ptrdiff_t>(axis), in.end()});
        if (static_cast<std::int64_t>(scale->size()) != length)
            return false;
        emitPlain(emitter, op, {from}, 0, [=](std::span<const float *const> sources, float *to) {
            normalizeRows(sources[0], to, elementsOf(in) / length, length, epsilon, [&](std::int64_t, std::int64_t i) {
                const auto index = static_cast<std::size_t>(i);
                return std::pair((*scale)[index], bias ? (*bias)[index] : 0.0F);
            });
        });
        return true;
    }
    if (op.type == "LRN" && in.size() >= 2) {
        const std::int64_t size = integer(op, "size", 1);
        const float alpha = real(op, "alpha", 1e-4F) / static_cast<float>(size);
        const float beta = real(op, "beta", 0.75F);
        const float offset = real(op, "bias", 1);
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
        return true;
    }
    return false;
}

} // namespace

Result<bool> emitReduction(Emitter &emitter, const Operator &op)
{
    const auto operands = operandsOf(op);
    if (operands.empty() || !operands[0] || !operands[0]->tensor.isValid())
        return false;
    const Dims in = operands[0]->dims(emitter.graph());
    if (op.kind == OperatorKind::Softmax) {
        emitSoftmax(emitter, op, static_cast<int>(axisIn(integer(op, "axis", -1), in.size())), op.type == "LogSoftmax");
        return true;
    }
    if (op.kind == OperatorKind::Normalize)
        return emitNormalize(emitter, op, plainOperand(emitter, op, *operands[0]), in);
    const auto fold = folds().find(op.type);
    if (op.kind != OperatorKind::Reduce || fold == folds().end())
        return false;
    const auto axes = integers(op, "axes", 1);
    std::vector<bool> reduced(in.size(), !axes || axes->empty());
    for (const std::int64_t axis : axes.value_or(std::vector<std::int64_t>()))
        reduced[axisIn(axis, in.size())] = true;
    emitPlain(emitter, op, {plainOperand(emitter, op, *operands[0])}, 0,
              [=, fold = fold->second](std::span<const float *const> from, float *to) {
                  reduce(from[0], in, reduced, to, fold);
              });
    return true;
}

} // namespace stagecraft::cpu
