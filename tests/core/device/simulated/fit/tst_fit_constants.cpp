// The fit finds constants that made the times, judges by kernels that were left out, and is the same every time.

#include "device/simulated/fit/fit_constants.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace stagecraft;

namespace tst_fit_constants {

namespace {

MeasuredKernel conv(std::int64_t batch, std::int64_t channels, std::int64_t size, std::int64_t window)
{
    MeasuredKernel kernel;
    kernel.batch = batch;
    kernel.channels = kernel.filters = channels;
    kernel.image = {size, size};
    kernel.window = {window, window};
    kernel.padding = {window / 2, window / 2};
    kernel.algorithm = window == 3 ? "WINOGRAD" : "IMPLICIT_GEMM";
    return kernel;
}

MeasuredKernel product(std::int64_t rows, std::int64_t inner, std::int64_t columns, const char *transposed)
{
    MeasuredKernel kernel;
    kernel.kind = KernelKind::Product;
    kernel.rows = rows;
    kernel.inner = inner;
    kernel.columns = columns;
    kernel.transposed = transposed;
    return kernel;
}

DeviceDescription v100()
{
    return *findDeviceDescription("v100");
}

// Kernels that took what the device takes.
KernelSimulation kernelsOn(const DeviceDescription &device, SimulatedRun run = {})
{
    std::vector<MeasuredKernel> kernels;
    for (const std::int64_t batch : {1, 2, 8}) {
        for (const std::int64_t size : {7, 14, 28}) {
            for (const std::int64_t window : {1, 3, 5})
                kernels.push_back(conv(batch, 64, size, window));
        }
    }
    for (const std::int64_t rows : {16, 128, 2048}) {
        for (const std::int64_t inner : {512, 1024}) {
            kernels.push_back(product(rows, inner, 1536, "NN"));
            kernels.push_back(product(rows, inner, 1536, "TN"));
        }
    }
    auto simulation = *KernelSimulation::of(kernels, run);
    const auto times = *simulation.simulatedUs(device);
    for (std::size_t i = 0; i < kernels.size(); ++i)
        kernels[i].us = times[i];
    return *KernelSimulation::of(std::move(kernels), run);
}

DeviceDescription changed()
{
    DeviceDescription device = v100();
    device.kernelRampUs *= 1.5;
    device.gemmEfficiency *= 0.8;
    device.winogradEfficiency *= 1.2;
    return device;
}

} // namespace

class TestFitConstants : public QObject {
    Q_OBJECT

private slots:
    void simulatedUs_ofTheHost_hasNothing()
    {
        DeviceDescription slowHost = v100();
        slowHost.launchUs = 500;
        slowHost.cudnnCallUs = 500;
        const KernelSimulation kernels = kernelsOn(v100());
        QCOMPARE(*kernels.simulatedUs(slowHost), *kernels.simulatedUs(v100()));
    }

    void simulatedUs_float16_isFaster()
    {
        const KernelSimulation large = *KernelSimulation::of({product(4096, 4096, 4096, "")}, SimulatedRun{});
        const KernelSimulation half =
            *KernelSimulation::of({product(4096, 4096, 4096, "")}, SimulatedRun{.precision = SimulatedPrecision::Fp16});
        QVERIFY(half.simulatedUs(v100())->front() * 2 < large.simulatedUs(v100())->front());
    }

