#include "device_conformance.h"

#include "schedule/verify.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/reference_execution.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>

namespace stagecraft::test {
namespace {

std::unique_ptr<DeviceSession> opened(const DeviceUnderTest &device)
{
    return take(device.make()->open(conformanceNetwork()));
}

void isLatency(const Timing &timing)
{
    QVERIFY(std::isfinite(timing.latencyUs) && timing.latencyUs > 0);
    QVERIFY(std::isfinite(timing.meanUs) && timing.meanUs > 0);
    QVERIFY(std::isfinite(timing.stddevUs) && timing.stddevUs >= 0);
    QVERIFY(timing.runs >= 0);
}

// A latency is measured, now or earlier, or of the kind that the device states.
void isFrom(LatencyKind kind, Provenance provenance)
{
    QVERIFY(kind == kindOf(provenance) ||
            (provenance == Provenance::Measured && (kind == LatencyKind::Stored || kind == LatencyKind::Repeated)));
}

template <typename Answer>
void isCancelled(const Result<Answer> &answer)
{
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, ErrorCode::Cancelled);
}

} // namespace

std::shared_ptr<const Graph> conformanceNetwork()
{
    NetworkMaker maker(Shape{{1, 16, 12, 12}});
    const Window one = window(1);
    const Window three = window(3);
    const TensorId a = maker.conv({{maker.x()}}, 16, one);
    const TensorId b = maker.conv({{maker.x()}}, 24, one);
    const TensorId c = maker.conv({{maker.x()}}, 8, three);
    const TensorId d = maker.conv({{b}}, 8, three);
    maker.join({{a}, {c}, {d}});
    return maker.build();
}

std::vector<TimedSchedule> conformanceSchedules(const Graph &graph)
{
    const Blocks blocks = oneBlock(graph);
    std::vector<TimedSchedule> schedules{sequentialSchedule(graph, blocks), greedySchedule(graph, blocks)};
    const auto stage = [](Strategy strategy, std::vector<std::vector<OperatorId>> groups) {
        return Stage{0, strategy, std::move(groups)};
    };
    const auto id = [](std::uint32_t value) { return OperatorId{value}; };
    TimedSchedule merged;
    merged.stages = {stage(Strategy::Merge, {{id(0)}, {id(1)}}), stage(Strategy::Concurrent, {{id(2)}, {id(3)}}),
                     stage(Strategy::Concurrent, {{id(4)}})};
    schedules.push_back(merged);
    for (TimedSchedule &schedule : schedules) {
        if (const auto legal = verifySchedule(graph, blocks, schedule); !legal)
            qFatal("an illegal schedule: %s", legal.error().message.c_str());
        schedule.context.batch = graph.batch();
    }
    return schedules;
}

void describesItself(const DeviceUnderTest &device)
{
    const DeviceInfo info = device.make()->info();
    QVERIFY(!info.id.empty() && !info.title.empty() && !info.precision.empty());
    QVERIFY2(info.available && info.unavailableReason.empty(), info.unavailableReason.c_str());
    QCOMPARE(info.provenance == Provenance::Measured, !info.fingerprint.empty()); // otherwise nothing is stored
    QCOMPARE(info.provenance == Provenance::Simulated, !info.calibration.empty());
}

void stagesHaveLatencies(const DeviceUnderTest &device)
{
    const auto graph = conformanceNetwork();
    const auto session = opened(device);
    const Provenance provenance = device.make()->info().provenance;
    StageSigner signer(*graph);
    for (const TimedSchedule &schedule : conformanceSchedules(*graph)) {
        for (const Stage &stage : schedule.stages) {
            const auto latency = session->stageLatency(stage, {});
            QVERIFY2(latency, latency ? "" : latency.error().message.c_str());
            isLatency(latency->timing);
            isFrom(latency->kind, provenance);
            const StageSignature signature = signer.sign(stage);
            const auto again = session->stageLatency({stage, signature}, {}); // as a search asks
            QVERIFY(again && again->timing.latencyUs > 0);
            if (device.isDeterministic)
                QVERIFY(again->timing == latency->timing);
            QVERIFY(session->lowerBoundUs(stage) <= latency->timing.latencyUs);
        }
    }
}

