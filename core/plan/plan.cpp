#include "plan/plan.h"

#include "operators/parameter_roles.h"
#include "plan/placement.h"
#include "schedule/launched_groups.h"
#include "schedule/merge.h"

#include <algorithm>

namespace stagecraft::plan {
namespace {

Activation activationBefore(const Operator &op)
{
    if (const ConvAttributes *conv = op.conv() ? op.conv() : op.convTranspose())
        return conv->before;
    if (const SepConvAttributes *sepConv = op.sepConv())
        return sepConv->before;
    return {};
}

Result<MergedOperator> mergedTask(const Graph &graph, const std::vector<OperatorId> &members)
{
    Result<Operator> op = mergedOperator(graph, members);
    TRY(op);
    MergedOperator merged{std::move(*op), "merged", {}, {}};
    bool anyBias = false;
    for (const OperatorId id : members) {
        merged.weightKey += '/' + graph.op(id).name;
        anyBias = anyBias || graph.op(id).parameter(role::kBias);
    }
    merged.weight = [&graph, members, op = merged.op] { return mergedWeights(graph, members, op); };
    if (anyBias)
        merged.bias = [&graph, members] { return mergedBias(graph, members); };
    return merged;
}

// Writes the tasks of stages whose tensors are placed.
class TaskWriter {
public:
    TaskWriter(const Graph &graph, const TensorPlan &tensors, const Capability &capability, Plan &plan)
        : m_graph(graph), m_tensors(tensors), m_capability(capability), m_plan(plan)
    {
    }

    Result<GroupPlan> group(std::size_t stage, std::span<const OperatorId> operators)
    {
        GroupPlan group{{}, newScratch(stage)};
        for (const OperatorId id : operators) {
            begin(group);
            OperatorTasks &tasks = group.operators.emplace_back();
            tasks.operators = {id};
            TRY(write(tasks, id));
        }
        return group;
    }

    // Each operator a group of its own: rTasks of several run at the same time.
    Result<std::vector<GroupPlan>> apart(std::size_t stage, std::vector<OperatorId> operators)
    {
        std::ranges::sort(operators);
        std::vector<GroupPlan> groups;
        for (const OperatorId id : operators) {
            TRY_AS(auto written, group(stage, {&id, 1}));
            groups.push_back(std::move(written));
        }
        return groups;
    }

    Result<GroupPlan> merge(std::size_t stage, const std::vector<OperatorId> &members, const View &merged)
    {
        GroupPlan group{{}, newScratch(stage)};
        for (const OperatorId id : members) {
            TRY(m_capability(m_graph, id));
        }
        TRY_AS(auto operators, mergedTask(m_graph, members));
        begin(group);
        OperatorTasks &tasks = group.operators.emplace_back();
        tasks.operators = members;
        tasks.merged = std::move(operators);
        const TensorLayout layout = mergedLayout(m_graph, m_tensors, members);
        const Operator &op = tasks.merged->op;
        const View input =
            op.gemm() && op.inputs.size() > 1 ? joinedColumns(tasks, op) : joined(tasks, op, activationBefore(op));
        tasks.tasks.push_back({Task::Kind::Merged, {{{input}, 0}}, {merged}, layout, {}});
        const std::size_t axis = mergeAxis(m_graph, members.front());
        std::int64_t at = 0;
        for (const OperatorId id : members) {
            const TensorId tensor = m_graph.op(id).outputs.front();
            const View &own = view(tensor);
            const std::int64_t extent = mergeExtent(m_graph.op(id));
            if (!liesAt(own, merged, layout, axis, at)) {
                const Part part = op.gemm() ? Part{{sliced(merged, axis, at, extent)}, 0} : Part{{merged}, at};
                tasks.tasks.push_back({Task::Kind::Slice, {part}, {own}, m_tensors.layouts[tensor.index()], {}});
            }
            at += extent;
        }
        return group;
    }

private:
    std::size_t newScratch(std::size_t stage)
    {
        m_plan.buffers.push_back({0, stage, stage});
        return m_plan.buffers.size() - 1;
    }

    void begin(const GroupPlan &group) { m_scratch.emplace(m_plan, group); }
    const View &view(TensorId tensor) const { return *m_plan.tensors[tensor.index()]; }

    // Whether a view is this part of the whole along an axis.
    static bool liesAt(const View &part, const View &whole, TensorLayout layout, std::size_t axis, std::int64_t at)
    {
        return at % whole.block == 0 && part == plan::partOf(whole, layout, axis, at, part.dims[axis]);
    }

    Result<void> write(OperatorTasks &tasks, OperatorId id)
    {
        const Operator &op = m_graph.op(id);
        TRY_AS(const auto form, m_capability(m_graph, id));
        if (std::ranges::none_of(op.outputs, [&](TensorId tensor) { return m_tensors.isHeld(tensor); }))
            return {};
        const TensorId output = op.outputs.front();
        const TensorLayout layout = m_tensors.layouts[output.index()];
        if (op.kind == OperatorKind::Join) {
            writeJoin(tasks, op, {}, view(output), layout);
            return {};
        }
        Task task{Task::Kind::Run, {}, {}, layout, {}};
        if (form == InputForm::Joined && !op.inputs.empty()) {
            task.reads.push_back({{joined(tasks, op, activationBefore(op))}, 0});
        } else {
            for (const auto &part : op.inputs) {
                if (std::ranges::all_of(part, [&](TensorId tensor) { return m_tensors.isHeld(tensor); }))
                    task.reads.push_back(partOf(part, 0));
            }
        }
        for (const TensorId tensor : op.outputs) {
            if (m_tensors.isHeld(tensor))
                task.writes.push_back(view(tensor));
        }
        tasks.tasks.push_back(std::move(task));
        return {};
    }

