#include "gpu/plan/lowering.h"

#include "gpu/plan/generic_lowering.h"
#include "gpu/plan/group_writer.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <algorithm>

namespace stagecraft::gpu {
namespace {

bool isDepthwise(const ConvAttributes &conv, std::int64_t inChannels)
{
    return conv.groups > 1 && conv.groups == inChannels && conv.groups == conv.outChannels;
}

std::optional<View> biasOf(GroupWriter &writer, const Operator &op, std::string_view role, TensorLayout layout)
{
    const Parameter *bias = op.parameter(role);
    if (!bias)
        return std::nullopt;
    return writer.constant(*bias, {1, bias->shape.elements(), 1, 1}, layout);
}

// PRelu has its own slopes and is not part of a convolution: its task follows.
Activation fusable(const Activation &activation)
{
    return activation.kind == ActivationKind::PRelu ? Activation{} : activation;
}

void writeAfter(GroupWriter &writer, const Operator &op, const Activation &activation, const View &y)
{
    if (activation.kind == ActivationKind::PRelu)
        writer.activate(op, activation, y, y);
}

void writeDepthwise(GroupWriter &writer, const Operator &op, std::vector<View> x, const Window &window,
                    const Activation &before, const Activation &after, std::string_view weight, std::string_view bias,
                    const View &y)
{
    const Parameter &filters = *op.parameter(weight);
    const Extent dims{1, y.dims[kChannelAxis], window.kernel[0], window.kernel[1]};
    const TensorLayout layout = writer.layoutOf(x.front());
    DepthwiseTask task{
        std::move(x),  writer.constant(filters, dims, layout), biasOf(writer, op, bias, layout), y, window, before,
        fusable(after)};
    writer.add(std::move(task));
    writeAfter(writer, op, after, y);
}

// A depthwise kernel takes summands itself if they are few and not joined.
bool takesSummands(const Operator &op, const Activation &before)
{
    return op.inputs.size() == 1 && op.inputs.front().size() <= kMaxDepthwiseInputs &&
           before.kind != ActivationKind::PRelu;
}

bool isDepthwise(const Operator &op)
{
    const Parameter &weight = *op.parameter(role::kWeight);
    return isDepthwise(*op.conv(), weight.shape.dims[0] * weight.shape.dims[1]);
}

// Summands, with the activation before; or one tensor, which has had it.
std::pair<std::vector<View>, Activation> depthwiseInputs(const Operator &op, const plan::Task &task,
                                                         const Activation &before)
{
    return {task.reads.front().summands, takesSummands(op, before) ? before : Activation{}};
}

Result<void> lowerConv(GroupWriter &writer, const Operator &op, const plan::Task &task)
{
    const ConvAttributes &conv = *op.conv();
    const View &y = task.output();
    if (isDepthwise(op)) {
        auto [x, before] = depthwiseInputs(op, task, conv.before);
        writeDepthwise(writer, op, std::move(x), conv.window, before, conv.after, role::kWeight, role::kBias, y);
        return {};
    }
    const TensorLayout layout = writer.layoutOf(task.input());
    auto done =
        writer.addConv({task.input(), writer.constant(*op.parameter(role::kWeight), layout),
                        biasOf(writer, op, role::kBias, layout), y, conv.window, conv.groups, fusable(conv.after)});
    writeAfter(writer, op, conv.after, y);
    return done;
}

Result<void> lowerSepConv(GroupWriter &writer, const Operator &op, const plan::Task &task)
{
    const SepConvAttributes &sep = *op.sepConv();
    const View &y = task.output();
    Extent between = y.dims;
    between[kChannelAxis] = op.parameter(role::kDepthwiseWeight)->shape.dims[0];
    const TensorLayout layout = writer.layoutOf(y);
    const View middle = writer.scratch(between, layout);
    auto [x, before] = depthwiseInputs(op, task, sep.before);
    writeDepthwise(writer, op, std::move(x), sep.window, before, sep.between, role::kDepthwiseWeight,
                   role::kDepthwiseBias, middle);
    auto done = writer.addConv({middle, writer.constant(*op.parameter(role::kPointwiseWeight), layout),
                                biasOf(writer, op, role::kPointwiseBias, layout), y, Window{}, 1, fusable(sep.after)});
    writeAfter(writer, op, sep.after, y);
    return done;
}

void lowerPool(GroupWriter &writer, const Operator &op, const plan::Task &task)
{
    const View &x = task.input();
    PoolAttributes pool = *op.pool();
    if (pool.global)
        pool.window = Window{{x.dims[2], x.dims[3]}, {1, 1}, {1, 1}, {0, 0, 0, 0}};
    writer.add(PoolTask{x, task.output(), pool});
}

void lowerBatchNorm(GroupWriter &writer, const Operator &op, const plan::Task &task)
{
    const View &y = task.output();
    Extent perChannel(y.dims.size(), 1);
    perChannel[kChannelAxis] = y.dims[kChannelAxis];
    const auto constant = [&](std::string_view role) {
        return broadcast(writer.constant(*op.parameter(role), perChannel, writer.layoutOf(y)), y.dims);
    };
    writer.add(ElementwiseTask{
        ElementwiseTask::Function::ScaleShift, {task.input(), constant(role::kScale), constant(role::kBias)}, y, {}});
}

// A matrix as one-pixel images, one a row: a product with a weight is a 1x1 convolution of them.
View asImages(View dense, std::int64_t columns)
{
    dense.dims = {dense.elements() / columns, columns, 1, 1};
    dense.strides = {columns, 1, 1, 1};
    return dense;
}

// The weight of such a convolution. `values`: as the attributes say.
plan::MergedOperator::Values filters(const GemmAttributes &gemm, const plan::MergedOperator::Values &values)
{
    return gemm.transposeB ? values : transposed(*values, gemm.inFeatures, gemm.outFeatures);
}

Result<void> lowerGemm(GroupWriter &writer, const Operator &op)
{
    const GemmAttributes &gemm = *op.gemm();
    const Parameter &weight = *op.parameter(role::kWeight);
    const View x = asImages(writer.rowMajor(op.inputs.front().front()), gemm.inFeatures);
    const View to = writer.tensor(op.outputs.front());
    const bool direct = isDense(to, TensorLayout::RowMajor);
    const View plain = direct ? to : writer.scratch(to.dims, TensorLayout::RowMajor);
    const View y = asImages(plain, gemm.outFeatures);
    const TensorLayout layout = writer.layoutOf(x);
    const View w = writer.constant(op.name + "/weight", {gemm.outFeatures, gemm.inFeatures, 1, 1}, layout,
                                   [&gemm, &weight] { return filters(gemm, parameterValues(weight)); });
    auto done = writer.addConv({x, w, biasOf(writer, op, role::kBias, layout), y, Window{}, 1, fusable(gemm.after)});
    writeAfter(writer, op, gemm.after, y);
    if (!direct)
        writer.copy(plain, to);
    return done;
}

Result<void> lowerOperator(GroupWriter &writer, const Operator &op, const plan::Task &task)
{
    switch (op.kind) {
    case OperatorKind::Conv: return lowerConv(writer, op, task);
    case OperatorKind::SepConv: return lowerSepConv(writer, op, task);
    case OperatorKind::Pool: lowerPool(writer, op, task); return {};
    case OperatorKind::BatchNorm: lowerBatchNorm(writer, op, task); return {};
    case OperatorKind::Gemm: return lowerGemm(writer, op);
    case OperatorKind::Activation:
        writer.activate(op, std::get<Activation>(op.attributes), task.input(), task.output());
        return {};
    default: return lowerGeneric(writer, op);
    }
}

bool hasKernel(const Activation &activation)
{
    return activation.kind != ActivationKind::Other;
}

Result<void> checkSupported(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    const auto refuse = [&](std::string reason) {
        return within("operator " + op.name,
                      Error{ErrorCode::InvalidInput, "gpu " + std::move(reason), "run the model on cpu", {}});
    };
    const auto isBlocked = [&](TensorId tensor) {
        return channelBlock(graph.tensor(tensor).layout.value_or(TensorLayout::RowMajor)) > 1;
    };
    for (const auto &part : op.inputs) {
        if (const auto blocked = std::ranges::find_if(part, isBlocked); blocked != part.end())
            return refuse("reads images in NCHW and NHWC, not " + graph.tensor(*blocked).name +
                          " in blocks of channels");
    }
    for (const TensorId output : op.outputs) {
        const Tensor &tensor = graph.tensor(output);
        if (isBlocked(output))
            return refuse("writes images in NCHW and NHWC, not " + tensor.name + " in blocks of channels");
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
        const Activation *activation = op.activation();
        return activation && hasKernel(*activation) ? Result<void>()
                                                    : refuse("has no kernel for activation " + op.type);
    }
    default:
        if (const auto fine = checkGeneric(graph, op); !fine)
            return refuse(fine.error().message);
        return {};
    }
}

// Its output is dense.
Result<void> lowerMergedGemm(GroupWriter &writer, const plan::MergedOperator &merged, const plan::Task &task)
{
    const GemmAttributes &gemm = *merged.op.gemm();
    const auto products = static_cast<std::int64_t>(merged.op.inputs.size());
    const View x = products > 1 ? asImages(task.input(), products * gemm.inFeatures) // joined
                                : asImages(writer.rowMajor(merged.op.inputs.front().front()), gemm.inFeatures);
    const View y = asImages(task.output(), gemm.outFeatures);
    const TensorLayout layout = writer.layoutOf(x);
    const View w = writer.constant(
        merged.weightKey, {gemm.outFeatures, gemm.inFeatures, 1, 1}, layout,
        [gemm, weight = merged.weight] { return filters(gemm, weight()); }, false);
    std::optional<View> bias;
    if (merged.bias)
        bias = writer.constant(merged.weightKey + "/bias", {1, gemm.outFeatures, 1, 1}, layout, merged.bias, false);
    return writer.addConv({x, w, bias, y, Window{}, products, gemm.after});
}

Result<void> lowerMerged(GroupWriter &writer, const plan::MergedOperator &merged, const plan::Task &task)
{
    if (merged.op.gemm())
        return lowerMergedGemm(writer, merged, task);
    const ConvAttributes &conv = *merged.op.conv();
    const View &x = task.input();
    const TensorLayout layout = writer.layoutOf(x);
    const View w = writer.constant(
        merged.weightKey,
        {conv.outChannels, x.dims[kChannelAxis] / conv.groups, conv.window.kernel[0], conv.window.kernel[1]}, layout,
        merged.weight, false);
    std::optional<View> bias;
    if (merged.bias)
        bias = writer.constant(merged.weightKey + "/bias", {1, conv.outChannels, 1, 1}, layout, merged.bias, false);
    return writer.addConv({x, w, bias, task.output(), conv.window, conv.groups, conv.after});
}

Result<void> lowerTask(GroupWriter &writer, const plan::OperatorTasks &tasks, const plan::Task &task)
{
    const Operator &op = tasks.merged ? tasks.merged->op : writer.graph().op(tasks.operators.front());
    switch (task.kind) {
    case plan::Task::Kind::Run: return lowerOperator(writer, op, task);
    case plan::Task::Kind::Merged: return lowerMerged(writer, *tasks.merged, task);
    case plan::Task::Kind::Join: writer.join(op, task); return {};
    case plan::Task::Kind::Slice: {
        const View &own = task.output();
        if (task.input().dims == own.dims) { // columns of a merged product
            writer.copy(task.input(), own);
            return {};
        }
        writer.copy(sliced(task.input(), kChannelAxis, task.reads.front().channel, own.dims[kChannelAxis]), own);
        return {};
    }
    }
    return {};
}

} // namespace

