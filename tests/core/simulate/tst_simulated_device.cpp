#include "model/built_in.h"
#include "search/search.h"
#include "simulate/simulated_device.h"

#include <QTest>

using namespace stagecraft;

namespace {

struct Network {
    std::shared_ptr<const Graph> graph;
    Blocks blocks;
};

Network network(std::string_view name)
{
    SourceGraph source = *builtInNetwork(name);
    return {std::make_shared<const Graph>(std::move(source.graph)), source.blocks};
}

std::unique_ptr<DeviceSession> open(const Network &network, const char *device = "v100")
{
    return *(*openSimulatedDevice(device))->open(network.graph);
}

double latencyUs(DeviceSession &session, const Schedule &schedule)
{
    return session.measureSchedule(schedule, {})->whole.meanUs;
}

} // namespace

class TestSimulatedDevice : public QObject {
    Q_OBJECT

private slots:
    void list_everyDevice_saysWhatItRestsOn()
    {
        QCOMPARE(listSimulatedDevices().size(), std::size_t(6));
        for (const DeviceInfo &info : listSimulatedDevices()) {
            QVERIFY(info.provenance == Provenance::Simulated);
            QVERIFY(info.id.starts_with("sim:"));
            QVERIFY(!info.calibration.empty());
        }
    }

    void measureSchedule_anyDevice_isSumOfStagesAndBoundaries()
    {
        const Network inception = network("inception_v3");
        for (const DeviceInfo &info : listSimulatedDevices()) {
            const auto session = open(inception, info.id.substr(4).c_str());
            const Schedule greedy = greedySchedule(*inception.graph, inception.blocks);
            const ScheduleMeasurement measured = *session->measureSchedule(greedy, {});
            double sumUs = measured.boundariesUs;
            for (const LatencySample &stage : measured.stages) {
                QVERIFY(stage.meanUs > 0);
                sumUs += stage.meanUs;
            }
            QVERIFY(qAbs(sumUs - measured.whole.meanUs) < 1e-6);
        }
    }

    void measureSchedule_again_isTheSameToTheLastBit()
    {
        const Network squeezenet = network("squeezenet");
        const Schedule greedy = greedySchedule(*squeezenet.graph, squeezenet.blocks);
        QVERIFY(latencyUs(*open(squeezenet), greedy) == latencyUs(*open(squeezenet), greedy));
    }

    void stageLatency_lowerBound_holds()
    {
        const Network inception = network("inception_v3");
        const auto session = open(inception);
        for (const Stage &stage : greedySchedule(*inception.graph, inception.blocks).stages)
            QVERIFY(session->lowerBoundUs(stage) <= *session->stageLatencyUs(stage, {}));
    }

    // Stages with the same signature take equally long: here the same kernels, with the operators numbered the other
    // way.
    void stageLatency_isomorphicStages_areEqual()
    {
        const auto build = [] {
            GraphBuilder builder("pair");
            const TensorId input = *builder.addInput("input", {{1, 64, 28, 28}});
            const auto conv = [&](const char *name, std::int64_t channels, std::int64_t kernel) {
                ConvAttributes attributes;
                attributes.outChannels = channels;
                attributes.window.kernel = {kernel, kernel};
                attributes.after.kind = ActivationKind::Relu;
                Operator op;
                op.name = name;
                op.kind = OperatorKind::Conv;
                op.attributes = attributes;
                op.inputs = {{input}};
                (void)*builder.add(std::move(op));
            };
            conv("first", 96, 1);
            conv("second", 32, 5);
            conv("third", 200, 1);
            return std::make_shared<const Graph>(*builder.build());
        };
        const auto graph = build();
        const auto session = open({graph, {}});
        Stage forward;
        forward.groups = {{OperatorId{1}}, {OperatorId{2}}};
        Stage backward;
        backward.groups = {{OperatorId{2}}, {OperatorId{1}}};
        QVERIFY(*session->stageLatencyUs(forward, {}) == *session->stageLatencyUs(backward, {}));
    }

    void search_inception_beatsSequential()
    {
        const Network inception = network("inception_v3");
        const auto session = open(inception);
        const double sequentialUs = latencyUs(*session, sequentialSchedule(*inception.graph, inception.blocks));
        SearchOptions options;
        options.r = 2;
        const Result<SearchResult> found = searchSchedule(*inception.graph, inception.blocks, *session, options);
        QVERIFY(found.has_value());
        QVERIFY(latencyUs(*session, found->schedule) < 0.75 * sequentialUs);
    }

    void timeline_ofSchedule_lastsAsLongAsMeasured()
    {
        const Network sample = network("sample");
        const auto session = open(sample);
        const Schedule greedy = greedySchedule(*sample.graph, sample.blocks);
        const Timeline timeline = *session->timeline(greedy, {});
        QVERIFY(timeline.provenance == Provenance::Simulated);
        QCOMPARE(timeline.device, std::string("sim:v100"));
        QVERIFY(qAbs(static_cast<double>(timeline.durationNs) - 1000 * latencyUs(*session, greedy)) < 1);
        QCOMPARE(timeline.stages.size(), greedy.stages.size());
        QCOMPARE(timeline.streams, std::size_t(3));
        const CounterSeries *warps = timeline.counter("active warps");
        QVERIFY(warps != nullptr);
        QCOMPARE(warps->kind, std::string("simulated"));
        QVERIFY(std::ranges::max(warps->values) <= warps->maximum);
        QVERIFY(mean(*warps, timeline.durationNs) > 0);
        for (const KernelSpan &span : timeline.kernels) {
            QVERIFY(span.startNs < span.endNs);
            QVERIFY(span.endNs <= timeline.durationNs);
        }
    }

    void stageLatency_stopRequested_isCancelled()
    {
        const Network sample = network("sample");
        std::stop_source stop;
        stop.request_stop();
        const Schedule sequential = sequentialSchedule(*sample.graph, sample.blocks);
        QCOMPARE(open(sample)->measureSchedule(sequential, stop.get_token()).error().code, ErrorCode::Cancelled);
        QCOMPARE(open(sample)->timeline(sequential, stop.get_token()).error().code, ErrorCode::Cancelled);
    }

    void run_simulatedDevice_saysItDoesNotCompute()
    {
        const Network sample = network("sample");
        QCOMPARE(open(sample)->run({}, {}, {}).error().code, ErrorCode::WrongUse);
    }
};

QTEST_GUILESS_MAIN(TestSimulatedDevice)
#include "tst_simulated_device.moc"
