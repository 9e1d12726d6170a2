// y = scale * x + shift per output channel folds into the weights and the bias of the convolution or matrix product
// before it. Batch norms are of this form, and so is arithmetic with constants that have one value per channel.

#include "model/rewrite/graph_edit.h"
#include "model/rewrite/passes.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <algorithm>
#include <optional>

namespace stagecraft {
namespace {

struct ScaleShift {
    std::vector<float> scale;
    std::vector<float> shift;
};

// The output channels of a tensor: its columns, if it is a product.
struct Channels {
    std::size_t rank = 0; // of the tensor
    std::size_t axis = 0;
    std::int64_t count = 0;
};

// A constant as one value per channel.
std::optional<std::vector<float>> perChannel(const Parameter &parameter, const Channels &channels)
{
    const auto values = parameterValues(parameter);
    const std::size_t rank = channels.rank;
    const std::size_t count = static_cast<std::size_t>(channels.count);
    if (values->size() == 1 && parameter.shape.dims.size() <= rank)
        return std::vector<float>(count, values->front());
    std::vector<std::int64_t> dims = parameter.shape.dims;
    if (values->size() != count || dims.size() > rank)
        return std::nullopt;
    dims.insert(dims.begin(), rank - dims.size(), 1);
    return dims[channels.axis] == channels.count ? std::optional(*values) : std::nullopt;
}

std::optional<ScaleShift> scaleShift(const Operator &op, const Channels &channels)
{
    const std::size_t count = static_cast<std::size_t>(channels.count);
    if (op.kind == OperatorKind::BatchNorm) {
        if (channels.axis != 1) // a stack of products has its columns last
            return std::nullopt;
        const Parameter *scale = op.parameter(role::kScale);
        const Parameter *bias = op.parameter(role::kBias);
        if (!scale || !bias || scale->shape.elements() != channels.count || bias->shape.elements() != channels.count)
            return std::nullopt;
        return ScaleShift{*parameterValues(*scale), *parameterValues(*bias)};
    }
    if (op.kind != OperatorKind::Elementwise || op.inputs.size() != 1 || op.parameters.size() != 1)
        return std::nullopt;
    const bool constantFirst = op.parameters.front().role == role::operand(0);
    auto constant = perChannel(op.parameters.front(), channels);
    if (!constant)
        return std::nullopt;
    if (op.type == "Add")
        return ScaleShift{std::vector<float>(count, 1.0F), std::move(*constant)};
    if (op.type == "Mul")
        return ScaleShift{std::move(*constant), std::vector<float>(count)};
    if (op.type == "Sub" && constantFirst)
        return ScaleShift{std::vector<float>(count, -1.0F), std::move(*constant)};
    if (op.type == "Sub") {
        std::ranges::transform(*constant, constant->begin(), [](float value) { return -value; });
        return ScaleShift{std::vector<float>(count, 1.0F), std::move(*constant)};
    }
    if (op.type == "Div" && !constantFirst && std::ranges::count(*constant, 0.0F) == 0) {
        std::ranges::transform(*constant, constant->begin(), [](float value) { return 1.0F / value; });
        return ScaleShift{std::move(*constant), std::vector<float>(count)};
    }
    return std::nullopt;
}

// The number of output channels, and the channel of each element `i` of the weight.
struct WeightLayout {
    std::int64_t channels = 0;
    std::int64_t inner = 1;         // consecutive elements of one output channel
    std::int64_t perGroup = 0;      // consecutive output channels before they repeat (ConvTranspose, Gemm)
    std::int64_t groupElements = 0; // elements in a group of a ConvTranspose

    [[nodiscard]] std::size_t channelOf(std::int64_t i) const
    {
        const std::int64_t group = groupElements > 0 ? i / groupElements : 0;
        return static_cast<std::size_t>(group * perGroup + i / inner % perGroup);
    }
};

std::optional<WeightLayout> layoutOf(const Operator &op)
{
    const Parameter *weight = op.parameter(role::kWeight);
    if (!weight || weight->shape.dims.size() < 2 || weight->shape.elements() < 1)
        return std::nullopt;
    const auto &dims = weight->shape.dims;
    const std::int64_t elements = weight->shape.elements();
    if (const ConvAttributes *conv = op.conv(); conv && conv->after.kind == ActivationKind::None)
        return WeightLayout{dims[0], elements / dims[0], dims[0], 0};
    if (const ConvAttributes *conv = op.convTranspose(); conv && conv->after.kind == ActivationKind::None) {
        const std::int64_t kernel = elements / dims[0] / dims[1];
        return WeightLayout{dims[1] * conv->groups, kernel, dims[1], elements / conv->groups};
    }
    if (const GemmAttributes *gemm = op.gemm()) {
        if (gemm->after.kind != ActivationKind::None || dims.size() != 2)
            return std::nullopt;
        if (gemm->transposeB)
            return WeightLayout{dims[0], dims[1], dims[0], 0};
        return WeightLayout{dims[1], 1, dims[1], 0};
    }
    return std::nullopt;
}

void apply(Operator &op, const WeightLayout &layout, const ScaleShift &fold)
{
    const bool scales = std::ranges::any_of(fold.scale, [](float value) { return value != 1.0F; });
    Parameter &weight = *std::ranges::find(op.parameters, role::kWeight, &Parameter::role);
    if (scales) {
        std::vector<float> values = *parameterValues(weight);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] *= fold.scale[layout.channelOf(static_cast<std::int64_t>(i))];
        weight.values = shared(std::move(values));
        weight.storedType.reset();
    }
    auto bias = std::ranges::find(op.parameters, role::kBias, &Parameter::role);
    std::vector<float> values = fold.shift;
    if (bias == op.parameters.end()) {
        op.parameters.push_back({std::string(role::kBias),
                                 op.name + ".bias",
                                 {{layout.channels}},
                                 DataType::Float32,
                                 shared(std::move(values))});
        return;
    }
    const auto before = parameterValues(*bias);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] += (*before)[i] * fold.scale[i];
    bias->values = shared(std::move(values));
    bias->storedType.reset();
}

} // namespace

void foldBatchNorms(GraphEdit &graph)
{
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        if (!graph.isAlive(id) || graph.isKeptApart(id))
            continue;
        const auto layout = layoutOf(graph.op(id));
        // Several may follow each other: a separate bias, then a batch norm.
        while (layout) {
            const OperatorId reader = graph.onlyReader(id);
            if (!reader.isValid() || graph.isKeptApart(reader) || !graph.onlyInput(reader).isValid())
                break;
            const Shape &shape = graph.tensor(graph.op(id).outputs.front()).shape;
            const Parameter *bias = graph.op(id).parameter(role::kBias);
            const std::size_t rank = shape.dims.size();
            const Channels channels{rank, graph.op(id).gemm() || rank < 3 ? rank - 1 : 1, layout->channels};
            const auto fold = scaleShift(graph.op(reader), channels);
            if (!fold || (bias && bias->shape.elements() != layout->channels) ||
                graph.tensor(graph.op(reader).outputs.front()).shape != shape)
                break;
            apply(graph.op(id), *layout, *fold);
            graph.absorbReader(id, reader);
        }
    }
}

} // namespace stagecraft
