#include "plan/placement.h"

#include "schedule/merge.h"

#include <algorithm>

namespace stagecraft::plan {
namespace {

constexpr std::size_t kNoStage = static_cast<std::size_t>(-1);

class Placer {
public:
    Placer(const Graph &graph, const TensorPlan &tensors, std::span<const Stage> stages)
        : m_graph(graph), m_tensors(tensors), m_stages(stages)
    {
        m_placement.tensors.resize(graph.tensors().size());
        m_placement.merged.resize(stages.size());
    }

    Placement place()
    {
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage) {
            if (m_stages[stage].isMerged())
                placeMerged(stage);
        }
        std::vector<bool> isProduced(m_graph.tensors().size());
        std::vector<bool> isOutside(m_graph.tensors().size());
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage) {
            for (const OperatorId id : membersOf(m_stages[stage])) {
                const Operator &op = m_graph.op(id);
                for (const auto &part : op.inputs) {
                    for (const TensorId read : part) {
                        m_tensors.forHolders(read, [&](TensorId tensor) {
                            touch(tensor, stage);
                            if (!isProduced[tensor.index()])
                                isOutside[tensor.index()] = true;
                        });
                    }
                }
                for (const TensorId tensor : op.outputs) {
                    if (!m_tensors.isHeld(tensor))
                        continue;
                    touch(tensor, stage);
                    isProduced[tensor.index()] = true;
                }
            }
        }
        const std::size_t last = m_stages.empty() ? 0 : m_stages.size() - 1;
        for (std::size_t i = 0; i < isOutside.size(); ++i) {
            const auto tensor = TensorId::fromIndex(i);
            if (!isOutside[i])
                continue;
            m_placement.outside.push_back(tensor);
            touch(tensor, 0);
            if (m_tensors.rules.keepsOutside)
                touch(tensor, last);
        }
        for (const TensorId tensor : m_graph.outputs()) {
            if (isProduced[tensor.index()])
                touch(tensor, last);
        }
        return std::move(m_placement);
    }

private:
    View newBuffer(std::size_t bytes, const Extent &dims, TensorLayout layout)
    {
        m_placement.buffers.push_back({bytes, kNoStage, kNoStage});
        return denseView(m_placement.buffers.size() - 1, dims, layout);
    }

    // Created at its first use.
    const View &viewOf(TensorId tensor)
    {
        std::optional<View> &view = m_placement.tensors[tensor.index()];
        if (view)
            return *view;
        const Extent &dims = m_graph.tensor(tensor).shape.dims;
        const TensorLayout layout = m_tensors.layouts[tensor.index()];
        if (const auto &alias = m_tensors.aliases[tensor.index()])
            view = channelsOf(viewOf(alias->joined), layout, alias->channel, dims[kChannelAxis]);
        else
            view = newBuffer(m_tensors.bytesOf(tensor, dims, layout), dims, layout);
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
        const TensorLayout layout = mergedLayout(m_graph, m_tensors, members);
        const std::size_t axis = mergeAxis(m_graph, members.front());
        const bool ofColumns = m_graph.op(members.front()).gemm() != nullptr;
        const Extent dims = mergedShape(m_graph, members).dims;
        std::optional<View> &merged = m_placement.merged[stage];
        if (!ofColumns)
            merged = whereJoined(members, dims);
        if (!merged)
            merged = newBuffer(m_tensors.bytesOf(dims, layout), dims, layout);
        touchBuffer(merged->index, stage);
        std::int64_t at = 0;
        for (const OperatorId id : members) {
            const TensorId tensor = m_graph.op(id).outputs.front();
            const std::int64_t extent = mergeExtent(m_graph.op(id));
            const bool isFree = !m_tensors.aliases[tensor.index()] && !m_placement.tensors[tensor.index()];
            const bool isInPlace = ofColumns ? m_tensors.layouts[tensor.index()] == layout &&
                                                   isDense(sliced(*merged, axis, at, extent), layout)
                                             : isReadInPlace(tensor, *merged, layout, at);
            if (isFree && isInPlace)
                m_placement.tensors[tensor.index()] = partOf(*merged, layout, axis, at, extent);
            at += extent;
        }
        if (!ofColumns)
            placeJoinOf(members, *merged, layout);
    }

