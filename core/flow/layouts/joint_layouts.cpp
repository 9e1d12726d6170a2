#include "flow/layouts/joint_layouts.h"

#include "flow/find/schedule_kind.h"
#include "schedule/layouts/laid_out_graph.h"
#include "schedule/layouts/stated_layouts.h"
#include "search/layouts/layout_stage_sources.h"
#include "search/stages/baselines.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace stagecraft {
namespace {

// Measures stages in layouts, all layouts of a stage in one session.
class MeasuredStages : public LayoutStageSource {
public:
    MeasuredStages(const Graph &graph, std::vector<TensorLayout> layouts, const Device &device)
        : m_graph(graph), m_layouts(std::move(layouts)), m_device(device)
    {
    }

    Result<std::vector<double>> latenciesUs(const Stage &stage, std::span<const StageLayouts> variants,
                                            const std::stop_token &stop) override
    {
        ProfileGraph profiles(m_graph);
        std::vector<Stage> stages;
        for (const StageLayouts &pairs : variants) {
            TRY_AS(auto added, profiles.addStage(stage, pairs, m_layouts));
            stages.push_back(std::move(added));
        }
        TRY_AS(auto built, profiles.build());
        TRY_AS(auto session, m_device.open(std::make_shared<const Graph>(std::move(built))));
        std::vector<double> result;
        for (const Stage &made : stages) {
            const auto latency = session->stageLatency(made, stop);
            if (!latency && latency.error().code != ErrorCode::DeviceFailed)
                return tl::unexpected(latency.error());
            result.push_back(latency ? latency->timing.latencyUs : kImpossible);
            asked += latency && isMeasurement(latency->kind) ? 1 : 0;
        }
        return result;
    }

    std::int64_t asked = 0;

private:
    const Graph &m_graph;
    std::vector<TensorLayout> m_layouts;
    const Device &m_device;
};

// Operators read the layout that they write, where they can.
LayoutProblem withoutMixedPairs(LayoutProblem problem)
{
    const auto isMixed = [](const LayoutProblem::Choice &choice) { return choice.layouts.in != choice.layouts.out; };
    for (LayoutProblem::Operator &op : problem.operators) {
        if (!std::ranges::all_of(op.choices, isMixed))
            std::erase_if(op.choices, isMixed);
    }
    return problem;
}

Result<JointLayouts> measured(const Model &model, const LayoutProblem &problem, const Device &device,
                              JointOptions options)
{
    std::vector<TensorLayout> layouts;
    for (const std::string &name : problem.layouts) {
        const auto layout = tensorLayoutOf(name);
        if (!layout)
            return refused("no device executes the layout " + name);
        layouts.push_back(*layout);
    }
    options.maxStates = 0;
    MeasuredStages source(*model.graph, std::move(layouts), device);
    TRY_AS(auto found, searchJointly(*model.graph, model.blocks, withoutMixedPairs(problem), source, options));
    return JointLayouts{std::move(found), "every stage measured in its layouts",
                        std::string(toString(Provenance::Measured)), source.asked};
}

Result<JointLayouts> assumed(const Model &model, const LayoutProblem &problem, const Device &device,
                             const JointOptions &options)
{
    TRY_AS(auto session, device.open(model.graph));
    ProportionalSource source(*model.graph, problem, *session);
    TRY_AS(auto found, searchJointly(*model.graph, model.blocks, problem, source, options));
    return JointLayouts{std::move(found),
                        "stages simulated in NCHW, and taken to change as the sum of their operators alone does",
                        std::string(toString(Provenance::Assumed)), source.asked()};
}

} // namespace

Result<JointLayouts> chooseJointly(const Model &model, const LayoutCosts &costs, const Device *device,
                                   JointOptions options)
{
    if (device && costs.source.provenance == toString(Provenance::Assumed))
        return assumed(model, costs.problem, *device, options);
    if (device)
        return measured(model, costs.problem, *device, std::move(options));
    SlowestGroupSource source(costs.problem);
    TRY_AS(auto found, searchJointly(*model.graph, model.blocks, costs.problem, source, options));
    return JointLayouts{std::move(found), "a stage takes its slowest group, as if groups did not disturb each other",
                        std::string(toString(Provenance::Assumed)), 0};
}

Result<TimedSchedule> scheduleWith(const Model &model, const LayoutProblem &problem, const LayoutAssignment &layouts,
                                   const JointResult *joint, const SearchOptions &search)
{
    TimedSchedule schedule = sequentialSchedule(*model.graph, model.blocks);
    if (joint) {
        schedule.stages = joint->stages;
        schedule.search = {};
        schedule.search.strategy = toString(kindOf(search.strategies));
        schedule.search.r = search.r;
        schedule.search.s = search.s;
        schedule.search.singleSource = search.singleSource;
        schedule.search.states = joint->states;
        schedule.search.transitions = joint->transitions;
        schedule.search.sumUs = joint->layouts.latencyUs;
        schedule.search.gap = joint->layouts.latencyUs / joint->lowerBoundUs - 1;
    }
    schedule.context.model = model.reference();
    schedule.context.batch = model.graph->batch();
    TRY_AS(auto stated, statedLayouts(*model.graph, problem, layouts));
    schedule.layouts = std::move(stated);
    return schedule;
}

} // namespace stagecraft
