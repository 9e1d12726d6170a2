#include "graph/block.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace stagecraft {

Result<void> verifyBlocks(const Graph &graph, const Blocks &blocks)
{
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> blockOf(graph.size(), kNone);
    const auto refuse = [](std::size_t block, std::string message) {
        return within(fmt::format("block {}", block + 1), Error{ErrorCode::InvalidInput, std::move(message), {}, {}});
    };
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto &operators = blocks[i].operators;
        if (operators.empty() || operators.size() > kMaxBlockOperators)
            return refuse(
                i, fmt::format("it has {} operators; 1 to {} are possible", operators.size(), kMaxBlockOperators));
        if (!std::ranges::is_sorted(operators))
            return refuse(i, "its operators are not in topological order");
        for (const OperatorId id : operators) {
            if (id.index() >= graph.size())
                return refuse(i, "it names an operator that the graph does not have");
            if (blockOf[id.index()] != kNone)
                return refuse(i, fmt::format("operator {} is in two blocks", graph.op(id).name));
            blockOf[id.index()] = i;
        }
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        if (blockOf[i] == kNone)
            return fail(ErrorCode::InvalidInput, fmt::format("operator {} is in no block", graph.op(id).name));
        for (const OperatorId predecessor : graph.predecessors(id)) {
            if (blockOf[predecessor.index()] > blockOf[i])
                return refuse(blockOf[i], fmt::format("operator {} reads {} of a later block", graph.op(id).name,
                                                      graph.op(predecessor).name));
        }
    }
    return {};
}

namespace {

// Each operator reads the one before it.
bool isChain(const Graph &graph, const std::vector<OperatorId> &operators)
{
    for (std::size_t i = 1; i < operators.size(); ++i) {
        const auto &successors = graph.successors(operators[i - 1]);
        if (std::ranges::find(successors, operators[i]) == successors.end())
            return false;
    }
    return !operators.empty();
}

} // namespace

int width(const Graph &graph, const Block &block)
{
    if (isChain(graph, block.operators))
        return 1;
    // Dilworth: operators minus a maximum matching in the bipartite graph of the reachability relation.
    const auto &operators = block.operators;
    const std::size_t count = operators.size();
    const auto localIndex = [&](OperatorId id) -> std::size_t {
        const auto found = std::ranges::lower_bound(operators, id);
        return found != operators.end() && *found == id ? static_cast<std::size_t>(found - operators.begin()) : count;
    };
    // Rows of bits: row i has the operators that operator i reaches.
    const std::size_t words = (count + 63) / 64;
    std::vector<std::uint64_t> reaches(count * words);
    for (std::size_t i = count; i-- > 0;) {
        std::uint64_t *const row = reaches.data() + i * words;
        for (const OperatorId successor : graph.successors(operators[i])) {
            const std::size_t j = localIndex(successor);
            if (j == count)
                continue;
            row[j / 64] |= std::uint64_t{1} << (j % 64);
            for (std::size_t word = j / 64; word < words; ++word)
                row[word] |= reaches[j * words + word];
        }
    }
    std::vector<std::size_t> matched(count, count);
    std::vector<std::uint64_t> seen(words);
    const auto augment = [&](const auto &self, std::size_t i) -> bool {
        for (std::size_t word = 0; word < words; ++word) {
            while (const std::uint64_t open = reaches[i * words + word] & ~seen[word]) {
                seen[word] |= open & (~open + 1); // the lowest bit
                const std::size_t j = word * 64 + static_cast<std::size_t>(std::countr_zero(open));
                if (matched[j] == count || self(self, matched[j])) {
                    matched[j] = i;
                    return true;
                }
            }
        }
        return false;
    };
    int matching = 0;
    for (std::size_t start = 0; start < count; ++start) {
        std::ranges::fill(seen, 0);
        if (augment(augment, start))
            ++matching;
    }
    return static_cast<int>(count) - matching;
}

double transitionBound(std::size_t operators, int width)
{
    if (width < 1)
        return 0;
    const double top = static_cast<double>(operators) / width + 2.0;
    return std::pow(top * (top - 1.0) / 2.0, width);
}

} // namespace stagecraft
