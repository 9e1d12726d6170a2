#include "schedule/edit/move_to_blocks.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

std::vector<std::size_t> blockOfOperators(const Graph &graph, const Blocks &blocks)
{
    std::vector<std::size_t> blockOf(graph.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        for (const OperatorId id : blocks[i].operators)
            blockOf[id.index()] = i;
    }
    return blockOf;
}

// `stage`, from 0, gets the block of its operators.
Result<void> setBlock(const Graph &graph, const std::vector<std::size_t> &blockOf, std::size_t number, Stage &stage)
{
    const OperatorId first = stage.groups.front().front();
    stage.block = blockOf[first.index()];
    for (const auto &group : stage.groups) {
        for (const OperatorId id : group) {
            if (blockOf[id.index()] != stage.block)
                return within(fmt::format("stage {}", number + 1),
                              fail(ErrorCode::InvalidInput,
                                   fmt::format("{} is in block {}, {} in block {}", graph.op(first).name,
                                               stage.block + 1, graph.op(id).name, blockOf[id.index()] + 1),
                                   "Split the stage between them, or leave the blocks joined")
                                  .value());
        }
    }
    return {};
}

template <typename Value>
std::vector<Value> reordered(const std::vector<Value> &values, const std::vector<std::size_t> &order)
{
    if (values.size() != order.size())
        return {};
    std::vector<Value> made;
    for (const std::size_t i : order)
        made.push_back(values[i]);
    return made;
}

} // namespace

Result<TimedSchedule> movedToBlocks(const Graph &graph, const Blocks &blocks, TimedSchedule schedule)
{
    const std::vector<std::size_t> blockOf = blockOfOperators(graph, blocks);
    for (std::size_t i = 0; i < schedule.stages.size(); ++i)
        TRY(setBlock(graph, blockOf, i, schedule.stages[i]));
    // What was proved was about the blocks before.
    schedule.search.gap = std::numeric_limits<double>::infinity();
    schedule.search.assumption.reset();
    schedule.search.termination = Termination::None;
    if (std::ranges::is_sorted(schedule.stages, {}, &Stage::block))
        return schedule;
    std::vector<std::size_t> order(schedule.stages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return schedule.stages[i].block; });
    schedule.stages = reordered(schedule.stages, order);
    Measurement measured;
    measured.provenance = schedule.measured.provenance;
    measured.stages = reordered(schedule.measured.stages, order);
    schedule.measured = std::move(measured);
    return schedule;
}

} // namespace stagecraft
