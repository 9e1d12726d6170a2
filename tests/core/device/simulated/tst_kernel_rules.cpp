// Which kernels an operator becomes on the simulated V100, and that they are those of the fastest algorithm.

#include "device/simulated/lowering.h"
#include "device/simulated/simulated_device.h"
#include "operators/parameter_values.h"
#include "support/suite.h"

#include <QTest>
#include <cstdlib>

using namespace stagecraft;

namespace tst_kernel_rules {

namespace {

struct Convolution {
    std::int64_t batch, channels, side, outputs, kernel, stride;
};

std::shared_ptr<const Graph> one(Operator op, Shape input, DataType type)
{
    GraphBuilder builder("one");
    op.name = "one";
    op.inputs = {{*builder.addInput("input", std::move(input), type)}};
    (void)*builder.add(std::move(op));
    return std::make_shared<const Graph>(*builder.build());
}

std::shared_ptr<const Graph> convolution(const Convolution &of, DataType type = DataType::Float32)
{
    ConvAttributes attributes;
    attributes.outChannels = of.outputs;
    attributes.window.kernel = {of.kernel, of.kernel};
    attributes.window.stride = {of.stride, of.stride};
    const std::int64_t padding = of.kernel / 2;
    attributes.window.padding = {padding, padding, padding, padding};
    Operator op;
    op.kind = OperatorKind::Conv;
    op.attributes = attributes;
    return one(std::move(op), {{of.batch, of.channels, of.side, of.side}}, type);
}

std::shared_ptr<const Graph> product(std::int64_t rows, std::int64_t columns, std::int64_t inner,
                                     DataType type = DataType::Float32)
{
    GemmAttributes attributes;
    attributes.outFeatures = columns;
    attributes.inFeatures = inner;
    Operator op;
    op.kind = OperatorKind::Gemm;
    op.attributes = attributes;
    return one(std::move(op), {{rows, inner}}, type);
}

std::vector<Kernel> kernels(const std::shared_ptr<const Graph> &graph, DataType type = DataType::Float32)
{
    Lowering lowering(*findDeviceDescription("v100"));
    return lowering.lower(*graph, OperatorId::fromIndex(0), type);
}

QStringList names(const std::vector<Kernel> &kernels)
{
    QStringList result;
    for (const Kernel &kernel : kernels)
        result.push_back(QString::fromStdString(kernel.name));
    return result;
}

double latencyUs(const std::shared_ptr<const Graph> &graph, const char *device = "v100")
{
    const auto session = *(*openSimulatedDevice(device))->open(graph);
    Stage stage;
    stage.groups = {{OperatorId::fromIndex(0)}};
    return session->stageLatency(stage, {})->timing.latencyUs;
}

} // namespace

class TestKernelRules : public QObject {
    Q_OBJECT

private slots:
    // DeepBench names the algorithm that was fastest on a V100 (cuDNN 7.6.2).
    void lower_convolution_isTheFastestAlgorithm_data()
    {
        QTest::addColumn<Convolution>("of");
        QTest::addColumn<QStringList>("expected"); // the beginnings of names
        QTest::newRow("1x1") << Convolution{8, 256, 14, 256, 1, 1} << QStringList{"conv 128x32"};
        QTest::newRow("few channels") << Convolution{16, 3, 224, 64, 7, 2} << QStringList{"conv 128x64"};
        QTest::newRow("fused Winograd") << Convolution{8, 64, 56, 64, 3, 1} << QStringList{"conv winograd 2x2 3x3"};
        QTest::newRow("Winograd") << Convolution{16, 256, 28, 512, 3, 1}
                                  << QStringList{"winograd 4x4 3x3 of input", "winograd 4x4 3x3 of weights",
                                                 "conv winograd 4x4 3x3", "winograd 4x4 3x3 of output"};
        QTest::newRow("Winograd of 5x5") << Convolution{16, 512, 14, 48, 5, 1}
                                         << QStringList{"winograd 5x5 5x5 of input", "winograd 5x5 5x5 of weights",
                                                        "conv winograd 5x5 5x5", "winograd 5x5 5x5 of output"};
        QTest::newRow("a stride has no Winograd") << Convolution{16, 256, 28, 512, 3, 2} << QStringList{"conv 128x"};
        QTest::newRow("large windows") << Convolution{16, 64, 64, 64, 13, 1}
                                       << QStringList{"fft of input", "fft of weights", "conv fft", "fft of output"};
    }
    void lower_convolution_isTheFastestAlgorithm()
    {
        QFETCH(Convolution, of);
        QFETCH(QStringList, expected);
        const auto graph = convolution(of);
        const auto made = kernels(graph);
        const QStringList is = names(made);
        QCOMPARE(is.size(), expected.size());
        for (qsizetype i = 0; i < is.size(); ++i)
            QVERIFY2(is[i].startsWith(expected[i]), qPrintable(is[i]));
        const Shape out = graph->outputShape(OperatorId::fromIndex(0));
        double flops = 0;
        for (std::size_t i = 0; i < made.size(); ++i) {
            flops += made[i].flops;
            QCOMPARE(made[i].cudnnCall, i == 0); // the call launches all of them
        }
        QCOMPARE(flops, 2.0 * static_cast<double>(of.kernel * of.kernel * of.channels * out.elements()));
    }