    Part partOf(const std::vector<TensorId> &tensors, std::int64_t channel) const
    {
        Part part{{}, channel};
        for (const TensorId tensor : tensors)
            part.summands.push_back(view(tensor));
        return part;
    }

    // The operator's input expression as one tensor: a single tensor without activation is returned itself.
    View joined(OperatorTasks &tasks, const Operator &op, const Activation &activation)
    {
        const auto &first = op.inputs.front();
        if (op.inputs.size() == 1 && first.size() == 1 && activation.kind == ActivationKind::None)
            return view(first.front());
        const TensorLayout layout = jointLayout(m_tensors.layouts, op.inputs);
        View to = scratch(tasks, jointDims(m_graph, op.inputs), layout);
        writeJoin(tasks, op, activation, to, layout);
        return to;
    }

    // The inputs of a merged product beside each other.
    View joinedColumns(OperatorTasks &tasks, const Operator &op)
    {
        View to = scratch(tasks, mergedInputShape(m_graph, op).dims, TensorLayout::RowMajor);
        const std::size_t axis = to.dims.size() - 1;
        std::int64_t at = 0;
        for (const auto &part : op.inputs) {
            const View &own = view(part.front());
            const std::int64_t columns = own.dims[axis];
            tasks.tasks.push_back(
                {Task::Kind::Slice, {{{own}, 0}}, {sliced(to, axis, at, columns)}, TensorLayout::RowMajor, {}});
            at += columns;
        }
        return to;
    }

    View scratch(OperatorTasks &tasks, const Extent &dims, TensorLayout layout)
    {
        View view = denseView(m_scratch->buffer(), dims, layout);
        view.offset = static_cast<std::int64_t>(m_scratch->reserve(m_tensors.bytesOf(dims, layout))) /
                      m_tensors.rules.elementBytes;
        tasks.temporaryBytes = m_scratch->used();
        return view;
    }

    void writeJoin(OperatorTasks &tasks, const Operator &op, const Activation &activation, const View &to,
                   TensorLayout layout) const
    {
        Task task{Task::Kind::Join, {}, {to}, layout, activation};
        std::int64_t channel = 0;
        for (const auto &tensors : op.inputs) {
            Part part = partOf(tensors, channel);
            channel += m_graph.tensor(tensors.front()).shape.channels();
            const bool isThere = op.inputs.size() > 1 && tensors.size() == 1 &&
                                 liesAt(part.summands.front(), to, layout, kChannelAxis, part.channel);
            if (!isThere)
                task.reads.push_back(std::move(part));
        }
        if (!task.reads.empty())
            tasks.tasks.push_back(std::move(task));
    }

    const Graph &m_graph;
    const TensorPlan &m_tensors;
    const Capability &m_capability;
    Plan &m_plan;
    std::optional<GroupScratch> m_scratch; // of the operator being written
};

} // namespace

Result<Plan> planStages(const Graph &graph, const TensorPlan &tensors, std::span<const Stage> stages,
                        const Capability &capability)
{
    Placement placement = placeTensors(graph, tensors, stages);
    Plan plan{tensors.rules.alignment,      tensors.layouts,
              std::move(placement.tensors), std::move(placement.outside),
              std::move(placement.buffers), {}};
    TaskWriter writer(graph, tensors, capability, plan);
    for (std::size_t index = 0; index < stages.size(); ++index) {
        const Stage &stage = stages[index];
        StagePlan &planned = plan.stages.emplace_back();
        if (stage.isFused()) {
            TRY_AS(planned.groups, writer.apart(index, membersOf(stage)));
            continue;
        }
        const auto groups = launchedGroups(stage);
        for (std::size_t group = 0; group < stage.concurrentGroups(); ++group) {
            TRY_AS(auto written, stage.isMerged() ? writer.merge(index, membersOf(stage), *placement.merged[index])
                                                  : writer.group(index, groups[group]));
            planned.groups.push_back(std::move(written));
        }
    }
    return plan;
}

Result<InputForm> usualInputForm(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    switch (op.kind) {
    case OperatorKind::Conv:
    case OperatorKind::SepConv:
    case OperatorKind::ConvTranspose:
    case OperatorKind::Pool:
    case OperatorKind::Join:
    case OperatorKind::BatchNorm:
    case OperatorKind::Softmax: return InputForm::Joined;
    case OperatorKind::Activation: {
        const auto *activation = std::get_if<Activation>(&op.attributes);
        const bool isKnown = activation != nullptr && activation->kind != ActivationKind::Other;
        return isKnown ? InputForm::Joined : InputForm::Apart;
    }
    default: return InputForm::Apart;
    }
}

std::vector<std::vector<std::size_t>> Plan::workspaceBytes() const
{
    std::vector<std::vector<std::size_t>> bytes(stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
        for (const GroupPlan &group : stages[i].groups)
            bytes[i].push_back(buffers[group.scratchBuffer].bytes);
    }
    return bytes;
}

void arrangeArena(Plan &plan)
{
    plan.arena = plan.streamBuffers.uses.empty() ? arrange(plan.buffers, plan.alignment)
                                                 : arrange(plan.buffers, plan.streamBuffers.conflicts, plan.alignment);
}

std::size_t GroupScratch::reserve(std::size_t bytes)
{
    const std::size_t offset = m_used;
    m_used += aligned(bytes, m_plan.alignment);
    std::size_t &size = m_plan.buffers[m_buffer].bytes;
    size = std::max(size, m_used);
    return offset;
}

} // namespace stagecraft::plan
