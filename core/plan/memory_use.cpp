#include "plan/memory_use.h"

#include "plan/placement.h"
#include "plan/stream_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace stagecraft::plan {
namespace {

constexpr std::size_t kAlignment = 256; // as CUDA allocates

std::vector<std::size_t> bytesByStage(const MemoryUse &use, bool onlyWorkspace)
{
    std::vector<BufferLife> lives;
    for (const MemoryBuffer &buffer : use.buffers) {
        if (!onlyWorkspace || buffer.tensors.empty())
            lives.push_back(buffer.life);
    }
    return liveBytes(lives, use.stages);
}

// Buffers of TVM's planner: given back when the last reader of their tensor has run, and taken again.
class ReferenceCounted {
public:
    ReferenceCounted(const Graph &graph, std::int64_t elementBytes)
        : m_graph(graph), m_elementBytes(elementBytes), m_readers(graph.tensors().size()),
          m_bufferOf(graph.tensors().size(), kNone)
    {
        for (const Operator &op : graph.operators()) {
            for (const auto &part : op.inputs) {
                for (const TensorId tensor : part)
                    ++m_readers[tensor.index()];
            }
        }
        for (const TensorId output : graph.outputs())
            ++m_readers[output.index()]; // never given back
        for (const TensorId input : graph.inputs())
            allocate(input);
    }

    void run(const Stage &stage)
    {
        const std::vector<OperatorId> members = membersOf(stage);
        for (const OperatorId id : members) {
            for (const TensorId output : m_graph.op(id).outputs)
                allocate(output);
        }
        for (const OperatorId id : members) {
            for (const auto &part : m_graph.op(id).inputs) {
                for (const TensorId tensor : part) {
                    if (--m_readers[tensor.index()] == 0)
                        giveBack(tensor);
                }
            }
            for (const TensorId output : m_graph.op(id).outputs) {
                if (m_readers[output.index()] == 0)
                    giveBack(output);
            }
        }
    }

    [[nodiscard]] std::size_t bytes() const { return std::accumulate(m_sizes.begin(), m_sizes.end(), std::size_t{0}); }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    static constexpr std::size_t kMatchRange = 16;

    void allocate(TensorId tensor)
    {
        const std::size_t bytes =
            aligned(static_cast<std::size_t>(m_graph.tensor(tensor).shape.elements() * m_elementBytes), kAlignment);
        auto found = m_free.lower_bound(bytes);
        if (found == m_free.end() || found->first > bytes * kMatchRange) {
            // None is large enough: the largest of the smaller ones grows.
            const auto smallest = m_free.lower_bound(bytes / kMatchRange);
            const auto behind = m_free.lower_bound(bytes);
            found = smallest == behind ? m_free.end() : std::prev(behind);
        }
        if (found == m_free.end()) {
            m_bufferOf[tensor.index()] = m_sizes.size();
            m_sizes.push_back(bytes);
            return;
        }
        m_bufferOf[tensor.index()] = found->second;
        m_sizes[found->second] = std::max(m_sizes[found->second], bytes);
        m_free.erase(found);
    }
    void giveBack(TensorId tensor)
    {
        const std::size_t buffer = m_bufferOf[tensor.index()];
        m_free.emplace(m_sizes[buffer], buffer);
    }

    const Graph &m_graph;
    std::int64_t m_elementBytes;
    std::vector<std::size_t> m_readers;  // by tensor: those to come
    std::vector<std::size_t> m_bufferOf; // by tensor
    std::vector<std::size_t> m_sizes;    // by buffer
    std::multimap<std::size_t, std::size_t> m_free;
};

// With this workspace, by stage; empty: as planned.
Plan arranged(Plan plan, std::span<const StageWorkspace> workspace)
{
    for (std::size_t stage = 0; stage < workspace.size(); ++stage) {
        for (std::size_t group = 0; group < workspace[stage].size(); ++group)
            plan.buffers[plan.stages[stage].groups[group].scratchBuffer].bytes = workspace[stage][group];
    }
    arrangeArena(plan);
    return plan;
}

} // namespace

std::vector<std::size_t> MemoryUse::liveBytes() const
{
    return bytesByStage(*this, false);
}

std::vector<std::size_t> MemoryUse::workspaceBytes() const
{
    return bytesByStage(*this, true);
}

