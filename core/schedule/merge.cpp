#include "schedule/merge.h"

#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <algorithm>

namespace stagecraft {

namespace {

tl::unexpected<Error> refuse(const Operator &op, std::string reason)
{
    return within("operator " + op.name, fail(ErrorCode::InvalidInput, std::move(reason)).value());
}

bool isProduct(const Operator &op)
{
    return op.gemm() != nullptr;
}

Result<void> checkConvolution(const Operator &op, const ConvAttributes &conv)
{
    if (conv.before.kind != ActivationKind::None)
        return refuse(op, "a unit that starts with an activation is not a plain convolution and is not merged");
    return {};
}

Result<void> checkProduct(const Operator &op, const GemmAttributes &gemm)
{
    const Parameter *weight = op.parameter(role::kWeight);
    if (weight == nullptr)
        return refuse(op, "a product of two tensors cannot be merged: it has no weight");
    const Parameter *bias = op.parameter(role::kBias);
    if (bias && bias->shape.elements() != gemm.outFeatures)
        return refuse(op, "its bias does not have one value a column");
    return {};
}

Result<void> checkAlone(const Operator &op)
{
    if (op.conv() == nullptr && !isProduct(op))
        return refuse(op, "only convolutions and matrix products with weights can be merged");
    if (op.parameter(role::kSlope))
        return refuse(op, "an activation with slopes of its own cannot be merged");
    TRY(isProduct(op) ? checkProduct(op, *op.gemm()) : checkConvolution(op, *op.conv()));
    if (op.inputs.size() != 1 || op.inputs.front().size() != 1)
        return refuse(op, "only operators that read a single tensor can be merged");
    return {};
}

Result<void> checkProducts(const Operator &first, const Operator &other)
{
    if (first.gemm()->after != other.gemm()->after)
        return refuse(other, "has another activation than " + first.name);
    if (first.gemm()->transposeB != other.gemm()->transposeB)
        return refuse(other, "does not store its weight as " + first.name + " does: one of them is transposed");
    return {};
}

Result<void> checkKind(const Operator &first, const Operator &other)
{
    if (isProduct(first) != isProduct(other))
        return refuse(other, "is of another kind than " + first.name);
    return {};
}

// Both read the same tensor.
Result<void> checkPair(const Graph &graph, OperatorId firstId, OperatorId otherId)
{
    const Operator &first = graph.op(firstId);
    const Operator &other = graph.op(otherId);
    if (isProduct(first))
        return checkProducts(first, other);
    const ConvAttributes &a = *first.conv();
    const ConvAttributes &b = *other.conv();
    if (a.groups != 1 || b.groups != 1)
        return refuse(other, "grouped convolutions that read the same input cannot be merged");
    if (a.window.stride != b.window.stride)
        return refuse(other, "has another stride than " + first.name);
    if (a.window.dilation != b.window.dilation)
        return refuse(other, "has another dilation than " + first.name);
    if (a.after != b.after)
        return refuse(other, "has another activation than " + first.name);
    const Shape &shapeA = graph.outputShape(firstId);
    const Shape &shapeB = graph.outputShape(otherId);
    if (shapeA.height() != shapeB.height() || shapeA.width() != shapeB.width())
        return refuse(other, "has another output resolution than " + first.name);
    return {};
}

// Each of `operators` reads a tensor of its own.
Result<void> checkOwnInputs(const Graph &graph, std::span<const OperatorId> operators)
{
    const Operator &first = graph.op(operators.front());
    const Tensor &read = graph.tensor(first.inputs.front().front());
    if (!read.shape.known || read.shape.atMost)
        return refuse(first, "reads a tensor whose size is not known, and not what the others read");
    if (isProduct(first) && read.shape.dims.size() < 2)
        return refuse(first, "multiplies a vector that is not what the others multiply");
    for (std::size_t i = 1; i < operators.size(); ++i) {
        const Operator &other = graph.op(operators[i]);
        const Tensor &own = graph.tensor(other.inputs.front().front());
        if (own.shape != read.shape || own.type != read.type || other.attributes != first.attributes)
            return refuse(other, "reads another input than " + first.name +
                                     ", and operators with inputs of their own are merged only if all have the same "
                                     "sizes, attributes and activation");
        for (const OperatorId before : operators.first(i)) {
            if (graph.op(before).inputs == other.inputs)
                return refuse(other, "reads the same input as " + graph.op(before).name + ", but another than " +
                                         first.name + ": all of a merge read the same, or each its own");
        }
    }
    return {};
}

// The padding of the convolution after its kernel has grown to `kernel` around its centre.
Result<std::array<std::int64_t, 4>> paddingWithin(const Operator &op, const std::array<std::int64_t, 2> &kernel)
{
    const Window &window = op.conv()->window;
    std::array<std::int64_t, 4> padding = window.padding;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::int64_t growth = kernel[axis] - window.kernel[axis];
        if (growth % 2 != 0)
            return refuse(op, "its kernel cannot be centred in the largest one: their sizes differ by an odd number");
        padding[axis] += growth / 2 * window.dilation[axis];
        padding[axis + 2] += growth / 2 * window.dilation[axis];
    }
    return padding;
}

// The window of convolutions as one.
Result<Window> mergedWindow(const Graph &graph, std::span<const OperatorId> operators)
{
    Window merged = graph.op(operators.front()).conv()->window;
    for (const OperatorId id : operators) {
        for (std::size_t axis = 0; axis < 2; ++axis)
            merged.kernel[axis] = std::max(merged.kernel[axis], graph.op(id).conv()->window.kernel[axis]);
    }
    TRY_AS(merged.padding, paddingWithin(graph.op(operators.front()), merged.kernel));
    for (const OperatorId id : operators.subspan(1)) {
        TRY_AS(const auto other, paddingWithin(graph.op(id), merged.kernel));
        if (other != merged.padding)
            return refuse(graph.op(id),
                          "its kernel cannot be centred in the largest one: its padding does not grow with it");
    }
    return merged;
}

std::int64_t channelsOfGroup(const Graph &graph, OperatorId convolution)
{
    return graph.inputShape(convolution).channels() / graph.op(convolution).conv()->groups;
}

// The kernel of each filter, centred in the merged one.
void stackFilters(const Graph &graph, std::span<const OperatorId> operators, const std::array<std::int64_t, 2> &kernel,
                  std::vector<float> &values)
{
    const std::int64_t in = channelsOfGroup(graph, operators.front());
    auto to = values.begin();
    for (const OperatorId id : operators) {
        const Operator &op = graph.op(id);
        const auto own = parameterValues(*op.parameter(role::kWeight));
        const auto &small = op.conv()->window.kernel;
        const std::int64_t top = (kernel[0] - small[0]) / 2;
        const std::int64_t left = (kernel[1] - small[1]) / 2;
        auto from = own->begin();
        for (std::int64_t filter = 0; filter < op.conv()->outChannels * in; ++filter, to += kernel[0] * kernel[1]) {
            for (std::int64_t row = 0; row < small[0]; ++row, from += small[1])
                std::copy_n(from, small[1], to + (top + row) * kernel[1] + left);
        }
    }
}

// The columns of each product, which are rows of a transposed weight.
void stackColumns(const Graph &graph, std::span<const OperatorId> operators, const GemmAttributes &merged,
                  std::vector<float> &values)
{
    const std::int64_t rows = merged.transposeB ? 1 : merged.inFeatures;
    const std::int64_t pitch = std::ssize(values) / rows;
    std::int64_t column = 0;
    for (const OperatorId id : operators) {
        const auto own = parameterValues(*graph.op(id).parameter(role::kWeight));
        const std::int64_t columns = std::ssize(*own) / rows;
        for (std::int64_t row = 0; row < rows; ++row)
            std::copy_n(own->begin() + row * columns, columns, values.begin() + row * pitch + column);
        column += columns;
    }
}

Shape weightShape(const Graph &graph, std::span<const OperatorId> operators, const Operator &merged)
{
    if (const GemmAttributes *gemm = merged.gemm())
        return gemm->transposeB ? Shape{{gemm->outFeatures, gemm->inFeatures}}
                                : Shape{{gemm->inFeatures, gemm->outFeatures}};
    const auto &kernel = merged.conv()->window.kernel;
    return Shape{{merged.conv()->outChannels, channelsOfGroup(graph, operators.front()), kernel[0], kernel[1]}};
}

} // namespace

