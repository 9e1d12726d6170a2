#include "cpu/onednn/placement.h"

#include "cpu/onednn/emitter.h"

#include <algorithm>
#include <set>

namespace stagecraft::cpu {
namespace {

constexpr std::size_t kNoBuffer = static_cast<std::size_t>(-1);

bool isChannelsLast(const Desc &desc)
{
    return arrangementOf(desc) == Arrangement::ChannelsLast;
}

class Placer {
public:
    Placer(const Graph &graph, const Layouts &layouts, const std::vector<Stage> &stages)
        : m_graph(graph), m_layouts(layouts), m_stages(stages)
    {
        m_placement.tensors.assign(graph.tensors().size(), Place{kNoBuffer, 0, {}});
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
            for (const auto &group : m_stages[stage].groups) {
                for (const OperatorId id : group)
                    placeOperator(id, stage, produced, outside);
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
    void placeOperator(OperatorId id, std::size_t stage, std::set<TensorId> &produced, std::set<TensorId> &outside)
    {
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

    // The tensor's place, made at its first use.
    const Place &placeOf(TensorId tensor)
    {
        Place &place = m_placement.tensors[tensor.index()];
        if (place.buffer != kNoBuffer)
            return place;
        const Desc &desc = m_layouts.tensors[tensor.index()];
        if (const auto &alias = m_layouts.aliases[tensor.index()]) {
            const Place &joined = placeOf(alias->joined);
            place = {joined.buffer, joined.offsetBytes + alias->offsetBytes, desc};
        } else {
            place = {m_placement.addBuffer(desc.get_size(), kNoStage), 0, desc};
        }
        return place;
    }

    void touch(TensorId tensor, std::size_t stage) { touchBuffer(placeOf(tensor).buffer, stage); }

    void touchBuffer(std::size_t buffer, std::size_t stage)
    {
        BufferLife &life = m_placement.buffers[buffer];
        const bool fresh = life.firstStage == kNoStage;
        life.firstStage = fresh ? stage : std::min(life.firstStage, stage);
        life.lastStage = fresh ? stage : std::max(life.lastStage, stage);
    }

    void placeMerged(std::size_t stage)
    {
        std::vector<OperatorId> operators;
        for (const auto &group : m_stages[stage].groups)
            operators.insert(operators.end(), group.begin(), group.end());
        const Desc desc = mergedDesc(m_layouts, m_graph, operators);
        std::optional<Place> &merged = m_placement.merged[stage];
        merged = placeWhereJoined(operators, desc);
        if (!merged)
            merged = Place{m_placement.addBuffer(desc.get_size(), stage), 0, desc};
        touchBuffer(merged->buffer, stage);
        std::int64_t channel = 0;
        for (const OperatorId id : operators) {
            const TensorId tensor = m_graph.op(id).outputs.front();
            const Desc &own = m_layouts.tensors[tensor.index()];
            const auto offset = sliceOffsetBytes(desc, channel, own);
            Place &place = m_placement.tensors[tensor.index()];
            const bool free = !m_layouts.aliases[tensor.index()] && place.buffer == kNoBuffer;
            if (free && offset)
                place = {merged->buffer, merged->offsetBytes + *offset, own};
            else if (free && m_layouts.onlyJoined[tensor.index()] && isChannelsLast(desc) && isChannelsLast(own))
                place = {merged->buffer, merged->offsetBytes + static_cast<std::size_t>(channel) * sizeof(float),
                         channelsLast(own.dims(), desc.dims()[1])};
            channel += own.dims()[1];
        }
        placeJoinOf(operators, *merged);
    }

    // A concatenation of exactly the merge's members, in order, is the merged output itself.
    void placeJoinOf(const std::vector<OperatorId> &operators, const Place &merged)
    {
        for (const Operator &op : m_graph.operators()) {
            const bool same = op.kind == OperatorKind::Join &&
                              std::ranges::equal(op.inputs, operators, [&](const auto &part, OperatorId id) {
                                  const TensorId tensor = m_graph.op(id).outputs.front();
                                  return part.size() == 1 && part.front() == tensor &&
                                         m_placement.tensors[tensor.index()].buffer == merged.buffer;
                              });
            if (!same)
                continue;
            const TensorId joined = op.outputs.front();
            Place &place = m_placement.tensors[joined.index()];
            if (place.buffer == kNoBuffer && !m_layouts.aliases[joined.index()] &&
                m_layouts.tensors[joined.index()] == merged.desc)
                place = merged;
        }
    }

    // If the members' aliases are adjacent in the order of the merge, it writes straight there.
    std::optional<Place> placeWhereJoined(const std::vector<OperatorId> &operators, const Desc &desc)
    {
        std::optional<ConcatAlias> first;
        std::int64_t channel = 0;
        for (const OperatorId id : operators) {
            const TensorId tensor = m_graph.op(id).outputs.front();
            const auto &alias = m_layouts.aliases[tensor.index()];
            const auto offset = sliceOffsetBytes(desc, channel, m_layouts.tensors[tensor.index()]);
            if (!alias || !offset)
                return std::nullopt;
            if (!first)
                first = alias;
            if (alias->joined != first->joined || alias->offsetBytes != first->offsetBytes + *offset)
                return std::nullopt;
            channel += m_layouts.tensors[tensor.index()].dims()[1];
        }
        const Place &joined = placeOf(first->joined);
        return Place{joined.buffer, joined.offsetBytes + first->offsetBytes, desc};
    }

    static constexpr std::size_t kNoStage = static_cast<std::size_t>(-1);

    const Graph &m_graph;
    const Layouts &m_layouts;
    const std::vector<Stage> &m_stages;
    Placement m_placement;
};

} // namespace

std::size_t Placement::addBuffer(std::size_t bytes, std::size_t stage)
{
    buffers.push_back({bytes, stage, stage});
    return buffers.size() - 1;
}

Placement placeTensors(const Graph &graph, const Layouts &layouts, const std::vector<Stage> &stages)
{
    return Placer(graph, layouts, stages).place();
}

} // namespace stagecraft::cpu
