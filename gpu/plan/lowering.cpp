#include "gpu/plan/lowering.h"

#include "gpu/plan/generic_lowering.h"
#include "gpu/plan/group_writer.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"
#include "schedule/merge.h"

#include <algorithm>

namespace stagecraft::gpu {
namespace {

bool isDepthwise(const ConvAttributes &conv, std::int64_t inChannels)
{
    return conv.groups > 1 && conv.groups == inChannels && conv.groups == conv.outChannels;
}

std::optional<View> biasOf(GroupWriter &writer, const Operator &op, std::string_view role)
{
    const Parameter *bias = op.parameter(role);
    if (!bias)
        return std::nullopt;
    return writer.constant(*bias, {1, bias->shape.elements(), 1, 1});
}

// PRelu has its own slopes and is not part of a convolution: its task follows.
Activation fusable(const Activation &activation)
{
    return activation.kind == ActivationKind::PRelu ? Activation{} : activation;
}

void writeActivation(GroupWriter &writer, const Operator &op, const Activation &activation, const View &x,
                     const View &y)
{
    ElementwiseTask task{ElementwiseTask::Function::Sum, {x}, y, activation};
    if (activation.kind == ActivationKind::PRelu) {
        const Parameter &slope = *op.parameter(role::kSlope);
        Extent dims(y.dims.size(), 1);
        dims[std::min(kChannelAxis, dims.size() - 1)] = slope.shape.elements();
        task = {ElementwiseTask::Function::PRelu, {x, broadcast(writer.constant(slope, dims), y.dims)}, y, {}};
    }
    writer.add(std::move(task));
}

void writeAfter(GroupWriter &writer, const Operator &op, const Activation &activation, const View &y)
{
    if (activation.kind == ActivationKind::PRelu)
        writeActivation(writer, op, activation, y, y);
}

void writeDepthwise(GroupWriter &writer, const Operator &op, std::vector<View> x, const Window &window,
                    const Activation &before, const Activation &after, std::string_view weight, std::string_view bias,
                    const View &y)
{
    const Parameter &filters = *op.parameter(weight);
    const Extent dims{1, y.dims[kChannelAxis], window.kernel[0], window.kernel[1]};
    DepthwiseTask task{std::move(x),  writer.constant(filters, dims), biasOf(writer, op, bias), y, window, before,
                       fusable(after)};
    writer.add(std::move(task));
    writeAfter(writer, op, after, y);
}

// The inputs of a depthwise kernel: the summands themselves if they are few and not joined.
std::pair<std::vector<View>, Activation> depthwiseInputs(GroupWriter &writer, const Operator &op,
                                                         const Activation &before)
{
    if (op.inputs.size() == 1 && op.inputs.front().size() <= kMaxDepthwiseInputs &&
        before.kind != ActivationKind::PRelu) {
        std::vector<View> x;
        for (const TensorId tensor : op.inputs.front())
            x.push_back(writer.tensor(tensor));
        return {std::move(x), before};
    }
    return {{writer.input(op, before)}, {}};
}

Result<void> lowerConv(GroupWriter &writer, const Operator &op)
{
    const ConvAttributes &conv = *op.conv();
    const View y = writer.tensor(op.outputs.front());
    const Parameter &weight = *op.parameter(role::kWeight);
    if (isDepthwise(conv, weight.shape.dims[0] * weight.shape.dims[1])) {
        auto [x, before] = depthwiseInputs(writer, op, conv.before);
        writeDepthwise(writer, op, std::move(x), conv.window, before, conv.after, role::kWeight, role::kBias, y);
        return {};
    }
    const auto done =
        writer.addConv({writer.input(op, conv.before), writer.constant(weight), biasOf(writer, op, role::kBias), y,
                        conv.window, conv.groups, fusable(conv.after)});
    writeAfter(writer, op, conv.after, y);
    return done;
}

Result<void> lowerSepConv(GroupWriter &writer, const Operator &op)
{
    const SepConvAttributes &sep = *op.sepConv();
    const View y = writer.tensor(op.outputs.front());
    Extent between = y.dims;
    between[kChannelAxis] = op.parameter(role::kDepthwiseWeight)->shape.dims[0];
    const View middle = writer.scratch(between);
    auto [x, before] = depthwiseInputs(writer, op, sep.before);
    writeDepthwise(writer, op, std::move(x), sep.window, before, sep.between, role::kDepthwiseWeight,
                   role::kDepthwiseBias, middle);
    const auto done = writer.addConv({middle, writer.constant(*op.parameter(role::kPointwiseWeight)),
                                      biasOf(writer, op, role::kPointwiseBias), y, Window{}, 1, fusable(sep.after)});
    writeAfter(writer, op, sep.after, y);
    return done;
}

Result<void> lowerPool(GroupWriter &writer, const Operator &op)
{
    const View x = writer.input(op, {});
    PoolAttributes pool = *op.pool();
    if (pool.global)
        pool.window = Window{{x.dims[2], x.dims[3]}, {1, 1}, {1, 1}, {0, 0, 0, 0}};
    writer.add(PoolTask{x, writer.tensor(op.outputs.front()), pool});
    return {};
}

Result<void> lowerJoin(GroupWriter &writer, const Operator &op)
{
    writer.writeExpression(op, {}, writer.tensor(op.outputs.front()));
    return {};
}

Result<void> lowerBatchNorm(GroupWriter &writer, const Operator &op)
{
    const View y = writer.tensor(op.outputs.front());
    Extent perChannel(y.dims.size(), 1);
    perChannel[kChannelAxis] = y.dims[kChannelAxis];
    const auto constant = [&](std::string_view role) {
        return broadcast(writer.constant(*op.parameter(role), perChannel), y.dims);
    };
    writer.add(ElementwiseTask{ElementwiseTask::Function::ScaleShift,
                               {writer.input(op, {}), constant(role::kScale), constant(role::kBias)},
                               y,
                               {}});
    return {};
}

// A matrix product with a weight is a 1x1 convolution of one-pixel images.
Result<void> lowerGemm(GroupWriter &writer, const Operator &op)
{
    const GemmAttributes &gemm = *op.gemm();
    const Parameter &weight = *op.parameter(role::kWeight);
    View x = writer.rowMajor(op.inputs.front().front());
    const std::int64_t rows = x.elements() / gemm.inFeatures;
    x.dims = {rows, gemm.inFeatures, 1, 1};
    x.strides = {gemm.inFeatures, 1, 1, 1};
    View y = writer.tensor(op.outputs.front());
    y.dims = {rows, gemm.outFeatures, 1, 1};
    y.strides = {gemm.outFeatures, 1, 1, 1};
    const Extent dims{gemm.outFeatures, gemm.inFeatures, 1, 1};
    const View w = writer.constant(op.name + "/weight", dims, [&gemm, &weight] {
        auto values = parameterValues(weight);
        return gemm.transposeB ? values : transposed(*values, gemm.inFeatures, gemm.outFeatures);
    });
    const auto done = writer.addConv({x, w, biasOf(writer, op, role::kBias), y, Window{}, 1, fusable(gemm.after)});
    writeAfter(writer, op, gemm.after, y);
    return done;
}

Result<void> lowerOperator(GroupWriter &writer, const Operator &op)
{
    switch (op.kind) {
    case OperatorKind::Conv: return lowerConv(writer, op);
    case OperatorKind::SepConv: return lowerSepConv(writer, op);
    case OperatorKind::Pool: return lowerPool(writer, op);
    case OperatorKind::Join: return lowerJoin(writer, op);
    case OperatorKind::BatchNorm: return lowerBatchNorm(writer, op);
    case OperatorKind::Gemm: return lowerGemm(writer, op);
    case OperatorKind::Activation:
        writeActivation(writer, op, std::get<Activation>(op.attributes), writer.input(op, {}),
                        writer.tensor(op.outputs.front()));
        return {};
    default: return lowerGeneric(writer, op);
    }
}

bool hasKernel(const Activation &activation)
{
    return activation.kind != ActivationKind::Other;
}

} // namespace

Result<void> checkSupported(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    const auto refuse = [&](std::string reason) {
        return within("operator " + op.name,
                      Error{ErrorCode::InvalidInput, "gpu " + std::move(reason), "run the model on cpu", {}});
    };
    for (const TensorId output : op.outputs) {
        const Tensor &tensor = graph.tensor(output);
        if (output != op.outputs.front() && !graph.isUsed(output))
            continue;
        if (!tensor.shape.known)
            return refuse("needs fixed shapes, but that of tensor " + tensor.name + " is not known");
        if (tensor.type != DataType::Float32)
            return refuse("computes with float32 tensors, but " + tensor.name + " is " +
                          std::string(toString(tensor.type)));
        if (tensor.shape.elements() > kMaxElements)
            return refuse("has no kernels for tensors as large as " + tensor.name);
    }
    switch (op.kind) {
    case OperatorKind::Conv:
        if (!op.parameter(role::kWeight))
            return refuse("has no kernel for a convolution whose weight is computed");
        if (!hasKernel(op.conv()->before) || !hasKernel(op.conv()->after))
            return refuse("has no kernel for its activation");
        return {};
    case OperatorKind::SepConv:
        if (!hasKernel(op.sepConv()->before) || !hasKernel(op.sepConv()->between) || !hasKernel(op.sepConv()->after))
            return refuse("has no kernel for its activation");
        return {};
    case OperatorKind::Gemm:
        if (!op.parameter(role::kWeight))
            return refuse("has no kernel for a product of two tensors");
        return hasKernel(op.gemm()->after) ? Result<void>() : refuse("has no kernel for its activation");
    case OperatorKind::Pool:
    case OperatorKind::Join:
    case OperatorKind::BatchNorm: return {};
    case OperatorKind::Activation: {
        const auto *activation = std::get_if<Activation>(&op.attributes);
        return activation && hasKernel(*activation) ? Result<void>()
                                                    : refuse("has no kernel for activation " + op.type);
    }
    default:
        if (const auto fine = checkGeneric(graph, op); !fine)
            return refuse(fine.error().message);
        return {};
    }
}

Result<GroupTasks> lowerGroup(const LoweringContext &context, std::span<const OperatorId> operators,
                              std::size_t scratchBuffer)
{
    GroupWriter writer(context, scratchBuffer);
    for (const OperatorId id : operators) {
        const Operator &op = context.graph.op(id);
        if (const auto supported = checkSupported(context.graph, id); !supported)
            return tl::unexpected(supported.error());
        writer.begin({&id, 1});
        if (const auto done = lowerOperator(writer, op); !done)
            return within("operator " + op.name, done.error());
    }
    return writer.take();
}

Result<GroupTasks> lowerMerged(const LoweringContext &context, std::span<const OperatorId> members, const View &merged,
                               std::size_t scratchBuffer)
{
    const Graph &graph = context.graph;
    for (const OperatorId id : members) {
        if (const auto supported = checkSupported(graph, id); !supported)
            return tl::unexpected(supported.error());
    }
    const auto op = mergedOperator(graph, members);
    if (!op)
        return tl::unexpected(op.error());
    if (op->conv()->after.kind == ActivationKind::PRelu)
        return within("operator " + op->name,
                      Error{ErrorCode::InvalidInput, "gpu has no kernel for merged convolutions with PRelu", {}, {}});
    GroupWriter writer(context, scratchBuffer);
    writer.begin(members);
    std::string key = "merged";
    bool anyBias = false;
    for (const OperatorId id : members) {
        key += '/' + graph.op(id).name;
        anyBias = anyBias || graph.op(id).parameter(role::kBias);
    }
    const View x = writer.tensor(op->inputs.front().front());
    const Window &window = op->conv()->window;
    const std::vector<OperatorId> ids(members.begin(), members.end());
    const View w = writer.constant(
        key, {op->conv()->outChannels, x.dims[kChannelAxis], window.kernel[0], window.kernel[1]},
        [&graph, ids, merge = *op] { return mergedWeights(graph, ids, merge); }, false);
    std::optional<View> bias;
    if (anyBias)
        bias = writer.constant(
            key + "/bias", {1, op->conv()->outChannels, 1, 1}, [&graph, ids] { return mergedBias(graph, ids); }, false);
    if (const auto done = writer.addConv({x, w, bias, merged, window, 1, op->conv()->after}); !done)
        return within("operator " + op->name, done.error());
    std::int64_t channel = 0;
    for (const OperatorId id : members) {
        const View own = writer.tensor(graph.op(id).outputs.front());
        const View slice = sliced(merged, kChannelAxis, channel, own.dims[kChannelAxis]);
        if (own != slice)
            writer.copy(slice, own);
        channel += own.dims[kChannelAxis];
    }
    return writer.take();
}

} // namespace stagecraft::gpu
