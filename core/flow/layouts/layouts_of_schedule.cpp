#include "flow/layouts/layouts_of_schedule.h"

#include "flow/find/measured.h"
#include "flow/layouts/assumed_layouts.h"
#include "schedule/layouts/stated_layouts.h"
#include "schedule/stage_groups.h"
#include "support/closest_name.h"
#include "support/number_text.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

bool areAssumed(const LayoutCosts &costs)
{
    return costs.source.provenance == toString(Provenance::Assumed);
}

double sumUs(const LayoutProblem &problem, const Stage &stage, std::span<const LayoutPair> pairs)
{
    double us = 0;
    for (const OperatorId id : operatorsOf(stage)) {
        const auto &choices = problem.operators[id.index()].choices;
        const auto choice = std::ranges::find(choices, pairs[id.index()], &LayoutProblem::Choice::layouts);
        us += choice == choices.end() ? 0 : choice->latencyUs;
    }
    return us;
}

// By stage: its latency in the fixed layout, divided by the sum of its operators there.
std::vector<double> factorsOf(const LayoutProblem &problem, std::span<const Stage> stages,
                              std::span<const StageLatency> latencies)
{
    const std::vector<LayoutPair> fixed(problem.operators.size(), {problem.fixed, problem.fixed});
    std::vector<double> factors;
    factors.reserve(stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const double us = sumUs(problem, stages[i], fixed);
        factors.push_back(us > 0 ? latencies[i].timing.latencyUs / us : 1);
    }
    return factors;
}

// Latencies of stages that change as the sums of their operators do; conversions with the boundaries around them.
Result<void> assumeInto(TimedSchedule &schedule, const Model &model, const LayoutChoice &choice,
                        const BoundaryCost &boundary)
{
    TRY_AS(const auto laidOut, LaidOutSchedule::make(*model.graph, schedule.layouts));
    double wholeUs = 0;
    for (const LayoutConversion &made : choice.found.best.conversions)
        wholeUs += made.latencyUs;
    schedule.measured.stages.clear();
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const double us =
            choice.factors[i] * sumUs(choice.costs.problem, schedule.stages[i], choice.found.best.operators);
        schedule.measured.stages.push_back(Timing::ofLatency(us));
        wholeUs += us;
    }
    const std::vector<Stage> executed = laidOut.stages(schedule.stages).stages;
    for (std::size_t i = 1; i < executed.size(); ++i)
        wholeUs += boundary.between(executed[i - 1], executed[i]);
    schedule.measured.whole = Timing::ofLatency(wholeUs);
    schedule.measured.how = MeasuredHow::Alone;
    return {};
}

// The same stages, not proved to be the best ones in these layouts.
TimedSchedule withoutProof(const TimedSchedule &schedule)
{
    TimedSchedule made;
    made.stages = schedule.stages;
    made.context.model = schedule.context.model;
    made.context.batch = schedule.context.batch;
    made.search.strategy = schedule.search.strategy;
    made.search.r = schedule.search.r;
    made.search.s = schedule.search.s;
    made.search.singleSource = schedule.search.singleSource;
    return made;
}

// The layouts that tensors are written in, and the conversions between them.
Result<std::string> layoutsText(const Graph &graph, const StatedLayouts &layouts)
{
    TRY_AS(const auto laidOut, LaidOutSchedule::make(graph, layouts));
    std::vector<std::string> names;
    for (const TensorLayout layout : kTensorLayouts) {
        const auto isIt = [layout](const auto &stated) { return stated.second == layout; };
        if (std::ranges::any_of(layouts.tensors, isIt))
            names.emplace_back(nameOf(layout));
    }
    return listed(names, " and ") + ", " +
           counted(static_cast<std::int64_t>(laidOut.graph()->size() - graph.size()), "conversion");
}

} // namespace

Result<void> canChooseLayouts(const std::string &deviceId)
{
    if (!executedLayouts(deviceId).empty())
        return {};
    if (deviceId.starts_with("sim:"))
        return canAssumeLayouts(deviceId);
    return fail(ErrorCode::WrongUse, "layouts cannot be chosen tensor by tensor on " + deviceId,
                "Choose cpu, a GPU or sim:v100");
}

Result<ProfiledLayouts> layoutCostsOn(const Model &model, const Device &device, std::span<const TensorLayout> layouts,
                                      const ProfileProgress &progress, const std::stop_token &stop)
{
    const std::string id = device.info().id;
    TRY(canChooseLayouts(id));
    if (!executedLayouts(id).empty())
        return profileLayouts(model, device, layouts, progress, stop);
    return assumedLayouts(model, device, stop).map([](LayoutCosts costs) {
        return ProfiledLayouts{std::move(costs), {}};
    });
}

Result<LayoutsOfSchedule> layoutsOfSchedule(const Model &model, const TimedSchedule &schedule, LayoutCosts costs,
                                            DeviceSession &session, const DeviceInfo &device,
                                            const LayoutSearchOptions &options)
{
    TimedSchedule made = withoutProof(schedule);
    const bool isAssumed = areAssumed(costs);
    std::vector<double> factors;
    if (isAssumed) {
        TRY_AS(const auto latencies, session.measureSchedule(made, options.stop));
        factors = factorsOf(costs.problem, made.stages, latencies.stages);
    }
    TRY_AS(auto choice, chooseLayouts(std::move(costs), made.stages, std::move(factors), options));
    TRY_AS(auto stated, statedLayouts(*model.graph, choice.costs.problem, choice.found.best));
    made.layouts = std::move(stated);
    TRY(isAssumed ? assumeInto(made, model, choice, session.boundaryCost())
                  : measureInto(made, model, session, device, options.stop));
    describeDevice(made, model, device);
    if (isAssumed)
        made.measured.provenance = Provenance::Assumed;
    TRY_AS(auto text, layoutsText(*model.graph, made.layouts));
    return LayoutsOfSchedule{std::move(choice), std::move(made), std::move(text)};
}

} // namespace stagecraft
