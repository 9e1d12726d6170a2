#include "flow/open/pass_steps.h"

#include "model/model_reader.h"
#include "model/rewrite/form_units.h"

#include <functional>
#include <unordered_map>
#include <utility>

namespace stagecraft {
namespace {

Result<SourceGraph> readAgain(const Model &model, const std::stop_token &stop,
                              const std::function<void(OpenRequest &)> &change = {})
{
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "cancelled");
    OpenRequest request = sameReading(model, model.graph->batch());
    if (change)
        change(request);
    auto source = readModel(request);
    if (source && source->sha256 != model.sha256)
        return within(model.source, fail(ErrorCode::InvalidInput, "the file has changed since it was opened",
                                         "Open it again to see its passes")
                                        .value());
    return source;
}

// Of operators that passes took away by name, and of those that are units themselves.
std::vector<OperatorId> unitsByName(const Graph &graph, const Model &model)
{
    std::unordered_map<std::string_view, OperatorId> unitOf;
    for (const PassReport &report : model.report.passes) {
        for (const PassChange &change : report.changes)
            unitOf.emplace(change.name, change.unit);
    }
    std::vector<OperatorId> units;
    units.reserve(graph.size());
    for (const Operator &op : graph.operators()) {
        const auto found = unitOf.find(op.name);
        units.push_back(found != unitOf.end() && found->second.isValid()
                            ? found->second
                            : model.graph->find(op.name).value_or(OperatorId{}));
    }
    return units;
}

// A pass that is part of reading. Folding comes before the removal of what passes a tensor on.
Result<std::vector<PassStep>> stepOfReading(const Model &model, std::string_view pass, const std::stop_token &stop)
{
    TRY_AS(auto between, readAgain(model, stop, [](OpenRequest &request) {
               request.reading.without.insert(std::string(pass::kRemoveIdentities));
               request.keepFolded = true;
           }));
    PassStep step;
    if (pass == pass::kFoldConstants) {
        step = stepBetween(withFolded(between.graph, between.folded, true),
                           withFolded(between.graph, between.folded, false));
    } else {
        TRY_AS(auto after, readAgain(model, stop));
        step = stepBetween(withFolded(between.graph, between.folded, false), std::move(after.graph));
    }
    step.units = unitsByName(*step.after, model);
    std::vector<PassStep> steps;
    if (!step.gone.empty())
        steps.push_back(std::move(step));
    return steps;
}

} // namespace

Result<std::vector<PassStep>> passStepsOf(const Model &model, std::string_view pass, const std::stop_token &stop)
{
    const Pass *known = findPass(pass);
    if (!model.report.find(pass))
        return std::vector<PassStep>();
    if (!known->run)
        return stepOfReading(model, pass, stop);
    TRY_AS(auto source, readAgain(model, stop));
    return passSteps(std::move(source.graph), source.keptApart, model.reading, pass);
}

} // namespace stagecraft
