#include "schedule/verify.h"

#include "schedule/merge.h"
#include "schedule/verify_words.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft {

namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

struct Place {
    std::size_t stage = kNowhere;
    std::size_t group = 0;
    std::size_t position = 0;
};

class Verifier {
public:
    Verifier(const Graph &graph, const Blocks &blocks)
        : m_graph(graph), m_places(graph.size()), m_blockOf(graph.size(), kNowhere)
    {
        for (std::size_t block = 0; block < blocks.size(); ++block) {
            for (const OperatorId id : blocks[block].operators)
                m_blockOf[id.index()] = block;
        }
        m_blockCount = blocks.size();
    }

    Result<void> verify(const Schedule &schedule)
    {
        for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
            if (auto placed = place(schedule, i); !placed)
                return within(stageName(i), placed.error());
        }
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            if (m_places[i].stage == kNowhere)
                return refusedOperator(m_graph, OperatorId::fromIndex(i), "is in no stage");
        }
        for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
            if (auto checked = checkStage(schedule.stages[i]); !checked)
                return within(stageName(i), checked.error());
        }
        return checkLatencies(schedule);
    }

private:
    Result<void> place(const Schedule &schedule, std::size_t index)
    {
        const Stage &stage = schedule.stages[index];
        if (stage.block >= m_blockCount)
            return fail(ErrorCode::InvalidInput, "belongs to block " + std::to_string(stage.block) +
                                                     ", but the model has " + std::to_string(m_blockCount) + " blocks");
        if (stage.groups.empty())
            return fail(ErrorCode::InvalidInput, "has no operators");
        for (std::size_t group = 0; group < stage.groups.size(); ++group) {
            if (stage.groups[group].empty())
                return fail(ErrorCode::InvalidInput, "has an empty group");
            for (std::size_t position = 0; position < stage.groups[group].size(); ++position) {
                const OperatorId id = stage.groups[group][position];
                if (!id.isValid() || id.index() >= m_graph.size())
                    return fail(ErrorCode::InvalidInput, "names an operator the model does not have");
                if (m_places[id.index()].stage != kNowhere)
                    return refusedOperator(m_graph, id, "is scheduled twice");
                if (m_blockOf[id.index()] != stage.block)
                    return isOfAnotherBlock(m_graph, id, m_blockOf[id.index()], stage.block);
                m_places[id.index()] = {index, group, position};
            }
        }
        if (index > 0 && stage.block < schedule.stages[index - 1].block)
            return runsBehindItsBlock(m_graph, stage.groups.front().front(), stage.block,
                                      schedule.stages[index - 1].block);
        return {};
    }

    Result<void> checkStage(const Stage &stage) const
    {
        for (const auto &group : stage.groups) {
            for (const OperatorId id : group) {
                if (auto read = checkReads(id); !read)
                    return read;
            }
            if (!isConnected(group))
                return refusedOperator(m_graph, group.front(), "shares a group with operators it is not connected to");
        }
        return stage.strategy == Strategy::Merge ? checkMerge(stage) : Result<void>{};
    }

    Result<void> checkReads(OperatorId id) const
    {
        const Place &here = m_places[id.index()];
        for (const OperatorId producer : m_graph.predecessors(id)) {
            const Place &there = m_places[producer.index()];
            if (there.stage < here.stage)
                continue;
            if (there.stage > here.stage)
                return runsBefore(m_graph, id, producer);
            if (there.group != here.group)
                return runsBeside(m_graph, id, producer);
            if (there.position >= here.position)
                return refusedOperator(
                    m_graph, id, "comes before " + m_graph.op(producer).name + " in its group, but reads its output");
        }
        return {};
    }

    bool isConnected(const std::vector<OperatorId> &group) const
    {
        std::vector<OperatorId> reached{group.front()};
        const auto visit = [&](OperatorId id) {
            if (std::ranges::find(group, id) != group.end() && std::ranges::find(reached, id) == reached.end())
                reached.push_back(id);
        };
        for (std::size_t next = 0; next < reached.size(); ++next) {
            const OperatorId id = reached[next];
            std::ranges::for_each(m_graph.predecessors(id), visit);
            std::ranges::for_each(m_graph.successors(id), visit);
        }
        return reached.size() == group.size();
    }

    Result<void> checkMerge(const Stage &stage) const
    {
        std::vector<OperatorId> operators;
        for (const auto &group : stage.groups) {
            if (group.size() != 1)
                return refusedOperator(m_graph, group.front(), "is in a group of several operators of a merge stage");
            operators.push_back(group.front());
        }
        if (auto merged = mergedOperator(m_graph, operators); !merged)
            return tl::unexpected(merged.error());
        return {};
    }

    static Result<void> checkLatencies(const Schedule &schedule)
    {
        const auto isLatency = [](double value) { return std::isfinite(value) && value >= 0; };
        const auto &latencies = schedule.stageLatencyUs;
        if (!latencies.empty() && latencies.size() != schedule.stages.size())
            return fail(ErrorCode::InvalidInput, "there are " + std::to_string(latencies.size()) +
                                                     " stage latencies for " + std::to_string(schedule.stages.size()) +
                                                     " stages");
        const std::size_t timings = schedule.stageTimings.size();
        if (timings > 0 && timings != schedule.stages.size())
            return fail(ErrorCode::InvalidInput, "there are timings of " + std::to_string(timings) + " stages for " +
                                                     std::to_string(schedule.stages.size()) + " stages");
        for (std::size_t i = 0; i < latencies.size(); ++i) {
            if (!isLatency(latencies[i]))
                return within(stageName(i),
                              Error{ErrorCode::InvalidInput, "its latency is not a number of at least 0", {}, {}});
        }
        if (schedule.latencyUs && !isLatency(*schedule.latencyUs))
            return fail(ErrorCode::InvalidInput, "the latency of the schedule is not a number of at least 0");
        return {};
    }

    const Graph &m_graph;
    std::vector<Place> m_places;
    std::vector<std::size_t> m_blockOf;
    std::size_t m_blockCount = 0;
};

} // namespace

Result<void> verifySchedule(const Graph &graph, const Blocks &blocks, const Schedule &schedule)
{
    return Verifier(graph, blocks).verify(schedule);
}

} // namespace stagecraft
