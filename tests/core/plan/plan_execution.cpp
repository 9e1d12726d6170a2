#include "plan_execution.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace stagecraft::test {
namespace {

using plan::View;

using Value = std::uint64_t;
constexpr Value kUnwritten = ~Value{0};

Value activated(const Activation &activation, Value value)
{
    return activation.kind == ActivationKind::None ? value : value * 31 + 7;
}

Value mixed(Value value)
{
    value = (value ^ (value >> 31U)) * 0x9E3779B97F4A7C15U;
    return value ^ (value >> 29U);
}

// See inputForm.
bool isJoined(const Operator &op)
{
    return op.kind != OperatorKind::SepConv && op.kind != OperatorKind::Reshape;
}

class Machine {
public:
    Machine(const Graph &graph, const plan::TensorPlan &tensors, const plan::Plan &plan)
        : m_graph(graph), m_plan(plan), m_elementBytes(static_cast<std::size_t>(tensors.rules.elementBytes)),
          m_memory(plan.arena.bytes / m_elementBytes + 1, kUnwritten)
    {
    }

    QString run(std::span<const std::size_t> stages, GroupOrder order)
    {
        for (const TensorId tensor : m_plan.outside)
            write(*m_plan.tensors[tensor.index()], valuesOf(tensor));
        for (const std::size_t index : stages) {
            const plan::StagePlan &stage = m_plan.stages[index];
            for (const auto &[group, op] : orderOf(stage, order))
                execute(stage.groups[group], stage.groups[group].operators[op]);
        }
        for (const TensorId output : m_graph.outputs()) {
            const auto &view = m_plan.tensors[output.index()];
            if (view && m_produced.contains(output))
                check(read(*view), valuesOf(output), "output " + m_graph.tensor(output).name);
        }
        return m_wrong;
    }

private:
    using Position = std::pair<std::size_t, std::size_t>; // group, operator

    static std::vector<Position> orderOf(const plan::StagePlan &stage, GroupOrder order)
    {
        std::vector<Position> positions;
        for (std::size_t group = 0; group < stage.groups.size(); ++group) {
            for (std::size_t op = 0; op < stage.groups[group].operators.size(); ++op)
                positions.emplace_back(group, op);
        }
        if (order == GroupOrder::Descending)
            std::ranges::stable_sort(positions, std::ranges::greater{}, &Position::first);
        if (order == GroupOrder::InTurns)
            std::ranges::stable_sort(positions, {}, &Position::second);
        return positions;
    }

    Value &at(const View &view, std::int64_t address)
    {
        return m_memory[m_plan.arena.offsets[view.index] / m_elementBytes + static_cast<std::size_t>(address)];
    }

    std::vector<Value> read(const View &view)
    {
        std::vector<Value> values;
        forEachElement(view, [&](std::int64_t address) { values.push_back(at(view, address)); });
        return values;
    }

    void write(const View &view, const std::vector<Value> &values)
    {
        auto next = values.begin();
        forEachElement(view, [&](std::int64_t address) { at(view, address) = *next++; });
    }

    // By definition: of inputs and most operators anything, of a join the sums of what it reads, side by side.
    std::vector<Value> valuesOf(TensorId tensor) const
    {
        const OperatorId producer = m_graph.tensor(tensor).producer;
        if (producer.isValid() && m_graph.op(producer).kind == OperatorKind::Join)
            return joined(m_graph.op(producer).inputs, {});
        std::vector<Value> values;
        for (std::int64_t i = 0; i < m_graph.tensor(tensor).shape.elements(); ++i)
            values.push_back(mixed(tensor.index() * 100003 + static_cast<Value>(i) + 1));
        return values;
    }

    std::vector<Value> summed(const std::vector<TensorId> &part) const
    {
        std::vector<Value> sum = valuesOf(part.front());
        for (std::size_t k = 1; k < part.size(); ++k)
            std::ranges::transform(sum, valuesOf(part[k]), sum.begin(), std::plus<>());
        return sum;
    }

    std::vector<Value> joined(const InputExpression &inputs, const Activation &activation) const
    {
        std::vector<std::vector<Value>> parts;
        for (const auto &part : inputs)
            parts.push_back(summed(part));
        const auto images = static_cast<std::size_t>(m_graph.tensor(inputs.front().front()).shape.batch());
        std::vector<Value> values;
        for (std::size_t image = 0; image < images; ++image) {
            for (const auto &part : parts) {
                const std::size_t size = part.size() / images;
                for (std::size_t i = 0; i < size; ++i)
                    values.push_back(activated(activation, part[image * size + i]));
            }
        }
        return values;
    }

    void check(const std::vector<Value> &found, const std::vector<Value> &expected, const std::string &what)
    {
        if (m_wrong.isEmpty() && found != expected)
            m_wrong = QString::fromStdString(what) + " is not what was written";
    }

    void checkReads(const Operator &op, const plan::Task &task)
    {
        const auto where = "an input of " + op.name;
        if (isJoined(op)) {
            const ConvAttributes *conv = op.conv();
            check(read(task.input()), joined(op.inputs, conv ? conv->before : Activation{}), where);
            return;
        }
        for (std::size_t part = 0; part < op.inputs.size(); ++part) {
            for (std::size_t k = 0; k < op.inputs[part].size(); ++k)
                check(read(task.reads[part].summands[k]), valuesOf(op.inputs[part][k]), where);
        }
    }

