// Devices behind ssh: a real sshd on the loopback, with the faulty worker and with stagecraft-worker.

#include "faulty_device.h"

#include "device/worker/transports/ssh_transport.h"
#include "support/ssh_server.h"
#include "support/suite.h"

#include <QDir>
#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <future>
#include <thread>

using namespace stagecraft;
using namespace stagecraft::test;
using std::chrono::milliseconds;

namespace tst_ssh_worker {

namespace {

WorkerOptions over(const std::string &host, const std::string &path = {})
{
    WorkerOptions options = faulty();
    options.silence = milliseconds(30'000);
    options.stageDeadline = milliseconds(60'000);
    options.transport = worker::sshTransport(take(worker::sshHostFrom(host)), take(worker::remoteWorker(path)));
    options.command.clear();
    return options;
}

// A convolution whose weights are too many for a message of their own.
std::shared_ptr<const Graph> convolution(float value)
{
    GraphBuilder builder("convolution");
    const TensorId x = take(builder.addInput("x", Shape{{1, 64, 4, 4}}));
    Operator op = conv("conv", {{x}}, 64);
    op.parameters = {
        {"weight", "conv.weight", Shape{{64, 64, 1, 1}}, DataType::Float32, shared(std::vector<float>(4096, value))}};
    take(builder.add(std::move(op)));
    return std::make_shared<Graph>(take(builder.build()));
}

Schedule inOneStage()
{
    Schedule schedule;
    schedule.stages = {Stage{0, Strategy::Concurrent, {{OperatorId{0}}}}};
    return schedule;
}

// What the only output of `graph` holds on the device, for an input of ones.
Result<std::vector<float>> outputs(const Device &device, const std::shared_ptr<const Graph> &graph)
{
    TRY_AS(const auto session, device.open(graph));
    TRY_AS(const auto made,
           runOn(*session, inOneStage(), {{"x", Shape{{1, 64, 4, 4}}, std::vector<float>(1024, 1)}}, {}));
    return made.front().values;
}

} // namespace

class TestSshWorker : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { m_server.reset(); }
    void info_overSsh_isThatOfTheMachineThere();
    void list_overSsh_hasItsDevices();
    void measureStage_overSsh_comesThroughExactly();
    void measureStage_shellThatPrints_doesNotDisturb();
    void measureStage_slowNetwork_isNotInTheLatency();
    void info_wrongPlace_isNamedWithWhatToDo_data();
    void info_wrongPlace_isNamedWithWhatToDo();
    void info_noWorker_isNamed();
    void info_workerWithoutRights_isNamed();
    void info_workerOfAnotherVersion_isNamed();
    void info_garbageOnItsOutput_isNamed();
    void info_unknownKeyOfTheHost_isNamed();
    void info_asleep_isNamedAfterTheTimeOfTheConfiguration();
    void info_noSsh_isNamed();
    void measureStage_workerCrashes_namesTheStage();
    void measureStage_connectionLostOnce_goesOn();
    void measureStage_serverGone_saysSoAndKeepsTheStage();
    void measureStage_workerStoppedThere_isNoticed();
    void measureStage_stopRequested_isCancelled();
    void open_weightsAgain_travelOnce();
    void open_keptWeightsSpoilt_areSentAgain();
    void open_noRoomForWeights_works();
    void open_weightsBeyondTheLimit_oldestGo();
    void open_randomWeights_areNotSentAndNotRun();

private:
    std::unique_ptr<SshServer> m_server;
};

void TestSshWorker::init()
{
    m_server = std::make_unique<SshServer>();
    if (!m_server->whyNot().isEmpty())
        QSKIP(qPrintable(m_server->whyNot()));
    QVERIFY(m_server->setWorkerProgram(testProgramPath("faulty-worker")));
}

void TestSshWorker::info_overSsh_isThatOfTheMachineThere()
{
    const DeviceInfo info = makeWorkerDevice("faulty", over("there"), "ssh:there/faulty")->info();
    QVERIFY2(info.available, info.unavailableReason.c_str());
    QCOMPARE(info.id, std::string("ssh:there/faulty"));
    QCOMPARE(info.fingerprint, std::string("f"));
}

void TestSshWorker::list_overSsh_hasItsDevices()
{
    QVERIFY(m_server->setWorkerProgram(programPath("stagecraft-worker")));
    const auto devices = listWorkerDevices(over("there"));
    QVERIFY2(devices, devices ? "" : devices.error().message.c_str());
    QCOMPARE(devices->front().id, std::string("cpu"));
    QVERIFY(devices->size() >= 3);
}

void TestSshWorker::measureStage_overSsh_comesThroughExactly()
{
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", over("there"), "ssh:there/faulty")->open(graph));
    const auto sample = session->stageLatency(stageOf(*graph, "fine"), {});
    QVERIFY(sample && sample->timing.meanUs == 1.5 && sample->timing.latencyUs == 1.25);
    QVERIFY(sample->timing.clocks == (ClockRates{1980, 2619, "power limit"}));
    const auto refused = session->stageLatency(stageOf(*graph, "refuse"), {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().remedy, std::string("use another"));
    QCOMPARE(session->stageLatency(stageOf(*graph, "fine"), {})->timing.runs, sample->timing.runs); // the same process
}

void TestSshWorker::measureStage_shellThatPrints_doesNotDisturb()
{
    QVERIFY(
        m_server->setWorker("echo to standard error >&2\nexec '" + testProgramPath("faulty-worker").toUtf8() + "'\n"));
    // A shell's start-up files print before the command does.
    const ProgramInPath first;
    const QString ssh = QStandardPaths::findExecutable("ssh", {m_server->client()});
    QVERIFY(first.make("ssh", "[ \"$1\" = -T ] && printf 'Welcome to gpu1\\nstagecraft\\n\\001\\377'\nexec '" +
                                  ssh.toUtf8() + "' \"$@\"\n"));
    Told told;
    WorkerOptions options = over("there");
    options.tell = told.listener();
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", options, "ssh:there/faulty")->open(graph));
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {}));
    QVERIFY(session->stageLatency(stageOf(*graph, "nap"), {}));
    QVERIFY2(told.has("ssh:there/faulty: to standard error"), told.text().c_str());
}

// Every byte waits a fifth of a second each way.
void TestSshWorker::measureStage_slowNetwork_isNotInTheLatency()
{
    const ProgramInPath first;
    const QString ssh = QStandardPaths::findExecutable("ssh", {m_server->client()});
    const QByteArray slow = "perl -e '$|=1; while (sysread(STDIN, $_, 65536)) { select(undef, undef, undef, 0.2); "
                            "syswrite(STDOUT, $_) }'";
    QVERIFY(first.make("ssh", "[ \"$1\" = -T ] && [ \"$2\" != -G ] || exec '" + ssh.toUtf8() + "' \"$@\"\n" + slow +
                                  " | '" + ssh.toUtf8() + "' \"$@\" | " + slow + "\n"));
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", over("there"), "ssh:there/faulty")->open(graph));
    QElapsedTimer timer;
    timer.start();
    const auto sample = session->stageLatency(stageOf(*graph, "fine"), {});
    QVERIFY(timer.elapsed() >= 400);
    QVERIFY(sample && sample->timing.meanUs == 1.5 && sample->timing.latencyUs == 1.25);
}

void TestSshWorker::info_wrongPlace_isNamedWithWhatToDo_data()
{
    QTest::addColumn<QString>("host");
    QTest::addColumn<QByteArray>("lines"); // of the configuration
    QTest::addColumn<QString>("reason");
    QTest::addColumn<QString>("remedy");
    QTest::newRow("unknown") << "nowhere.invalid" << QByteArray() << "ssh does not know the host nowhere.invalid"
                             << "Check its name";
    QTest::newRow("refused") << "closed" << QByteArray("Host closed\n HostName 127.0.0.1\n Port 1\n")
                             << "closed refuses connections"
                             << "Start sshd there";
    QTest::newRow("no rights") << "stranger"
                               << QByteArray("Host stranger\n HostName 127.0.0.1\n Port @PORT@\n IdentityFile none\n "
                                             "IdentitiesOnly yes\n UserKnownHostsFile @FOLDER@/known_hosts\n "
                                             "StrictHostKeyChecking accept-new\n")
                               << "stranger does not let this account in"
                               << "ssh-copy-id stranger";
}

void TestSshWorker::info_wrongPlace_isNamedWithWhatToDo()
{
    QFETCH(const QString, host);
    QFETCH(QByteArray, lines);
    QFETCH(const QString, reason);
    QFETCH(const QString, remedy);
    lines.replace("@PORT@", QByteArray::number(m_server->port())).replace("@FOLDER@", m_server->folder().toUtf8());
    QVERIFY(m_server->configure(lines));
    const DeviceInfo info = makeWorkerDevice("faulty", over(host.toStdString()))->info();
    QVERIFY(!info.available);
    const QString text = QString::fromStdString(info.unavailableReason);
    QVERIFY2(text.contains(reason) && text.contains(remedy), qPrintable(text));
}

void TestSshWorker::info_noWorker_isNamed()
{
    const DeviceInfo info = makeWorkerDevice("faulty", over("there", "/nowhere/stagecraft-worker"))->info();
    const QString text = QString::fromStdString(info.unavailableReason);
    QVERIFY2(text.contains("there has no /nowhere/stagecraft-worker") && text.contains("STAGECRAFT_REMOTE_WORKER"),
             qPrintable(text));
}

void TestSshWorker::info_workerWithoutRights_isNamed()
{
    QVERIFY(QFile::setPermissions(m_server->folder() + "/worker", QFile::ReadOwner));
    const DeviceInfo info = makeWorkerDevice("faulty", over("there"))->info();
    const QString text = QString::fromStdString(info.unavailableReason);
    QVERIFY2(text.contains("there does not let this account run stagecraft-worker") && text.contains("chmod +x"),
             qPrintable(text));
}

void TestSshWorker::info_workerOfAnotherVersion_isNamed()
{
    // A reply of version 3 to request 1: an empty failure.
    QVERIFY(m_server->setWorker("printf '\\006\\010\\003\\020\\001\\042\\000'; sleep 60\n"));
    const DeviceInfo info = makeWorkerDevice("faulty", over("there"))->info();
    const QString text = QString::fromStdString(info.unavailableReason);
    QVERIFY2(text.contains("the worker on there speaks version 3 of the protocol") &&
                 text.contains("install the worker that belongs"),
             qPrintable(text));
}

void TestSshWorker::info_garbageOnItsOutput_isNamed()
{
    QVERIFY(m_server->setWorker("yes this is no message | head -100; sleep 60\n"));
    const DeviceInfo info = makeWorkerDevice("faulty", over("there"))->info();
    const QString text = QString::fromStdString(info.unavailableReason);
    QVERIFY2(text.contains("on there") && text.contains("no message"), qPrintable(text));
}

void TestSshWorker::info_unknownKeyOfTheHost_isNamed()
{
    QVERIFY(m_server->configure("Host new\n HostName 127.0.0.1\n Port " + QByteArray::number(m_server->port()) +
                                "\n UserKnownHostsFile " + m_server->folder().toUtf8() +
                                "/none\n StrictHostKeyChecking yes\n"));
    const DeviceInfo info = makeWorkerDevice("faulty", over("new"))->info();
    const QString text = QString::fromStdString(info.unavailableReason);
    QVERIFY2(text.contains("ssh does not know the key of new") && text.contains("accept it"), qPrintable(text));
    QVERIFY(!QFile::exists(m_server->folder() + "/none")); // nothing is accepted unasked
}

// A port that takes connections and says nothing.
void TestSshWorker::info_asleep_isNamedAfterTheTimeOfTheConfiguration()
{
    const ListeningPort port;
    QVERIFY(m_server->configure("Host asleep\n HostName 127.0.0.1\n Port " + QByteArray::number(port.number()) +
                                "\n ConnectTimeout 1\n"));
    const DeviceInfo info = makeWorkerDevice("faulty", over("asleep"))->info();
    const QString text = QString::fromStdString(info.unavailableReason);
    QVERIFY2(text.contains("asleep does not answer") && text.contains("wake it"), qPrintable(text));
}

void TestSshWorker::info_noSsh_isNamed()
{
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", "/nowhere");
    const DeviceInfo info = makeWorkerDevice("faulty", over("there"))->info();
    qputenv("PATH", path);
    const QString text = QString::fromStdString(info.unavailableReason);
    QVERIFY2(text.contains("no ssh in PATH") && text.contains("openssh-client"), qPrintable(text));
}

void TestSshWorker::measureStage_workerCrashes_namesTheStage()
{
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", over("there"), "ssh:there/faulty")->open(graph));
    const auto lost = session->stageLatency(stageOf(*graph, "crash"), {});
    QVERIFY(!lost);
    const QString text = QString::fromStdString(lost.error().message);
    QVERIFY2(text.contains("the worker on there was killed by signal 11") && text.contains("operator crash"),
             qPrintable(text));
    QCOMPARE(lost.error().context.front(), std::string("stage {crash}"));
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {}));
}

