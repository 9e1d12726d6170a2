#include "gpu/plan/group_writer.h"

#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <algorithm>
#include <utility>

namespace stagecraft::gpu {
namespace {

} // namespace

GroupWriter::GroupWriter(const LoweringContext &context, std::size_t scratchBuffer)
    : m_context(context), m_scratchBuffer(scratchBuffer)
{
}

void GroupWriter::begin(std::span<const OperatorId> operators)
{
    m_operators.assign(operators.begin(), operators.end());
    m_scratchUsed = 0;
}

View GroupWriter::tensor(TensorId tensor) const
{
    return *m_context.placement.tensors[tensor.index()];
}

std::size_t GroupWriter::reserve(std::size_t bytes)
{
    const std::size_t offset = m_scratchUsed;
    m_scratchUsed += (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
    m_group.scratchBytes = std::max(m_group.scratchBytes, m_scratchUsed);
    return offset;
}

View GroupWriter::scratch(const Extent &dims, bool rowMajor)
{
    const std::int64_t size = elementBytes(m_context.options.precision);
    const std::size_t offset = reserve(static_cast<std::size_t>(elementsOf(dims) * size));
    return {View::Memory::Arena, m_scratchBuffer, static_cast<std::int64_t>(offset) / size, dims,
            rowMajor ? rowMajorStrides(dims) : denseStrides(dims, m_context.options.layout)};
}

View GroupWriter::constant(const Parameter &parameter)
{
    return constant(parameter, parameter.shape.dims);
}

View GroupWriter::constant(const Parameter &parameter, const Extent &dims)
{
    // A parameter of the graph, which outlives every program.
    return constant(m_context.graph.op(m_operators.front()).name + '/' + parameter.role, dims,
                    [&parameter] { return parameterValues(parameter); });
}

View GroupWriter::constant(const std::string &key, const Extent &dims,
                           std::function<std::shared_ptr<const std::vector<float>>()> values, bool keep)
{
    std::vector<Constant> &constants = m_context.constants;
    const Extent strides = denseStrides(dims, m_context.options.layout);
    auto found = std::ranges::find_if(
        constants, [&](const Constant &constant) { return constant.key == key && constant.dims == dims; });
    if (found == constants.end())
        found = constants.insert(constants.end(), {key, dims, strides, keep, std::move(values)});
    return {View::Memory::Constant, static_cast<std::size_t>(found - constants.begin()), 0, dims, strides};
}

void GroupWriter::add(Work work)
{
    Task &task = m_group.tasks.emplace_back();
    task.work = std::move(work);
    task.operators = m_operators;
}

Result<void> GroupWriter::addConv(ConvTask conv)
{
    const auto bytes = m_context.workspaceSize(conv);
    if (!bytes)
        return tl::unexpected(bytes.error());
    add(std::move(conv));
    if (*bytes > 0)
        m_group.tasks.back().workspace = {m_scratchBuffer, reserve(*bytes), *bytes};
    return {};
}

void GroupWriter::copy(const View &x, const View &y)
{
    add(ElementwiseTask{ElementwiseTask::Function::Sum, {x}, y, {}});
}

// If there are more summands than a kernel takes, they are added in several passes.
void GroupWriter::writeSum(const std::vector<TensorId> &part, const Operator &op, const Activation &activation,
                           const View &y)
{
    ElementwiseTask task{ElementwiseTask::Function::Sum, {}, y, {}};
    for (const TensorId id : part) {
        if (task.x.size() == kMaxElementwiseInputs) {
            add(std::exchange(task, {ElementwiseTask::Function::Sum, {y}, y, {}}));
        }
        task.x.push_back(tensor(id));
    }
    if (activation.kind != ActivationKind::PRelu) {
        task.after = activation;
        add(std::move(task));
        return;
    }
    add(std::move(task));
    const Parameter &slope = *op.parameter(role::kSlope);
    Extent dims(y.dims.size(), 1);
    dims[kChannelAxis] = slope.shape.elements();
    add(ElementwiseTask{ElementwiseTask::Function::PRelu, {y, broadcast(constant(slope, dims), y.dims)}, y, {}});
}

View GroupWriter::input(const Operator &op, const Activation &activation)
{
    if (op.inputs.size() == 1 && op.inputs.front().size() == 1 && activation.kind == ActivationKind::None)
        return tensor(op.inputs.front().front());
    Extent dims = graph().tensor(op.inputs.front().front()).shape.dims;
    for (std::size_t part = 1; part < op.inputs.size(); ++part)
        dims[kChannelAxis] += graph().tensor(op.inputs[part].front()).shape.channels();
    const View y = scratch(dims);
    writeExpression(op, activation, y);
    return y;
}

void GroupWriter::writeExpression(const Operator &op, const Activation &activation, const View &y)
{
    if (op.inputs.size() == 1) {
        writeSum(op.inputs.front(), op, activation, y);
        return;
    }
    std::int64_t channel = 0;
    for (const auto &part : op.inputs) {
        const std::int64_t channels = graph().tensor(part.front()).shape.channels();
        const View slice = sliced(y, kChannelAxis, channel, channels);
        channel += channels;
        if (part.size() == 1 && activation.kind == ActivationKind::None && tensor(part.front()) == slice)
            continue;
        writeSum(part, op, activation, slice);
    }
}

View GroupWriter::rowMajor(TensorId id)
{
    View view = tensor(id);
    if (isDense(view, Layout::Nchw))
        return view;
    const View plain = scratch(view.dims, true);
    copy(view, plain);
    return plain;
}

GroupTasks GroupWriter::take()
{
    return std::exchange(m_group, {});
}

std::shared_ptr<const std::vector<float>> transposed(const std::vector<float> &values, std::int64_t rows,
                                                     std::int64_t columns)
{
    auto result = std::make_shared<std::vector<float>>(values.size());
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column)
            (*result)[static_cast<std::size_t>(column * rows + row)] =
                values[static_cast<std::size_t>(row * columns + column)];
    }
    return result;
}

} // namespace stagecraft::gpu
