#include "flow/profile/observed_stages.h"

#include "schedule/stage_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kNowhere = ~std::size_t{0};

// Sets of numbers that grow together.
class Joined {
public:
    explicit Joined(std::size_t size) : m_lower(size) { std::iota(m_lower.begin(), m_lower.end(), std::size_t{0}); }

    std::size_t lowest(std::size_t at)
    {
        while (m_lower[at] != at)
            at = m_lower[at] = m_lower[m_lower[at]];
        return at;
    }
    void join(std::size_t one, std::size_t other)
    {
        one = lowest(one);
        other = lowest(other);
        m_lower[std::max(one, other)] = std::min(one, other);
    }

private:
    std::vector<std::size_t> m_lower;
};

// Operators of a block that become one stage.
struct Cluster {
    std::vector<OperatorId> operators;
    std::int64_t startNs = kNever; // of the first kernel; kNever: they took no time
};

class StageObservation {
public:
    StageObservation(const Graph &graph, const Blocks &blocks, std::span<const ObservedKernel> kernels)
        : m_graph(graph), m_blocks(blocks), m_kernels(kernels), m_blockOf(graph.size()),
          m_startNs(graph.size(), kNever), m_together(graph.size()), m_beside(graph.size())
    {
        for (std::size_t block = 0; block < blocks.size(); ++block) {
            for (const OperatorId id : blocks[block].operators)
                m_blockOf[id.index()] = block;
        }
    }

    ObservedStages stages()
    {
        joinFused();
        joinOverlapping();
        for (std::size_t block = 0; block < m_blocks.size(); ++block)
            addStages(block);
        addNotes();
        return std::move(m_observed);
    }

private:
    // One kernel computed several operators, those of its own block.
    void joinFused()
    {
        for (const ObservedKernel &kernel : m_kernels) {
            const std::size_t main = kernel.operators.front().index();
            m_startNs[main] = std::min(m_startNs[main], kernel.startNs);
            for (const OperatorId other : kernel.operators) {
                if (m_blockOf[other.index()] == m_blockOf[main])
                    m_together.join(main, other.index());
                else
                    m_apart.insert(other);
            }
        }
        for (std::size_t i = 0; i < m_graph.size(); ++i) { // a fused set starts as its first kernel does
            std::int64_t &startNs = m_startNs[m_together.lowest(i)];
            startNs = std::min(startNs, m_startNs[i]);
        }
        for (std::size_t i = 0; i < m_graph.size(); ++i)
            m_startNs[i] = m_startNs[m_together.lowest(i)];
    }

