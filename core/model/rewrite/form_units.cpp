#include "model/rewrite/form_units.h"

#include "model/rewrite/graph_edit.h"
#include "model/rewrite/passes.h"
#include "operators/schema.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace stagecraft {
namespace {

// The passes, in the order in which they run. What the others leave without a reader goes away at the end.
std::vector<const Pass *> runsOf(const Reading &reading)
{
    std::vector<const Pass *> runs;
    for (const Pass &pass : passes()) {
        if (pass.run && pass.runsIn(reading))
            runs.push_back(&pass);
    }
    const Pass *removeDead = findPass("remove-dead");
    if (removeDead->runsIn(reading))
        runs.push_back(removeDead);
    return runs;
}

void runPass(const Pass &pass, GraphEdit &edit)
{
    if (std::ranges::all_of(pass.needs, [&](const auto &kinds) { return edit.hasAny(kinds); }))
        pass.run(edit);
}

// The removals of each pass end where those of the next begin.
struct PassEnd {
    std::string_view pass;
    std::size_t end = 0;
};

std::set<std::string> unitedWith(std::set<std::string> names, const std::set<std::string> &others)
{
    names.insert(others.begin(), others.end());
    return names;
}

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

void nameByForm(Operator &op)
{
    if (isNamedByForm(op))
        op.type = displayType(op);
}

void dropWeights(std::vector<Operator> &operators)
{
    for (Operator &op : operators) {
        for (Parameter &parameter : op.parameters)
            parameter.values = nullptr;
        if (const Graph *body = op.body()) {
            Graph::Parts parts = Graph(*body).take();
            dropWeights(parts.operators);
            op.attributes = FusedAttributes{std::make_shared<const Graph>(Graph::fromParts(std::move(parts)))};
        }
    }
}

std::shared_ptr<const Graph> shownGraph(Graph::Parts parts)
{
    std::ranges::for_each(parts.operators, nameByForm);
    dropWeights(parts.operators);
    return std::make_shared<const Graph>(Graph::fromParts(std::move(parts)));
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

Result<FormedUnits> formUnits(Graph graph, const std::set<std::string> &keptApart, const Reading &reading,
                              const WorkBudget *work)
{
    const std::vector<SharedValues> constants = storedConstants(graph);
    GraphEdit edit(std::move(graph), unitedWith(keptApart, reading.apart));
    std::vector<PassEnd> ends;
    for (const Pass *pass : runsOf(reading)) {
        TRY(work ? work->goOn() : Result<void>());
        runPass(*pass, edit);
        ends.push_back({pass->name, edit.removals().size()});
    }
    for (std::size_t i = 0; i < edit.size(); ++i)
        nameByForm(edit.op(OperatorId::fromIndex(i)));
    for (const SharedValues &values : constants) {
        if (const auto fault = values.fault()) // a pass has read them
            return tl::unexpected(*fault);
    }
    std::vector<PassReport> reports = reportsOf(edit, ends);
    return std::move(edit).build().map([&](Graph &&built) {
        return FormedUnits{std::move(built), std::move(reports)};
    });
}

std::vector<PassStep> passSteps(Graph graph, const std::set<std::string> &keptApart, const Reading &reading,
                                std::string_view pass)
{
    GraphEdit edit(std::move(graph), unitedWith(keptApart, reading.apart));
    std::vector<PassStep> steps;
    std::vector<std::vector<OperatorId>> left; // by step: the operators of `after`, as they are numbered in `edit`
    for (const Pass *each : runsOf(reading)) {
        if (each->name != pass) {
            runPass(*each, edit);
            continue;
        }
        const std::size_t first = edit.removals().size();
        const std::vector<OperatorId> there = edit.alive();
        Graph::Parts before = edit.parts();
        runPass(*each, edit);
        const auto removals = edit.removals().subspan(first);
        if (removals.empty())
            continue;
        PassStep &step = steps.emplace_back();
        for (const GraphEdit::Removal &removal : removals) {
            const auto place = std::ranges::lower_bound(there, removal.removed) - there.begin();
            step.gone.push_back(OperatorId::fromIndex(static_cast<std::size_t>(place)));
        }
        std::ranges::sort(step.gone);
        const std::vector<OperatorId> places = edit.placesInResult();
        for (const OperatorId id : there)
            step.becomes.push_back(places[id.index()]);
        step.before = shownGraph(std::move(before));
        step.after = shownGraph(edit.parts());
        left.push_back(edit.alive());
    }
    const std::vector<OperatorId> places = edit.placesInResult();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        for (const OperatorId id : left[i])
            steps[i].units.push_back(places[id.index()]);
    }
    return steps;
}

PassStep stepBetween(Graph before, Graph after)
{
    PassStep step;
    step.before = shownGraph(std::move(before).take());
    step.after = shownGraph(std::move(after).take());
    for (std::size_t i = 0; i < step.before->size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        const auto same = step.after->find(step.before->op(id).name);
        step.becomes.push_back(same.value_or(OperatorId{}));
        if (!same)
            step.gone.push_back(id);
    }
    return step;
}

} // namespace stagecraft