void TestSshWorker::measureStage_connectionLostOnce_goesOn()
{
    Told told;
    WorkerOptions options = over("there");
    options.tell = told.listener();
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", options, "ssh:there/faulty")->open(graph));
    QFile held(m_server->folder() + "/held");
    QVERIFY(held.open(QIODevice::WriteOnly));
    auto asked = std::async(std::launch::async, [&] { return session->stageLatency(stageOf(*graph, "nap"), {}); });
    QTRY_VERIFY(told.has("nap begins"));
    m_server->stop();
    QVERIFY(held.remove());
    QVERIFY(m_server->startAgain());
    const auto sample = asked.get();
    QVERIFY2(sample, sample ? "" : sample.error().message.c_str());
    QCOMPARE(told.count("asked for again"), 1);
}

void TestSshWorker::measureStage_serverGone_saysSoAndKeepsTheStage()
{
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", over("there"), "ssh:there/faulty")->open(graph));
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {}));
    m_server->stop();
    std::stop_source stop;
    auto asked =
        std::async(std::launch::async, [&] { return session->stageLatency(stageOf(*graph, "nap"), stop.get_token()); });
    QVERIFY(asked.wait_for(milliseconds(1500)) == std::future_status::timeout); // it tries again for a while
    QVERIFY(m_server->startAgain());
    QVERIFY(asked.get()); // the stage is not what ended the connection
    m_server->stop();
    asked =
        std::async(std::launch::async, [&] { return session->stageLatency(stageOf(*graph, "nap"), stop.get_token()); });
    std::this_thread::sleep_for(milliseconds(1000)); // whether it asks yet or not, the stop ends it
    stop.request_stop();
    const auto stopped = asked.get();
    QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
}

