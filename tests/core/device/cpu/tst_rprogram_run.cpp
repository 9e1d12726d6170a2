// Units of rPrograms on threads: every rTask once, after all that it reads, however many threads there are.

#include "device/cpu/rprogram_run.h"
#include "schedule/rtasks/wavefront.h"
#include "support/suite.h"

#include <QTest>

#include <random>
#include <thread>

using namespace stagecraft;
using namespace stagecraft::cpu;

namespace tst_rprogram_run {
namespace {

RProgram randomProgram(std::mt19937 &random, std::int64_t units)
{
    const auto below = [&](int n) { return std::uniform_int_distribution<>(0, n - 1)(random); };
    std::vector<ROperator> rOperators;
    const int count = 1 + below(12);
    for (int i = 0; i < count; ++i) {
        ROperator one{OperatorId::fromIndex(static_cast<std::size_t>(i)), {}, 0, {}};
        one.rKernels.push_back({"sliced", 1 + below(6), UnitNeeds{1, 0, 0}, 100.0});
        one.rKernels.push_back({"whole", 1, UnitNeeds{1, 0, 0}, 300.0});
        for (int before = 0; before < i; ++before) {
            if (below(3) == 0)
                one.reads.push_back(static_cast<std::uint32_t>(before));
        }
        rOperators.push_back(std::move(one));
    }
    return wavefrontProgram(std::move(rOperators), [units](const UnitNeeds &) { return units; });
}

// What each rTask writes, without any protection but the waits: a sanitizer sees a race where one is missing.
struct Written {
    explicit Written(const RProgram &program)
    {
        for (const ROperator &one : program.rOperators)
            values.emplace_back(static_cast<std::size_t>(one.rKernel().rTasks), 0);
    }
    std::vector<std::vector<int>> values; // by rOperator and rTask: how often it ran

    // Whether all rTasks of what it reads have run `times` times, and it one time less.
    [[nodiscard]] bool isReady(const RProgram &program, const RTask &task, int times) const
    {
        for (const std::uint32_t read : program.rOperators[task.rOperator].reads) {
            for (const int ran : values[read]) {
                if (ran != times)
                    return false;
            }
        }
        return values[task.rOperator][static_cast<std::size_t>(task.index)] == times - 1;
    }
};

} // namespace

class TestRProgramRun : public QObject {
    Q_OBJECT

private slots:
    void run_randomPrograms_eachTaskOnceAfterWhatItReads_data();
    void run_randomPrograms_eachTaskOnceAfterWhatItReads();
};

void TestRProgramRun::run_randomPrograms_eachTaskOnceAfterWhatItReads_data()
{
    QTest::addColumn<int>("units");
    QTest::addColumn<int>("threads");
    QTest::newRow("a thread each") << 3 << 3;
    QTest::newRow("two threads for five units") << 5 << 2;
    QTest::newRow("one thread") << 4 << 1;
    QTest::newRow("more threads than units") << 2 << 4;
}

void TestRProgramRun::run_randomPrograms_eachTaskOnceAfterWhatItReads()
{
    QFETCH(int, units);
    QFETCH(int, threads);
    std::mt19937 random(7);
    for (int round = 0; round < 60; ++round) {
        const RProgram program = randomProgram(random, units);
        RProgramRun run(program);
        Written written(program);
        std::atomic<int> early = 0;
        for (int times = 1; times <= 3; ++times) {
            run.begin();
            std::vector<std::thread> team;
            for (int thread = 0; thread < threads; ++thread) {
                team.emplace_back([&, thread] {
                    run.run(static_cast<std::size_t>(thread), static_cast<std::size_t>(threads),
                            [&](std::size_t, const RTask &task) {
                                if (!written.isReady(program, task, times))
                                    ++early;
                                ++written.values[task.rOperator][static_cast<std::size_t>(task.index)];
                            });
                });
            }
            for (std::thread &each : team)
                each.join();
        }
        QCOMPARE(early.load(), 0);
        for (const auto &values : written.values) {
            for (const int ran : values)
                QCOMPARE(ran, 3);
        }
    }
}

STAGECRAFT_SUITE(TestRProgramRun)

} // namespace tst_rprogram_run
#include "tst_rprogram_run.moc"
