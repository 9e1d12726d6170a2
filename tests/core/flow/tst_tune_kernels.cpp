// Tuning: the library's kernel stays unless fresh measurements show the tuned one faster.

#include "flow/tune_kernels.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_tune_kernels {

namespace {

// Two kernels: of one the best tiles take 0.7 of the library's time, of the other all take more.
class MadeUpTuner : public DeviceSession, public KernelTuner {
public:
    Result<StageLatency> stageLatency(const StageQuestion &, std::stop_token) override { return StageLatency{}; }
    Result<ScheduleLatency> measureWhole(const Schedule &, std::stop_token) override { return ScheduleLatency{}; }
    Result<Timeline> timeline(const Schedule &, std::stop_token) override { return Timeline{}; }
    KernelTuner *tuner() override { return m_isWithout ? nullptr : this; }

    Result<std::vector<TunableKernel>> tunableKernels(std::stop_token) override
    {
        const std::vector<KernelAxis> axes{{"columns", {1, 2, 3, 4, 5, 6, 7, 8}}, {"rows", {1, 2, 4, 8}}};
        return std::vector<TunableKernel>{{"fast", {"a", "b"}, axes, {1, 0}, 1e6}, {"slow", {"c"}, axes, {0, 1}, 1e6}};
    }

    Result<KernelTrial> tryKernel(const std::string &key, const KernelParameters &at, int rounds,
                                  std::stop_token stop) override
    {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        ++m_trials;
        if (m_trials == m_stopAfter)
            m_stop.request_stop();
        const double ratio = (key == "fast" ? 0.7 : 1.02) + 0.05 * std::abs(at[0] - 6) + 0.05 * std::abs(at[1] - 4);
        KernelTrial trial;
        for (int round = 0; round < rounds; ++round) {
            const double noise = 1 + m_noise * std::sin(static_cast<double>(13 * round + m_trials));
            trial.libraryUs.push_back(100);
            trial.tunedUs.push_back(100 * ratio * noise);
        }
        return trial;
    }

    double m_noise = 0.02;
    bool m_isWithout = false;
    int m_trials = 0;
    int m_stopAfter = 0;
    std::stop_source m_stop;
};

Result<void> kept(const KernelTuning &)
{
    return {};
}

} // namespace

class TestTuneKernels : public QObject {
    Q_OBJECT

private slots:
    void tune_kernelThatIsFaster_replacesTheLibrary()
    {
        MadeUpTuner tuner;
        std::vector<std::string> found;
        const auto tuned = take(tuneKernels(tuner, {.trials = 32},
                                            [&](const KernelTuning &kernel) -> Result<void> {
                                                found.push_back(kernel.best.key);
                                                return {};
                                            },
                                            {}, {}));
        QCOMPARE(tuned.size(), 2U);
        QCOMPARE(found, (std::vector<std::string>{"fast", "slow"}));
        QCOMPARE(tuned[0].best.parameters, (KernelParameters{6, 4})); // all 32 were tried
        QVERIFY(tuned[0].best.speedup > 1.3 && tuned[0].best.speedupLow > 1);
        QCOMPARE(tuned[0].best.trials, 32);
        QVERIFY(tuned[1].best.parameters.empty());
        QVERIFY(tuned[1].best.speedup < 1);
        QVERIFY(std::abs(meanSpeedup(tuned) - std::sqrt(tuned[0].best.speedup)) < 1e-9);
    }

    void tune_busyMachine_keepsTheLibrary()
    {
        MadeUpTuner tuner;
        tuner.m_noise = 0.25;
        for (const KernelTuning &kernel : take(tuneKernels(tuner, {.trials = 32}, kept, {}, {})))
            QVERIFY(kernel.best.parameters.empty() && kernel.verdict == Verdict::NotShown);
    }

    void tune_trials_areTheMostOfEachKernel()
    {
        MadeUpTuner tuner;
        std::int64_t last = 0;
        const auto tuned =
            take(tuneKernels(tuner, {.trials = 9}, kept, [&](const TuneProgress &now) { last = now.trials; }, {}));
        QCOMPARE(tuned[0].best.trials, 9);
        QCOMPARE(tuned[1].best.trials, 9);
        QCOMPARE(last, 9);
    }

    void tune_stopped_keepsWhatIsFound()
    {
        MadeUpTuner tuner;
        tuner.m_stopAfter = 40; // within the second kernel
        const auto tuned = take(tuneKernels(tuner, {.trials = 32}, kept, {}, tuner.m_stop.get_token()));
        QCOMPARE(tuned.size(), 1U);
    }

    void tune_deviceWithoutKernels_isRefused()
    {
        MadeUpTuner tuner;
        tuner.m_isWithout = true;
        const auto refused = tuneKernels(tuner, {}, kept, {}, {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::WrongUse);
    }

    void tune_thatCannotBeKept_ends()
    {
        MadeUpTuner tuner;
        const auto failed = tuneKernels(
            tuner, {.trials = 8},
            [](const KernelTuning &) -> Result<void> { return fail(ErrorCode::DeviceFailed, "no space"); }, {}, {});
        QVERIFY(!failed);
        QCOMPARE(failed.error().message, std::string("no space"));
    }
};

STAGECRAFT_SUITE(TestTuneKernels)

} // namespace tst_tune_kernels
#include "tst_tune_kernels.moc"