void TestSshWorker::measureStage_workerStoppedThere_isNoticed()
{
    WorkerOptions options = over("there");
    options.silence = milliseconds(6000); // longer than a loaded machine takes to open the graph
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", options, "ssh:there/faulty")->open(graph));
    const auto lost = session->stageLatency(stageOf(*graph, "stop"), {});
    QVERIFY(!lost);
    const QString text = QString::fromStdString(lost.error().message);
    QVERIFY2(text.contains("there") && text.contains("nothing more came"), qPrintable(text));
}

void TestSshWorker::measureStage_stopRequested_isCancelled()
{
    Told told;
    WorkerOptions options = over("there");
    options.tell = told.listener();
    const auto graph = behaviours();
    const auto session = take(makeWorkerDevice("faulty", options, "ssh:there/faulty")->open(graph));
    std::stop_source stop;
    auto asked = std::async(std::launch::async,
                            [&] { return session->stageLatency(stageOf(*graph, "slow"), stop.get_token()); });
    QTRY_VERIFY(told.has("slow begins"));
    stop.request_stop();
    const auto stopped = asked.get();
    QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
    QVERIFY(session->stageLatency(stageOf(*graph, "fine"), {}));
}

void TestSshWorker::open_weightsAgain_travelOnce()
{
    QVERIFY(m_server->setWorkerProgram(programPath("stagecraft-worker")));
    const auto device = makeWorkerDevice("cpu", over("there"), "ssh:there/cpu");
    const auto first = outputs(*device, convolution(0.5F));
    QVERIFY2(first, first ? "" : first.error().message.c_str());
    QCOMPARE(first->front(), 32.0F);
    const QDir kept(m_server->weights());
    QCOMPARE(kept.entryList(QDir::Files).size(), 1);
    QVERIFY(QRegularExpression("^[0-9a-f]{64}$").match(kept.entryList(QDir::Files).front()).hasMatch());
    QFile file(kept.filePath(kept.entryList(QDir::Files).front()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.size(), 4096 * 4);
    const auto inode = QFileInfo(file).fileTime(QFile::FileBirthTime);
    const auto again = outputs(*makeWorkerDevice("cpu", over("there"), "ssh:there/cpu"), convolution(0.5F));
    QVERIFY(again && *again == *first);
    QCOMPARE(QFileInfo(file).fileTime(QFile::FileBirthTime), inode); // not written again
    QCOMPARE(take(outputs(*device, convolution(0.25F))).front(), 16.0F);
    QCOMPARE(kept.entryList(QDir::Files).size(), 2);
}

void TestSshWorker::open_keptWeightsSpoilt_areSentAgain()
{
    QVERIFY(m_server->setWorkerProgram(programPath("stagecraft-worker")));
    const auto device = makeWorkerDevice("cpu", over("there"), "ssh:there/cpu");
    QVERIFY(outputs(*device, convolution(0.5F)));
    const QDir kept(m_server->weights());
    QFile file(kept.filePath(kept.entryList(QDir::Files).front()));
    QVERIFY(file.open(QIODevice::ReadWrite) && file.write("spoilt") == 6);
    file.close();
    QCOMPARE(take(outputs(*device, convolution(0.5F))).front(), 32.0F);
    QVERIFY(file.open(QIODevice::ReadOnly) && !file.readAll().startsWith("spoilt"));
    file.close();
    QVERIFY(file.resize(100)); // cut off
    QCOMPARE(take(outputs(*device, convolution(0.5F))).front(), 32.0F);
    QVERIFY(file.remove());
    QCOMPARE(take(outputs(*device, convolution(0.5F))).front(), 32.0F);
}

void TestSshWorker::open_noRoomForWeights_works()
{
    QVERIFY(m_server->setWorker("export STAGECRAFT_WEIGHTS_LIMIT=1000\nexec '" +
                                programPath("stagecraft-worker").toUtf8() + "'\n"));
    const auto device = makeWorkerDevice("cpu", over("there"), "ssh:there/cpu");
    QCOMPARE(take(outputs(*device, convolution(0.5F))).front(), 32.0F);
    QCOMPARE(QDir(m_server->weights()).entryList(QDir::Files).size(), 0);
}

void TestSshWorker::open_weightsBeyondTheLimit_oldestGo()
{
    QVERIFY(m_server->setWorker("export STAGECRAFT_WEIGHTS_LIMIT=40000\nexec '" +
                                programPath("stagecraft-worker").toUtf8() + "'\n"));
    const auto device = makeWorkerDevice("cpu", over("there"), "ssh:there/cpu");
    const QDir kept(m_server->weights());
    QVERIFY(outputs(*device, convolution(0.5F)));
    const QString first = kept.entryList(QDir::Files).front();
    QVERIFY(outputs(*device, convolution(0.25F)));
    QVERIFY(outputs(*device, convolution(0.5F))); // used again
    QVERIFY(outputs(*device, convolution(0.125F)));
    QCOMPARE(kept.entryList(QDir::Files).size(), 2);
    QVERIFY(kept.exists(first));
}

void TestSshWorker::open_randomWeights_areNotSentAndNotRun()
{
    QVERIFY(m_server->setWorkerProgram(programPath("stagecraft-worker")));
    WorkerOptions options = over("there");
    options.makesWeights = true;
    const auto device = makeWorkerDevice("cpu", options, "ssh:there:random/cpu");
    const auto graph = convolution(0.5F);
    const auto session = take(device->open(graph));
    QVERIFY(session->stageLatency(inOneStage().stages.front(), {}));
    QCOMPARE(QDir(m_server->weights()).entryList(QDir::Files).size(), 0);
    const auto refused = outputs(*device, graph);
    QVERIFY(!refused && refused.error().code == ErrorCode::WrongUse);
    QVERIFY(refused.error().message.find("made at random") != std::string::npos);
}

STAGECRAFT_SUITE(TestSshWorker)

} // namespace tst_ssh_worker
#include "tst_ssh_worker.moc"