    void join(const plan::Task &task)
    {
        const View &to = task.output();
        for (const plan::Part &part : task.reads) {
            std::vector<Value> sum = read(part.summands.front());
            for (std::size_t k = 1; k < part.summands.size(); ++k)
                std::ranges::transform(sum, read(part.summands[k]), sum.begin(), std::plus<>());
            for (Value &value : sum)
                value = activated(task.activation, value);
            writeChannels(to, part.channel, part.channels(), sum);
        }
    }

    void writeChannels(const View &to, std::int64_t channel, std::int64_t channels, const std::vector<Value> &values)
    {
        std::vector<Value> all = read(to);
        const std::size_t images = static_cast<std::size_t>(to.dims[0]);
        const std::size_t pixels = all.size() / images / static_cast<std::size_t>(to.dims[1]);
        auto next = values.begin();
        for (std::size_t image = 0; image < images; ++image) {
            const std::size_t begin =
                (image * static_cast<std::size_t>(to.dims[1]) + static_cast<std::size_t>(channel)) * pixels;
            const std::size_t count = static_cast<std::size_t>(channels) * pixels;
            std::copy_n(next, count, all.begin() + static_cast<std::ptrdiff_t>(begin));
            next += static_cast<std::ptrdiff_t>(count);
        }
        write(to, all);
    }

    void execute(const plan::GroupPlan &group, const plan::OperatorTasks &op)
    {
        // The rest of the group's scratch memory is the backend's.
        const auto scratch =
            static_cast<std::int64_t>((m_plan.buffers[group.scratchBuffer].bytes - op.temporaryBytes) / m_elementBytes);
        View rest = plan::denseView(group.scratchBuffer, {scratch}, plan::TensorLayout::RowMajor);
        rest.offset = static_cast<std::int64_t>(op.temporaryBytes / m_elementBytes);
        for (const plan::Task &task : op.tasks) {
            write(rest, std::vector<Value>(static_cast<std::size_t>(scratch), kUnwritten));
            switch (task.kind) {
            case plan::Task::Kind::Run:
                checkReads(m_graph.op(op.operators.front()), task);
                for (std::size_t i = 0; i < task.writes.size(); ++i)
                    write(task.writes[i], valuesOf(m_graph.op(op.operators.front()).outputs[i]));
                break;
            case plan::Task::Kind::Merged: {
                checkReads(op.merged->op, task);
                std::int64_t channel = 0;
                for (const OperatorId id : op.operators) {
                    const std::int64_t channels = m_graph.outputShape(id).channels();
                    writeChannels(task.output(), channel, channels, valuesOf(m_graph.op(id).outputs.front()));
                    channel += channels;
                }
                break;
            }
            case plan::Task::Kind::Join: join(task); break;
            case plan::Task::Kind::Slice: {
                const std::vector<Value> all = read(task.input());
                const View &whole = task.input();
                const auto images = static_cast<std::size_t>(whole.dims[0]);
                const std::size_t pixels = all.size() / images / static_cast<std::size_t>(whole.dims[1]);
                std::vector<Value> own;
                for (std::size_t image = 0; image < images; ++image) {
                    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(
                                                         (image * static_cast<std::size_t>(whole.dims[1]) +
                                                          static_cast<std::size_t>(task.reads.front().channel)) *
                                                         pixels);
                    own.insert(
                        own.end(), begin,
                        begin + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(task.output().dims[1]) * pixels));
                }
                write(task.output(), own);
                break;
            }
            }
        }
        for (const OperatorId id : op.operators)
            m_produced.insert(m_graph.op(id).outputs.begin(), m_graph.op(id).outputs.end());
    }

    const Graph &m_graph;
    const plan::Plan &m_plan;
    std::size_t m_elementBytes;
    std::vector<Value> m_memory;
    std::set<TensorId> m_produced;
    QString m_wrong;
};

} // namespace

void forEachElement(const View &view, const std::function<void(std::int64_t)> &visit)
{
    for (std::int64_t i = 0; i < view.elements(); ++i) {
        std::int64_t rest = i;
        std::int64_t address = view.offset;
        for (std::size_t axis = view.dims.size(); axis-- > 0;) {
            const std::int64_t index = rest % view.dims[axis];
            rest /= view.dims[axis];
            const bool inBlocks = axis == plan::kChannelAxis;
            address += (inBlocks ? index / view.block : index) * view.strides[axis];
            address += inBlocks ? index % view.block : 0;
        }
        visit(address);
    }
}

QString wrongValue(const Graph &graph, const plan::TensorPlan &tensors, const plan::Plan &plan, GroupOrder order)
{
    std::vector<std::size_t> stages(plan.stages.size());
    std::iota(stages.begin(), stages.end(), std::size_t{0});
    return Machine(graph, tensors, plan).run(stages, order);
}

QString wrongValue(const Graph &graph, const plan::TensorPlan &tensors, const plan::Plan &plan,
                   std::span<const std::size_t> launches)
{
    return Machine(graph, tensors, plan).run(launches, GroupOrder::Ascending);
}

} // namespace stagecraft::test
