// What a worker inherits from the program: no blocked or ignored signals, and its own process group.

#include "device/worker/worker_device.h"
#include "graph/graph.h"
#include "support/graph_making.h"
#include "support/places.h"
#include "support/suite.h"

#include <QFile>
#include <QTest>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_worker_process {

namespace {

// Blocks and ignores signals of this process during its lifetime.
class Deaf {
public:
    Deaf()
    {
        sigset_t blocked;
        sigemptyset(&blocked);
        for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGRTMIN + 1})
            sigaddset(&blocked, number);
        pthread_sigmask(SIG_BLOCK, &blocked, &m_mask);
        for (std::size_t i = 0; i < m_ignored.size(); ++i)
            m_handlers[i] = std::signal(m_ignored[i], SIG_IGN);
    }
    ~Deaf()
    {
        for (std::size_t i = 0; i < m_ignored.size(); ++i)
            std::signal(m_ignored[i], m_handlers[i]);
        pthread_sigmask(SIG_SETMASK, &m_mask, nullptr);
    }
    Deaf(const Deaf &) = delete;
    Deaf &operator=(const Deaf &) = delete;

private:
    static constexpr std::array m_ignored{SIGPIPE, SIGHUP, SIGQUIT};
    std::array<void (*)(int), 3> m_handlers{};
    sigset_t m_mask{};
};

// A signal set of a process, as the kernel reports it: bit 0 is signal 1. Unnamed signals below SIGRTMIN are reserved
// by the C library.
quint64 signalSet(pid_t process, const QByteArray &name)
{
    quint64 libraryOwn = 0;
    for (int number = SIGSYS + 1; number < SIGRTMIN; ++number)
        libraryOwn |= quint64{1} << (number - 1);
    QFile status(QString("/proc/%1/status").arg(process));
    if (!status.open(QIODevice::ReadOnly))
        qFatal("there is no process %d", process);
    for (const QByteArray &line : status.readAll().split('\n')) {
        if (line.startsWith(name + ':'))
            return line.mid(name.size() + 1).trimmed().toULongLong(nullptr, 16) & ~libraryOwn;
    }
    qFatal("the kernel does not say %s", name.constData());
}

bool contains(quint64 set, int number)
{
    return (set >> (number - 1) & 1) != 0;
}

std::shared_ptr<const Graph> oneOperator()
{
    GraphBuilder builder("one");
    Operator op;
    op.name = "fine";
    op.kind = OperatorKind::Activation;
    op.attributes = Activation{ActivationKind::Relu};
    op.inputs = {{test::take(builder.addInput("x", Shape{{1, 8, 4, 4}}))}};
    test::take(builder.add(std::move(op)));
    return std::make_shared<Graph>(test::take(builder.build()));
}

} // namespace

class TestWorkerProcess : public QObject {
    Q_OBJECT

private slots:
    void start_parentBlocksAndIgnoresSignals_workerDoesNot();
    void start_anyWorker_leadsAGroupOfItsOwn();

private:
    // The faulty worker reports its process id as its number of runs.
    static pid_t workerOf(DeviceSession &session)
    {
        return test::take(session.stageLatency(Stage{0, Strategy::Concurrent, {{OperatorId{0}}}}, {})).timing.runs;
    }
    static std::unique_ptr<DeviceSession> open()
    {
        WorkerOptions options;
        options.command = {testProgramPath("faulty-worker").toStdString()};
        return test::take(makeWorkerDevice("faulty", options)->open(oneOperator()));
    }
};

void TestWorkerProcess::start_parentBlocksAndIgnoresSignals_workerDoesNot()
{
    const Deaf deaf;
    QVERIFY(contains(signalSet(getpid(), "SigBlk"), SIGTERM));
    QVERIFY(contains(signalSet(getpid(), "SigBlk"), SIGRTMIN + 1));
    QVERIFY(contains(signalSet(getpid(), "SigIgn"), SIGPIPE));
    const auto session = open();
    const pid_t worker = workerOf(*session);
    QVERIFY(worker != getpid());
    QCOMPARE(signalSet(worker, "SigBlk"), quint64{0});
    QCOMPARE(signalSet(worker, "SigIgn"), quint64{0});
    // So it ends when told to, and another one replaces it.
    kill(worker, SIGTERM);
    siginfo_t ended{};
    QCOMPARE(waitid(P_PID, static_cast<id_t>(worker), &ended, WEXITED | WNOWAIT), 0); // the session has to reap it
    QCOMPARE(ended.si_status, SIGTERM);
    QVERIFY(workerOf(*session) != worker);
    QCOMPARE(kill(worker, 0), -1);
}

void TestWorkerProcess::start_anyWorker_leadsAGroupOfItsOwn()
{
    const auto session = open();
    const pid_t worker = workerOf(*session);
    QCOMPARE(getpgid(worker), worker);
    QVERIFY(getpgid(0) != worker);
}

STAGECRAFT_SUITE(TestWorkerProcess)

} // namespace tst_worker_process
#include "tst_worker_process.moc"
