// Which processes the watchdog waits for: those that sleep, work or are stopped.

#include "support/suite.h"

#include <QTest>

#include "device/worker/worker_watchdog.h" // after Qt: moc fails on a file that starts with <chrono>

#include <chrono>
#include <csignal>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>

using stagecraft::worker::Watchdog;
using std::chrono::milliseconds;

namespace tst_worker_watchdog {

namespace {

// A process that does one thing until it is killed.
class Child {
public:
    explicit Child(void (*does)()) : m_pid(fork())
    {
        while (m_pid == 0)
            does();
    }
    ~Child()
    {
        kill(m_pid, SIGKILL);
        waitpid(m_pid, nullptr, 0);
    }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    [[nodiscard]] int pid() const { return m_pid; }
    [[nodiscard]] milliseconds used() const
    {
        clockid_t clock{};
        timespec time{};
        clock_getcpuclockid(m_pid, &clock);
        clock_gettime(clock, &time);
        return milliseconds(time.tv_sec * 1000 + time.tv_nsec / 1000000);
    }

private:
    pid_t m_pid;
};

Watchdog::Verdict firstOtherThanWait(Watchdog &watchdog)
{
    for (;;) {
        if (const auto verdict = watchdog.judge(); verdict != Watchdog::Verdict::Wait)
            return verdict;
        usleep(2000);
    }
}

constexpr milliseconds kLong{60'000};
constexpr milliseconds kShort{60};

} // namespace

class TestWorkerWatchdog : public QObject {
    Q_OBJECT

private slots:
    void judge_sleepingWorker_isSilentOrOverdue();
    void judge_workingWorker_hasTheTimeItCouldUse();
    void judge_stoppedWorker_isWaitedForAndHasItsTimeAgain();
    void judge_stoppedWorkerThatIsToEnd_isOverdue();
    void judge_thisProgramDidNotRun_countsLittle();
};

void TestWorkerWatchdog::judge_sleepingWorker_isSilentOrOverdue()
{
    const Child child([] { pause(); });
    Watchdog silent(child.pid(), kLong, kShort);
    QCOMPARE(firstOtherThanWait(silent), Watchdog::Verdict::Silent);
    Watchdog overdue(child.pid(), kShort, kLong);
    QCOMPARE(firstOtherThanWait(overdue), Watchdog::Verdict::Overdue);
}

void TestWorkerWatchdog::judge_workingWorker_hasTheTimeItCouldUse()
{
    const Child child([] {
        static volatile int turns = 0;
        turns = turns + 1;
    });
    for (const bool silence : {false, true}) {
        const milliseconds before = child.used();
        Watchdog watchdog(child.pid(), silence ? kLong : kShort, silence ? kShort : kLong);
        const auto expected = silence ? Watchdog::Verdict::Silent : Watchdog::Verdict::Overdue;
        QCOMPARE(firstOtherThanWait(watchdog), expected);
        QVERIFY(child.used() - before >= kShort - milliseconds(1)); // whatever the load of this machine
    }
}

void TestWorkerWatchdog::judge_stoppedWorker_isWaitedForAndHasItsTimeAgain()
{
    const Child child([] { pause(); });
    kill(child.pid(), SIGSTOP);
    Watchdog watchdog(child.pid(), kShort, kLong);
    QCOMPARE(firstOtherThanWait(watchdog), Watchdog::Verdict::Stopped);
    kill(child.pid(), SIGCONT);
    QCOMPARE(watchdog.judge(), Watchdog::Verdict::Wait);
    QCOMPARE(firstOtherThanWait(watchdog), Watchdog::Verdict::Overdue);
}

void TestWorkerWatchdog::judge_stoppedWorkerThatIsToEnd_isOverdue()
{
    const Child child([] { pause(); });
    kill(child.pid(), SIGSTOP);
    Watchdog watchdog(child.pid(), kLong, kLong);
    watchdog.endWithin(kShort);
    QCOMPARE(firstOtherThanWait(watchdog), Watchdog::Verdict::Overdue);
}

void TestWorkerWatchdog::judge_thisProgramDidNotRun_countsLittle()
{
    const Child child([] { pause(); });
    Watchdog watchdog(child.pid(), milliseconds(450), kLong);
    usleep(500'000); // simulates having been stopped for that long
    QCOMPARE(watchdog.judge(), Watchdog::Verdict::Wait);
}

STAGECRAFT_SUITE(TestWorkerWatchdog)

} // namespace tst_worker_watchdog
#include "tst_worker_watchdog.moc"
