#include "model/onnx/shapes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <onnx/onnx_pb.h>
#include <set>

namespace stagecraft {
namespace {

using Dims = std::vector<std::int64_t>;
using Shapes = Result<std::optional<std::vector<Shape>>>;

const Shape kUnknown{{}, false};

tl::unexpected<Error> refuse(std::string message)
{
    return fail(ErrorCode::InvalidInput, std::move(message), "Export the model again with consistent shapes");
}

Shapes one(Dims dims)
{
    return std::vector<Shape>{Shape{std::move(dims)}};
}

Shapes unknown(std::size_t count = 1)
{
    return std::vector<Shape>(count, kUnknown);
}

std::size_t outputCount(const OnnxNode &node)
{
    return static_cast<std::size_t>(std::max(1, node.proto->output_size()));
}

bool allKnown(const OnnxNode &node)
{
    return std::ranges::all_of(node.inputs, [](const auto &input) { return !input || input->shape.known; });
}

std::string listing(const Dims &dims)
{
    return toString(Shape{dims});
}

Shapes broadcastAll(const OnnxNode &node)
{
    std::optional<Dims> dims = Dims{};
    for (const auto &input : node.inputs) {
        if (!input)
            continue;
        const auto next = broadcastDims(*dims, input->shape.dims);
        if (!next)
            return refuse("its operands have shapes that do not fit (" + listing(*dims) + " and " +
                          listing(input->shape.dims) + ")");
        dims = next;
    }
    return one(*dims);
}

Shapes sameAsFirst(const OnnxNode &node)
{
    return one(node.shape(0).dims);
}

Shapes transposeShape(const OnnxNode &node)
{
    const Dims &dims = node.shape(0).dims;
    Dims order = node.integers("perm");
    if (order.empty()) {
        for (std::size_t i = dims.size(); i-- > 0;)
            order.push_back(static_cast<std::int64_t>(i));
    }
    Dims sorted = order;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (sorted[i] != static_cast<std::int64_t>(i))
            return refuse("its perm is not an order of the dimensions");
    }
    if (order.size() != dims.size())
        return refuse("its perm has " + std::to_string(order.size()) + " entries for the " +
                      std::to_string(dims.size()) + " dimensions of its input");
    Dims result;
    for (const std::int64_t axis : order)
        result.push_back(dims[static_cast<std::size_t>(axis)]);
    return one(std::move(result));
}

Shapes concatShape(const OnnxNode &node)
{
    Dims dims = node.shape(0).dims;
    const auto axis = axisWithin(node.integer("axis", node.opset < 4 ? 1 : 0), dims.size());
    if (!axis)
        return refuse("its axis is out of range");
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
        if (!node.has(i))
            continue;
        Dims others = node.shape(i).dims;
        bool fits = others.size() == dims.size();
        for (std::size_t k = 0; fits && k < dims.size(); ++k)
            fits = k == *axis || others[k] == dims[k];
        if (!fits)
            return refuse("it joins tensors whose shapes do not fit (" + listing(dims) + " and " + listing(others) +
                          ")");
        dims[*axis] += others[*axis];
    }
    return one(std::move(dims));
}

Shapes gatherShape(const OnnxNode &node)
{
    if (!node.has(1))
        return refuse("it has no indices");
    const Dims &data = node.shape(0).dims;
    const Dims &where = node.shape(1).dims;
    const auto axis = axisWithin(node.integer("axis", 0), data.size());
    if (!axis)
        return refuse("its axis is out of range");
    const auto place = data.begin() + static_cast<std::ptrdiff_t>(*axis);
    Dims dims(data.begin(), place);
    dims.insert(dims.end(), where.begin(), where.end());
    dims.insert(dims.end(), place + 1, data.end());
    return one(std::move(dims));
}

Shapes sliceShape(const OnnxNode &node)
{
    const auto ranges = sliceRanges(node, node.shape(0).dims);
    if (!ranges)
        return unknown();
    Dims dims;
    for (const SliceRange &range : *ranges)
        dims.push_back(range.count);
    return one(std::move(dims));
}

