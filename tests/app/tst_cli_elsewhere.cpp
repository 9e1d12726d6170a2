// The command line with devices of other machines: a real sshd on the loopback, and Slurm.

#include "device/npy.h"
#include "support/cli_process.h"
#include "support/peer_python.h"
#include "support/slurm_cluster.h"
#include "support/ssh_server.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_cli_elsewhere {

class TestCliElsewhere : public QObject {
    Q_OBJECT

private slots:
    void devices_ofAHost_areListed();
    void optimize_overSsh_isMeasuredAndStoredAsOnTheMachine();
    void device_writtenWrongly_isRefused_data();
    void device_writtenWrongly_isRefused();
    void device_unreachable_isNamed();
    void run_weightsOfAModel_travelOnceToEitherWorker();
    void command_interruptedInTheQueue_leavesNoJob_data();
    void command_interruptedInTheQueue_leavesNoJob();
};

void TestCliElsewhere::devices_ofAHost_areListed()
{
    const SshServer server;
    if (!server.whyNot().isEmpty())
        QSKIP(qPrintable(server.whyNot()));
    QVERIFY(server.setWorkerProgram(programPath("stagecraft-worker")));
    const Answer text = cli({"devices", "ssh:there"});
    QVERIFY2(text.status == 0 && text.out.startsWith("ssh:there/cpu  "), text.out + text.err);
    const QJsonArray devices = cli({"devices", "ssh:there", "--json"}).json()["devices"].toArray();
    QVERIFY(devices.size() >= 3);
    for (const auto &device : devices)
        QVERIFY(device.toObject()["id"].toString().startsWith("ssh:there/"));
    const Answer one = cli({"devices", "ssh:there/cpu", "--json"});
    QCOMPARE(one.json()["id"].toString(), QString("ssh:there/cpu"));
    QVERIFY(one.json()["available"].toBool());
}

void TestCliElsewhere::optimize_overSsh_isMeasuredAndStoredAsOnTheMachine()
{
    const SshServer server;
    if (!server.whyNot().isEmpty())
        QSKIP(qPrintable(server.whyNot()));
    // The latencies of the faulty worker's cpu are always the same, and merges crash on it.
    QVERIFY(server.setWorkerProgram(testProgramPath("faulty-worker")));
    const QTemporaryDir data;
    const QStringList environment{"XDG_DATA_HOME=" + data.path(),
                                  "STAGECRAFT_WORKER=" + testProgramPath("faulty-worker")};
    const QStringList search{"optimize", "sample", "--strategy", "parallel", "--json", "-d"};
    const Answer there = cli(search + QStringList{"ssh:there/cpu"}, {}, environment);
    QVERIFY2(there.status == 0, there.err);
    QCOMPARE(there.json()["device"].toString(), QString("ssh:there/cpu"));
    QCOMPARE(there.json()["provenance"].toString(), QString("measured"));
    QVERIFY(there.json()["search"].toObject()["stage_measurements"].toInt() > 0);
    const Answer here = cli(search + QStringList{"cpu"}, {}, environment); // the same machine
    QVERIFY2(here.status == 0, here.err);
    const QJsonArray sets = cli({"latencies", "list", "--json"}, {}, environment).json()["sets"].toArray();
    QCOMPARE(sets.size(), 1);
    QCOMPARE(sets.first().toObject()["engine"].toString(), QString("cpu"));
}

void TestCliElsewhere::device_writtenWrongly_isRefused_data()
{
    QTest::addColumn<QString>("device");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("option of ssh") << "ssh:-oProxyCommand=touch x/cpu" << QByteArray("is no host for ssh");
    QTest::newRow("no host") << "ssh:/cpu" << QByteArray("is no host for ssh");
    QTest::newRow("simulated") << "ssh:there/sim:v100" << QByteArray("sim:v100 is no device of another machine");
    QTest::newRow("no device") << "ssh:there" << QByteArray("ssh:there names no device");
    QTest::newRow("option of Slurm") << "slurm:gpu:tmie=3/cpu" << QByteArray("Did you mean time?");
    QTest::newRow("option of a GPU") << "ssh:there/gpu:0:tf23" << QByteArray("tf32");
}

void TestCliElsewhere::device_writtenWrongly_isRefused()
{
    QFETCH(const QString, device);
    QFETCH(const QByteArray, reason);
    const Answer answer = cli({"measure", "sample", "-d", device});
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.contains(reason), answer.err);
}

