#include "plan/planned_program.h"

#include "plan/placement.h"
#include "schedule/launched_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace stagecraft::plan {
namespace {

class ProgramWriter {
public:
    ProgramWriter(const Graph &graph, const Plan *arranged) : m_graph(graph), m_plan(arranged)
    {
        if (m_plan) {
            for (std::size_t i = 0; i < m_plan->buffers.size(); ++i) {
                const std::size_t begin = m_plan->arena.offsets[i];
                m_program.allocations.push_back({0, begin, begin + m_plan->buffers[i].bytes});
            }
        }
        for (std::size_t i = 0; i < graph.tensors().size(); ++i)
            m_program.memory.push_back({graph.tensor(TensorId::fromIndex(i)).name, allocationOf(i)});
        for (const TensorId output : graph.outputs())
            m_program.memory[output.index()].isOutput = true;
    }

    LaunchedProgram writeStages(const std::vector<Stage> &stages)
    {
        std::size_t streams = 0;
        for (const Stage &stage : stages)
            streams = std::max(streams, stage.concurrentGroups());
        nameStreams(streams);
        for (std::size_t i = 0; i < stages.size(); ++i) {
            if (i > 0)
                m_program.steps.emplace_back(WaitForAll{});
            if (stages[i].isMerged()) {
                launch(membersOf(stages[i]), 0, i, 0);
                continue;
            }
            if (stages[i].isFused())
                nameStreams(stages[i].groups.size());
            for (const GroupLaunch &each : stagecraft::launchesOf(stages[i]))
                launch({each.op}, static_cast<std::uint32_t>(each.group), i, planGroupOf(stages[i], each));
        }
        return std::move(m_program);
    }

    LaunchedProgram writeStreams(const Streams &streams)
    {
        nameStreams(streams.count);
        std::map<std::uint32_t, std::uint32_t> events; // by the launch after which they are recorded
        for (const StreamLaunch &each : streams.launches) {
            for (const std::uint32_t before : each.waits) {
                if (events.try_emplace(before, static_cast<std::uint32_t>(events.size())).second)
                    m_program.events.push_back("after " + namesOf(streams.launches[before].operators));
            }
        }
        for (std::uint32_t i = 0; i < streams.launches.size(); ++i) {
            const StreamLaunch &each = streams.launches[i];
            for (const std::uint32_t before : each.waits)
                m_program.steps.emplace_back(EventWait{each.stream, events[before]});
            launch(each.operators, each.stream, i, 0);
            if (const auto event = events.find(i); event != events.end())
                m_program.steps.emplace_back(EventRecord{each.stream, event->second});
        }
        return std::move(m_program);
    }

private:
    std::size_t allocationOf(std::size_t tensor)
    {
        if (m_plan && m_plan->tensors[tensor])
            return m_plan->tensors[tensor]->index;
        const std::size_t own = m_program.allocations.size();
        m_program.allocations.push_back({own + 1, 0, 1}); // arena 0 is that of the plan
        return own;
    }

    void nameStreams(std::size_t count)
    {
        for (std::size_t i = m_program.streams.size(); i < count; ++i)
            m_program.streams.push_back(fmt::format("stream {}", i + 1));
    }

    // Of a fused stage the plan has a group for each operator.
    static std::size_t planGroupOf(const Stage &stage, const GroupLaunch &launch)
    {
        if (!stage.isFused())
            return launch.group;
        const std::vector<OperatorId> members = membersOf(stage);
        return static_cast<std::size_t>(
            std::ranges::count_if(members, [&](OperatorId other) { return other < launch.op; }));
    }

    [[nodiscard]] std::string namesOf(const std::vector<OperatorId> &operators) const
    {
        std::string names;
        for (const OperatorId id : operators)
            names += (names.empty() ? "" : " + ") + m_graph.op(id).name;
        return names;
    }

    // `stage` and `group`: where the plan has it.
    void launch(const std::vector<OperatorId> &operators, std::uint32_t stream, std::size_t stage, std::size_t group)
    {
        ProgramLaunch launch{namesOf(operators), stream};
        const auto use = [](std::vector<std::uint32_t> &memory, TensorId tensor) {
            if (std::ranges::count(memory, tensor.value) == 0)
                memory.push_back(tensor.value);
        };
        for (const OperatorId id : operators) {
            for (const auto &part : m_graph.op(id).inputs) {
                for (const TensorId tensor : part)
                    use(launch.reads, tensor);
            }
            for (const TensorId tensor : m_graph.op(id).outputs)
                use(launch.writes, tensor);
        }
        if (m_plan)
            addWorkspace(launch, operators, m_plan->stages[stage].groups[group]);
        m_program.steps.emplace_back(std::move(launch));
    }

    // The scratch memory of its group, and the output of merged operators where no tensor has its place.
    void addWorkspace(ProgramLaunch &launch, const std::vector<OperatorId> &operators, const GroupPlan &group)
    {
        const auto add = [&](std::size_t buffer, const char *what) {
            const auto [found, isNew] =
                m_workspaces.try_emplace(buffer, static_cast<std::uint32_t>(m_program.memory.size()));
            if (isNew)
                m_program.memory.push_back({fmt::format("{} of {}", what, launch.name), buffer, true});
            launch.writes.push_back(found->second);
        };
        for (const OperatorTasks &each : group.operators) {
            if (each.operators != operators)
                continue;
            if (m_plan->buffers[group.scratchBuffer].bytes > 0)
                add(group.scratchBuffer, "workspace");
            for (const Task &task : each.tasks) {
                const std::size_t buffer = task.output().index;
                const bool isKnown = std::ranges::any_of(
                    launch.writes, [&](std::uint32_t memory) { return m_program.memory[memory].allocation == buffer; });
                if (!isKnown)
                    add(buffer, "merged output");
            }
        }
    }

    const Graph &m_graph;
    const Plan *m_plan;
    LaunchedProgram m_program;
    std::map<std::size_t, std::uint32_t> m_workspaces; // memory, by buffer
};

} // namespace

LaunchedProgram plannedProgram(const Graph &graph, const Schedule &schedule, const Plan *arranged)
{
    ProgramWriter writer(graph, arranged);
    return schedule.streams ? writer.writeStreams(*schedule.streams) : writer.writeStages(schedule.stages);
}

} // namespace stagecraft::plan
