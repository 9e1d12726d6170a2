#include "model/rewrite/chosen_blocks.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

std::size_t blockOf(const Blocks &blocks, OperatorId id)
{
    const auto found = std::ranges::find_if(
        blocks, [&](const Block &block) { return std::ranges::binary_search(block.operators, id); });
    return static_cast<std::size_t>(found - blocks.begin());
}

Result<std::vector<OperatorId>> operatorsNamed(const Graph &graph, const std::set<std::string> &names,
                                               std::string_view what)
{
    std::vector<OperatorId> found;
    for (const std::string &name : names) {
        const auto id = graph.find(name);
        if (!id)
            return fail(ErrorCode::InvalidInput,
                        fmt::format("the model has no operator {}, after which {}", name, what),
                        "The names are those of its schedule units");
        found.push_back(*id);
    }
    std::ranges::sort(found);
    return found;
}

Result<Blocks> joined(const Graph &graph, const Blocks &blocks, const std::set<std::string> &names)
{
    TRY_AS(const auto chosen, operatorsNamed(graph, names, "blocks are to be joined"));
    std::vector<bool> goesOn(blocks.size());
    for (const OperatorId id : chosen) {
        const std::size_t block = blockOf(blocks, id);
        if (block + 1 == blocks.size())
            return within("operator " + graph.op(id).name,
                          fail(ErrorCode::InvalidInput, "it is in the last block: there is none behind to join it with",
                               "Name an operator of an earlier block")
                              .value());
        goesOn[block] = true;
    }
    Blocks made;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (i == 0 || !goesOn[i - 1])
            made.emplace_back();
        auto &operators = made.back().operators;
        operators.insert(operators.end(), blocks[i].operators.begin(), blocks[i].operators.end());
    }
    for (Block &block : made)
        std::ranges::sort(block.operators);
    return made;
}

// The operator, and all of its block that lead to it.
std::vector<OperatorId> closureIn(const Graph &graph, const Block &block, OperatorId id)
{
    std::vector<OperatorId> closure{id};
    for (auto op = std::make_reverse_iterator(std::ranges::upper_bound(block.operators, id));
         op != block.operators.rend(); ++op) {
        const auto &successors = graph.successors(*op);
        if (std::ranges::any_of(closure,
                                [&](OperatorId in) { return std::ranges::find(successors, in) != successors.end(); }))
            closure.push_back(*op);
    }
    std::ranges::sort(closure);
    return closure;
}

Result<void> cut(const Graph &graph, Blocks &blocks, OperatorId id)
{
    const std::size_t at = blockOf(blocks, id);
    Block first{closureIn(graph, blocks[at], id)};
    Block rest;
    std::ranges::set_difference(blocks[at].operators, first.operators, std::back_inserter(rest.operators));
    if (rest.operators.empty())
        return within("operator " + graph.op(id).name,
                      fail(ErrorCode::InvalidInput, "all of its block lead to it: nothing is left to cut off",
                           "Name an operator before it")
                          .value());
    blocks[at] = std::move(rest);
    blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(at), std::move(first));
    return {};
}

} // namespace

Result<Blocks> chosenBlocks(const Graph &graph, Blocks blocks, const Reading &reading)
{
    TRY_AS(blocks, joined(graph, blocks, reading.joinedAfter));
    TRY_AS(const auto cuts, operatorsNamed(graph, reading.cutAfter, "a block is to be cut"));
    for (const OperatorId id : cuts)
        TRY(cut(graph, blocks, id));
    if (auto verified = verifyBlocks(graph, blocks); !verified) {
        verified.error().remedy = "Join fewer blocks";
        return tl::unexpected(std::move(verified.error()));
    }
    return blocks;
}

Reading joinedBehind(const Graph &graph, const Block &block, Reading reading)
{
    // A block is cut behind the one operator of it that a cut names.
    for (const OperatorId id : block.operators) {
        if (reading.cutAfter.erase(graph.op(id).name) > 0)
            return reading;
    }
    reading.joinedAfter.insert(graph.op(block.operators.back()).name);
    return reading;
}

} // namespace stagecraft