plan::TensorPlan planTensors(const Graph &graph, const GpuOptions &options)
{
    std::vector<TensorLayout> layouts;
    for (const Tensor &tensor : graph.tensors())
        layouts.push_back(tensor.shape.dims.size() == 4 ? tensor.layout.value_or(options.layout)
                                                        : TensorLayout::RowMajor);
    return plan::planTensors(
        graph, std::move(layouts),
        {kArenaAlignment, elementBytes(options.precision), plan::MemoryRules::Strided::Always, 16});
}

Result<plan::InputForm> inputFormOf(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    TRY(checkSupported(graph, id));
    switch (op.kind) {
    case OperatorKind::Conv:
        return isDepthwise(op) && takesSummands(op, op.conv()->before) ? plan::InputForm::Summands
                                                                       : plan::InputForm::Joined;
    case OperatorKind::SepConv:
        return takesSummands(op, op.sepConv()->before) ? plan::InputForm::Summands : plan::InputForm::Joined;
    case OperatorKind::Pool:
    case OperatorKind::Join:
    case OperatorKind::BatchNorm:
    case OperatorKind::Activation: return plan::InputForm::Joined;
    default: return plan::InputForm::Apart;
    }
}

Result<std::vector<Task>> lowerGroup(const LoweringContext &context, const plan::GroupPlan &group)
{
    GroupWriter writer(context, group);
    for (const plan::OperatorTasks &op : group.operators) {
        writer.begin(op);
        for (const plan::Task &task : op.tasks) {
            if (const auto done = lowerTask(writer, op, task); !done) {
                const std::string &name = op.merged ? op.merged->op.name : context.graph.op(op.operators.front()).name;
                return within("operator " + name, done.error());
            }
        }
    }
    return writer.take();
}

} // namespace stagecraft::gpu
