#include "model/onnx/convert.h"

#include "graph/operator_table.h"
#include "graph/parameter_roles.h"
#include "model/onnx/canonical_form.h"
#include "model/onnx/fold_constants.h"
#include "model/onnx/shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <onnx/onnx_pb.h>
#include <set>

namespace stagecraft {
namespace {

using Converted = std::optional<Result<Operator>>; // nothing: keep the node as the file has it

tl::unexpected<Error> refuse(std::string message)
{
    return fail(ErrorCode::InvalidInput, std::move(message), "Export the model again with consistent shapes");
}

Parameter parameterOf(const OnnxNode &node, std::string_view role, Shape shape,
                      std::shared_ptr<const std::vector<float>> values, DataType type = DataType::Float32)
{
    return {std::string(role), node.name + "." + std::string(role), std::move(shape), type, std::move(values)};
}

Parameter parameterOf(const OnnxNode &node, std::string_view role, const Constant &constant)
{
    return parameterOf(node, role, Shape{constant.dims}, constant.asFloats(), constant.type);
}

// Operands as they are: tensors as parts of their own, constants as parameters in their places.
Operator keptAsIs(const OnnxNode &node, OperatorKind kind)
{
    Operator op;
    op.kind = kind;
    op.type = node.type;
    op.attributes = node.genericAttributes();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.isTensor(i))
            op.inputs.push_back({node.inputs[i]->tensor});
        else if (node.has(i))
            op.parameters.push_back(parameterOf(node, role::operand(i), *node.constant(i)));
    }
    return op;
}

Operator reading(const OnnxNode &node, OperatorKind kind, Attributes attributes)
{
    Operator op;
    op.kind = kind;
    op.attributes = std::move(attributes);
    op.inputs = {{node.inputs[0]->tensor}};
    return op;
}

Window windowOf(const SpatialWindow &window)
{
    return {{window.kernel[0], window.kernel[1]},
            {window.stride[0], window.stride[1]},
            {window.dilation[0], window.dilation[1]},
            {window.padding[0], window.padding[1], window.padding[2], window.padding[3]}};
}

bool isImage(const OnnxNode &node)
{
    return node.isTensor(0) && node.shape(0).known && node.shape(0).dims.size() == 4;
}

Converted convertConv(const OnnxNode &node)
{
    const Constant *weight = node.constant(1);
    const Constant *bias = node.constant(2);
    if (!isImage(node) || !weight || !weight->isFloat() || weight->dims.size() != 4 || (node.has(2) && !bias))
        return std::nullopt;
    const auto window = spatialWindow(node, {weight->dims[2], weight->dims[3]}, node.shape(0).dims);
    if (!window)
        return tl::unexpected(window.error());
    ConvAttributes conv;
    conv.groups = node.integer("group", 1);
    if (conv.groups < 1)
        return refuse("it has " + std::to_string(conv.groups) + " groups");
    const bool transposed = node.type == "ConvTranspose";
    conv.outChannels = transposed ? weight->dims[1] * conv.groups : weight->dims[0];
    conv.window = windowOf(*window);
    if (bias && bias->size() != static_cast<std::size_t>(conv.outChannels))
        return refuse("its bias has " + std::to_string(bias->size()) + " values for " +
                      std::to_string(conv.outChannels) + " output channels");
    Operator op = reading(node, transposed ? OperatorKind::ConvTranspose : OperatorKind::Conv, conv);
    op.type = transposed ? "ConvTranspose" : "";
    op.parameters.push_back(parameterOf(node, role::kWeight, *weight));
    if (bias)
        op.parameters.push_back(parameterOf(node, role::kBias, *bias));
    return op;
}

Converted convertPool(const OnnxNode &node)
{
    if (!isImage(node) || node.proto->output_size() > 1)
        return std::nullopt;
    PoolAttributes pool;
    pool.mode = node.type.ends_with("AveragePool") ? PoolAttributes::Mode::Average : PoolAttributes::Mode::Max;
    if (node.type.starts_with("Global")) {
        pool.global = true;
        pool.window.kernel = {node.shape(0).height(), node.shape(0).width()};
        return reading(node, OperatorKind::Pool, pool);
    }
    const auto window = spatialWindow(node, node.integers("kernel_shape"), node.shape(0).dims);
    if (!window)
        return tl::unexpected(window.error());
    pool.window = windowOf(*window);
    pool.ceilMode = node.integer("ceil_mode", 0) != 0;
    pool.countIncludePad = node.integer("count_include_pad", 0) != 0;
    return reading(node, OperatorKind::Pool, pool);
}

