#include "flow/open/split_opened.h"

#include "graph/cost_basis.h"
#include "model/rewrite/cut_blocks.h"
#include "model/rewrite/split_operators.h"
#include "model/source_graph.h"
#include "schedule/edit/split_stages.h"
#include "schedule/verify.h"

#include <cstddef>
#include <memory>
#include <utility>

namespace stagecraft {
namespace {

// A split operator's parts and join are in its block.
void setGraph(Model &model, SplitGraph split)
{
    for (PassReport &pass : model.report.passes) {
        for (PassChange &change : pass.changes) {
            if (change.unit.isValid())
                change.unit = split.became[change.unit.index()].back().back();
        }
    }
    for (UnionPart &part : model.parts) {
        const std::size_t first = split.became[part.firstOperator].front().front().index();
        part.operators = split.became[part.firstOperator + part.operators - 1].back().back().index() + 1 - first;
        part.firstOperator = first;
    }
    model.blocks = split.blocksOf(model.blocks);
    model.graph = std::make_shared<const Graph>(std::move(split.graph));
    model.costs = costBasis(*model.graph);
}

Result<Schedule> splitSchedule(const Model &model, const Schedule &schedule, const SplitGraph &split)
{
    TRY_AS(auto made, splitStages(*model.graph, schedule, split.became));
    TRY(verifySchedule(split.graph, split.blocksOf(model.blocks), made));
    return made;
}

} // namespace

Result<void> splitOpened(Model &model, std::optional<TimedSchedule> &embedded, const OperatorSplits &splits,
                         const std::set<std::string> &byRows)
{
    TRY_AS(auto split, splitOperators(*model.graph, splits, byRows));
    if (embedded) {
        if (auto made = splitSchedule(model, *embedded, split)) {
            embedded = TimedSchedule{std::move(*made), embedded->context, {}, {}};
        } else {
            model.report.notes.push_back({ImportNote::Severity::Warning, {}, scheduleNote(made.error())});
            embedded.reset();
        }
    }
    setGraph(model, std::move(split));
    model.blocks = cutLongBlocks(*model.graph, model.blocks);
    return {};
}

Result<Schedule> splitInSchedule(Model &model, const Schedule &schedule, const OperatorSplits &splits,
                                 const std::set<std::string> &byRows)
{
    TRY_AS(auto split, splitOperators(*model.graph, splits, byRows));
    TRY_AS(auto made, splitSchedule(model, schedule, split));
    setGraph(model, std::move(split));
    model.reading.splits.insert(splits.begin(), splits.end());
    model.reading.splitByRows.insert(byRows.begin(), byRows.end());
    return made;
}

} // namespace stagecraft