Shapes splitShape(const OnnxNode &node)
{
    const Dims &dims = node.shape(0).dims;
    const auto axis = axisWithin(node.integer("axis", 0), dims.size());
    if (!axis)
        return refuse("its axis is out of range");
    const auto given = node.integersFrom("split", 1);
    if (given.given && !given.values)
        return unknown(outputCount(node));
    Dims lengths = given.values.value_or(Dims{});
    const auto outputs = static_cast<std::int64_t>(outputCount(node));
    if (!given.given) {
        const std::int64_t size = (dims[*axis] + outputs - 1) / outputs;
        for (std::int64_t i = 0; i < outputs; ++i)
            lengths.push_back(std::min(size, dims[*axis] - i * size));
    }
    std::int64_t total = 0;
    bool fits = lengths.size() == outputCount(node);
    for (const std::int64_t length : lengths) {
        fits = fits && length >= 0 && length <= dims[*axis];
        total += fits ? length : 0;
    }
    if (!fits || total != dims[*axis])
        return refuse("it does not split the " + std::to_string(dims[*axis]) + " entries of its axis into its " +
                      std::to_string(outputs) + " outputs");
    std::vector<Shape> shapes;
    for (const std::int64_t length : lengths) {
        Dims part = dims;
        part[*axis] = length;
        shapes.push_back(Shape{std::move(part)});
    }
    return shapes;
}

Shapes padShape(const OnnxNode &node)
{
    Dims dims = node.shape(0).dims;
    auto pads = node.integersFrom("pads", 1);
    if (!pads.given && node.attribute("paddings"))
        pads = {true, node.integers("paddings")};
    if (!pads.values)
        return unknown();
    Dims axes;
    if (node.has(3)) {
        if (!node.constant(3))
            return unknown();
        axes = node.constant(3)->asInts();
    } else {
        for (std::size_t i = 0; i < dims.size(); ++i)
            axes.push_back(static_cast<std::int64_t>(i));
    }
    if (pads.values->size() != 2 * axes.size())
        return refuse("it has " + std::to_string(pads.values->size()) + " pads for " + std::to_string(axes.size()) +
                      " dimensions");
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = axisWithin(axes[i], dims.size());
        const std::int64_t before = (*pads.values)[i];
        const std::int64_t after = (*pads.values)[i + axes.size()];
        constexpr std::int64_t kLimit = std::int64_t{1} << 32;
        if (!axis || std::abs(before) > kLimit || std::abs(after) > kLimit)
            return refuse("its pads are absurd");
        dims[*axis] += before + after;
    }
    return one(std::move(dims));
}

// Scales or sizes are inputs of Resize (behind the region of interest from opset 11 on) and of Upsample, attributes
// before.
Shapes resizeShape(const OnnxNode &node)
{
    const Dims &dims = node.shape(0).dims;
    const bool late = node.type == "Resize" && node.opset >= 11;
    const auto usable = [&](std::size_t i) { return node.has(i) && node.shape(i).elements() > 0; };
    const std::size_t scalesAt = late ? 2 : 1;
    Dims axes = node.integers("axes");
    if (axes.empty()) {
        for (std::size_t i = 0; i < dims.size(); ++i)
            axes.push_back(static_cast<std::int64_t>(i));
    }
    std::vector<float> scales;
    if (late && usable(3)) {
        if (!node.constant(3))
            return unknown();
        const Dims sizes = node.constant(3)->asInts();
        if (sizes.size() != axes.size())
            return refuse("its sizes do not fit its input");
        Dims result = dims;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const auto axis = axisWithin(axes[i], dims.size());
            if (!axis)
                return refuse("its axes are out of range");
            result[*axis] = sizes[i];
        }
        return one(std::move(result));
    }
    if (const auto *attribute = node.attribute("scales"))
        scales.assign(attribute->floats().begin(), attribute->floats().end());
    else if (usable(scalesAt) && node.constant(scalesAt))
        scales = *node.constant(scalesAt)->asFloats();
    else
        return unknown();
    if (scales.size() != axes.size())
        return refuse("it has " + std::to_string(scales.size()) + " scales for " + std::to_string(axes.size()) +
                      " dimensions");
    Dims result = dims;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto axis = axisWithin(axes[i], dims.size());
        if (!axis || !(scales[i] > 0) || scales[i] > 1e6F)
            return refuse("its scales are absurd");
        result[*axis] = static_cast<std::int64_t>(
            std::floor(static_cast<double>(dims[*axis]) * static_cast<double>(scales[i]) + 1e-6));
    }
    return one(std::move(result));
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
            return refuse("its axes are out of range");
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
        return refuse("its axis is out of range");
    if (node.integer("keepdims", 1) != 0)
        dims[*axis] = 1;
    else
        dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*axis));
    return one(std::move(dims));
}