void schedulesHaveLatencies(const DeviceUnderTest &device)
{
    const auto session = opened(device);
    const Provenance provenance = device.make()->info().provenance;
    for (const TimedSchedule &schedule : conformanceSchedules(*conformanceNetwork())) {
        const auto measured = session->measureSchedule(schedule, {});
        QVERIFY2(measured, measured ? "" : measured.error().message.c_str());
        QCOMPARE(measured->stages.size(), schedule.stages.size());
        isLatency(measured->whole.timing);
        QVERIFY(provenance == Provenance::Recorded || measured->whole.how != MeasuredHow::SumOfStages);
        for (const StageLatency &stage : measured->stages) {
            isLatency(stage.timing);
            isFrom(stage.kind, provenance);
        }
        const auto whole = session->measureWhole(schedule, {});
        QVERIFY(whole);
        isLatency(whole->timing);
        if (device.isDeterministic)
            QVERIFY(whole->timing == measured->whole.timing);
    }
}

void stopsWhenAsked(const DeviceUnderTest &device)
{
    const auto session = opened(device);
    std::stop_source stop;
    stop.request_stop();
    const TimedSchedule schedule = conformanceSchedules(*conformanceNetwork()).front();
    isCancelled(session->stageLatency(schedule.stages.front(), stop.get_token()));
    isCancelled(session->measureSchedule(schedule, stop.get_token()));
    isCancelled(session->measureWhole(schedule, stop.get_token()));
    isCancelled(session->timeline(schedule, stop.get_token()));
    QVERIFY(session->stageLatency(schedule.stages.front(), {})); // the session goes on
}

void timelinesFitTheSchedule(const DeviceUnderTest &device)
{
    const auto session = opened(device);
    for (const TimedSchedule &schedule : conformanceSchedules(*conformanceNetwork())) {
        const auto timeline = session->timeline(schedule, {});
        QVERIFY2(timeline, timeline ? "" : timeline.error().message.c_str());
        QVERIFY(timeline->provenance == device.make()->info().provenance);
        QVERIFY(timeline->durationNs > 0);
        std::int64_t lastNs = 0;
        for (std::size_t i = 0; i < timeline->stages.size(); ++i) {
            const StageSpan &span = timeline->stages[i];
            QCOMPARE(span.stage, i);
            QVERIFY(span.startNs >= lastNs && span.endNs >= span.startNs && span.endNs <= timeline->durationNs);
            lastNs = span.endNs;
        }
        QVERIFY(timeline->stages.empty() || timeline->stages.size() == schedule.stages.size());
        std::map<std::uint32_t, int> kernelsOf;
        for (const KernelSpan &kernel : timeline->kernels) {
            QVERIFY(kernel.startNs >= 0 && kernel.endNs >= kernel.startNs && kernel.endNs <= timeline->durationNs);
            QVERIFY(kernel.stage < schedule.stages.size() && kernel.stream < timeline->streams);
            const Stage &stage = schedule.stages[kernel.stage];
            for (const OperatorId id : kernel.operators) {
                ++kernelsOf[id.value];
                QVERIFY(std::ranges::any_of(
                    stage.groups, [&](const auto &group) { return std::ranges::find(group, id) != group.end(); }));
            }
        }
        if (!timeline->kernels.empty())
            QVERIFY(kernelsOf.size() >= 4); // all convolutions; joins may cost nothing
    }
}

