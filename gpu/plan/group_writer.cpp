#include "gpu/plan/group_writer.h"

#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"

#include <algorithm>
#include <utility>

namespace stagecraft::gpu {
GroupWriter::GroupWriter(const LoweringContext &context, const plan::GroupPlan &group)
    : m_context(context), m_scratch(context.plan, group)
{
}

void GroupWriter::begin(const plan::OperatorTasks &op)
{
    m_operators = op.operators;
    m_scratch.begin(op);
}

View GroupWriter::tensor(TensorId tensor) const
{
    return *m_context.plan.tensors[tensor.index()];
}

TensorLayout GroupWriter::layoutOf(const View &view) const
{
    return plan::layoutOf(view, m_context.options.layout);
}

View GroupWriter::scratch(const Extent &dims, TensorLayout layout)
{
    const std::int64_t size = elementBytes(m_context.options.precision);
    View view = plan::denseView(m_scratch.buffer(), dims, layout);
    view.offset =
        static_cast<std::int64_t>(m_scratch.reserve(static_cast<std::size_t>(elementsOf(dims) * size))) / size;
    return view;
}

View GroupWriter::constant(const Parameter &parameter, TensorLayout layout)
{
    return constant(parameter, parameter.shape.dims, layout);
}

View GroupWriter::constant(const Parameter &parameter, const Extent &dims, TensorLayout layout)
{
    // A parameter of the graph, which outlives every program.
    return constant(m_context.graph.op(m_operators.front()).name + '/' + parameter.role, dims, layout,
                    [&parameter] { return parameterValues(parameter); });
}

View GroupWriter::constant(const std::string &key, const Extent &dims, TensorLayout layout,
                           std::function<std::shared_ptr<const std::vector<float>>()> values, bool keep)
{
    std::vector<Constant> &constants = m_context.constants;
    const Extent strides = denseStrides(dims, layout);
    auto found = std::ranges::find_if(constants, [&](const Constant &constant) {
        return constant.key == key && constant.dims == dims && constant.strides == strides;
    });
    if (found == constants.end())
        found = constants.insert(constants.end(), {key, dims, strides, keep, std::move(values)});
    return {View::Memory::Constant, static_cast<std::size_t>(found - constants.begin()), 0, dims, strides};
}

void GroupWriter::add(Work work)
{
    Task &task = m_tasks.emplace_back();
    task.work = std::move(work);
    task.operators = m_operators;
}

Result<void> GroupWriter::addConv(ConvTask conv)
{
    TRY_AS(const auto bytes, m_context.workspaceSize(conv));
    add(std::move(conv));
    if (bytes > 0)
        m_tasks.back().workspace = {m_scratch.buffer(), m_scratch.reserve(bytes), bytes};
    return {};
}

void GroupWriter::copy(const View &x, const View &y)
{
    add(ElementwiseTask{ElementwiseTask::Function::Sum, {x}, y, {}});
}

void GroupWriter::activate(const Operator &op, const Activation &activation, const View &x, const View &y)
{
    ElementwiseTask task{ElementwiseTask::Function::Sum, {x}, y, activation};
    if (activation.kind == ActivationKind::PRelu) {
        const Parameter &slope = *op.parameter(role::kSlope);
        Extent dims(y.dims.size(), 1);
        dims[std::min(kChannelAxis, dims.size() - 1)] = slope.shape.elements();
        task = {ElementwiseTask::Function::PRelu, {x, broadcast(constant(slope, dims, layoutOf(y)), y.dims)}, y, {}};
    }
    add(std::move(task));
}

// If there are more summands than a kernel takes, they are added in several passes.
void GroupWriter::writeSum(const std::vector<View> &summands, const Activation &activation, const View &y)
{
    ElementwiseTask task{ElementwiseTask::Function::Sum, {}, y, {}};
    for (const View &summand : summands) {
        if (task.x.size() == kMaxElementwiseInputs)
            add(std::exchange(task, {ElementwiseTask::Function::Sum, {y}, y, {}}));
        task.x.push_back(summand);
    }
    task.after = activation;
    add(std::move(task));
}

void GroupWriter::join(const Operator &op, const plan::Task &task)
{
    const View &y = task.output();
    const bool isApart = task.activation.kind == ActivationKind::PRelu; // it has slopes for all channels
    for (const plan::Part &part : task.reads) {
        const bool isWhole = part.summands.front().dims == y.dims;
        writeSum(part.summands, isApart ? Activation{} : task.activation,
                 isWhole ? y : plan::channelsOf(y, task.layout, part.channel, part.channels()));
    }
    if (isApart)
        activate(op, task.activation, y, y);
}

View GroupWriter::rowMajor(TensorId id)
{
    View view = tensor(id);
    if (isDense(view, TensorLayout::RowMajor))
        return view;
    View plain = scratch(view.dims, TensorLayout::RowMajor);
    copy(view, plain);
    return plain;
}

std::vector<Task> GroupWriter::take()
{
    return std::exchange(m_tasks, {});
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
