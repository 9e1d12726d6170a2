#include "model/onnx/shapes/shapes.h"

#include "model/onnx/refusal.h"
#include "model/onnx/shapes/shape_rules.h"

#include <algorithm>
#include <onnx/onnx_pb.h>
#include <set>
#include <unordered_map>

namespace stagecraft {
namespace shape_rules {
namespace {

const Shape kUnknown{{}, false};

} // namespace

Shapes one(Dims dims)
{
    std::vector<Shape> shapes(1);
    shapes.front().dims = std::move(dims);
    return shapes;
}

Shapes unknown(std::size_t count)
{
    return std::vector<Shape>(count, kUnknown);
}

std::size_t outputCount(const OnnxNode &node)
{
    return std::max<std::size_t>(1, node.outputs.size());
}

std::string listing(const Dims &dims)
{
    return toString(Shape{dims});
}

} // namespace shape_rules

namespace {

using namespace shape_rules;

bool allKnown(const OnnxNode &node)
{
    return std::ranges::all_of(node.inputs, [](const auto &input) { return !input || input->shape.known; });
}

Shapes broadcastAll(const OnnxNode &node)
{
    if (node.opset < 7 && node.attribute("axis")) // the second operand is broadcast to the first
        return one(node.shape(0).dims);
    std::optional<Dims> dims = Dims{};
    for (const auto &input : node.inputs) {
        if (!input)
            continue;
        const auto next = broadcastDims(*dims, input->shape.dims);
        if (!next)
            return refuseShapes("its operands have shapes that do not fit (" + listing(*dims) + " and " +
                                listing(input->shape.dims) + ")");
        dims = next;
    }
    return one(*dims);
}

// One slope, or slopes that broadcast to the input; before opset 7, one per channel.
Shapes preluShape(const OnnxNode &node)
{
    if (!node.has(1))
        return refuseShapes("it has no slope");
    const Dims &dims = node.shape(0).dims;
    const Dims &slope = node.shape(1).dims;
    const bool byChannel = node.opset < 7 && slope.size() == 1 && dims.size() > 1 && slope[0] == dims[1];
    if (!byChannel && broadcastDims(dims, slope) != dims)
        return refuseShapes("its slope (" + listing(slope) + ") does not fit its input (" + listing(dims) + ")");
    return one(dims);
}

Shapes sameAsFirst(const OnnxNode &node)
{
    return one(node.shape(0).dims);
}

Shapes reduceShape(const OnnxNode &node)
{
    const Dims &dims = node.shape(0).dims;
    const auto given = node.integersFrom("axes", 1);
    if (given.given && !given.values)
        return unknown();
    std::set<std::size_t> axes;
    for (const std::int64_t axis : given.values.value_or(Dims{})) {
        const auto within = axisWithin(axis, dims.size());
        if (!within)
            return refuseShapes("its axes are out of range");
        axes.insert(*within);
    }
    if (axes.empty() && node.integer("noop_with_empty_axes", 0) == 0) {
        for (std::size_t i = 0; i < dims.size(); ++i)
            axes.insert(i);
    }
    const bool keep = node.integer("keepdims", 1) != 0;
    Dims result;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (!axes.contains(i))
            result.push_back(dims[i]);
        else if (keep)
            result.push_back(1);
    }
    return one(std::move(result));
}

Shapes argShape(const OnnxNode &node)
{
    Dims dims = node.shape(0).dims;
    const auto axis = axisWithin(node.integer("axis", 0), dims.size());
    if (!axis)
        return refuseShapes("its axis is out of range");
    if (node.integer("keepdims", 1) != 0)
        dims[*axis] = 1;
    else
        dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*axis));
    return one(std::move(dims));
}