// Stages that are illegal by themselves.
std::vector<std::pair<Stage, const char *>> illegalStages()
{
    const auto id = [](std::uint32_t value) { return OperatorId{value}; };
    const auto concurrent = [](std::vector<std::vector<OperatorId>> groups) {
        return Stage{0, Strategy::Concurrent, std::move(groups)};
    };
    return {{concurrent({}), "has no operators"},
            {concurrent({{id(0)}, {}}), "empty group"},
            {concurrent({{id(77)}}), ""}, // another process has its own message
            {concurrent({{id(0)}, {id(0)}}), "scheduled twice"},
            {concurrent({{id(1)}, {id(3)}}), "whose output it reads"},
            {concurrent({{id(3), id(1)}}), "reads its output"},
            {concurrent({{id(0), id(2)}}), "not connected"},
            {Stage{0, Strategy::Merge, {{id(0)}, {id(3)}}}, "reads another input"}};
}

void refusesIllegalStages(const DeviceUnderTest &device)
{
    const auto session = opened(device);
    for (const auto &[stage, reason] : illegalStages()) {
        const auto latency = session->stageLatency(stage, {});
        QVERIFY2(!latency, reason);
        QVERIFY(latency.error().code != ErrorCode::Cancelled);
        if (!device.verifies)
            continue;
        QCOMPARE(latency.error().code, ErrorCode::InvalidInput);
        QVERIFY2(latency.error().message.find(reason) != std::string::npos, latency.error().message.c_str());
    }
    QVERIFY(session->stageLatency(Stage{0, Strategy::Concurrent, {{OperatorId{0}}}}, {})); // the session goes on
}

void refusesIllegalSchedules(const DeviceUnderTest &device)
{
    const auto graph = conformanceNetwork();
    const auto session = opened(device);
    const TimedSchedule legal = conformanceSchedules(*graph).front();
    if (!device.verifies)
        QSKIP("a recording adds up the stages it has");
    TimedSchedule incomplete = legal;
    incomplete.stages.erase(incomplete.stages.begin() + 1);
    TimedSchedule turned = legal;
    std::ranges::reverse(turned.stages);
    TimedSchedule twice = legal;
    twice.stages.push_back(twice.stages.front());
    const auto isRefused = [](const auto &answer) {
        QVERIFY(!answer);
        QCOMPARE(answer.error().code, ErrorCode::InvalidInput);
    };
    for (const TimedSchedule &schedule : {incomplete, turned, twice}) {
        if (device.measures) {
            isRefused(session->measureSchedule(schedule, {}));
            isRefused(session->measureWhole(schedule, {}));
            isRefused(session->timeline(schedule, {}));
        }
        if (device.executes)
            isRefused(runOn(*session, schedule, randomInputs(*graph, 1), {}));
    }
    if (device.measures)
        QVERIFY(session->measureWhole(legal, {}));
    if (device.executes)
        QVERIFY(runOn(*session, legal, randomInputs(*graph, 1), {}));
}

void runsRightOrRefuses(const DeviceUnderTest &device)
{
    const auto graph = conformanceNetwork();
    const auto session = opened(device);
    const auto inputs = randomInputs(*graph, 1);
    const auto reference = referenceTensors(*graph, inputs);
    for (const TimedSchedule &schedule : conformanceSchedules(*graph)) {
        const auto outputs = runOn(*session, schedule, inputs, {});
        QCOMPARE(outputs.has_value(), device.executes);
        if (!outputs) {
            QCOMPARE(outputs.error().code, ErrorCode::WrongUse);
            continue;
        }
        QCOMPARE(outputs->size(), graph->outputs().size());
        for (std::size_t i = 0; i < outputs->size(); ++i)
            QVERIFY(relativeDifference((*outputs)[i].values, reference[graph->outputs()[i].index()]) <
                    device.tolerance);
    }
    if (device.executes) {
        const auto nothing = runOn(*session, conformanceSchedules(*graph).front(), {}, {});
        QVERIFY(!nothing);
        QCOMPARE(nothing.error().code, ErrorCode::WrongUse);
    }
}

} // namespace stagecraft::test
