#include "schedule/verify.h"

#include "schedule/merge.h"
#include "schedule/streams/verify_streams.h"
#include "schedule/verify_words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>

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
    explicit Verifier(const Graph &graph) : m_graph(graph), m_places(graph.size()) {}

    // Checks that operators run in a legal order; without `blocks`, whatever blocks they are in.
    Result<void> verify(std::span<const Stage> stages, const Blocks *blocks)
    {
        for (std::size_t i = 0; i < stages.size(); ++i) {
            if (auto placed = place(stages[i], i); !placed)
                return within(stageName(i), placed.error());
        }
        if (auto placed = blocks ? checkBlocks(stages, *blocks) : Result<void>{}; !placed)
            return placed;
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            if (m_places[i].stage == kNowhere)
                return refusedOperator(m_graph, OperatorId::fromIndex(i), "is in no stage");
        }
        for (std::size_t i = 0; i < stages.size(); ++i) {
            if (auto checked = checkStage(stages[i]); !checked)
                return within(stageName(i), checked.error());
        }
        return {};
    }

    // Assumes that everything the stage reads from outside exists.
    Result<void> verifyAlone(const Stage &stage)
    {
        if (auto placed = place(stage, 0); !placed)
            return placed;
        return checkStage(stage);
    }

    static Result<void> checkLatencies(const TimedSchedule &schedule)
    {
        const auto isLatency = [](double value) { return std::isfinite(value) && value >= 0; };
        const auto &timings = schedule.measured.stages;
        if (!timings.empty() && timings.size() != schedule.stages.size())
            return refused(
                fmt::format("there are {} stage latencies for {} stages", timings.size(), schedule.stages.size()));
        for (std::size_t i = 0; i < timings.size(); ++i) {
            if (!isLatency(timings[i].latencyUs))
                return within(stageName(i),
                              Error{ErrorCode::InvalidInput, "its latency is not a number of at least 0", {}, {}});
        }
        if (schedule.measured.whole && !isLatency(schedule.measured.whole->latencyUs))
            return fail(ErrorCode::InvalidInput, "the latency of the schedule is not a number of at least 0");
        return {};
    }

    [[nodiscard]] Result<void> checkLayouts(const StatedLayouts &layouts) const
    {
        const auto wrong = [](const std::string &what, const std::string &name, std::string reason) {
            return within(what + " " + name, Error{ErrorCode::InvalidInput,
                                                   std::move(reason),
                                                   "correct the layouts of the schedule, or leave them out",
                                                   {}});
        };
        for (const auto &stated : layouts.tensors) {
            const std::string &name = stated.first;
            const TensorLayout layout = stated.second;
            const auto tensor = std::ranges::find(m_graph.tensors(), name, &Tensor::name);
            if (tensor == m_graph.tensors().end())
                return wrong("tensor", name, "the model has no tensor of this name");
            if (layout != TensorLayout::RowMajor && !isImage(*tensor))
                return wrong("tensor", name, "only images of float32 have another layout than NCHW");
            if (layout != TensorLayout::RowMajor && !tensor->producer.isValid())
                return wrong("tensor", name, "inputs of the model come in NCHW");
            const bool isSame =
                !tensor->producer.isValid() ||
                std::ranges::all_of(m_graph.op(tensor->producer).outputs, [&](TensorId other) {
                    const auto sibling = std::ranges::find(layouts.tensors, m_graph.tensor(other).name,
                                                           &std::pair<std::string, TensorLayout>::first);
                    return (sibling == layouts.tensors.end() ? TensorLayout::RowMajor : sibling->second) == layout;
                });
            if (!isSame)
                return wrong("tensor", name, "its operator writes all outputs in one layout");
        }
        for (const auto &[name, layout] : layouts.reads) {
            if (!m_graph.find(name))
                return wrong("operator", name, "the model has no operator of this name");
        }
        return {};
    }