bool readTheSame(const Graph &graph, std::span<const OperatorId> operators)
{
    return std::ranges::all_of(
        operators, [&](OperatorId id) { return graph.op(id).inputs == graph.op(operators.front()).inputs; });
}

Result<Operator> mergedOperator(const Graph &graph, std::span<const OperatorId> operators)
{
    if (operators.size() < 2)
        return fail(ErrorCode::InvalidInput, "a merge needs at least two operators");

    const bool sameInput = readTheSame(graph, operators);
    std::int64_t extent = 0;
    std::string name;
    for (const OperatorId id : operators) {
        const Operator &op = graph.op(id);
        TRY(checkAlone(op));
        TRY(checkKind(graph.op(operators.front()), op));
        if (sameInput)
            TRY(checkPair(graph, operators.front(), id));
        extent += mergeExtent(op);
        name += (name.empty() ? "" : "+") + op.name;
    }

    if (!sameInput)
        TRY(checkOwnInputs(graph, operators));

    Operator merged = graph.op(operators.front());
    if (!sameInput) {
        merged.inputs.clear();
        for (const OperatorId id : operators)
            merged.inputs.push_back(graph.op(id).inputs.front());
    }
    if (auto *gemm = std::get_if<GemmAttributes>(&merged.attributes)) {
        gemm->outFeatures = extent;
    } else {
        ConvAttributes &conv = *merged.conv();
        if (sameInput) {
            TRY_AS(conv.window, mergedWindow(graph, operators));
        } else {
            conv.groups *= std::ssize(operators);
        }
        conv.outChannels = extent;
    }
    merged.name = std::move(name);
    merged.outputs.clear();
    merged.parameters.clear();
    return merged;
}