Shapes matMulShape(const OnnxNode &node)
{
    if (!node.has(1))
        return refuseShapes("it has one operand");
    Dims a = node.shape(0).dims;
    Dims b = node.shape(1).dims;
    if (a.empty() || b.empty())
        return refuseShapes("it multiplies a scalar");
    const bool rowVector = a.size() == 1;
    const bool columnVector = b.size() == 1;
    if (rowVector)
        a.insert(a.begin(), 1);
    if (columnVector)
        b.push_back(1);
    if (a.back() != b[b.size() - 2])
        return refuseShapes("it multiplies matrices that do not fit (" + listing(a) + " and " + listing(b) + ")");
    const auto batch = broadcastDims({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
    if (!batch)
        return refuseShapes("it multiplies stacks of matrices that do not fit (" + listing(a) + " and " + listing(b) +
                            ")");
    Dims dims = *batch;
    if (!rowVector)
        dims.push_back(a[a.size() - 2]);
    if (!columnVector)
        dims.push_back(b.back());
    return one(std::move(dims));
}

Shapes gemmShape(const OnnxNode &node)
{
    if (!node.has(1) || node.shape(0).dims.size() != 2 || node.shape(1).dims.size() != 2)
        return refuseShapes("it needs two matrices");
    const bool transA = node.integer("transA", 0) != 0;
    const bool transB = node.integer("transB", 0) != 0;
    const Dims &a = node.shape(0).dims;
    const Dims &b = node.shape(1).dims;
    if (a[transA ? 0 : 1] != b[transB ? 1 : 0])
        return refuseShapes("it multiplies matrices that do not fit (" + listing(a) + " and " + listing(b) + ")");
    return one({a[transA ? 1 : 0], b[transB ? 0 : 1]});
}

// Recurrent layers: [sequence, directions, batch, hidden], and the last states; with layout 1 the batch comes first.
Shapes recurrentShape(const OnnxNode &node)
{
    const Dims &dims = node.shape(0).dims;
    const std::int64_t hidden = node.integer("hidden_size", 0);
    if (dims.size() != 3 || hidden < 1)
        return unknown(outputCount(node));
    const std::int64_t directions = node.text("direction", "forward") == "bidirectional" ? 2 : 1;
    const bool batchFirst = node.integer("layout", 0) == 1;
    std::vector<Shape> shapes{batchFirst ? Shape{{dims[0], dims[1], directions, hidden}}
                                         : Shape{{dims[0], directions, dims[1], hidden}}};
    while (shapes.size() < outputCount(node))
        shapes.push_back(batchFirst ? Shape{{dims[0], directions, hidden}} : Shape{{directions, dims[1], hidden}});
    return shapes;
}

Shapes topKShape(const OnnxNode &node)
{
    Dims dims = node.shape(0).dims;
    const auto axis = axisWithin(node.integer("axis", -1), dims.size());
    const auto count =
        node.has(1) ? (node.constant(1) ? node.constant(1)->asInts() : Dims{}) : Dims{node.integer("k", 0)};
    if (!axis)
        return refuseShapes("its axis is out of range");
    if (count.size() != 1)
        return unknown(outputCount(node));
    dims[*axis] = count.front();
    return std::vector<Shape>(outputCount(node), Shape{std::move(dims)});
}

Shapes secondInputShape(const OnnxNode &node)
{
    return node.has(1) ? one(node.shape(1).dims) : unknown();
}

Shapes normalizationShape(const OnnxNode &node)
{
    std::vector<Shape> shapes(outputCount(node), kUnknown);
    shapes.front() = node.shape(0);
    if (shapes.size() == 1)
        return shapes;
    Shape further = node.shape(0); // the mask of a Dropout
    if (node.type == "BatchNormalization" && further.dims.size() > 1) {
        further.dims = {further.dims[1]};
    } else if (node.type == "LayerNormalization") {
        const auto axis = axisWithin(node.integer("axis", -1), further.dims.size());
        if (!axis)
            return refuseShapes("its axis is out of range");
        std::fill(further.dims.begin() + static_cast<std::ptrdiff_t>(*axis), further.dims.end(), 1);
    }
    std::fill(shapes.begin() + 1, shapes.end(), further);
    return shapes;
}

Shapes dynamicQuantizeShape(const OnnxNode &node)
{
    return std::vector<Shape>{node.shape(0), Shape{}, Shape{}};
}

using ShapeRule = Shapes (*)(const OnnxNode &);

const std::unordered_map<std::string, ShapeRule> &shapeRules()
{
    static const std::unordered_map<std::string, ShapeRule> table = [] {
        std::unordered_map<std::string, ShapeRule> rule{
            {"Transpose", transposeShape},
            {"Concat", concatShape},
            {"Gather", gatherShape},
            {"Slice", sliceShape},
            {"Split", splitShape},
            {"Pad", padShape},
            {"Resize", resizeShape},
            {"Upsample", resizeShape},
            {"ArgMax", argShape},
            {"ArgMin", argShape},
            {"Expand", expandShape},
            {"Tile", tileShape},
            {"MatMul", matMulShape},
            {"Gemm", gemmShape},
            {"DepthToSpace", blockShape},
            {"SpaceToDepth", blockShape},
            {"Conv", windowShape},
            {"ConvTranspose", windowShape},
            {"MaxPool", windowShape},
            {"AveragePool", windowShape},
            {"LpPool", windowShape},
            {"GlobalAveragePool", globalPoolShape},
            {"GlobalMaxPool", globalPoolShape},
            {"GlobalLpPool", globalPoolShape},
            {"LSTM", recurrentShape},
            {"GRU", recurrentShape},
            {"RNN", recurrentShape},
            {"TopK", topKShape},
            {"Reshape", reshapeShape},
            {"Flatten", reshapeShape},
            {"Squeeze", reshapeShape},
            {"Unsqueeze", reshapeShape},
            {"GatherElements", secondInputShape},
            {"MatMulInteger", matMulShape},
            {"ConvInteger", windowShape},
            {"QLinearConv", windowShape},
            {"DynamicQuantizeLinear", dynamicQuantizeShape},
            {"PRelu", preluShape},
        };
        for (const char *type :
             {"BatchNormalization", "LayerNormalization", "InstanceNormalization", "GroupNormalization", "Dropout"})
            rule[type] = normalizationShape;
        for (const char *type : {"Add",
                                 "Sub",
                                 "Mul",
                                 "Div",
                                 "Pow",
                                 "Min",
                                 "Max",
                                 "Mean",
                                 "Sum",
                                 "Mod",
                                 "Equal",
                                 "Greater",
                                 "GreaterOrEqual",
                                 "Less",
                                 "LessOrEqual",
                                 "And",
                                 "Or",
                                 "Xor",
                                 "Where",
                                 "BitShift"})
            rule[type] = broadcastAll;
        for (const char *type : {"Relu",
                                 "LeakyRelu",
                                 "Sigmoid",
                                 "Tanh",
                                 "HardSwish",
                                 "HardSigmoid",
                                 "Elu",
                                 "Gelu",
                                 "Selu",
                                 "Celu",
                                 "Softplus",
                                 "Softsign",
                                 "Mish",
                                 "ThresholdedRelu",
                                 "Shrink",
                                 "Clip",
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
                                 "Asin",
                                 "Acos",
                                 "Atan",
                                 "Sinh",
                                 "Cosh",
                                 "Not",
                                 "IsNaN",
                                 "IsInf",
                                 "Cast",
                                 "CastLike",
                                 "Identity",
                                 "Softmax",
                                 "LogSoftmax",
                                 "Hardmax",
                                 "LRN",
                                 "LpNormalization",
                                 "MeanVarianceNormalization",
                                 "CumSum",
                                 "Trilu",
                                 "QuantizeLinear",
                                 "DequantizeLinear",
                                 "ScatterND",
                                 "ScatterElements",
                                 "ReverseSequence",
                                 "EyeLike"})
            rule[type] = sameAsFirst;
        for (const char *type : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
                                 "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"})
            rule[type] = reduceShape;
        return rule;
    }();
    return table;
}

} // namespace

