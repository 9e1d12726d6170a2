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

Result<const ConvAttributes *> mergeableAlone(const Operator &op)
{
    const ConvAttributes *conv = op.conv();
    if (conv == nullptr)
        return refuse(op, "only convolutions can be merged");
    if (conv->groups != 1)
        return refuse(op, "grouped convolutions cannot be merged");
    if (conv->before.kind != ActivationKind::None)
        return refuse(op, "a unit that starts with an activation is not a plain convolution and is not merged");
    if (op.inputs.size() != 1 || op.inputs.front().size() != 1)
        return refuse(op, "only convolutions that read a single tensor can be merged");
    return conv;
}

Result<void> checkSameShape(const Graph &graph, OperatorId firstId, OperatorId otherId)
{
    const Operator &first = graph.op(firstId);
    const Operator &other = graph.op(otherId);
    const ConvAttributes &a = *first.conv();
    const ConvAttributes &b = *other.conv();
    if (first.inputs != other.inputs)
        return refuse(other, "reads another input than " + first.name);
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

} // namespace

Result<Operator> mergedOperator(const Graph &graph, std::span<const OperatorId> operators)
{
    if (operators.size() < 2)
        return fail(ErrorCode::InvalidInput, "a merge needs at least two operators");

    std::array<std::int64_t, 2> kernel{0, 0};
    std::int64_t outChannels = 0;
    std::string name;
    for (const OperatorId id : operators) {
        const Operator &op = graph.op(id);
        TRY_AS(const auto conv, mergeableAlone(op));
        TRY(checkSameShape(graph, operators.front(), id));
        for (std::size_t axis = 0; axis < 2; ++axis)
            kernel[axis] = std::max(kernel[axis], conv->window.kernel[axis]);
        outChannels += conv->outChannels;
        name += (name.empty() ? "" : "+") + op.name;
    }

    TRY_AS(const auto padding, paddingWithin(graph.op(operators.front()), kernel));
    for (const OperatorId id : operators.subspan(1)) {
        TRY_AS(const auto other, paddingWithin(graph.op(id), kernel));
        if (other != padding)
            return refuse(graph.op(id),
                          "its kernel cannot be centred in the largest one: its padding does not grow with it");
    }

    Operator merged = graph.op(operators.front());
    ConvAttributes conv = *merged.conv();
    conv.outChannels = outChannels;
    conv.window.kernel = kernel;
    conv.window.padding = padding;
    merged.name = std::move(name);
    merged.attributes = conv;
    merged.outputs.clear();
    merged.parameters.clear();
    return merged;
}

std::shared_ptr<const std::vector<float>> mergedWeights(const Graph &graph, std::span<const OperatorId> operators,
                                                        const Operator &merged)
{
    const auto &kernel = merged.conv()->window.kernel;
    const std::int64_t in = graph.inputShape(operators.front()).channels();
    auto values = std::make_shared<std::vector<float>>(
        static_cast<std::size_t>(merged.conv()->outChannels * in * kernel[0] * kernel[1]));
    auto to = values->begin();
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
            values->resize(values->size() + static_cast<std::size_t>(op.conv()->outChannels));
        }
    }
    return values;
}

Operator mergedWithConstants(const Graph &graph, std::span<const OperatorId> operators)
{
    Operator merged = *mergedOperator(graph, operators);
    const auto &window = merged.conv()->window;
    const DataType type = graph.op(operators.front()).parameter(role::kWeight)->type;
    const std::int64_t channels = merged.conv()->outChannels;
    merged.parameters.push_back(
        {std::string(role::kWeight), merged.name + ".weight",
         Shape{{channels, graph.inputShape(operators.front()).channels(), window.kernel[0], window.kernel[1]}}, type,
         shared(*mergedWeights(graph, operators, merged))});
    if (std::ranges::any_of(operators, [&](OperatorId id) { return graph.op(id).parameter(role::kBias); }))
        merged.parameters.push_back({std::string(role::kBias), merged.name + ".bias", Shape{{channels}}, type,
                                     shared(*mergedBias(graph, operators))});
    return merged;
}

} // namespace stagecraft
