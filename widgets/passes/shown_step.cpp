#include "widgets/passes/shown_step.h"

#include "graph/graph_part.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

void sortOnce(std::vector<OperatorId> &ids)
{
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

// Operators of the graph after the pass that do the work of these, or, where none does, read on in their place.
std::vector<OperatorId> heirsOf(const PassStep &step, std::span<const OperatorId> gone)
{
    std::vector<OperatorId> heirs;
    for (const OperatorId id : gone) {
        if (const OperatorId into = step.becomes[id.index()]; into.isValid()) {
            heirs.push_back(into);
            continue;
        }
        for (const OperatorId reader : step.before->successors(id)) {
            if (step.becomes[reader.index()].isValid())
                heirs.push_back(step.becomes[reader.index()]);
        }
    }
    sortOnce(heirs);
    return heirs;
}

// Those that are gone, and what their heirs were before.
std::vector<OperatorId> sourcesOf(const PassStep &step, std::span<const OperatorId> gone)
{
    std::vector<OperatorId> sources(gone.begin(), gone.end());
    const std::vector<OperatorId> heirs = heirsOf(step, gone);
    for (std::size_t i = 0; i < step.becomes.size(); ++i) {
        if (step.becomes[i].isValid() && std::ranges::binary_search(heirs, step.becomes[i]))
            sources.push_back(OperatorId::fromIndex(i));
    }
    sortOnce(sources);
    return sources;
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
        const std::vector<OperatorId> around =
            neighbourhood(*step.before, sourcesOf(step, change), kStepsAround, kWholeStep);
        std::vector<OperatorId> left = heirsOf(step, change);
        for (const OperatorId id : around) {
            if (step.becomes[id.index()].isValid())
                left.push_back(step.becomes[id.index()]);
        }
        sortOnce(left);
        shown = {partAround(*step.before, around), partAround(*step.after, std::move(left))};
    }
    mark(shown.before, step.gone, OperatorMark::Gone);
    mark(shown.after, heirsOf(step, step.gone), OperatorMark::TakesOver);
    frame(shown.before, change);
    frame(shown.after, heirsOf(step, change));
    return shown;
}

} // namespace stagecraft
