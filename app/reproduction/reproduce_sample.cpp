// The sample network: its stages and its active warps.

#include "reproduction/published_figures.h"
#include "reproduction/reproducer.h"
#include "reproduction/reproduction_steps.h"
#include "support/number_text.h"

#include "model/built_in.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace stagecraft {

namespace {

Stage stageOf(const Graph &graph, const published::SampleStage &stage)
{
    Stage made;
    for (const std::string_view name : stage.operators) {
        if (const auto id = graph.find(name))
            made.groups.push_back({*id});
    }
    return normalized(std::move(made));
}

} // namespace

Result<void> reproduceSample(Reproducer &run)
{
    TRY_AS(auto on, run.open("sample", 1, run.device()));
    Figure figure = newFigure("sample", "The sample network, stage by stage", "us", "stage");
    figure.note = "A published stage with several groups includes its synchronisation. Ours is the stage alone; its "
                  "synchronisation is in the total. The totals are sums of stages that the calibration used.";
    figure.columns = {"latency"};
    const auto addSchedule = [&](const std::string &name, const auto &stages, double totalUs) -> Result<void> {
        TimedSchedule schedule;
        for (const published::SampleStage &stage : stages) {
            schedule.stages.push_back(stageOf(*on.model.graph, stage));
            TRY_AS(const auto latency, on.session->stageLatency(schedule.stages.back(), run.stop()));
            figure.rows.push_back(
                {name + ": " + std::string(stage.title), {{stage.us, latency.timing.latencyUs, FigureRole::Fitted}}});
        }
        TRY_AS(const auto ms, run.measureMs(on, schedule));
        figure.rows.push_back({name + ", total", {{totalUs, 1000 * ms, FigureRole::Fitted}}});
        return {};
    };
    if (auto done = addSchedule("Sequential", published::kSampleSequential, published::kSampleSequentialUs); !done)
        return done;
    if (auto done = addSchedule("IOS", published::kSampleIos, published::kSampleIosUs); !done)
        return done;
    run.add(std::move(figure));
    return {};
}

Result<void> reproduceActiveWarps(Reproducer &run)
{
    BuiltInOptions options;
    options.sampleChannels = published::kWarpsChannels;
    TRY_AS(auto source, builtInNetwork("sample", options));
    const auto graph = std::make_shared<const Graph>(std::move(source.graph));
    TRY_AS(auto session, run.device().open(graph));
    TimedSchedule ios;
    for (const published::SampleStage &stage : published::kSampleIos)
        ios.stages.push_back(stageOf(*graph, stage));
    std::array<double, 2> warps{};
    const std::array schedules{sequentialSchedule(*graph, source.blocks), std::move(ios)};
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        TRY_AS(const auto timeline, session->timeline(schedules[i], run.stop()));
        if (const CounterSeries *series = timeline.counter("active warps"))
            warps[i] = mean(*series, timeline.durationNs);
    }
    if (warps[0] <= 0) {
        run.leaveOut("Active warps: this device does not count them.");
        return {};
    }
    Figure figure = newFigure("active-warps", "Active warps, sample network at 384 channels", "", "schedule");
    figure.unit = "%";
    figure.note =
        fmt::format("Relative to Sequential. Mean over the schedule: {:.0f} under Sequential, {:.0f} under IOS.",
                    warps[0], warps[1]);
    figure.compared = false;
    figure.columns = {"active warps"};
    const double gainPercent = 100 * (warps[1] / warps[0] - 1);
    figure.rows = {{"Sequential", {{100, 100}}}, {"IOS", {{100 + published::kWarpsGainPercent, 100 + gainPercent}}}};
    run.add(std::move(figure));
    run.claim("IOS keeps 58 % more warps active on the sample network (within 15 points)",
              std::abs(gainPercent - published::kWarpsGainPercent) <= 15, "+" + fixedText(gainPercent, 0) + " %");
    return {};
}

} // namespace stagecraft