Shapes expandShape(const OnnxNode &node)
{
    if (!node.constant(1))
        return unknown();
    const auto dims = broadcastDims(node.shape(0).dims, node.constant(1)->asInts());
    return dims ? one(*dims) : refuse("its input does not expand to the shape asked for");
}

Shapes tileShape(const OnnxNode &node)
{
    if (!node.constant(1))
        return unknown();
    Dims dims = node.shape(0).dims;
    const Dims repeats = node.constant(1)->asInts();
    if (repeats.size() != dims.size())
        return refuse("its repeats do not fit its input");
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (repeats[i] < 0 || repeats[i] > (std::int64_t{1} << 24))
            return refuse("its repeats are absurd");
        dims[i] *= repeats[i];
        if (dims[i] > (std::int64_t{1} << 36))
            return refuse("its output is absurdly large");
    }
    return one(std::move(dims));
}

Shapes matMulShape(const OnnxNode &node)
{
    if (!node.has(1))
        return refuse("it has one operand");
    Dims a = node.shape(0).dims;
    Dims b = node.shape(1).dims;
    if (a.empty() || b.empty())
        return refuse("it multiplies a scalar");
    const bool rowVector = a.size() == 1;
    const bool columnVector = b.size() == 1;
    if (rowVector)
        a.insert(a.begin(), 1);
    if (columnVector)
        b.push_back(1);
    if (a.back() != b[b.size() - 2])
        return refuse("it multiplies matrices that do not fit (" + listing(a) + " and " + listing(b) + ")");
    const auto batch = broadcastDims({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
    if (!batch)
        return refuse("it multiplies stacks of matrices that do not fit (" + listing(a) + " and " + listing(b) + ")");
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
        return refuse("it needs two matrices");
    const bool transA = node.integer("transA", 0) != 0;
    const bool transB = node.integer("transB", 0) != 0;
    const Dims &a = node.shape(0).dims;
    const Dims &b = node.shape(1).dims;
    if (a[transA ? 0 : 1] != b[transB ? 1 : 0])
        return refuse("it multiplies matrices that do not fit (" + listing(a) + " and " + listing(b) + ")");
    return one({a[transA ? 1 : 0], b[transB ? 0 : 1]});
}

Shapes blockShape(const OnnxNode &node)
{
    const Dims &dims = node.shape(0).dims;
    const std::int64_t block = node.integer("blocksize", 0);
    if (dims.size() != 4 || block < 1 || block > 1024)
        return refuse("it needs an image and a block size of at least 1");
    const std::int64_t area = block * block;
    if (node.type == "DepthToSpace") {
        if (dims[1] % area != 0)
            return refuse("its channels do not fall into blocks");
        return one({dims[0], dims[1] / area, dims[2] * block, dims[3] * block});
    }
    if (dims[2] % block != 0 || dims[3] % block != 0)
        return refuse("its image does not fall into blocks");
    return one({dims[0], dims[1] * area, dims[2] / block, dims[3] / block});
}

// Convolutions and pools over any number of spatial dimensions.
Shapes windowShape(const OnnxNode &node)
{
    const Dims &dims = node.shape(0).dims;
    if (dims.size() < 3)
        return refuse("it needs an input with batch, channels and space, and gets " + listing(dims));
    Dims kernel = node.integers("kernel_shape");
    std::int64_t channels = dims[1];
    const bool transposed = node.type == "ConvTranspose";
    const bool quantized = node.type == "QLinearConv"; // x, its scale and zero point, then the weight
    if (node.type == "Conv" || node.type == "ConvInteger" || quantized || transposed) {
        const std::size_t place = quantized ? 3 : 1;
        if (!node.has(place) || node.shape(place).dims.size() != dims.size())
            return refuse("its weights do not fit its input " + listing(dims));
        const Dims &weight = node.shape(place).dims;
        kernel.assign(weight.begin() + 2, weight.end());
        const std::int64_t groups = std::max<std::int64_t>(1, node.integer("group", 1));
        if ((transposed ? weight[0] : weight[1] * groups) != channels)
            return refuse("its weights are for " + std::to_string(transposed ? weight[0] : weight[1] * groups) +
                          " input channels, but its input has " + std::to_string(channels));
        channels = transposed ? weight[1] * groups : weight[0];
    }
    const auto window = spatialWindow(node, kernel, dims);
    if (!window)
        return tl::unexpected(window.error());
    Dims result{dims[0], channels};
    const bool ceilMode = node.integer("ceil_mode", 0) != 0;
    const Dims outputPadding = node.integers("output_padding");
    const Dims outputShape = node.integers("output_shape");
    for (std::size_t i = 0; i + 2 < dims.size(); ++i) {
        const std::int64_t size = dims[i + 2];
        const std::int64_t reach = window->dilation[i] * (window->kernel[i] - 1) + 1;
        const std::int64_t pads = window->padding[i] + window->padding[i + dims.size() - 2];
        if (transposed) {
            const std::int64_t more = i < outputPadding.size() ? outputPadding[i] : 0;
            const bool given = outputShape.size() + 2 == dims.size();
            const bool same = node.text("auto_pad", "NOTSET").starts_with("SAME");
            const std::int64_t computed = (size - 1) * window->stride[i] + reach + more - pads;
            result.push_back(given ? outputShape[i] : same ? size * window->stride[i] : computed);
            continue;
        }
        if (reach > size + pads)
            return refuse("its window of " + std::to_string(reach) + " is larger than the padded input of " +
                          std::to_string(size + pads));
        std::int64_t output = (size + pads - reach) / window->stride[i] + 1;
        if (ceilMode && (size + pads - reach) % window->stride[i] != 0 &&
            output * window->stride[i] < size + window->padding[i])
            ++output;
        result.push_back(output);
    }
    return std::vector<Shape>(outputCount(node), Shape{std::move(result)});
}

Shapes globalPoolShape(const OnnxNode &node)
{
    Dims dims = node.shape(0).dims;
    if (dims.size() < 2)
        return refuse("it needs an input with batch and channels");
    std::fill(dims.begin() + 2, dims.end(), 1);
    return one(std::move(dims));
}

// Recurrent layers: [sequence, directions, batch, hidden], and the last states.
Shapes recurrentShape(const OnnxNode &node)
{
    const Dims &dims = node.shape(0).dims;
    const std::int64_t hidden = node.integer("hidden_size", 0);
    if (dims.size() != 3 || hidden < 1)
        return unknown(outputCount(node));
    const std::int64_t directions = node.text("direction", "forward") == "bidirectional" ? 2 : 1;
    std::vector<Shape> shapes{Shape{{dims[0], directions, dims[1], hidden}}};
    while (shapes.size() < outputCount(node))
        shapes.push_back(Shape{{directions, dims[1], hidden}});
    return shapes;
}

Shapes topKShape(const OnnxNode &node)
{
    Dims dims = node.shape(0).dims;
    const auto axis = axisWithin(node.integer("axis", -1), dims.size());
    const auto count =
        node.has(1) ? (node.constant(1) ? node.constant(1)->asInts() : Dims{}) : Dims{node.integer("k", 0)};
    if (!axis)
        return refuse("its axis is out of range");
    if (count.size() != 1)
        return unknown(outputCount(node));
    dims[*axis] = count.front();
    return std::vector<Shape>(outputCount(node), Shape{std::move(dims)});
}

Shapes reshapeShape(const OnnxNode &node)
{
    auto dims = reshapedDims(node, node.shape(0).dims);
    if (!dims)
        return tl::unexpected(std::move(dims.error()));
    return *dims ? one(std::move(**dims)) : unknown();
}

Shapes secondInputShape(const OnnxNode &node)
{
    return node.has(1) ? one(node.shape(1).dims) : unknown();
}

Shapes normalizationShape(const OnnxNode &node)
{
    std::vector<Shape> shapes(outputCount(node), kUnknown);
    shapes.front() = node.shape(0);
    return shapes;
}

Shapes dynamicQuantizeShape(const OnnxNode &node)
{
    return std::vector<Shape>{node.shape(0), Shape{}, Shape{}};
}

using Rule = Shapes (*)(const OnnxNode &);

const std::map<std::string, Rule> &rules()
{
    static const std::map<std::string, Rule> table = [] {
        std::map<std::string, Rule> rule{
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
        for (const char *type : {"PRelu",
                                 "Relu",
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

std::optional<std::vector<SliceRange>> sliceRanges(const OnnxNode &node, const std::vector<std::int64_t> &dims)
{
    const auto starts = node.integersFrom("starts", 1);
    const auto ends = node.integersFrom("ends", 2);
    if (!starts.values || !ends.values || starts.values->size() != ends.values->size())
        return std::nullopt;
    const std::size_t count = starts.values->size();
    const auto givenAxes = node.integersFrom("axes", 3);
    const auto givenSteps = node.integersFrom("steps", 4);
    if ((givenAxes.given && !givenAxes.values) || (givenSteps.given && !givenSteps.values))
        return std::nullopt;
    Dims axes = givenAxes.values.value_or(Dims{});
    Dims steps = givenSteps.values.value_or(Dims{});
    for (std::size_t i = axes.size(); i < count; ++i)
        axes.push_back(static_cast<std::int64_t>(i));
    steps.resize(std::max(steps.size(), count), 1);
    std::vector<SliceRange> ranges;
    for (const std::int64_t dim : dims)
        ranges.push_back({0, 1, dim});
    for (std::size_t i = 0; i < count; ++i) {
        const auto axis = axisWithin(axes[i], dims.size());
        const std::int64_t step = steps[i];
        if (!axis || step == 0 || step == std::numeric_limits<std::int64_t>::min())
            return std::nullopt;
        const std::int64_t size = dims[*axis];
        const auto clamped = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
            return std::clamp(at < 0 ? at + size : at, low, high);
        };
        SliceRange &range = ranges[*axis];
        range.step = step;
        if (step > 0) {
            range.start = clamped((*starts.values)[i], 0, size);
            const std::int64_t end = clamped((*ends.values)[i], 0, size);
            range.count = end > range.start ? (end - range.start - 1) / step + 1 : 0;
        } else {
            range.start = clamped((*starts.values)[i], -1, size - 1);
            const std::int64_t end = clamped((*ends.values)[i], -1, size - 1);
            range.count = range.start > end ? (range.start - end - 1) / -step + 1 : 0;
        }
    }
    return ranges;
}

Result<std::optional<std::vector<std::int64_t>>> reshapedDims(const OnnxNode &node,
                                                              const std::vector<std::int64_t> &dims)
{
    const auto count = elementCount(dims);
    if (!count)
        return refuse("its input shape is absurd");
    if (node.type == "Flatten") {
        const std::int64_t axis = node.integer("axis", 1);
        const auto rank = static_cast<std::int64_t>(dims.size());
        if (axis < -rank || axis > rank)
            return refuse("its axis is out of range");
        Dims result{1, 1};
        for (std::int64_t i = 0; i < rank; ++i)
            result[i < (axis < 0 ? axis + rank : axis) ? 0 : 1] *= dims[static_cast<std::size_t>(i)];
        return result;
    }
    const bool squeezes = node.type == "Squeeze";
    if (squeezes || node.type == "Unsqueeze") {
        const auto axes = node.integersFrom("axes", 1);
        if (axes.given ? !axes.values : !squeezes)
            return std::nullopt;
        const std::size_t rank = squeezes ? dims.size() : dims.size() + axes.values->size();
        std::set<std::size_t> chosen;
        for (const std::int64_t axis : axes.values.value_or(Dims{})) {
            const auto within = axisWithin(axis, rank);
            if (!within || !chosen.insert(*within).second || (squeezes && dims[*within] != 1))
                return refuse("its axes do not fit its input " + listing(dims));
        }
        Dims result;
        std::size_t next = 0;
        for (std::size_t i = 0; i < rank; ++i) {
            if (squeezes) {
                if (axes.given ? !chosen.contains(i) : dims[i] != 1)
                    result.push_back(dims[i]);
            } else {
                result.push_back(chosen.contains(i) ? 1 : dims[next++]);
            }
        }
        return result;
    }
    const auto target = node.integersFrom("shape", 1);
    if (!target.values)
        return std::nullopt;
    Dims result = *target.values;
    const bool keepsZeros = node.integer("allowzero", 0) != 0;
    std::optional<std::size_t> open;
    std::int64_t product = 1;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (result[i] == 0 && !keepsZeros) {
            if (i >= dims.size())
                return refuse("it keeps a dimension that its input " + listing(dims) + " does not have");
            result[i] = dims[i];
        }
        if (result[i] == -1 && !open) {
            open = i;
            continue;
        }
        if (result[i] < 0 || result[i] > (std::int64_t{1} << 36))
            return refuse("its target shape has the size " + std::to_string(result[i]));
        if (result[i] > 0 && product > (std::int64_t{1} << 36) / result[i])
            return refuse("its target shape is absurdly large");
        product *= result[i];
    }
    if (open && product > 0 && *count % product == 0)
        result[*open] = *count / product;
    else if (open || product != *count)
        return refuse("it turns " + listing(dims) + " into " + listing(*target.values) +
                      ", which has another number of values");
    return result;
}

Result<SpatialWindow> spatialWindow(const OnnxNode &node, const std::vector<std::int64_t> &kernel,
                                    const std::vector<std::int64_t> &inputDims)
{
    const std::size_t rank = inputDims.size() - 2;
    SpatialWindow window{kernel, node.integers("strides"), node.integers("dilations"), node.integers("pads")};
    if (window.stride.empty())
        window.stride.assign(rank, 1);
    if (window.dilation.empty())
        window.dilation.assign(rank, 1);
    if (window.padding.empty())
        window.padding.assign(2 * rank, 0);
    if (kernel.size() != rank || window.stride.size() != rank || window.dilation.size() != rank ||
        window.padding.size() != 2 * rank)
        return refuse("its kernel, strides, dilations or pads are not for " + std::to_string(rank) +
                      " spatial dimensions");
    constexpr std::int64_t kLimit = std::int64_t{1} << 20;
    for (const auto *list : {&window.kernel, &window.stride, &window.dilation}) {
        if (std::ranges::any_of(*list, [](std::int64_t value) { return value < 1 || value > kLimit; }))
            return refuse("its kernel, strides and dilations must be at least 1");
    }
    if (std::ranges::any_of(window.padding, [](std::int64_t value) { return value < 0 || value > kLimit; }))
        return refuse("its pads are negative or absurd");
    const std::string automatic = node.text("auto_pad", "NOTSET");
    if (automatic == "VALID")
        window.padding.assign(2 * rank, 0);
    const std::vector<std::int64_t> target = node.integers("output_shape");
    if (node.type == "ConvTranspose" && target.size() == rank) {
        for (std::size_t i = 0; i < rank; ++i) {
            const std::int64_t reach = window.dilation[i] * (window.kernel[i] - 1) + 1;
            const std::int64_t total = (inputDims[i + 2] - 1) * window.stride[i] + reach - target[i];
            if (total < 0 || target[i] < 1)
                return refuse("its output_shape cannot be reached");
            const std::int64_t less = total / 2;
            window.padding[i] = automatic == "SAME_UPPER" ? less : total - less;
            window.padding[i + rank] = total - window.padding[i];
        }
        return window;
    }
    if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER")
        return window;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t size = inputDims[i + 2];
        const std::int64_t reach = window.dilation[i] * (window.kernel[i] - 1) + 1;
        const std::int64_t outputs = (size + window.stride[i] - 1) / window.stride[i];
        const std::int64_t total = node.type == "ConvTranspose"
                                       ? std::max<std::int64_t>(0, reach - window.stride[i])
                                       : std::max<std::int64_t>(0, (outputs - 1) * window.stride[i] + reach - size);
        const std::int64_t less = total / 2;
        window.padding[i] = automatic == "SAME_UPPER" ? less : total - less;
        window.padding[i + rank] = total - window.padding[i];
    }
    return window;
}

Result<std::optional<std::vector<Shape>>> outputShapes(const OnnxNode &node)
{
    const auto rule = rules().find(node.type);
    if (rule == rules().end())
        return std::nullopt;
    if (!node.has(0) || !allKnown(node))
        return unknown(outputCount(node));
    auto shapes = rule->second(node);
    if (!shapes)
        return shapes;
    for (const Shape &shape : **shapes) {
        if (shape.known && !elementCount(shape.dims))
            return refuse("its output shape " + toString(shape) + " is absurd");
    }
    (*shapes)->resize(outputCount(node), kUnknown);
    return shapes;
}

} // namespace stagecraft
