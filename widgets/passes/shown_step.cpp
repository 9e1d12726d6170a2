#include "widgets/passes/shown_step.h"

#include "graph/graph_part.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace stagecraft {
namespace {

void sortOnce(std::vector<OperatorId> &ids)
{
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

// Where operators that are gone lead to.
struct Trail {
    std::vector<OperatorId> heirs;   // of the graph after: do their work, or, where none does, read on in their place
    std::vector<OperatorId> sources; // of the graph before: those, what is gone on the way, and what the heirs were
};

Trail trailOf(const PassStep &step, std::span<const OperatorId> gone)
{
    Trail trail;
    trail.sources.assign(gone.begin(), gone.end());
    std::unordered_set<std::size_t> isKnown;
    for (const OperatorId id : gone)
        isKnown.insert(id.index());
    for (std::size_t next = 0; next < trail.sources.size(); ++next) {
        const OperatorId id = trail.sources[next];
        if (const OperatorId into = step.becomes[id.index()]; into.isValid()) {
            trail.heirs.push_back(into);
            continue;
        }
        for (const OperatorId reader : step.before->successors(id)) {
            if (isKnown.insert(reader.index()).second)
                trail.sources.push_back(reader);
        }
    }
    sortOnce(trail.heirs);
    for (std::size_t i = 0; i < step.becomes.size(); ++i) {
        if (step.becomes[i].isValid() && std::ranges::binary_search(trail.heirs, step.becomes[i]))
            trail.sources.push_back(OperatorId::fromIndex(i));
    }
    sortOnce(trail.sources);
    return trail;
}

ShownGraph wholeOf(const std::shared_ptr<const Graph> &graph)
{
    ShownGraph shown{graph, std::vector<OperatorId>(graph->size()), {}, {}, true};
    for (std::size_t i = 0; i < graph->size(); ++i)
        shown.operators[i] = OperatorId::fromIndex(i);
    return shown;
}

ShownGraph partAround(const Graph &graph, std::vector<OperatorId> operators)
{
    auto part = std::make_shared<const Graph>(partOf(graph, operators));
    return {std::move(part), std::move(operators), {}, {}, false};
}

void mark(ShownGraph &shown, std::span<const OperatorId> operators, OperatorMark as)
{
    shown.marks.resize(shown.graph->size(), OperatorMark::None);
    for (const OperatorId id : operators) {
        if (const auto here = shown.find(id))
            shown.marks[here->index()] = as;
    }
}

void frame(ShownGraph &shown, std::span<const OperatorId> operators)
{
    for (const OperatorId id : operators) {
        if (const auto here = shown.find(id))
            shown.change.push_back(*here);
    }
}

} // namespace

std::optional<OperatorId> ShownGraph::find(OperatorId ofWhole) const
{
    const auto place = std::ranges::lower_bound(operators, ofWhole);
    if (place == operators.end() || *place != ofWhole)
        return std::nullopt;
    return OperatorId::fromIndex(static_cast<std::size_t>(place - operators.begin()));
}

ShownStep shownStep(const PassStep &step, std::span<const OperatorId> change)
{
    ShownStep shown;
    if (step.before->size() < kWholeStep) {
        shown = {wholeOf(step.before), wholeOf(step.after)};
    } else {
        if (change.empty())
            change = std::span(step.gone).first(std::min<std::size_t>(1, step.gone.size()));
        Trail trail = trailOf(step, change);
        const std::vector<OperatorId> around = neighbourhood(*step.before, trail.sources, kStepsAround, kWholeStep);
        std::vector<OperatorId> left = std::move(trail.heirs);
        for (const OperatorId id : around) {
            if (step.becomes[id.index()].isValid())
                left.push_back(step.becomes[id.index()]);
        }
        sortOnce(left);
        shown = {partAround(*step.before, around), partAround(*step.after, std::move(left))};
    }
    mark(shown.before, step.gone, OperatorMark::Gone);
    mark(shown.after, trailOf(step, step.gone).heirs, OperatorMark::TakesOver);
    frame(shown.before, change);
    frame(shown.after, trailOf(step, change).heirs);
    return shown;
}

} // namespace stagecraft