Converted convertBatchNorm(const OnnxNode &node)
{
    const Constant *scale = node.constant(1);
    const Constant *shift = node.constant(2);
    const Constant *mean = node.constant(3);
    const Constant *variance = node.constant(4);
    if (!node.isTensor(0) || !scale || !shift || !mean || !variance)
        return std::nullopt;
    const std::size_t channels = scale->size();
    if (shift->size() != channels || mean->size() != channels || variance->size() != channels ||
        (node.shape(0).known && node.shape(0).channels() != static_cast<std::int64_t>(channels)))
        return refuse("its statistics are for " + std::to_string(channels) + " channels, but its input is " +
                      toString(node.shape(0)));
    const float epsilon = node.real("epsilon", 1e-5F);
    const auto [g, b, m, v] = std::array{scale->asFloats(), shift->asFloats(), mean->asFloats(), variance->asFloats()};
    auto factors = std::make_shared<std::vector<float>>(channels);
    auto offsets = std::make_shared<std::vector<float>>(channels);
    for (std::size_t i = 0; i < channels; ++i) {
        (*factors)[i] = (*g)[i] / std::sqrt((*v)[i] + epsilon);
        (*offsets)[i] = (*b)[i] - (*m)[i] * (*factors)[i];
    }
    Operator op = reading(node, OperatorKind::BatchNorm, node.genericAttributes());
    op.type = node.type;
    const Shape shape{{static_cast<std::int64_t>(channels)}};
    op.parameters = {parameterOf(node, role::kScale, shape, std::move(factors)),
                     parameterOf(node, role::kBias, shape, std::move(offsets))};
    return op;
}

std::shared_ptr<const std::vector<float>> scaled(const Constant &constant, float factor)
{
    if (factor == 1.0F)
        return constant.asFloats();
    auto values = std::make_shared<std::vector<float>>(*constant.asFloats());
    for (float &value : *values)
        value *= factor;
    return values;
}

// Two tensors: no constant can be folded in, and the rule of the table must hold.
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

Converted convertMatMul(const OnnxNode &node)
{
    const Constant *weight = node.constant(1);
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
    const bool transposeB = node.integer("transB", 0) != 0;
    if (!node.isTensor(0) || node.integer("transA", 0) != 0 || (node.has(2) && !bias))
        return std::nullopt;
    const float alpha = node.real("alpha", 1.0F);
    if (!weight)
        return !bias && alpha == 1.0F ? productOfTensors(node, transposeB) : std::nullopt;
    if (!weight->isFloat() || weight->dims.size() != 2)
        return std::nullopt;
    const std::int64_t out = weight->dims[transposeB ? 0 : 1];
    Operator op =
        reading(node, OperatorKind::Gemm, GemmAttributes{out, weight->dims[transposeB ? 1 : 0], transposeB, {}});
    op.parameters.push_back(parameterOf(node, role::kWeight, Shape{weight->dims}, scaled(*weight, alpha)));
    if (bias) {
        const bool isRow = bias->dims.size() < 2 || bias->dims.front() == 1;
        const auto indices = isRow ? broadcastIndices({static_cast<std::int64_t>(bias->size())}, {out}) : std::nullopt;
        if (!indices)
            return std::nullopt;
        const auto given = scaled(*bias, node.real("beta", 1.0F));
        auto values = std::make_shared<std::vector<float>>();
        for (const std::int64_t index : *indices)
            values->push_back((*given)[static_cast<std::size_t>(index)]);
        op.parameters.push_back(parameterOf(node, role::kBias, Shape{{out}}, std::move(values)));
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
        const bool fits =
            node.isTensor(i) && node.shape(i).known &&
            axisWithin(node.integer("axis", 1), node.shape(i).dims.size()) == std::optional<std::size_t>(1);
        if (!fits)
            return std::nullopt;
        op.inputs.push_back({node.inputs[i]->tensor});
    }
    return op;
}

Converted convertActivation(const OnnxNode &node)
{
    static const std::map<std::string, ActivationKind> kinds{{"Relu", ActivationKind::Relu},
                                                             {"LeakyRelu", ActivationKind::LeakyRelu},
                                                             {"Sigmoid", ActivationKind::Sigmoid},
                                                             {"Tanh", ActivationKind::Tanh},
                                                             {"HardSwish", ActivationKind::HardSwish},
                                                             {"HardSigmoid", ActivationKind::HardSigmoid},
                                                             {"Elu", ActivationKind::Elu},
                                                             {"Gelu", ActivationKind::Gelu}};
    const auto found = kinds.find(node.type);
    const bool otherForm = found == kinds.end() ? node.proto->attribute_size() > 0
                                                : node.type == "Gelu" && node.text("approximate", "none") != "none";
    if (!node.isTensor(0) || otherForm)
        return std::nullopt;
    Activation activation{found == kinds.end() ? ActivationKind::Other : found->second, 0, 0};
    if (activation.kind == ActivationKind::LeakyRelu)
        activation.alpha = node.real("alpha", 0.01F);
    if (activation.kind == ActivationKind::Elu)
        activation.alpha = node.real("alpha", 1.0F);
    if (activation.kind == ActivationKind::HardSigmoid) {
        activation.alpha = node.real("alpha", 0.2F);
        activation.beta = node.real("beta", 0.5F);
    }
    Operator op = reading(node, OperatorKind::Activation, activation);
    op.type = node.type;
    return op;
}

