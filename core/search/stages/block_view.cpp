#include "search/stages/block_view.h"

#include "schedule/merge.h"

#include <algorithm>

namespace stagecraft {

namespace {

// Whether two operators can be merged does not depend on a third, so the classes are found pair by pair.
template <typename Condition>
std::vector<OperatorSet> findClasses(const BlockView &view, const Condition &areAlike)
{
    std::vector<OperatorSet> classes;
    OperatorSet left = view.all;
    while (left != 0) {
        const int first = lowest(left);
        left &= left - 1;
        OperatorSet members = single(first);
        for (OperatorSet rest = left; rest != 0; rest &= rest - 1) {
            const std::array pair{view.ids[first], view.ids[lowest(rest)]};
            if (areAlike(pair))
                members |= single(lowest(rest));
        }
        left &= ~members;
        if (size(members) > 1)
            classes.push_back(members);
    }
    return classes;
}

void findMerges(BlockView &view, const Graph &graph)
{
    using Pair = std::array<OperatorId, 2>;
    view.mergeClasses =
        findClasses(view, [&](const Pair &pair) { return readTheSame(graph, pair) && mergedOperator(graph, pair); });
    for (const OperatorId id : view.ids) {
        OperatorSet &same = view.readSame.emplace_back(0);
        for (int op = 0; op < view.n; ++op)
            same |= readTheSame(graph, Pair{id, view.ids[op]}) ? single(op) : 0;
    }
    view.ownInputClasses = findClasses(view, [&](const Pair &pair) {
        const Operator &one = graph.op(pair[0]);
        return (one.conv() || one.gemm()) && one.attributes == graph.op(pair[1]).attributes &&
               (readTheSame(graph, pair) || mergedOperator(graph, pair));
    });
    std::erase_if(view.ownInputClasses,
                  [&](OperatorSet members) { return (members & ~view.readSame[lowest(members)]) == 0; });
}

void pin(BlockView &view, const Stage &stage)
{
    PinnedSet made{.strategy = stage.strategy,
                   .groups = static_cast<int>(stage.concurrentGroups()),
                   .launchOrder = stage.launchOrder};
    for (const auto &group : stage.groups) {
        for (const OperatorId id : group) {
            const auto found = std::ranges::lower_bound(view.ids, id);
            if (found == view.ids.end() || *found != id)
                return;
            const auto op = found - view.ids.begin();
            made.operators |= single(static_cast<int>(op));
            made.predecessors |= view.predecessors[op];
            made.successors |= view.successors[op];
        }
    }
    made.predecessors &= ~made.operators;
    made.successors &= ~made.operators;
    view.pinned |= made.operators;
    view.pins.push_back(made);
}

} // namespace

OperatorSet BlockView::sinks(OperatorSet set) const
{
    OperatorSet result = 0;
    for (OperatorSet rest = set; rest != 0; rest &= rest - 1) {
        if ((successors[lowest(rest)] & set) == 0)
            result |= rest & -rest;
    }
    return result;
}

OperatorSet BlockView::component(OperatorSet set, int op) const
{
    OperatorSet reached = single(op);
    for (OperatorSet fresh = reached; fresh != 0;) {
        const int next = lowest(fresh);
        const OperatorSet neighbours = (predecessors[next] | successors[next]) & set & ~reached;
        reached |= neighbours;
        fresh = (fresh & (fresh - 1)) | neighbours;
    }
    return reached;
}

int BlockView::groupCount(OperatorSet set) const
{
    int groups = 0;
    for (; set != 0; ++groups)
        set &= ~component(set, lowest(set));
    return groups;
}

Stage BlockView::stage(OperatorSet set, Strategy strategy) const
{
    Stage stage{index, strategy, {}};
    for (const PinnedSet &pin : pins) {
        if (pin.operators == set && pin.strategy == strategy)
            stage.launchOrder = pin.launchOrder;
    }
    while (set != 0) {
        OperatorSet group = strategy == Strategy::Merge ? set & -set : component(set, lowest(set));
        set &= ~group;
        auto &operators = stage.groups.emplace_back();
        for (; group != 0; group &= group - 1)
            operators.push_back(ids[lowest(group)]);
    }
    return stage;
}

BlockView makeBlockView(const Graph &graph, const Block &block, std::size_t index, std::span<const Stage> pins)
{
    BlockView view;
    view.index = index;
    view.n = static_cast<int>(block.operators.size());
    view.all = view.n == 64 ? ~OperatorSet{0} : single(view.n) - 1;
    view.ids = block.operators;
    view.predecessors.resize(view.n);
    view.successors.resize(view.n);
    view.ancestors.resize(view.n);
    view.descendants.resize(view.n);
    for (int op = 0; op < view.n; ++op) {
        for (const OperatorId producer : graph.predecessors(view.ids[op])) {
            const auto found = std::ranges::lower_bound(view.ids, producer);
            if (found == view.ids.end() || *found != producer)
                continue;
            const int from = static_cast<int>(found - view.ids.begin());
            view.predecessors[op] |= single(from);
            view.successors[from] |= single(op);
            view.ancestors[op] |= view.ancestors[from] | single(from);
        }
    }
    for (OperatorSet left = view.all; left != 0; left &= ~view.waves.back()) {
        OperatorSet &wave = view.waves.emplace_back(0);
        for (OperatorSet rest = left; rest != 0; rest &= rest - 1) {
            if ((view.predecessors[lowest(rest)] & left) == 0)
                wave |= rest & -rest;
        }
    }
    for (int op = view.n - 1; op >= 0; --op) {
        for (OperatorSet rest = view.successors[op]; rest != 0; rest &= rest - 1)
            view.descendants[op] |= view.descendants[lowest(rest)] | (rest & -rest);
    }
    findMerges(view, graph);
    for (const Stage &stage : pins)
        pin(view, stage);
    return view;
}

} // namespace stagecraft
