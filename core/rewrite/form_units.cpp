#include "rewrite/form_units.h"

#include "operators/schema.h"
#include "rewrite/graph_edit.h"
#include "rewrite/passes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace stagecraft {
namespace {

// The removals of each pass end where those of the next begin.
struct PassEnd {
    std::string_view pass;
    std::size_t end = 0;
};

// What fusion makes of an operator is its type, "Conv-Relu", whatever it was in the file.
bool isNamedByForm(const Operator &op)
{
    return op.conv() || op.sepConv() || op.kind == OperatorKind::Join || op.kind == OperatorKind::Gemm;
}

std::vector<SharedValues> storedConstants(const Graph &graph)
{
    std::vector<SharedValues> constants;
    for (const Operator &op : graph.operators()) {
        for (const Parameter &parameter : op.parameters) {
            if (parameter.values.areStored())
                constants.push_back(parameter.values);
        }
    }
    return constants;
}

std::vector<PassReport> reportsOf(const GraphEdit &edit, const std::vector<PassEnd> &ends)
{
    std::vector<PassReport> reports;
    const std::vector<OperatorId> places = edit.placesInResult();
    std::size_t next = 0;
    for (const auto &[pass, end] : ends) {
        auto known = std::ranges::find(reports, pass, &PassReport::pass);
        PassReport &report = known == reports.end() ? reports.emplace_back(PassReport{pass, {}}) : *known;
        for (; next < end; ++next) {
            const GraphEdit::Removal &removal = edit.removals()[next];
            report.changes.push_back({removal.name, removal.type, removal.removed, places[removal.removed.index()]});
        }
    }
    return reports;
}

} // namespace

Result<FormedUnits> formUnits(Graph graph, const std::set<std::string> &keptApart, const RewriteOptions &options)
{
    const std::vector<SharedValues> constants = storedConstants(graph);
    GraphEdit edit(std::move(graph), keptApart);
    std::vector<PassEnd> ends;
    for (const Pass &pass : passes()) {
        if (!pass.run || !options.runs(pass))
            continue;
        pass.run(edit);
        ends.push_back({pass.name, edit.removals().size()});
    }
    if (options.runs(*findPass("remove-dead"))) { // what the others left
        removeDead(edit);
        ends.push_back({"remove-dead", edit.removals().size()});
    }
    for (std::size_t i = 0; i < edit.size(); ++i) {
        Operator &op = edit.op(OperatorId::fromIndex(i));
        if (isNamedByForm(op))
            op.type = displayType(op);
    }
    for (const SharedValues &values : constants) {
        if (const auto fault = values.fault()) // a pass has read them
            return tl::unexpected(*fault);
    }
    std::vector<PassReport> reports = reportsOf(edit, ends);
    return std::move(edit).build().map([&](Graph &&built) {
        return FormedUnits{std::move(built), std::move(reports)};
    });
}

} // namespace stagecraft
