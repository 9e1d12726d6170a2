#include "every_sm_simulator.h"

#include "device/simulated/block_scheduler.h"
#include "device/simulated/lowering.h"
#include "device/simulated/stage_program.h"
#include "graph/block.h"
#include "model/built_in.h"
#include "search/stages/search.h"
#include "support/suite.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <random>

using namespace stagecraft;

namespace tst_every_sm {

namespace {

// The fast scheduler groups SMs, merges groups whose progress differs by less than a hundredth of a block, and may
// choose another of several SMs with equally many warps but different blocks; the last changes a few stages.
constexpr double kMeanBound = 0.005;
constexpr double kWorstBound = 0.17;

struct Differences {
    double sum = 0;
    double worst = 0;
    int stages = 0;

    void add(double fast, double slow)
    {
        const double difference = std::abs(fast / slow - 1);
        sum += difference;
        worst = std::max(worst, difference);
        ++stages;
    }
    [[nodiscard]] double mean() const { return sum / stages; }
};

Kernel randomKernel(std::mt19937 &random)
{
    const auto upTo = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
    Kernel kernel;
    kernel.grid = {1 + upTo(300), 1, 1};
    kernel.threadsPerBlock = static_cast<int>(64 << upTo(3));
    kernel.registersPerThread = static_cast<int>(32 + 32 * upTo(4));
    kernel.sharedBytesPerBlock = 8192 * upTo(4);
    kernel.smNsPerBlock = static_cast<double>(500 + upTo(20000));
    kernel.latencyNsPerBlock = static_cast<double>(upTo(3) * upTo(600));
    kernel.dramBytesPerBlock = static_cast<double>(upTo(3) * upTo(40000));
    kernel.l2BytesPerBlock = static_cast<double>(upTo(60000));
    return kernel;
}

} // namespace

class TestEverySm : public QObject {
    Q_OBJECT

private slots:
    void run_randomKernels_agreeWithEverySm()
    {
        const SmLimits limits = limitsOf(*findDeviceDescription("v100"));
        BlockScheduler scheduler(limits);
        std::mt19937 random(1);
        Differences differences;
        for (int i = 0; i < 600; ++i) {
            std::vector<Kernel> kernels;
            for (std::uint32_t k = 0; k < 1 + random() % 6; ++k)
                kernels.push_back(randomKernel(random));
            std::vector<Launch> launches;
            double arrivalNs = 0;
            for (const Kernel &kernel : kernels) {
                launches.push_back({&kernel, random() % 3, arrivalNs});
                arrivalNs += static_cast<double>(random() % 12000);
            }
            differences.add(scheduler.run(launches), test::runEverySm(limits, launches));
        }
        qInfo("mean %.3f %%, worst %.2f %%", 100 * differences.mean(), 100 * differences.worst);
        QVERIFY(differences.mean() <= kMeanBound);
        QVERIFY(differences.worst <= kWorstBound);
    }

    void run_greedyStagesOfNetworks_agreeWithEverySm_data()
    {
        QTest::addColumn<QString>("network");
        QTest::newRow("sample") << "sample";
        QTest::newRow("squeezenet") << "squeezenet";
        QTest::newRow("inception_v3") << "inception_v3";
    }

    void run_greedyStagesOfNetworks_agreeWithEverySm()
    {
        QFETCH(QString, network);
        const SourceGraph source = *builtInNetwork(network.toStdString());
        const DeviceDescription device = *findDeviceDescription("v100");
        const SmLimits limits = limitsOf(device);
        BlockScheduler scheduler(limits);
        Lowering lowering(device);
        Differences differences;
        for (const Stage &stage : greedySchedule(source.graph, source.blocks).stages) {
            std::vector<std::vector<Kernel>> kernels;
            for (const auto &group : stage.groups)
                kernels.push_back(lowering.lower(source.graph, group.front(), DataType::Float32));
            StageProgram program;
            for (std::size_t stream = 0; stream < kernels.size(); ++stream) {
                for (const Kernel &kernel : kernels[stream])
                    appendLaunch(program, device, kernel, stream, {});
            }
            differences.add(scheduler.run(program.launches), test::runEverySm(limits, program.launches));
        }
        qInfo("%d stages, mean %.3f %%, worst %.2f %%", differences.stages, 100 * differences.mean(),
              100 * differences.worst);
        QVERIFY(differences.mean() <= kMeanBound);
        QVERIFY(differences.worst <= kWorstBound);
    }
};

STAGECRAFT_SUITE(TestEverySm)

} // namespace tst_every_sm
#include "tst_every_sm.moc"
