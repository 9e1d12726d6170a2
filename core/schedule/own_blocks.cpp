#include "schedule/own_blocks.h"

#include <algorithm>
#include <vector>

namespace stagecraft {
namespace {

bool keepTo(const Graph &graph, const Blocks &usual, std::span<const Stage> stages)
{
    std::vector<std::size_t> blockOf(graph.size(), usual.size());
    for (std::size_t block = 0; block < usual.size(); ++block) {
        for (const OperatorId id : usual[block].operators)
            blockOf[id.index()] = block;
    }
    return std::ranges::all_of(stages, [&](const Stage &stage) {
        return std::ranges::all_of(stage.groups, [&](const auto &group) {
            return std::ranges::all_of(group, [&](OperatorId id) { return blockOf[id.index()] == stage.block; });
        });
    });
}

} // namespace

std::optional<Blocks> ownBlocks(const Graph &graph, const Blocks &usual, std::span<const Stage> stages)
{
    if (keepTo(graph, usual, stages))
        return std::nullopt;
    Blocks own;
    for (const Stage &stage : stages) {
        if (stage.block >= stages.size())
            return std::nullopt;
        own.resize(std::max(own.size(), stage.block + 1));
        for (const auto &group : stage.groups)
            own[stage.block].operators.insert(own[stage.block].operators.end(), group.begin(), group.end());
    }
    for (Block &block : own)
        std::ranges::sort(block.operators);
    return verifyBlocks(graph, own) ? std::optional(std::move(own)) : std::nullopt;
}

} // namespace stagecraft