    void fit_timesOfAnotherDevice_findsItsConstants()
    {
        const KernelSimulation kernels = kernelsOn(changed());
        const auto judged = *fitConstants(kernels, v100(), {.keepConstants = true});
        const auto fitted = *fitConstants(kernels, v100(), {.folds = 3});
        QVERIFY(errorsOf(judged.kernels).meanError > 0.1);
        QVERIFY2(errorsOf(fitted.kernels).meanError < 0.03,
                 qPrintable(QString::number(errorsOf(fitted.kernels).meanError)));
        QVERIFY(std::abs(fitted.device.gemmEfficiency / changed().gemmEfficiency - 1) < 0.05);
        QVERIFY(std::abs(fitted.device.kernelRampUs / changed().kernelRampUs - 1) < 0.05);
        // What kernels do not tell stays.
        for (const auto member : {&DeviceDescription::launchUs, &DeviceDescription::cudnnCallUs,
                                  &DeviceDescription::barrierUs, &DeviceDescription::depthwiseEfficiency,
                                  &DeviceDescription::smClockMhz, &DeviceDescription::dramGbPerSecond})
            QCOMPARE(fitted.device.*member, v100().*member);
        QVERIFY(
            std::ranges::none_of(fitted.constants, [](const FittedConstant &one) { return one.key == "barrier_us"; }));
        QVERIFY(std::ranges::any_of(fitted.constants, [](const FittedConstant &one) {
            return one.key == "winograd_efficiency" && one.from == v100().winogradEfficiency && one.to > one.from;
        }));
        QVERIFY(fitted.device.judgements.empty());
    }

    void fit_twice_isTheSame()
    {
        const KernelSimulation kernels = kernelsOn(changed());
        const auto one = *fitConstants(kernels, v100(), {.folds = 2});
        const auto other = *fitConstants(kernels, v100(), {.folds = 2});
        QCOMPARE(one.device, other.device);
        for (std::size_t i = 0; i < one.kernels.size(); ++i)
            QCOMPARE(one.kernels[i].simulatedUs, other.kernels[i].simulatedUs);
    }

    // A kernel that nothing explains: its own fold does not see it, the others bend little.
    void fit_oneKernelThatIsFarOff_doesNotBendTheOthers()
    {
        std::vector<MeasuredKernel> kernels = kernelsOn(changed()).kernels();
        kernels.front().us *= 20;
        const auto simulation = *KernelSimulation::of(std::move(kernels), SimulatedRun{});
        const auto fitted = *fitConstants(simulation, v100(), {.folds = 3});
        QVERIFY(fitted.kernels.front().error() < -0.9);
        QVERIFY(errorsOf(std::span(fitted.kernels).subspan(1)).meanError < 0.06);
    }

    void fit_equalKernels_areLeftOutTogether()
    {
        const auto fitted = *fitConstants(kernelsOn(changed()), v100(), {.folds = 4});
        int pairs = 0;
        for (std::size_t i = 1; i < fitted.kernels.size(); ++i) {
            if (fitted.kernels[i].kernel.transposed != "TN")
                continue;
            QCOMPARE(fitted.kernels[i].simulatedUs, fitted.kernels[i - 1].simulatedUs);
            ++pairs;
        }
        QCOMPARE(pairs, 6);
    }

    void fit_keepConstants_judgesTheBaseByAllKernels()
    {
        const KernelSimulation kernels = kernelsOn(v100());
        const auto judged = *fitConstants(kernels, v100(), {.keepConstants = true});
        QCOMPARE(errorsOf(judged.kernels).meanError, 0.0);
        QVERIFY(judged.constants.empty());
        DeviceDescription base = v100();
        base.judgements.clear();
        QCOMPARE(judged.device, base);
    }

    void fit_tooFewKernels_isRefused()
    {
        const auto kernels =
            *KernelSimulation::of({product(16, 512, 512, "NN"), product(16, 512, 512, "TN")}, SimulatedRun{});
        const auto fitted = fitConstants(kernels, v100(), {.folds = 2});
        QCOMPARE(fitted.error().code, ErrorCode::InvalidInput);
        QCOMPARE(fitted.error().message, "1 kernel: too few to leave out one of 2 parts");
    }

    void fit_stopped_isCancelled()
    {
        std::stop_source stop;
        double last = -1;
        const auto progress = [&](const std::string &what, double done) {
            QVERIFY(!what.empty());
            QVERIFY(done >= last && done < 1);
            last = done;
            if (done > 0.2)
                stop.request_stop();
        };
        const auto fitted = fitConstants(kernelsOn(changed()), v100(), {.folds = 2}, progress, stop.get_token());
        QCOMPARE(fitted.error().code, ErrorCode::Cancelled);
        QVERIFY(last > 0.2);
    }
};

STAGECRAFT_SUITE(TestFitConstants)

} // namespace tst_fit_constants
#include "tst_fit_constants.moc"