    // Whether every reader of the tensor takes it as channels of the merged output.
    bool isReadInPlace(TensorId tensor, const View &merged, TensorLayout layout, std::int64_t channel) const
    {
        const std::int64_t channels = m_graph.tensor(tensor).shape.channels();
        if (m_tensors.layouts[tensor.index()] != layout || channel % merged.block != 0 || channels % merged.block != 0)
            return false;
        switch (m_tensors.rules.strided) {
        case MemoryRules::Strided::Always: return true;
        case MemoryRules::Strided::ReadByJoins:
            if (layout == TensorLayout::ChannelsLast && m_tensors.onlyJoined[tensor.index()])
                return true;
            break;
        case MemoryRules::Strided::Never: break;
        }
        return isDense(sliced(merged, kChannelAxis, channel, channels), layout);
    }

    // A join of exactly the merge's members, in order, is the merged output itself.
    void placeJoinOf(const std::vector<OperatorId> &members, const View &merged, TensorLayout layout)
    {
        for (const Operator &op : m_graph.operators()) {
            const bool same =
                op.kind == OperatorKind::Join && m_tensors.isHeld(op.outputs.front()) &&
                std::ranges::equal(op.inputs, members, [&](const auto &part, OperatorId id) {
                    const TensorId tensor = m_graph.op(id).outputs.front();
                    const auto &view = m_placement.tensors[tensor.index()];
                    return part.size() == 1 && part.front() == tensor && view && view->index == merged.index;
                });
            if (!same)
                continue;
            const TensorId joined = op.outputs.front();
            std::optional<View> &view = m_placement.tensors[joined.index()];
            if (!view && !m_tensors.aliases[joined.index()] && m_tensors.layouts[joined.index()] == layout)
                view = merged;
        }
    }

    // If the members' aliases are adjacent in the order of the merge, it writes straight there.
    std::optional<View> whereJoined(const std::vector<OperatorId> &members, const Extent &dims)
    {
        std::optional<ConcatAlias> first;
        std::int64_t channel = 0;
        for (const OperatorId id : members) {
            const auto &alias = m_tensors.aliases[m_graph.op(id).outputs.front().index()];
            if (!alias)
                return std::nullopt;
            if (!first)
                first = alias;
            if (alias->joined != first->joined || alias->channel != first->channel + channel)
                return std::nullopt;
            channel += m_graph.outputShape(id).channels();
        }
        return channelsOf(viewOf(first->joined), m_tensors.layouts[first->joined.index()], first->channel,
                          dims[kChannelAxis]);
    }

    const Graph &m_graph;
    const TensorPlan &m_tensors;
    std::span<const Stage> m_stages;
    Placement m_placement;
};

} // namespace

Placement placeTensors(const Graph &graph, const TensorPlan &tensors, std::span<const Stage> stages)
{
    return Placer(graph, tensors, stages).place();
}

std::vector<OperatorId> membersOf(const Stage &stage)
{
    std::vector<OperatorId> members;
    for (const auto &group : stage.groups)
        members.insert(members.end(), group.begin(), group.end());
    return members;
}

TensorLayout mergedLayout(const Graph &graph, const TensorPlan &tensors, std::span<const OperatorId> members)
{
    if (graph.op(members.front()).gemm()) // columns lie beside each other
        return TensorLayout::RowMajor;
    std::vector<TensorId> outputs;
    for (const OperatorId id : members)
        outputs.push_back(graph.op(id).outputs.front());
    return jointLayout(tensors.layouts, outputs);
}

} // namespace stagecraft::plan
