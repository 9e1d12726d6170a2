#include "search/capped/buffers_without_merges.h"

#include "plan/plan.h"

#include <algorithm>
#include <map>

namespace stagecraft {

Result<BuffersWithoutMerges> BuffersWithoutMerges::make(const Graph &graph, const plan::TensorPlan &tensors)
{
    std::vector<Stage> stages;
    for (std::size_t i = 0; i < graph.size(); ++i)
        stages.push_back(stageAlone(OperatorId::fromIndex(i)));
    TRY_AS(const auto plan, plan::planStages(graph, tensors, stages, plan::usualInputForm));
    BuffersWithoutMerges made;
    made.m_buffers.resize(plan.buffers.size());
    const auto bufferOf = [&](TensorId tensor) -> Buffer & {
        return made.m_buffers[plan.tensors[tensor.index()]->index];
    };
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Operator &op = graph.operators()[i];
        for (const auto &part : op.inputs) {
            for (const TensorId tensor : part)
                bufferOf(tensor).users.push_back(i);
        }
        for (const TensorId tensor : op.outputs)
            bufferOf(tensor).users.push_back(i);
    }
    for (std::size_t i = 0; i < graph.tensors().size(); ++i) {
        const auto tensor = TensorId::fromIndex(i);
        if (!plan.tensors[i])
            continue; // nobody touches it
        Buffer &buffer = bufferOf(tensor);
        buffer.bytes = plan::aligned(plan.buffers[plan.tensors[i]->index].bytes, plan.alignment);
        const bool isInput = !graph.tensor(tensor).producer.isValid();
        buffer.livesFirst = buffer.livesFirst || isInput;
        buffer.livesLast = buffer.livesLast || (!isInput && std::ranges::count(graph.outputs(), tensor) > 0);
    }
    return made;
}

BuffersWithoutMerges::InBlock::InBlock(const BuffersWithoutMerges &all, const std::vector<bool> &isBefore,
                                       const BlockView &view)
{
    std::map<std::size_t, int> local;
    for (int i = 0; i < view.n; ++i)
        local.emplace(view.ids[static_cast<std::size_t>(i)].index(), i);
    for (const Buffer &buffer : all.m_buffers) {
        Entry entry{buffer.bytes, 0, buffer.livesFirst, buffer.livesLast};
        for (const std::size_t op : buffer.users) {
            const auto here = local.find(op);
            if (here != local.end())
                entry.users |= single(here->second);
            else
                (isBefore[op] ? entry.hasBegun : entry.goesOn) = true;
        }
        if (entry.hasBegun && entry.goesOn)
            m_throughoutBytes += entry.bytes;
        else if (entry.users != 0)
            m_entries.push_back(entry);
    }
}

std::size_t BuffersWithoutMerges::InBlock::liveBytes(OperatorSet done, OperatorSet stage) const
{
    std::size_t bytes = m_throughoutBytes;
    for (const Entry &entry : m_entries) {
        const bool isLive =
            (entry.hasBegun || (entry.users & (done | stage)) != 0) && (entry.goesOn || (entry.users & ~done) != 0);
        bytes += isLive ? entry.bytes : 0;
    }
    return bytes;
}

} // namespace stagecraft