Converted convertPRelu(const OnnxNode &node)
{
    const Constant *slope = node.constant(1);
    if (!node.isTensor(0) || !slope || !node.shape(0).known)
        return std::nullopt;
    const std::int64_t channels = node.shape(0).channels();
    const auto count = static_cast<std::int64_t>(slope->size());
    // One slope per channel: its only size that is not 1 is the channels' (or it is a single value).
    const std::size_t rank = node.shape(0).dims.size();
    const std::size_t place = rank - slope->dims.size();
    const bool byOldRule = node.opset < 7 && slope->dims.size() == 1;
    const bool perChannel =
        byOldRule || (rank >= 2 && slope->dims.size() <= rank && place <= 1 && slope->dims[1 - place] == channels);
    if (count != 1 && (count != channels || !perChannel))
        return std::nullopt;
    auto values = std::make_shared<std::vector<float>>(*slope->asFloats());
    values->resize(static_cast<std::size_t>(channels), values->front());
    Operator op = reading(node, OperatorKind::Activation, Activation{ActivationKind::PRelu, 0, 0});
    op.type = node.type;
    op.parameters = {parameterOf(node, role::kSlope, Shape{{channels}}, std::move(values))};
    return op;
}

Converted convertClip(const OnnxNode &node)
{
    const auto bound = [&](const char *key, std::size_t input, float fallback) -> std::optional<float> {
        if (node.has(input)) {
            const Constant *constant = node.constant(input);
            return constant && constant->size() == 1 ? std::optional(constant->asFloats()->front()) : std::nullopt;
        }
        return node.real(key, fallback);
    };
    constexpr float kMax = std::numeric_limits<float>::max();
    const auto low = bound("min", 1, -kMax);
    const auto high = bound("max", 2, kMax);
    if (!node.isTensor(0) || low != 0.0F || !high || (*high != 6.0F && *high < 1e30F))
        return std::nullopt;
    Operator op = reading(node, OperatorKind::Activation,
                          Activation{*high == 6.0F ? ActivationKind::Relu6 : ActivationKind::Relu, 0, 0});
    op.type = *high == 6.0F ? "Relu6" : "Relu";
    return op;
}

// The mean over height and width, as some exporters write global average pooling.
Converted convertReduceMean(const OnnxNode &node)
{
    const auto axes = node.integersFrom("axes", 1);
    if (!isImage(node) || !axes.values || axes.values->size() != 2 || node.integer("keepdims", 1) == 0)
        return std::nullopt;
    const auto first = axisWithin((*axes.values)[0], 4);
    const auto second = axisWithin((*axes.values)[1], 4);
    if (!first || !second || std::min(*first, *second) != 2 || std::max(*first, *second) != 3)
        return std::nullopt;
    PoolAttributes pool;
    pool.mode = PoolAttributes::Mode::Average;
    pool.global = true;
    pool.window.kernel = {node.shape(0).height(), node.shape(0).width()};
    return reading(node, OperatorKind::Pool, pool);
}

using Rule = Converted (*)(const OnnxNode &);

const std::map<std::string, Rule> &rules()
{
    static const std::map<std::string, Rule> table{
        {"Conv", convertConv},
        {"ConvTranspose", convertConv},
        {"MaxPool", convertPool},
        {"AveragePool", convertPool},
        {"GlobalMaxPool", convertPool},
        {"GlobalAveragePool", convertPool},
        {"BatchNormalization", convertBatchNorm},
        {"MatMul", convertMatMul},
        {"Gemm", convertGemm},
        {"Add", convertSum},
        {"Sum", convertSum},
        {"Concat", convertConcat},
        {"Relu", convertActivation},
        {"LeakyRelu", convertActivation},
        {"Sigmoid", convertActivation},
        {"Tanh", convertActivation},
        {"HardSwish", convertActivation},
        {"HardSigmoid", convertActivation},
        {"Elu", convertActivation},
        {"Gelu", convertActivation},
        {"Selu", convertActivation},
        {"Celu", convertActivation},
        {"Softplus", convertActivation},
        {"Softsign", convertActivation},
        {"Mish", convertActivation},
        {"ThresholdedRelu", convertActivation},
        {"PRelu", convertPRelu},
        {"Clip", convertClip},
        {"ReduceMean", convertReduceMean},
    };
    return table;
}

