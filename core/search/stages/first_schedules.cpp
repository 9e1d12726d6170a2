#include "search/stages/first_schedules.h"

#include "schedule/stage_groups.h"
#include "search/stages/baselines.h"
#include "search/stages/block_view.h"

#include <algorithm>
#include <limits>

namespace stagecraft {

namespace {

std::size_t bound(std::optional<int> value)
{
    return value ? static_cast<std::size_t>(*value) : std::numeric_limits<std::size_t>::max();
}

// Schedules one block by critical path.
class ListScheduler {
public:
    ListScheduler(const BlockView &view, const SearchOptions &options, std::span<const double> weight)
        : m_view(view), m_r(bound(options.r)), m_s(bound(options.s)), m_rank(view.n)
    {
        for (int op = view.n - 1; op >= 0; --op) {
            double after = 0;
            for (OperatorSet rest = view.successors[op]; rest != 0; rest &= rest - 1)
                after = std::max(after, m_rank[lowest(rest)]);
            m_rank[op] = after + weight[view.ids[op].index()];
        }
    }

    void append(TimedSchedule &schedule)
    {
        OperatorSet done = 0;
        while (done != m_view.all)
            done |= appendStage(schedule, done);
    }

private:
    OperatorSet appendStage(TimedSchedule &schedule, OperatorSet done) const
    {
        Stage stage{m_view.index, Strategy::Concurrent, {}};
        OperatorSet taken = 0;
        for (const int first : ready(m_view.all & ~done, done)) {
            if (stage.groups.size() == m_s)
                break;
            OperatorSet group = single(first);
            for (int last = first; static_cast<std::size_t>(size(group)) < m_r;) {
                const auto next = ready(m_view.successors[last], done | group);
                if (next.empty())
                    break;
                last = next.front();
                group |= single(last);
            }
            taken |= group;
            auto &operators = stage.groups.emplace_back();
            for (; group != 0; group &= group - 1)
                operators.push_back(m_view.ids[lowest(group)]);
        }
        schedule.stages.push_back(normalized(std::move(stage)));
        return taken;
    }

    // Operators of the set whose inputs are all done, heaviest path first.
    std::vector<int> ready(OperatorSet candidates, OperatorSet done) const
    {
        std::vector<int> result;
        for (OperatorSet rest = candidates; rest != 0; rest &= rest - 1) {
            if ((m_view.predecessors[lowest(rest)] & ~done) == 0)
                result.push_back(lowest(rest));
        }
        std::ranges::stable_sort(result, std::greater{}, [&](int op) { return m_rank[op]; });
        return result;
    }

    const BlockView &m_view;
    std::size_t m_r;
    std::size_t m_s;
    std::vector<double> m_rank; // weight of the heaviest path from the operator to the end of the block
};

} // namespace

TimedSchedule listSchedule(const Graph &graph, const Blocks &blocks, const SearchOptions &options,
                           std::span<const double> weight)
{
    TimedSchedule schedule;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const BlockView view = makeBlockView(graph, blocks[b], b);
        ListScheduler(view, options, weight).append(schedule);
    }
    return schedule;
}

TimedSchedule boundedGreedySchedule(const Graph &graph, const Blocks &blocks, const SearchOptions &options)
{
    TimedSchedule schedule = greedySchedule(graph, blocks);
    std::vector<Stage> stages;
    for (const Stage &stage : schedule.stages) {
        for (std::size_t first = 0; first < stage.groups.size();) {
            const std::size_t count = std::min(bound(options.s), stage.groups.size() - first);
            const auto from = stage.groups.begin() + static_cast<std::ptrdiff_t>(first);
            stages.push_back({stage.block, stage.strategy, {from, from + static_cast<std::ptrdiff_t>(count)}});
            first += count;
        }
    }
    schedule.stages = std::move(stages);
    return schedule;
}

TimedSchedule mergedSchedule(const Graph &graph, const Blocks &blocks, const SearchOptions &options)
{
    TimedSchedule schedule;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const BlockView view = makeBlockView(graph, blocks[b], b);
        // Operators of a merge class read the same tensor, so all can run as soon as one can.
        OperatorSet done = 0;
        for (int op = 0; op < view.n; ++op) {
            if ((done & single(op)) != 0)
                continue;
            OperatorSet together = single(op);
            for (const OperatorSet members : view.mergeClasses) {
                if ((members & single(op)) == 0)
                    continue;
                for (OperatorSet rest = members & ~done & ~together; rest != 0; rest &= rest - 1) {
                    if (static_cast<std::size_t>(size(together)) < bound(options.s))
                        together |= rest & -rest;
                }
            }
            done |= together;
            schedule.stages.push_back(
                view.stage(together, size(together) > 1 ? Strategy::Merge : Strategy::Concurrent));
        }
    }
    return schedule;
}

TimedSchedule fusedSchedule(const Graph &graph, const Blocks &blocks, const SearchOptions &options)
{
    TimedSchedule schedule;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (std::ranges::find(options.pinned, b, &Stage::block) == options.pinned.end()) {
            schedule.stages.push_back(stageOf(graph, b, blocks[b].operators, Strategy::Fused));
            continue;
        }
        for (const OperatorId id : blocks[b].operators)
            schedule.stages.push_back({b, Strategy::Concurrent, {{id}}});
    }
    return schedule;
}

} // namespace stagecraft