std::optional<std::vector<std::int64_t>> broadcastDims(const std::vector<std::int64_t> &a,
                                                       const std::vector<std::int64_t> &b)
{
    Dims result = a.size() >= b.size() ? a : b;
    const Dims &shorter = a.size() >= b.size() ? b : a;
    const std::size_t offset = result.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        std::int64_t &dim = result[i + offset];
        if (dim == 1)
            dim = shorter[i];
        else if (shorter[i] != 1 && shorter[i] != dim)
            return std::nullopt;
    }
    return result;
}

std::set<std::string> typesWithShapes()
{
    std::set<std::string> types;
    for (const auto &[type, rule] : shapeRules())
        types.insert(type);
    return types;
}

Result<std::optional<std::vector<Shape>>> outputShapes(const OnnxNode &node)
{
    const auto rule = shapeRules().find(node.type);
    if (rule == shapeRules().end())
        return std::nullopt;
    if (!node.has(0) || !allKnown(node))
        return unknown(outputCount(node));
    auto shapes = rule->second(node);
    if (!shapes)
        return shapes;
    for (const Shape &shape : **shapes) {
        if (shape.known && !elementCount(shape.dims))
            return refuseShapes("its output shape " + toString(shape) + " is absurd");
    }
    (*shapes)->resize(outputCount(node), kUnknown);
    return shapes;
}

} // namespace stagecraft
