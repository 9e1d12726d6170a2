#include "device/simulated/simulated_device.h"
#include "model/built_in.h"
#include "schedule/compare/latency_parts.h"
#include "search/stages/search.h"
#include "support/suite.h"

#include <QTest>
#include <bit>
#include <cmath>

using namespace stagecraft;

namespace tst_simulated_device {

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

double latencyUs(DeviceSession &session, const TimedSchedule &schedule)
{
    return session.measureSchedule(schedule, {})->whole.timing.meanUs;
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
            const TimedSchedule greedy = greedySchedule(*inception.graph, inception.blocks);
            const ScheduleMeasurement measured = *session->measureSchedule(greedy, {});
            double sumUs = measured.boundariesUs;
            for (const auto &[stage, origin] : measured.stages) {
                QVERIFY(stage.meanUs > 0);
                sumUs += stage.meanUs;
            }
            QVERIFY(qAbs(sumUs - measured.whole.timing.meanUs) < 1e-6);
        }
    }

    // schedule/compare/latency_parts.h reads the price of a barrier from a result: nothing else lies between stages.
    void measureSchedule_anyDevice_chargesBarriersOnly()
    {
        const Network inception = network("inception_v3");
        for (const char *device : {"v100", "k80", "h100"}) {
            const auto session = open(inception, device);
            QCOMPARE(session->boundaryCost().chainUs, 0.0);
            TimedSchedule greedy = greedySchedule(*inception.graph, inception.blocks);
            const ScheduleMeasurement measured = *session->measureSchedule(greedy, {});
            greedy.measured.whole = measured.whole.timing;
            greedy.measured.provenance = Provenance::Simulated;
            for (const StageLatency &stage : measured.stages)
                greedy.measured.stages.push_back(stage.timing);
            const auto us = barrierUs(greedy);
            QVERIFY(us && std::abs(*us - session->boundaryCost().barrierUs) < 1e-6);
            QCOMPARE(*restUs(greedy), 0.0);
        }
    }

    void measureSchedule_again_isTheSameToTheLastBit()
    {
        const Network squeezenet = network("squeezenet");
        const TimedSchedule greedy = greedySchedule(*squeezenet.graph, squeezenet.blocks);
        QVERIFY(latencyUs(*open(squeezenet), greedy) == latencyUs(*open(squeezenet), greedy));
    }

    // The latencies of thousands of stages as one number, the same to the last bit on any machine and with any
    // compiler. A change of the simulator or of a device's numbers changes it; then update it here.
    void stageLatency_manyStages_isTheSameOnAnyMachine_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<quint64>("expected");
        QTest::newRow("k80") << "k80" << Q_UINT64_C(1915145112832602909);
        QTest::newRow("v100") << "v100" << Q_UINT64_C(16662245543139548289);
        QTest::newRow("h100") << "h100" << Q_UINT64_C(17522586438322219353);
    }

    void stageLatency_manyStages_isTheSameOnAnyMachine()
    {
        QFETCH(QString, device);
        QFETCH(quint64, expected);
        quint64 hash = Q_UINT64_C(14695981039346656037); // FNV-1a
        for (const char *name : {"sample", "squeezenet", "inception_v3", "randwire", "nasnet"}) {
            const Network on = network(name);
            const auto session = open(on, device.toUtf8().constData());
            for (const TimedSchedule &schedule :
                 {sequentialSchedule(*on.graph, on.blocks), greedySchedule(*on.graph, on.blocks)}) {
                const Result<ScheduleMeasurement> measured = session->measureSchedule(schedule, {});
                QVERIFY(measured.has_value());
                for (const auto &[stage, origin] : measured->stages) {
                    auto bits = std::bit_cast<quint64>(stage.meanUs);
                    for (int byte = 0; byte < 8; ++byte, bits >>= 8)
                        hash = (hash ^ (bits & 0xff)) * Q_UINT64_C(1099511628211);
                }
            }
        }
        QCOMPARE(hash, expected);
    }

    void stageLatency_lowerBound_holds()
    {
        const Network inception = network("inception_v3");
        const auto session = open(inception);
        for (const Stage &stage : greedySchedule(*inception.graph, inception.blocks).stages)
            QVERIFY(session->lowerBoundUs(stage) <= session->stageLatency(stage, {})->timing.latencyUs);
    }

    // Stages with the same signature take equally long: here the same kernels, with the operators numbered in another
    // order.
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
        QVERIFY(session->stageLatency(forward, {})->timing == session->stageLatency(backward, {})->timing);
    }

    void search_inception_beatsSequential()
    {
        const Network inception = network("inception_v3");
        const auto session = open(inception);
        const double sequentialUs = latencyUs(*session, sequentialSchedule(*inception.graph, inception.blocks));
        SearchOptions options;
        options.r = 2;
        const Result<FoundSchedule> found = searchSchedule(*inception.graph, inception.blocks, *session, options);
        QVERIFY(found.has_value());
        QVERIFY(latencyUs(*session, found->schedule) < 0.75 * sequentialUs);
    }

    void timeline_ofSchedule_lastsAsLongAsMeasured()
    {
        const Network sample = network("sample");
        const auto session = open(sample);
        const TimedSchedule greedy = greedySchedule(*sample.graph, sample.blocks);
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
        const TimedSchedule sequential = sequentialSchedule(*sample.graph, sample.blocks);
        QCOMPARE(open(sample)->measureSchedule(sequential, stop.get_token()).error().code, ErrorCode::Cancelled);
        QCOMPARE(open(sample)->timeline(sequential, stop.get_token()).error().code, ErrorCode::Cancelled);
    }

    void run_simulatedDevice_saysItDoesNotCompute()
    {
        const Network sample = network("sample");
        QCOMPARE(runOn(*open(sample), {}, {}, {}).error().code, ErrorCode::WrongUse);
    }
};

STAGECRAFT_SUITE(TestSimulatedDevice)

} // namespace tst_simulated_device
#include "tst_simulated_device.moc"
