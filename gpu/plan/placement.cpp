#include "gpu/plan/placement.h"

#include <algorithm>
#include <set>

namespace stagecraft::gpu {
namespace {

constexpr std::size_t kNoStage = static_cast<std::size_t>(-1);

std::vector<OperatorId> membersOf(const Stage &stage)
{
    std::vector<OperatorId> members;
    for (const auto &group : stage.groups)
        members.insert(members.end(), group.begin(), group.end());
    return members;
}

class Placer {
public:
    Placer(const Graph &graph, const ConcatAliases &aliases, std::span<const Stage> stages, const GpuOptions &options)
        : m_graph(graph), m_aliases(aliases), m_stages(stages), m_options(options)
    {
        m_placement.tensors.resize(graph.tensors().size());
        m_placement.merged.resize(stages.size());
    }

    Placement place()
    {
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage) {
            if (m_stages[stage].strategy == Strategy::Merge)
                placeMerged(stage);
        }
        std::set<TensorId> produced;
        std::set<TensorId> outside;
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage) {
            for (const OperatorId id : membersOf(m_stages[stage])) {
                const Operator &op = m_graph.op(id);
                for (const auto &part : op.inputs) {
                    for (const TensorId tensor : part) {
                        touch(tensor, stage);
                        if (!produced.contains(tensor))
                            outside.insert(tensor);
                    }
                }
                for (const TensorId tensor : op.outputs) {
                    touch(tensor, stage);
                    produced.insert(tensor);
                }
            }
        }
        const std::size_t last = m_stages.empty() ? 0 : m_stages.size() - 1;
        for (const TensorId tensor : outside) {
            touch(tensor, 0);
            touch(tensor, last);
        }
        for (const TensorId tensor : m_graph.outputs()) {
            if (produced.contains(tensor))
                touch(tensor, last);
        }
        m_placement.outside.assign(outside.begin(), outside.end());
        return std::move(m_placement);
    }

private:
    std::size_t bytesOf(std::int64_t elements) const
    {
        return static_cast<std::size_t>(elements * elementBytes(m_options.precision));
    }

    View denseIn(std::size_t buffer, const Extent &dims) const
    {
        return {View::Memory::Arena, buffer, 0, dims, denseStrides(dims, m_options.layout)};
    }

    // Created at its first use.
    const View &viewOf(TensorId tensor)
    {
        std::optional<View> &view = m_placement.tensors[tensor.index()];
        if (view)
            return *view;
        const Extent &dims = m_graph.tensor(tensor).shape.dims;
        if (const auto &alias = m_aliases[tensor.index()])
            view = sliced(viewOf(alias->joined), kChannelAxis, alias->channel, dims[kChannelAxis]);
        else
            view = denseIn(m_placement.addBuffer(bytesOf(elementsOf(dims)), kNoStage), dims);
        return *view;
    }

    void touch(TensorId tensor, std::size_t stage) { touchBuffer(viewOf(tensor).index, stage); }

    void touchBuffer(std::size_t buffer, std::size_t stage)
    {
        BufferLife &life = m_placement.buffers[buffer];
        const bool fresh = life.firstStage == kNoStage;
        life.firstStage = fresh ? stage : std::min(life.firstStage, stage);
        life.lastStage = fresh ? stage : std::max(life.lastStage, stage);
    }

    void placeMerged(std::size_t stage)
    {
        const std::vector<OperatorId> members = membersOf(m_stages[stage]);
        Extent dims = m_graph.outputShape(members.front()).dims;
        dims[kChannelAxis] = 0;
        for (const OperatorId id : members)
            dims[kChannelAxis] += m_graph.outputShape(id).channels();
        std::optional<View> &merged = m_placement.merged[stage];
        merged = whereJoined(members, dims);
        if (!merged)
            merged = denseIn(m_placement.addBuffer(bytesOf(elementsOf(dims)), kNoStage), dims);
        touchBuffer(merged->index, stage);
        std::int64_t channel = 0;
        for (const OperatorId id : members) {
            const TensorId tensor = m_graph.op(id).outputs.front();
            const std::int64_t channels = m_graph.outputShape(id).channels();
            if (!m_aliases[tensor.index()] && !m_placement.tensors[tensor.index()])
                m_placement.tensors[tensor.index()] = sliced(*merged, kChannelAxis, channel, channels);
            channel += channels;
        }
    }

    // If the members' aliases are adjacent in the order of the merge, it writes straight there.
    std::optional<View> whereJoined(const std::vector<OperatorId> &members, const Extent &dims)
    {
        std::optional<ConcatAlias> first;
        std::int64_t channel = 0;
        for (const OperatorId id : members) {
            const auto &alias = m_aliases[m_graph.op(id).outputs.front().index()];
            if (!alias)
                return std::nullopt;
            if (!first)
                first = alias;
            if (alias->joined != first->joined || alias->channel != first->channel + channel)
                return std::nullopt;
            channel += m_graph.outputShape(id).channels();
        }
        return sliced(viewOf(first->joined), kChannelAxis, first->channel, dims[kChannelAxis]);
    }

    const Graph &m_graph;
    const ConcatAliases &m_aliases;
    std::span<const Stage> m_stages;
    const GpuOptions &m_options;
    Placement m_placement;
};

} // namespace

std::size_t Placement::addBuffer(std::size_t bytes, std::size_t stage)
{
    buffers.push_back({bytes, stage, stage});
    return buffers.size() - 1;
}

ConcatAliases chooseConcatAliases(const Graph &graph, const GpuOptions &options)
{
    std::vector<int> joinsOf(graph.tensors().size());
    const auto joins = [](const Operator &op) { return op.kind == OperatorKind::Join && op.inputs.size() > 1; };
    for (const Operator &op : graph.operators()) {
        if (!joins(op))
            continue;
        for (const auto &part : op.inputs) {
            for (const TensorId tensor : part)
                ++joinsOf[tensor.index()];
        }
    }
    const std::int64_t step = options.layout == Layout::Nhwc ? 16 / elementBytes(options.precision) : 1;
    ConcatAliases aliases(graph.tensors().size());
    for (const Operator &op : graph.operators()) {
        if (!joins(op) || graph.tensor(op.outputs.front()).shape.dims.size() < 2)
            continue;
        const bool wholeAligned = graph.tensor(op.outputs.front()).shape.channels() % step == 0;
        std::int64_t channel = 0;
        for (const auto &part : op.inputs) {
            const Tensor &tensor = graph.tensor(part.front());
            const bool aligned = wholeAligned && channel % step == 0 && tensor.shape.channels() % step == 0;
            if (part.size() == 1 && aligned && joinsOf[part.front().index()] == 1 && tensor.producer.isValid())
                aliases[part.front().index()] = ConcatAlias{op.outputs.front(), channel};
            channel += tensor.shape.channels();
        }
    }
    return aliases;
}

Placement placeTensors(const Graph &graph, const ConcatAliases &aliases, std::span<const Stage> stages,
                       const GpuOptions &options)
{
    return Placer(graph, aliases, stages, options).place();
}

} // namespace stagecraft::gpu