private:
    Result<void> place(const Stage &stage, std::size_t index)
    {
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
                m_places[id.index()] = {index, group, position};
            }
        }
        return {};
    }

    // Checks in the order of the stages, so that the first error is reported.
    Result<void> checkBlocks(std::span<const Stage> stages, const Blocks &blocks) const
    {
        std::vector<std::size_t> blockOf(m_graph.size(), kNowhere);
        for (std::size_t block = 0; block < blocks.size(); ++block) {
            for (const OperatorId id : blocks[block].operators)
                blockOf[id.index()] = block;
        }
        for (std::size_t i = 0; i < stages.size(); ++i) {
            if (auto checked = checkBlock(stages, i, blocks.size(), blockOf); !checked)
                return within(stageName(i), checked.error());
        }
        return {};
    }

    Result<void> checkBlock(std::span<const Stage> stages, std::size_t index, std::size_t blocks,
                            const std::vector<std::size_t> &blockOf) const
    {
        const Stage &stage = stages[index];
        if (stage.block >= blocks)
            return refused(fmt::format("belongs to block {}, but the model has {} blocks", stage.block, blocks));
        for (const auto &group : stage.groups) {
            for (const OperatorId id : group) {
                if (blockOf[id.index()] != stage.block)
                    return isInAnotherBlock(m_graph, id, blockOf[id.index()], stage.block);
            }
        }
        if (index > 0 && stage.block < stages[index - 1].block)
            return runsAfterLaterBlock(m_graph, stage.groups.front().front(), stage.block, stages[index - 1].block);
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
        TRY(checkLaunchOrder(stage));
        return stage.isMerged() ? checkMerge(stage) : Result<void>{};
    }

    // Every operator of the stage is in `m_places`, so what is launched is counted by its place.
    Result<void> checkLaunchOrder(const Stage &stage) const
    {
        if (stage.launchOrder.empty())
            return {};
        if (stage.isMerged())
            return fail(ErrorCode::InvalidInput, "is merged into one operator, and has a launch order",
                        "Leave the launch order out");
        if (stage.isFused())
            return fail(ErrorCode::InvalidInput, "is one fused kernel, and has a launch order",
                        "Leave the launch order out");
        std::vector<std::size_t> turns(m_graph.size(), kNowhere);
        for (std::size_t turn = 0; turn < stage.launchOrder.size(); ++turn) {
            const OperatorId id = stage.launchOrder[turn];
            const auto isHere = [&](const auto &group) { return std::ranges::find(group, id) != group.end(); };
            if (!id.isValid() || id.index() >= m_graph.size())
                return fail(ErrorCode::InvalidInput, "its launch order names an operator the model does not have");
            if (std::ranges::none_of(stage.groups, isHere))
                return refusedOperator(m_graph, id, "is in the launch order of a stage that it is not in");
            if (turns[id.index()] != kNowhere)
                return refusedOperator(m_graph, id, "is in the launch order twice");
            turns[id.index()] = turn;
        }
        for (const auto &group : stage.groups) {
            for (const OperatorId id : group) {
                if (turns[id.index()] == kNowhere)
                    return refusedOperator(m_graph, id, "is not in the launch order of its stage");
                for (const OperatorId before : m_graph.predecessors(id)) {
                    if (turns[before.index()] != kNowhere && turns[before.index()] > turns[id.index()])
                        return refusedOperator(
                            m_graph, id, "is launched before " + m_graph.op(before).name + ", but reads its output");
                }
            }
        }
        return {};
    }

    Result<void> checkReads(OperatorId id) const
    {
        const Place &here = m_places[id.index()];
        for (const OperatorId producer : m_graph.predecessors(id)) {
            const Place &there = m_places[producer.index()];
            if (there.stage < here.stage || there.stage == kNowhere)
                continue;
            if (there.stage > here.stage)
                return runsBefore(m_graph, id, producer);
            if (there.group != here.group)
                return runsConcurrently(m_graph, id, producer);
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
        std::size_t next = 0;
        while (next < reached.size()) {
            const OperatorId id = reached[next++];
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
        TRY(mergedOperator(m_graph, operators));
        return {};
    }

    const Graph &m_graph;
    std::vector<Place> m_places;
};

} // namespace

Result<void> verifySchedule(const Graph &graph, const Blocks &blocks, const Schedule &schedule)
{
    if (schedule.streams) {
        if (!schedule.stages.empty())
            return fail(ErrorCode::InvalidInput, "it has both stages and streams", "Leave one of them out");
        if (!schedule.layouts.empty())
            return fail(ErrorCode::InvalidInput, "layouts go with stages, and it has streams", "Leave the layouts out");
        return verifyStreams(graph, blocks, *schedule.streams);
    }
    Verifier verifier(graph);
    return verifier.verify(schedule.stages, &blocks).and_then([&] { return verifier.checkLayouts(schedule.layouts); });
}

Result<void> verifySchedule(const Graph &graph, const Blocks &blocks, const TimedSchedule &schedule)
{
    return verifySchedule(graph, blocks, static_cast<const Schedule &>(schedule)).and_then([&] {
        return Verifier::checkLatencies(schedule);
    });
}

Result<void> verifyRunnable(const Graph &graph, const Schedule &schedule)
{
    return schedule.streams ? verifyStreams(graph, *schedule.streams) : verifyStages(graph, schedule.stages);
}

Result<void> verifyStages(const Graph &graph, std::span<const Stage> stages)
{
    return Verifier(graph).verify(stages, nullptr);
}

Result<void> verifyStage(const Graph &graph, const Stage &stage)
{
    return Verifier(graph).verifyAlone(stage);
}

} // namespace stagecraft
