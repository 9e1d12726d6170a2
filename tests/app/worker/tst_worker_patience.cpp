// What is waited for and what is not, told from processes that sleep, work or are stopped.

#include <QTest>

#include "device/worker_patience.h" // after Qt: moc stumbles over a file that begins with <chrono>

#include <chrono>
#include <csignal>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>

using stagecraft::worker::Patience;
using std::chrono::milliseconds;

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

Patience::Verdict firstOtherThanWait(Patience &patience)
{
    for (;;) {
        if (const auto verdict = patience.judge(); verdict != Patience::Verdict::Wait)
            return verdict;
        usleep(2000);
    }
}

constexpr milliseconds kLong{60'000};
constexpr milliseconds kShort{60};

} // namespace

class TestWorkerPatience : public QObject {
    Q_OBJECT

private slots:
    void judge_sleepingWorker_isSilentOrOverdue();
    void judge_workingWorker_hasTheTimeItCouldUse();
    void judge_stoppedWorker_isWaitedForAndHasItsTimeAgain();
    void judge_stoppedWorkerThatIsToEnd_isOverdue();
    void judge_thisProgramDidNotRun_countsLittle();
};

void TestWorkerPatience::judge_sleepingWorker_isSilentOrOverdue()
{
    const Child child([] { pause(); });
    Patience silent(child.pid(), kLong, kShort);
    QCOMPARE(firstOtherThanWait(silent), Patience::Verdict::Silent);
    Patience overdue(child.pid(), kShort, kLong);
    QCOMPARE(firstOtherThanWait(overdue), Patience::Verdict::Overdue);
}

void TestWorkerPatience::judge_workingWorker_hasTheTimeItCouldUse()
{
    const Child child([] {
        static volatile int turns = 0;
        turns = turns + 1;
    });
    for (const bool silence : {false, true}) {
        const milliseconds before = child.used();
        Patience patience(child.pid(), silence ? kLong : kShort, silence ? kShort : kLong);
        const auto expected = silence ? Patience::Verdict::Silent : Patience::Verdict::Overdue;
        QCOMPARE(firstOtherThanWait(patience), expected);
        QVERIFY(child.used() - before >= kShort - milliseconds(1)); // however loaded this machine is
    }
}

void TestWorkerPatience::judge_stoppedWorker_isWaitedForAndHasItsTimeAgain()
{
    const Child child([] { pause(); });
    kill(child.pid(), SIGSTOP);
    Patience patience(child.pid(), kShort, kLong);
    QCOMPARE(firstOtherThanWait(patience), Patience::Verdict::Stopped);
    kill(child.pid(), SIGCONT);
    QCOMPARE(patience.judge(), Patience::Verdict::Wait);
    QCOMPARE(firstOtherThanWait(patience), Patience::Verdict::Overdue);
}

void TestWorkerPatience::judge_stoppedWorkerThatIsToEnd_isOverdue()
{
    const Child child([] { pause(); });
    kill(child.pid(), SIGSTOP);
    Patience patience(child.pid(), kLong, kLong);
    patience.endWithin(kShort);
    QCOMPARE(firstOtherThanWait(patience), Patience::Verdict::Overdue);
}

void TestWorkerPatience::judge_thisProgramDidNotRun_countsLittle()
{
    const Child child([] { pause(); });
    Patience patience(child.pid(), milliseconds(450), kLong);
    usleep(500'000); // as if it had been stopped for that long
    QCOMPARE(patience.judge(), Patience::Verdict::Wait);
}

QTEST_GUILESS_MAIN(TestWorkerPatience)
#include "tst_worker_patience.moc"