void TestCliElsewhere::device_unreachable_isNamed()
{
    const ProgramInPath first;
    QVERIFY(first.make("ssh", "echo 'ssh: connect to host gpu1 port 22: No route to host' >&2; exit 255\n"));
    for (const QStringList &arguments :
         {QStringList{"measure", "sample", "-d", "ssh:gpu1/cpu"}, {"devices", "ssh:gpu1"}}) {
        const Answer answer = cli(arguments);
        QCOMPARE(answer.status, 4);
        QVERIFY2(answer.err.contains("gpu1 cannot be reached") && answer.err.contains("wake it"), answer.err);
    }
    const Answer listed = cli({"devices", "ssh:gpu1/cpu"});
    QVERIFY2(listed.status == 0 && listed.out.contains("not available: gpu1 cannot be reached"), listed.out);
}

void TestCliElsewhere::run_weightsOfAModel_travelOnceToEitherWorker()
{
    const QString python = pythonWithTorch();
    if (python.isEmpty())
        QSKIP("there is no Python with torch; install python3-torch");
    const SshServer server;
    if (!server.whyNot().isEmpty())
        QSKIP(qPrintable(server.whyNot()));
    QVERIFY(server.setWorkerProgram(programPath("stagecraft-worker")));
    const QTemporaryDir folder;
    QCOMPARE(cli({"convert", "squeezenet", "-o", folder.filePath("x.onnx")}).status, 0);
    const Shape shape{{1, 3, 224, 224}};
    QVERIFY(writeNpy(folder.filePath("x.npy").toStdString(),
                     {"x", shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), 0.5F)}));
    qint64 weights = 0;
    for (const QFileInfo &file : QDir(folder.path()).entryInfoList({"x.onnx*"}, QDir::Files))
        weights += file.size();
    const ProgramInPath first; // counts what is sent
    const QString ssh = QStandardPaths::findExecutable("ssh", {server.client()});
    QVERIFY(first.make("ssh", "tee -a '" + folder.filePath("sent").toUtf8() + "' | '" + ssh.toUtf8() +
                                  "' \"$@\" | cat\n")); // ssh makes its own descriptors non-blocking
    const auto bytesFor = [&](const QString &device) -> qint64 {
        QFile::remove(folder.filePath("sent"));
        const Answer answer = cli({"run", "x.onnx", "-i", "x.npy", "-o", "y.npy", "-d", device}, folder.path(),
                                  {"STAGECRAFT_PYTHON=" + python, "STAGECRAFT_REMOTE_PYTHON=" + python});
        return answer.status == 0 ? QFileInfo(folder.filePath("sent")).size() : -1;
    };
    const qint64 atFirst = bytesFor("ssh:there/pytorch:cpu");
    QVERIFY2(atFirst > weights * 9 / 10, QByteArray::number(atFirst));
    // What else is sent: the worker itself, and the input.
    for (const char *device : {"ssh:there/pytorch:cpu", "ssh:there/cpu"}) {
        const qint64 again = bytesFor(device);
        QVERIFY2(again > 0 && again < weights / 4, QByteArray::number(again));
    }
}

void TestCliElsewhere::command_interruptedInTheQueue_leavesNoJob_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("times");
    const QStringList search{"optimize", "sample", "-d", "slurm:test/cpu"};
    QTest::newRow("search") << search << 1;
    QTest::newRow("search, twice") << search << 2;
    QTest::newRow("pool, twice") << QStringList{"optimize", "sample", "-d",
                                                "slurm:test:cpus=1/cpu,slurm:test:time=9/cpu"}
                                 << 2;
    QTest::newRow("device") << QStringList{"devices", "slurm:test/cpu"} << 1;
    QTest::newRow("devices") << QStringList{"devices", "slurm:test"} << 2;
}

void TestCliElsewhere::command_interruptedInTheQueue_leavesNoJob()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const int, times);
    const SlurmCluster cluster;
    if (!cluster.whyNot().isEmpty())
        QSKIP(qPrintable(cluster.whyNot()));
    const HeldNode held;
    QProcess process;
    process.start(programPath("stagecraft-cli"), arguments);
    QTRY_VERIFY(SlurmCluster::jobs().contains("stagecraft PENDING"));
    for (int i = 0; i < times; ++i)
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 130);
    QTRY_COMPARE(SlurmCluster::jobs(), QString("other RUNNING"));
}

STAGECRAFT_SUITE(TestCliElsewhere)

} // namespace tst_cli_elsewhere
#include "tst_cli_elsewhere.moc"