std::size_t MemoryUse::livePeakBytes() const
{
    const auto live = liveBytes();
    return live.empty() ? 0 : std::ranges::max(live);
}

std::size_t MemoryUse::noReuseBytes() const
{
    std::size_t bytes = 0;
    for (const MemoryBuffer &buffer : buffers)
        bytes += buffer.life.bytes;
    return bytes;
}

MemoryUse memoryUseOf(const Plan &plan)
{
    MemoryUse use{plan.stages.size(), plan.alignment, plan.arena.bytes, {}};
    std::vector<MemoryBuffer> all(plan.buffers.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].life = plan.buffers[i];
        all[i].life.bytes = aligned(plan.buffers[i].bytes, plan.alignment);
        all[i].offset = plan.arena.offsets[i];
    }
    for (std::size_t tensor = 0; tensor < plan.tensors.size(); ++tensor) {
        if (plan.tensors[tensor])
            all[plan.tensors[tensor]->index].tensors.push_back(TensorId::fromIndex(tensor));
    }
    for (MemoryBuffer &buffer : all) {
        if (buffer.life.bytes > 0)
            use.buffers.push_back(std::move(buffer));
    }
    return use;
}

Result<TensorPlan> plannedTensors(const Graph &graph, std::int64_t elementBytes)
{
    for (const Tensor &tensor : graph.tensors()) {
        if (!tensor.shape.known)
            return refused("the shape of tensor " + tensor.name + " is not known, and so are its bytes",
                           "export the model with fixed shapes");
    }
    MemoryRules rules{kAlignment, elementBytes};
    rules.keepsOutside = false;
    return planTensors(graph, std::vector<TensorLayout>(graph.tensors().size(), TensorLayout::RowMajor), rules);
}

Result<std::size_t> plannedTensorBytes(const Graph &graph, const TensorPlan &tensors, std::span<const Stage> stages,
                                       std::size_t stage)
{
    TRY_AS(const auto plan, planStages(graph, tensors, stages, usualInputForm));
    std::size_t bytes = 0;
    for (const BufferLife &buffer : plan.buffers)
        bytes += buffer.isLive(stage) ? aligned(buffer.bytes, plan.alignment) : 0;
    return bytes - paddedBytes(plan.workspaceBytes()[stage]);
}

Result<StageWorkspace> plannedWorkspace(const Graph &graph, const TensorPlan &tensors, const Stage &stage)
{
    TRY_AS(const auto plan, planStages(graph, tensors, {&stage, 1}, usualInputForm));
    return plan.workspaceBytes().front();
}

std::size_t paddedBytes(const StageWorkspace &workspace)
{
    std::size_t sum = 0;
    for (const std::size_t bytes : workspace)
        sum += aligned(bytes, kAlignment);
    return sum;
}

Result<MemoryUse> plannedMemory(const Graph &graph, std::span<const Stage> stages, std::int64_t elementBytes,
                                std::span<const StageWorkspace> workspace)
{
    TRY_AS(const auto tensors, plannedTensors(graph, elementBytes));
    TRY_AS(auto plan, planStages(graph, tensors, stages, usualInputForm));
    return memoryUseOf(arranged(std::move(plan), workspace));
}

Result<Plan> plannedArena(const Graph &graph, const Schedule &schedule, std::int64_t elementBytes,
                          std::span<const StageWorkspace> workspace)
{
    TRY_AS(const auto tensors, plannedTensors(graph, elementBytes));
    TRY_AS(auto plan, schedule.streams ? planStreams(graph, tensors, *schedule.streams, usualInputForm)
                                       : planStages(graph, tensors, schedule.stages, usualInputForm));
    return arranged(std::move(plan), workspace);
}

Result<MemoryUse> plannedMemory(const Graph &graph, const Schedule &schedule, std::int64_t elementBytes,
                                std::span<const StageWorkspace> workspace)
{
    return plannedArena(graph, schedule, elementBytes, workspace).map(memoryUseOf);
}

std::size_t referenceCountedBytes(const Graph &graph, std::span<const Stage> stages, std::int64_t elementBytes)
{
    ReferenceCounted buffers(graph, elementBytes);
    for (const Stage &stage : stages)
        buffers.run(stage);
    return buffers.bytes();
}

} // namespace stagecraft::plan
