#pragma once

// A small network with a measured schedule and its timeline, for tests of views. Six operators in two blocks, three
// stages: {a | b, c}, {d + e merged}, {f}.

#include "support/graph_making.h"

#include "schedule/timed_schedule.h"
#include "support/timing_making.h"
#include "timing/simulator_version.h"
#include "timing/timeline/timeline_index.h"

#include <memory>

namespace stagecraft::test {

struct Sample {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const TimedSchedule> schedule;
    std::shared_ptr<const Timeline> timeline;

    [[nodiscard]] OperatorId op(const char *name) const { return *graph->find(name); }
};

inline Sample makeSample()
{
    GraphBuilder builder("sample");
    const TensorId input = take(builder.addInput("input", Shape{{1, 16, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{input}}, 16, 3)));
    const TensorId b = take(builder.add(conv("b", {{input}}, 16, 3)));
    const TensorId c = take(builder.add(conv("c", {{b}}, 16, 3)));
    const TensorId ac = take(builder.add(join("ac", {{a, c}})));
    const TensorId d = take(builder.add(conv("d", {{ac}}, 16, 1)));
    const TensorId e = take(builder.add(conv("e", {{ac}}, 16, 3)));
    const TensorId f = take(builder.add(join("f", {{d}, {e}})));
    Sample sample;
    sample.graph = std::make_shared<const Graph>(take(builder.build({f})));

    TimedSchedule schedule;
    const auto id = [&](const char *name) { return *sample.graph->find(name); };
    schedule.stages = {{0, Strategy::Concurrent, {{id("a")}, {id("b"), id("c")}}},
                       {0, Strategy::Concurrent, {{id("ac")}}},
                       {1, Strategy::Merge, {{id("d")}, {id("e")}}},
                       {1, Strategy::Concurrent, {{id("f")}}}};
    schedule.measured.stages = timingsOf({40, 5, 30, 10});
    schedule.measured.whole = Timing::ofLatency(85);
    schedule.measured.provenance = Provenance::Simulated;
    schedule.context.device = "sim:test";
    schedule.context.deviceVersion = simulatorVersion();
    sample.schedule = std::make_shared<const TimedSchedule>(schedule);

    Timeline timeline;
    timeline.device = "sim:test";
    timeline.durationNs = 85000;
    timeline.streams = 2;
    timeline.stages = {{0, 0, 40000}, {1, 40000, 45000}, {2, 45000, 75000}, {3, 75000, 85000}};
    const auto kernel = [&](const char *name, std::size_t stage, std::size_t stream, std::int64_t from,
                            std::int64_t to) {
        KernelSpan span;
        span.name = std::string("kernel_") + name;
        span.operators = {id(name)};
        span.stage = stage;
        span.group = stream;
        span.stream = stream;
        span.startNs = from;
        span.endNs = to;
        span.grid = {64, 2, 1};
        span.threadsPerBlock = 256;
        timeline.kernels.push_back(span);
    };
    kernel("a", 0, 0, 1000, 30000);
    kernel("b", 0, 1, 2000, 20000);
    kernel("c", 0, 1, 21000, 39000);
    kernel("d", 2, 0, 46000, 74000);
    timeline.kernels.back().operators.push_back(id("e"));
    kernel("f", 3, 0, 76000, 84000);
    timeline.counters = {{"active warps", "warps", "simulated", 5120, {0, 40000, 75000}, {1000, 2000, 500}},
                         {"SM active", "%", "simulated", 100, {0}, {25}}};
    sample.timeline = std::make_shared<const Timeline>(timeline);
    return sample;
}

inline std::shared_ptr<const TimelineIndex> indexed(std::shared_ptr<const Timeline> timeline)
{
    return std::make_shared<const TimelineIndex>(std::move(timeline));
}

} // namespace stagecraft::test
