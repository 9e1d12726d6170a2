#include "model/onnx/convert/convert_rules.h"

#include "model/onnx/refusal.h"
#include "operators/folding/fold.h"
#include "operators/parameter_roles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace stagecraft::convert_rules {
namespace {

SharedValues scaled(const Constant &constant, float factor)
{
    if (factor == 1.0F)
        return constant.values;
    std::vector<float> values = *constant.asFloats();
    for (float &value : values)
        value *= factor;
    return shared(std::move(values));
}

// Whether a factor has no elements, for which there are no units.
bool isEmpty(const OnnxNode &node)
{
    const auto hasNone = [&](std::size_t i) {
        return node.has(i) && node.shape(i).known && std::ranges::count(node.shape(i).dims, 0) > 0;
    };
    return hasNone(0) || hasNone(1);
}

// Two tensors: no constant to fold in, and the rule of the operator table must hold.
Converted productOfTensors(const OnnxNode &node, bool transposeB)
{
    const Shape &a = node.shape(0);
    const Shape &b = node.shape(1);
    if (!node.isTensor(0) || !node.isTensor(1) || !a.known || !b.known || a.dims.size() != b.dims.size() ||
        a.dims.size() < 2 || !std::equal(a.dims.begin(), a.dims.end() - 2, b.dims.begin()))
        return std::nullopt;
    GemmAttributes gemm;
    gemm.inFeatures = a.dims.back();
    gemm.outFeatures = transposeB ? b.dims[b.dims.size() - 2] : b.dims.back();
    gemm.transposeB = transposeB;
    Operator op = reading(node, OperatorKind::Gemm, gemm);
    op.inputs.push_back({node.inputs[1]->tensor});
    return op;
}

} // namespace

Converted convertBatchNorm(const OnnxNode &node)
{
    const Constant *scale = node.constant(1);
    const Constant *shift = node.constant(2);
    const Constant *mean = node.constant(3);
    const Constant *variance = node.constant(4);
    const bool isVector = node.has(0) && node.shape(0).known && node.shape(0).dims.size() < 2; // a single channel
    const auto *spatial = node.attribute("spatial");
    const bool isByElement = spatial && spatial->i() == 0; // statistics for every element of an image
    if (!node.isTensor(0) || isVector || isByElement || !scale || !shift || !mean || !variance ||
        node.outputs.size() > 1)
        return std::nullopt;
    const std::size_t channels = scale->size();
    if (shift->size() != channels || mean->size() != channels || variance->size() != channels ||
        (node.shape(0).known && node.shape(0).channels() != static_cast<std::int64_t>(channels)))
        return refuseShapes(
            fmt::format("its statistics are for {} channels, but its input is {}", channels, toString(node.shape(0))));
    const float epsilon = node.real("epsilon");
    const auto [g, b, m, v] = std::array{scale->asFloats(), shift->asFloats(), mean->asFloats(), variance->asFloats()};
    std::vector<float> factors(channels);
    std::vector<float> offsets(channels);
    for (std::size_t i = 0; i < channels; ++i) {
        factors[i] = (*g)[i] / std::sqrt((*v)[i] + epsilon);
        offsets[i] = (*b)[i] - (*m)[i] * factors[i];
    }
    Operator op = reading(node, OperatorKind::BatchNorm, GenericAttributes{node.attributes});
    op.type = node.type;
    const Shape shape{{static_cast<std::int64_t>(channels)}};
    op.parameters = {parameterOf(node, role::kScale, shape, shared(std::move(factors))),
                     parameterOf(node, role::kBias, shape, shared(std::move(offsets)))};
    return op;
}

Converted convertMatMul(const OnnxNode &node)
{
    const Constant *weight = node.constant(1);
    if (isEmpty(node))
        return std::nullopt;
    if (!weight)
        return productOfTensors(node, false);
    if (!node.isTensor(0) || !weight->isFloat() || weight->dims.size() != 2)
        return std::nullopt;
    Operator op = reading(node, OperatorKind::Gemm, GemmAttributes{weight->dims[1], weight->dims[0], false, {}});
    op.parameters.push_back(parameterOf(node, role::kWeight, *weight));
    return op;
}

Converted convertGemm(const OnnxNode &node)
{
    const Constant *weight = node.constant(1);
    const Constant *bias = node.constant(2);
    const bool transposeB = node.integer("transB") != 0;
    if (!node.isTensor(0) || node.integer("transA") != 0 || (node.has(2) && !bias) || isEmpty(node))
        return std::nullopt;
    const float alpha = node.real("alpha");
    if (!weight)
        return !bias && alpha == 1.0F ? productOfTensors(node, transposeB) : std::nullopt;
    if (!weight->isFloat() || weight->dims.size() != 2)
        return std::nullopt;
    const std::int64_t out = weight->dims[transposeB ? 0 : 1];
    Operator op =
        reading(node, OperatorKind::Gemm, GemmAttributes{out, weight->dims[transposeB ? 1 : 0], transposeB, {}});
    op.parameters.push_back(
        alpha == 1.0F ? parameterOf(node, role::kWeight, *weight)
                      : parameterOf(node, role::kWeight, Shape{weight->dims}, scaled(*weight, alpha), weight->type));
    if (bias) {
        const bool isRow = bias->dims.size() < 2 || bias->dims.front() == 1;
        const auto indices = isRow ? broadcastIndices({static_cast<std::int64_t>(bias->size())}, {out}) : std::nullopt;
        if (!indices)
            return std::nullopt;
        const auto given = floatsOf(scaled(*bias, node.real("beta")));
        std::vector<float> values;
        for (const std::int64_t index : *indices)
            values.push_back((*given)[static_cast<std::size_t>(index)]);
        op.parameters.push_back(parameterOf(node, role::kBias, Shape{{out}}, shared(std::move(values)), bias->type));
    }
    return op;
}

Converted convertSum(const OnnxNode &node)
{
    Operator op;
    op.kind = OperatorKind::Join;
    op.inputs.emplace_back();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (!node.isTensor(i) || node.shape(i) != node.shape(0))
            return std::nullopt;
        op.inputs.front().push_back(node.inputs[i]->tensor);
    }
    return op;
}

Converted convertConcat(const OnnxNode &node)
{
    Operator op;
    op.kind = OperatorKind::Join;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const bool fits = node.isTensor(i) && node.shape(i).known &&
                          axisWithin(node.integer("axis"), node.shape(i).dims.size()) == std::optional<std::size_t>(1);
        if (!fits)
            return std::nullopt;
        op.inputs.push_back({node.inputs[i]->tensor});
    }
    return op;
}

} // namespace stagecraft::convert_rules