std::size_t mergeAxis(const Graph &graph, OperatorId op)
{
    return isProduct(graph.op(op)) ? graph.outputShape(op).dims.size() - 1 : 1;
}

std::int64_t mergeExtent(const Operator &op)
{
    return isProduct(op) ? op.gemm()->outFeatures : op.conv()->outChannels;
}

Shape mergedInputShape(const Graph &graph, const Operator &merged)
{
    Shape shape = graph.tensor(merged.inputs.front().front()).shape;
    (merged.gemm() ? shape.dims.back() : shape.dims[1]) *= std::ssize(merged.inputs);
    return shape;
}

Shape mergedShape(const Graph &graph, std::span<const OperatorId> operators)
{
    Shape shape = graph.outputShape(operators.front());
    std::int64_t &extent = shape.dims[mergeAxis(graph, operators.front())];
    extent = 0;
    for (const OperatorId id : operators)
        extent += mergeExtent(graph.op(id));
    return shape;
}

std::shared_ptr<const std::vector<float>> mergedWeights(const Graph &graph, std::span<const OperatorId> operators,
                                                        const Operator &merged)
{
    auto values = std::make_shared<std::vector<float>>(
        static_cast<std::size_t>(weightShape(graph, operators, merged).elements()));
    if (const GemmAttributes *gemm = merged.gemm())
        stackColumns(graph, operators, *gemm, *values);
    else
        stackFilters(graph, operators, merged.conv()->window.kernel, *values);
    return values;
}

std::shared_ptr<const std::vector<float>> mergedBias(const Graph &graph, std::span<const OperatorId> operators)
{
    auto values = std::make_shared<std::vector<float>>();
    for (const OperatorId id : operators) {
        const Operator &op = graph.op(id);
        if (const Parameter *bias = op.parameter(role::kBias)) {
            const auto own = parameterValues(*bias);
            values->insert(values->end(), own->begin(), own->end());
        } else {
            values->resize(values->size() + static_cast<std::size_t>(mergeExtent(op)));
        }
    }
    return values;
}

Operator mergedWithConstants(const Graph &graph, std::span<const OperatorId> operators)
{
    Operator merged = *mergedOperator(graph, operators);
    const DataType type = graph.op(operators.front()).parameter(role::kWeight)->type;
    merged.parameters.push_back({std::string(role::kWeight), merged.name + ".weight",
                                 weightShape(graph, operators, merged), type,
                                 shared(*mergedWeights(graph, operators, merged))});
    if (std::ranges::any_of(operators, [&](OperatorId id) { return graph.op(id).parameter(role::kBias); }))
        merged.parameters.push_back({std::string(role::kBias), merged.name + ".bias", Shape{{mergeExtent(merged)}},
                                     type, shared(*mergedBias(graph, operators))});
    return merged;
}

} // namespace stagecraft