const std::map<std::string, OperatorKind> &kinds()
{
    static const std::map<std::string, OperatorKind> table = [] {
        std::map<std::string, OperatorKind> kindOf{
            {"Transpose", OperatorKind::Transpose},
            {"DepthToSpace", OperatorKind::Transpose},
            {"SpaceToDepth", OperatorKind::Transpose},
            {"Slice", OperatorKind::Slice},
            {"Gather", OperatorKind::Slice},
            {"Split", OperatorKind::Split},
            {"Pad", OperatorKind::Pad},
            {"Resize", OperatorKind::Resize},
            {"Upsample", OperatorKind::Resize},
            {"Expand", OperatorKind::Resize},
            {"Tile", OperatorKind::Resize},
        };
        for (const char *name : {"Flatten", "Reshape", "Squeeze", "Unsqueeze"})
            kindOf[name] = OperatorKind::Reshape;
        for (const char *name : {"Softmax", "LogSoftmax"})
            kindOf[name] = OperatorKind::Softmax;
        for (const char *name : {"LRN", "InstanceNormalization", "LayerNormalization", "GroupNormalization",
                                 "LpNormalization", "MeanVarianceNormalization"})
            kindOf[name] = OperatorKind::Normalize;
        for (const char *name : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
                                 "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare", "ArgMax", "ArgMin"})
            kindOf[name] = OperatorKind::Reduce;
        for (const char *name : {"Add",
                                 "Sum",
                                 "Sub",
                                 "Mul",
                                 "Div",
                                 "Pow",
                                 "Min",
                                 "Max",
                                 "Mean",
                                 "Mod",
                                 "Equal",
                                 "Greater",
                                 "GreaterOrEqual",
                                 "Less",
                                 "LessOrEqual",
                                 "And",
                                 "Or",
                                 "Xor",
                                 "Not",
                                 "Where",
                                 "Exp",
                                 "Log",
                                 "Sqrt",
                                 "Reciprocal",
                                 "Abs",
                                 "Neg",
                                 "Floor",
                                 "Ceil",
                                 "Round",
                                 "Sign",
                                 "Erf",
                                 "Sin",
                                 "Cos",
                                 "Tan",
                                 "Cast",
                                 "Clip",
                                 "PRelu",
                                 "QuantizeLinear",
                                 "DequantizeLinear",
                                 "DynamicQuantizeLinear",
                                 "Concat"})
            kindOf[name] = OperatorKind::Elementwise;
        return kindOf;
    }();
    return table;
}

} // namespace

Result<ConvertedNode> convertNode(const OnnxNode &node)
{
    const auto rule = rules().find(node.type);
    if (rule != rules().end()) {
        if (auto converted = rule->second(node)) {
            if (!*converted)
                return tl::unexpected(std::move(converted->error()));
            Operator op = std::move(**converted);
            if (op.type.empty())
                op.type = displayType(op);
            return ConvertedNode{std::move(op), {}};
        }
    }
    const auto kind = kinds().find(node.type);
    const bool hasKind = kind != kinds().end();
    if (hasKind) {
        Operator op = keptAsIs(node, kind->second);
        if (makeCanonical(node, op))
            return ConvertedNode{std::move(op), {}};
    }
    const bool special = hasKind || rule != rules().end();
    return ConvertedNode{keptAsIs(node, OperatorKind::Unknown),
                         special ? "this form of " + node.type + " is kept as it is, without a cost of its own"
                                 : "the program has no rule for " + node.type + "; it is kept and scheduled as it is"};
}

std::vector<std::string> knownNodeTypes()
{
    std::set<std::string> types;
    for (const auto &[type, rule] : rules())
        types.insert(type);
    for (const auto &[type, kind] : kinds())
        types.insert(type);
    types.merge(typesWithShapes());
    return {types.begin(), types.end()};
}

std::optional<std::size_t> passedInput(const OnnxNode &node)
{
    if (!node.has(0))
        return std::nullopt;
    const bool onlyFirst = node.proto->output_size() < 2 || node.proto->output(1).empty();
    if (node.type == "Identity" || (node.type == "Dropout" && onlyFirst))
        return 0;
    if ((node.type == "Sum" || node.type == "Concat" || node.type == "Max" || node.type == "Min" ||
         node.type == "Mean") &&
        node.inputs.size() == 1)
        return 0;
    const auto isReal = [](DataType type) { return type == DataType::Float32 || type == DataType::Float16; };
    if (node.type == "Cast" && isReal(node.inputs[0]->type) &&
        isReal(dataTypeOf(static_cast<int>(node.integer("to", 0)))))
        return 0;
    return std::nullopt;
}

} // namespace stagecraft
