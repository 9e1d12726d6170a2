// Kernels of our own: they compute what the library's do, whatever their tiles, and a session runs those it is told to.

#include "device/cpu/cpu_device.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/reference_execution.h"
#include "support/suite.h"

#include <QTest>

#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_tuned_kernels {

namespace {

constexpr double kRounding = 1e-5; // over the largest output

std::unique_ptr<Device> twoCores()
{
    CpuOptions options;
    options.cores = 2;
    return makeCpuDevice(options);
}

// Depthwise and dense convolutions of all kinds: edges, strides, dilations, channels that fill no vector.
std::shared_ptr<const Graph> convolutions(std::int64_t channels, std::int64_t batch)
{
    constexpr Activation kRelu6{ActivationKind::Relu6};
    NetworkMaker make(Shape{{batch, channels, 13, 11}});
    const auto depthwise = [&](const Window &window, const Activation &after, bool bias = true) {
        make.conv({{make.x()}}, channels, window, after, {}, channels, bias);
    };
    depthwise(window(3), kRelu);
    depthwise(window(3, 2), kRelu6);
    depthwise(window(5), {}, false);
    depthwise(window(3, 1, 2), kRelu);
    depthwise({{3, 3}, {2, 2}, {1, 1}, {0, 0, 1, 1}}, {});
    depthwise({{3, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}}, kRelu);
    depthwise({{3, 3}, {3, 3}, {1, 1}, {1, 1, 1, 1}}, {});
    make.conv({{make.x()}}, 40, window(1), kRelu);
    make.conv({{make.x()}}, channels, window(3), kRelu6);
    make.conv({{make.x()}}, 24, window(3, 2), {}, {}, 1, false);
    make.conv({{make.x()}}, 17, {{1, 7}, {1, 1}, {1, 1}, {0, 3, 0, 3}}, kRelu);
    make.sepConv({{make.x()}}, 48, window(3));
    return make.build();
}

KernelParameters randomParameters(const TunableKernel &kernel, std::minstd_rand &random)
{
    KernelParameters parameters;
    for (const KernelAxis &axis : kernel.axes)
        parameters.push_back(axis.values[random() % axis.values.size()]);
    return parameters;
}

} // namespace

class TestTunedKernels : public QObject {
    Q_OBJECT

private slots:
    void tryKernel_anyTiles_equalTheLibrary_data() { rows(); }
    void tryKernel_anyTiles_equalTheLibrary()
    {
        QFETCH(int, channels);
        QFETCH(int, batch);
        const auto session = take(twoCores()->open(convolutions(channels, batch)));
        const auto kernels = take(session->tuner()->tunableKernels({}));
        if (kernels.empty())
            QSKIP("this processor has no vectors that the kernels are written for");
        std::minstd_rand random(1);
        for (const TunableKernel &kernel : kernels) {
            for (int i = 0; i < 12; ++i) {
                const KernelParameters parameters = randomParameters(kernel, random);
                const auto trial = session->tuner()->tryKernel(kernel.key, parameters, 1, {});
                QVERIFY2(trial, trial ? "" : trial.error().message.c_str());
                QVERIFY2(trial->difference < kRounding, kernel.key.c_str());
                QCOMPARE(trial->tunedUs.size(), 1U);
                QVERIFY(trial->tunedUs.front() > 0 && trial->libraryUs.front() > 0);
            }
        }
    }

    // All convolutions run with kernels of our own.
    void run_withTunedKernels_equalsTheReference_data() { rows(); }
    void run_withTunedKernels_equalsTheReference()
    {
        QFETCH(int, channels);
        QFETCH(int, batch);
        const auto graph = convolutions(channels, batch);
        const auto device = twoCores();
        std::minstd_rand random(2);
        auto tuned = std::make_shared<TunedKernels>();
        for (const TunableKernel &kernel : take(take(device->open(graph))->tuner()->tunableKernels({})))
            tuned->emplace(kernel.key, randomParameters(kernel, random));
        device->setKernels(tuned);
        const auto session = take(device->open(graph));
        const auto reference = referenceTensors(*graph, randomInputs(*graph, 1));
        const Blocks blocks = oneBlock(*graph);
        for (const TimedSchedule &schedule : {sequentialSchedule(*graph, blocks), greedySchedule(*graph, blocks)}) {
            const auto outputs = take(runOn(*session, schedule, randomInputs(*graph, 1), {}));
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                const double difference = relativeDifference(outputs[i].values, reference[graph->outputs()[i].index()]);
                QVERIFY2(difference < kRounding, outputs[i].name.c_str());
            }
        }
    }

    void tryKernel_unknown_isRefused()
    {
        const auto session = take(twoCores()->open(convolutions(32, 1)));
        const auto none = session->tuner()->tryKernel("dense 1x1", {1, 1, 1, 0, 0}, 1, {});
        QVERIFY(!none);
        QCOMPARE(none.error().code, ErrorCode::WrongUse);
        QVERIFY(none.error().message.find("dense 1x1") != std::string::npos);
        for (const TunableKernel &kernel : take(session->tuner()->tunableKernels({})))
            QVERIFY(!session->tuner()->tryKernel(kernel.key, {9, 9, 9, 9, 9}, 1, {}));
    }

private:
    static void rows()
    {
        QTest::addColumn<int>("channels");
        QTest::addColumn<int>("batch");
        for (const int channels : {32, 58, 16}) {
            for (const int batch : {1, 2})
                QTest::addRow("%d channels, batch %d", channels, batch) << channels << batch;
        }
    }
};

STAGECRAFT_SUITE(TestTunedKernels)

} // namespace tst_tuned_kernels
#include "tst_tuned_kernels.moc"
