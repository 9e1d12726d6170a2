#include "gpu/plan/dataflow_plan.h"

#include <algorithm>
#include <optional>

namespace stagecraft::gpu {
namespace {

constexpr std::size_t kStart = 0; // the event that streams other than 0 begin with

class Dataflow {
public:
    Dataflow(std::span<const Task> tasks, std::span<const std::vector<Access>> accesses)
        : m_tasks(tasks), m_accesses(accesses), m_ancestors(tasks.size(), std::vector<bool>(tasks.size())),
          m_streamOf(tasks.size()), m_events(tasks.size())
    {
        for (std::size_t task = 0; task < tasks.size(); ++task)
            m_waits.push_back(waitsOf(task));
        for (const std::size_t task : launchOrder(tasks))
            place(task);
    }

    [[nodiscard]] LaunchPlan launches()
    {
        using Kind = LaunchStep::Kind;
        LaunchPlan plan;
        plan.streams = std::max<std::size_t>(1, m_last.size());
        plan.events = 1;
        for (const auto &waits : m_waits) {
            for (const std::size_t before : waits) {
                if (!m_events[before])
                    m_events[before] = plan.events++;
            }
        }
        if (plan.streams > 1)
            plan.steps.push_back({Kind::Record, 0, kStart});
        std::vector<bool> begun(plan.streams, false);
        begun[0] = true;
        for (const std::size_t task : launchOrder(m_tasks)) {
            const std::size_t stream = m_streamOf[task];
            if (!begun[stream] && m_waits[task].empty())
                plan.steps.push_back({Kind::Wait, stream, kStart});
            begun[stream] = true;
            for (const std::size_t before : m_waits[task])
                plan.steps.push_back({Kind::Wait, stream, *m_events[before]});
            plan.steps.push_back({Kind::Run, stream, task});
            if (m_events[task])
                plan.steps.push_back({Kind::Record, stream, *m_events[task]});
        }
        // Stream 0 takes in every stream whose last task nobody waited for.
        for (std::size_t stream = 1; stream < plan.streams; ++stream) {
            const std::size_t last = *m_last[stream];
            const auto follows = [&](std::size_t task) { return m_ancestors[task][last]; };
            const bool isTaken = m_last[0] && follows(*m_last[0]);
            if (isTaken)
                continue;
            if (!m_events[last]) {
                m_events[last] = plan.events++;
                plan.steps.push_back({Kind::Record, stream, *m_events[last]});
            }
            plan.steps.push_back({Kind::Wait, 0, *m_events[last]});
        }
        return plan;
    }

private:
    [[nodiscard]] bool isSameGroup(std::size_t a, std::size_t b) const
    {
        return m_tasks[a].stage == m_tasks[b].stage && m_tasks[a].group == m_tasks[b].group;
    }

    // The nearest tasks that have to be over, without those that others of them follow.
    [[nodiscard]] std::vector<std::size_t> waitsOf(std::size_t task)
    {
        std::vector<std::size_t> waits;
        std::vector<bool> &known = m_ancestors[task];
        for (std::size_t before = task; before-- > 0;) {
            const bool isChain = before + 1 == task && isSameGroup(before, task);
            const bool isOrdered = isChain || (m_tasks[before].stage != m_tasks[task].stage &&
                                               conflict(m_accesses[before], m_accesses[task]));
            if (!isOrdered || known[before])
                continue;
            waits.push_back(before);
            known[before] = true;
            for (std::size_t i = 0; i < before; ++i)
                known[i] = known[i] || m_ancestors[before][i];
        }
        return waits;
    }

    // On the stream of a task that it waits for, if nothing came there since; then it needs no event for that one. Else
    // on any stream whose last task is before it, or a new one.
    void place(std::size_t task)
    {
        std::optional<std::size_t> chosen;
        for (std::size_t stream = 0; stream < m_last.size(); ++stream) {
            const auto last = m_last[stream];
            if (last && std::ranges::find(m_waits[task], *last) != m_waits[task].end()) {
                chosen = stream;
                break;
            }
            if (!chosen && (!last || m_ancestors[task][*last]))
                chosen = stream;
        }
        if (!chosen) {
            chosen = m_last.size();
            m_last.emplace_back();
        }
        if (m_last[*chosen])
            std::erase(m_waits[task], *m_last[*chosen]);
        m_streamOf[task] = *chosen;
        m_last[*chosen] = task;
    }

    std::span<const Task> m_tasks;
    std::span<const std::vector<Access>> m_accesses;
    std::vector<std::vector<bool>> m_ancestors; // by task: those that are over before it
    std::vector<std::vector<std::size_t>> m_waits;
    std::vector<std::size_t> m_streamOf;
    std::vector<std::optional<std::size_t>> m_last; // task of each stream
    std::vector<std::optional<std::size_t>> m_events;
};

} // namespace

LaunchPlan planDataflow(std::span<const Task> tasks, std::span<const std::vector<Access>> accesses)
{
    return Dataflow(tasks, accesses).launches();
}

} // namespace stagecraft::gpu