    void joinOverlapping()
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i)
            m_beside.join(i, m_together.lowest(i));
        std::vector<const ObservedKernel *> running;
        for (const ObservedKernel &kernel : m_kernels) {
            std::erase_if(running, [&](const ObservedKernel *other) { return other->endNs <= kernel.startNs; });
            const std::size_t main = kernel.operators.front().index();
            for (const ObservedKernel *other : running) {
                const std::size_t beside = other->operators.front().index();
                const bool isOnOneRow = other->stream == kernel.stream && !(kernel.isOfGraph && other->isOfGraph);
                if (isOnOneRow || kernel.endNs <= kernel.startNs)
                    continue;
                if (m_blockOf[main] == m_blockOf[beside])
                    m_beside.join(main, beside);
                else
                    m_acrossBlocks.insert(kernel.operators.front());
            }
            running.push_back(&kernel);
        }
    }

    void addStages(std::size_t block)
    {
        std::vector<Cluster> clusters = clustersOf(block, m_beside);
        placeUntimed(block, clusters);
        breakCycles(clusters);
        std::vector<std::size_t> waitsFor(clusters.size(), 0); // producers that are not placed yet
        const auto before = edgesOf(clusters);
        for (std::size_t i = 0; i < clusters.size(); ++i)
            waitsFor[i] = static_cast<std::size_t>(std::ranges::count(before[i], true));
        std::vector<bool> isPlaced(clusters.size(), false);
        for (std::size_t placed = 0; placed < clusters.size(); ++placed) {
            const std::size_t next = firstReady(clusters, waitsFor, isPlaced);
            isPlaced[next] = true;
            if (clusters[next].startNs != kNever) {
                if (clusters[next].startNs < m_reachedNs)
                    m_late.insert(clusters[next].operators.begin(), clusters[next].operators.end());
                m_reachedNs = std::max(m_reachedNs, clusters[next].startNs);
            }
            for (std::size_t i = 0; i < clusters.size(); ++i)
                waitsFor[i] -= before[i][next] ? 1 : 0;
            m_observed.stages.push_back(
                stageOf(m_graph, block, std::move(clusters[next].operators), Strategy::Concurrent));
        }
    }

    // Of those with nothing left to wait for: what took no time, then what started first.
    static std::size_t firstReady(const std::vector<Cluster> &clusters, const std::vector<std::size_t> &waitsFor,
                                  const std::vector<bool> &isPlaced)
    {
        std::size_t first = kNowhere;
        for (std::size_t i = 0; i < clusters.size(); ++i) {
            if (isPlaced[i] || waitsFor[i] > 0)
                continue;
            const auto rank = [&](std::size_t at) {
                const bool isTimed = clusters[at].startNs != kNever;
                return std::pair(isTimed ? clusters[at].startNs : std::numeric_limits<std::int64_t>::min(), at);
            };
            if (first == kNowhere || rank(i) < rank(first))
                first = i;
        }
        return first;
    }

    // By set, ascending by the first operator.
    std::vector<Cluster> clustersOf(std::size_t block, Joined &sets) const
    {
        std::vector<Cluster> clusters;
        std::vector<std::pair<std::size_t, std::size_t>> placeOf; // by lowest operator of the set
        for (const OperatorId id : m_blocks[block].operators) {
            const std::size_t lowest = sets.lowest(id.index());
            auto found = std::ranges::find(placeOf, lowest, &std::pair<std::size_t, std::size_t>::first);
            if (found == placeOf.end()) {
                found = placeOf.insert(placeOf.end(), {lowest, clusters.size()});
                clusters.emplace_back();
            }
            add(clusters[found->second], id);
        }
        return clusters;
    }

    void add(Cluster &cluster, OperatorId id) const
    {
        cluster.operators.push_back(id);
        cluster.startNs = std::min(cluster.startNs, m_startNs[id.index()]);
    }

    // An operator that took no time runs with the one that reads it, or else with the one it reads. It must not tie
    // others together that ran beside each other.
    void placeUntimed(std::size_t block, std::vector<Cluster> &clusters)
    {
        const auto &operators = m_blocks[block].operators;
        for (const OperatorId id : operators | std::views::reverse)
            placeBeside(id, m_graph.successors(id), clusters, true);
        for (const OperatorId id : operators)
            placeBeside(id, m_graph.predecessors(id), clusters, false);
        std::erase_if(clusters, [](const Cluster &cluster) { return cluster.operators.empty(); });
    }

    template <typename Neighbours>
    void placeBeside(OperatorId id, const Neighbours &neighbours, std::vector<Cluster> &clusters, bool first)
    {
        const std::size_t from = placeIn(clusters, id);
        if (clusters[from].startNs != kNever || clusters[from].operators.size() > 1)
            return;
        std::size_t best = kNowhere;
        for (const OperatorId other : neighbours) {
            const std::size_t place =
                m_blockOf[other.index()] == m_blockOf[id.index()] ? placeIn(clusters, other) : kNowhere;
            if (place == kNowhere || clusters[place].startNs == kNever)
                continue;
            const bool isBetter = best != kNowhere && (clusters[place].startNs < clusters[best].startNs) == first;
            if (best == kNowhere || isBetter)
                best = place;
        }
        if (best == kNowhere || tiesTogether(id, clusters[best]))
            return;
        clusters[from].operators.clear();
        std::vector<OperatorId> &into = clusters[best].operators;
        into.insert(std::ranges::upper_bound(into, id), id);
    }

    bool tiesTogether(OperatorId id, const Cluster &cluster) const
    {
        const std::size_t before = groupsOf(cluster.operators);
        std::vector<OperatorId> with = cluster.operators;
        with.push_back(id);
        return groupsOf(std::move(with)) < before;
    }
    std::size_t groupsOf(std::vector<OperatorId> operators) const
    {
        return stageOf(m_graph, 0, std::move(operators), Strategy::Concurrent).groups.size();
    }

    static std::size_t placeIn(const std::vector<Cluster> &clusters, OperatorId id)
    {
        const auto found = std::ranges::find_if(
            clusters, [&](const Cluster &cluster) { return std::ranges::binary_search(cluster.operators, id); });
        return found == clusters.end() ? kNowhere : static_cast<std::size_t>(found - clusters.begin());
    }

    // [i][j]: i reads from j.
    std::vector<std::vector<bool>> edgesOf(const std::vector<Cluster> &clusters) const
    {
        std::vector<std::vector<bool>> reads(clusters.size(), std::vector<bool>(clusters.size(), false));
        for (std::size_t i = 0; i < clusters.size(); ++i) {
            for (const OperatorId id : clusters[i].operators) {
                for (const OperatorId producer : m_graph.predecessors(id)) {
                    const std::size_t from = placeIn(clusters, producer); // nowhere: of an earlier block
                    if (from != kNowhere && from != i)
                        reads[i][from] = true;
                }
            }
        }
        return reads;
    }

    // Clusters that read from each other cannot be stages: they fall apart into what one kernel computed, and these, if
    // need be, into operators.
    void breakCycles(std::vector<Cluster> &clusters)
    {
        while (true) {
            auto reads = edgesOf(clusters);
            for (std::size_t via = 0; via < clusters.size(); ++via) {
                for (std::size_t i = 0; i < clusters.size(); ++i) {
                    for (std::size_t j = 0; reads[i][via] && j < clusters.size(); ++j)
                        reads[i][j] = reads[i][j] || reads[via][j];
                }
            }
            std::vector<Cluster> parts;
            for (std::size_t i = 0; i < clusters.size(); ++i) {
                if (!reads[i][i] || clusters[i].operators.size() == 1) {
                    parts.push_back(std::move(clusters[i]));
                    continue;
                }
                m_broken.insert(clusters[i].operators.begin(), clusters[i].operators.end());
                std::vector<Cluster> smaller = partsOf(clusters[i]);
                std::ranges::move(smaller, std::back_inserter(parts));
            }
            const bool isDone = parts.size() == clusters.size();
            clusters = std::move(parts);
            if (isDone)
                return;
        }
    }

    std::vector<Cluster> partsOf(const Cluster &cluster)
    {
        std::vector<Cluster> parts;
        const std::size_t first = m_together.lowest(cluster.operators.front().index());
        const bool isOneKernel = std::ranges::all_of(
            cluster.operators, [&](OperatorId id) { return m_together.lowest(id.index()) == first; });
        std::vector<std::size_t> sets;
        for (const OperatorId id : cluster.operators) {
            const std::size_t set = isOneKernel ? id.index() : m_together.lowest(id.index());
            auto found = std::ranges::find(sets, set);
            if (found == sets.end()) {
                found = sets.insert(sets.end(), set);
                parts.emplace_back();
            }
            add(parts[static_cast<std::size_t>(found - sets.begin())], id);
        }
        return parts;
    }

    void addNotes()
    {
        const auto note = [&](const std::set<OperatorId> &operators, const char *what) {
            if (!operators.empty())
                m_observed.notes.push_back(named(operators) + what);
        };
        note(m_broken, " ran beside operators that they depend on through others: no stage between barriers can say "
                       "so, so they are stages of their own");
        note(m_acrossBlocks, " ran beside operators of another block: blocks run one after another here");
        note(m_apart, " ran in one kernel with operators of another block, which have its time");
        note(m_late, " ran earlier than edges and blocks allow, so they are placed behind what they read");
    }

    // "conv1, conv2 and 5 more"
    std::string named(const std::set<OperatorId> &operators) const
    {
        constexpr std::size_t kMost = 3;
        std::string text;
        std::size_t count = 0;
        for (const OperatorId id : operators) {
            if (count++ < kMost)
                text += (count == 1 ? "" : ", ") + m_graph.op(id).name;
        }
        return count > kMost ? fmt::format("{} and {} more", text, count - kMost) : text;
    }

    const Graph &m_graph;
    const Blocks &m_blocks;
    std::span<const ObservedKernel> m_kernels;
    std::vector<std::size_t> m_blockOf;
    std::vector<std::int64_t> m_startNs; // by operator
    Joined m_together;                   // computed by one kernel
    Joined m_beside;                     // and those that ran at the same time
    std::int64_t m_reachedNs = std::numeric_limits<std::int64_t>::min();
    std::set<OperatorId> m_apart;
    std::set<OperatorId> m_acrossBlocks;
    std::set<OperatorId> m_broken;
    std::set<OperatorId> m_late;
    ObservedStages m_observed;
};

} // namespace

ObservedStages observedStages(const Graph &graph, const Blocks &blocks, std::span<const ObservedKernel> kernels)
{
    return StageObservation(graph, blocks, kernels).stages();
}

} // namespace stagecraft
