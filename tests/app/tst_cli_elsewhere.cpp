// The command line with devices of other machines: a real sshd on the loopback.

#include "support/cli_process.h"
#include "support/ssh_server.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

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

STAGECRAFT_SUITE(TestCliElsewhere)

} // namespace tst_cli_elsewhere
#include "tst_cli_elsewhere.moc"