    void lower_halfWithOddChannels_isPaddedForTensorCores()
    {
        const auto odd = kernels(convolution({16, 3, 224, 64, 7, 2}, DataType::Float16), DataType::Float16);
        QCOMPARE(odd.size(), std::size_t(3));
        QCOMPARE(odd[0].name, std::string("to nhwc"));
        QVERIFY2(odd[1].name.starts_with("conv "), odd[1].name.c_str());
        QCOMPARE(odd[2].name, std::string("to nchw"));
        QCOMPARE(kernels(convolution({16, 8, 224, 64, 7, 2}, DataType::Float16), DataType::Float16).size(),
                 std::size_t(1));
    }

    void lower_product_hasTilesForFewRows()
    {
        const auto few = kernels(product(32, 2560, 2560));
        QCOMPARE(names(few), QStringList{"gemm 32x32"});
        QVERIFY(!few[0].cudnnCall);
        QCOMPARE(kernels(product(4, 2560, 2560)).front().name, std::string("gemm vector"));
    }

    void lower_longProduct_isSplitAndAdded()
    {
        const auto made = kernels(product(16, 512, 500000));
        QCOMPARE(made.size(), std::size_t(2));
        QVERIFY2(made[0].name.ends_with(" parts"), made[0].name.c_str());
        QVERIFY(made[0].grid[2] > 1);
        QCOMPARE(made[1].name, std::string("sum of parts"));
        QCOMPARE(kernels(product(7000, 1760, 1760)).size(), std::size_t(1)); // fills the device without
    }

    void lower_groupedProduct_readsEveryMatrix_data()
    {
        QTest::addColumn<qint64>("rows");
        QTest::newRow("tiles") << 64LL;
        QTest::newRow("vectors") << 2LL;
    }
    void lower_groupedProduct_readsEveryMatrix()
    {
        QFETCH(qint64, rows);
        constexpr std::int64_t kCount = 6;
        Operator op;
        op.type = "MatMul";
        op.attributes = GenericAttributes{};
        op.parameters = {seededParameter("operand1", "one", {kCount, 256, 512})};
        const auto made = kernels(one(std::move(op), {{kCount, rows, 256}}, DataType::Float32));
        QCOMPARE(made.size(), std::size_t(1));
        QCOMPARE(made[0].grid[2], kCount);
        QCOMPARE(made[0].flops, 2.0 * kCount * static_cast<double>(rows) * 256 * 512);
        const double elements = static_cast<double>(kCount) * (256 * 512 + static_cast<double>(rows) * (256 + 512));
        QCOMPARE(made[0].bytes, elements * 4);
    }

    void stageLatency_convEfficiencyLeftOut_isThatOfProducts()
    {
        const auto graph = convolution({16, 128, 28, 512, 1, 1});
        QCOMPARE(latencyUs(graph, "v100*conv_efficiency=0"), latencyUs(graph, "v100*conv_efficiency=0.85"));
        QVERIFY(latencyUs(graph, "v100*conv_efficiency=0.5") > latencyUs(graph));
        QVERIFY(latencyUs(graph, "v100*block_latency_us=0") < latencyUs(graph));
    }
};

STAGECRAFT_SUITE(TestKernelRules)

} // namespace tst_kernel_rules
#include "tst_kernel_rules.moc"
