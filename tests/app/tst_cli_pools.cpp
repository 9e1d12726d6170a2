// Pools on the command line: unequal members, files that name members, and what counts as measured on one of them.

#include "support/cli_process.h"
#include "support/ssh_server.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft::test;

namespace tst_cli_pools {

class TestCliPools : public QObject {
    Q_OBJECT

private slots:
    void optimize_unequalMembers_namesTheCommandThatComparesThem();
    void optimize_unknownMemberOfAFile_isNamedWithItsLine();
    void optimize_pool_countsAsItsMember();
    void optimize_poolOverSsh_sharesWhatWasMeasured();
};

// The command that the refusal names makes the table.
void TestCliPools::optimize_unequalMembers_namesTheCommandThatComparesThem()
{
    const QTemporaryDir folder;
    write(folder.filePath("lab.pool"), "sim:v100\nsim:k80 # the old one\n");
    for (const QString &pool : {QString("sim:v100,sim:k80"), QString("pool:lab.pool")}) {
        const Answer refused = cli({"optimize", "sample", "-d", pool}, folder.path());
        QCOMPARE(refused.status, 2);
        QVERIFY2(refused.err.contains("the members of a pool are not equal: sim:v100 is") &&
                     refused.err.contains(("stagecraft-cli specialize MODEL --devices " + pool + " ").toUtf8()),
                 refused.err);
        const Answer table = cli({"specialize", "sample", "--devices", pool, "--json"}, folder.path());
        QVERIFY2(table.status == 0, table.err);
        const QJsonArray rows = table.json()["rows"].toArray();
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[1].toObject()["run_on"].toString(), QString("sim:k80"));
        QCOMPARE(rows[1].toObject()["latency_us"].toObject().keys(), (QStringList{"sim:k80", "sim:v100"}));
    }
}

void TestCliPools::optimize_unknownMemberOfAFile_isNamedWithItsLine()
{
    const QTemporaryDir folder;
    write(folder.filePath("lab.pool"), "# ours\nsim:v100\nsim:v1000\n");
    const Answer answer = cli({"optimize", "sample", "-d", "pool:lab.pool"}, folder.path());
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.contains("lab.pool:3: ") && answer.err.contains("v1000"), answer.err);
}

// As if the member alone had been asked, but for what is said of the members.
void TestCliPools::optimize_pool_countsAsItsMember()
{
    const auto answerOn = [](const QString &device) {
        const Answer answer = cli({"optimize", "squeezenet", "-d", device, "--json"});
        QJsonObject json = answer.json();
        json.remove("members");
        for (const char *key : {"search", "strategies"})
            json.remove(QLatin1String(key));
        return json;
    };
    const QJsonObject alone = answerOn("sim:v100");
    QCOMPARE(alone["device"].toString(), QString("sim:v100"));
    const QJsonObject pool = answerOn("sim:v100,sim:v100");
    QCOMPARE(pool["device"], alone["device"]);
    QCOMPARE(pool["latency_us"], alone["latency_us"]);
    QCOMPARE(pool.keys(), alone.keys());
}

// The machine itself, and the same over ssh: equal devices that share a latency store.
void TestCliPools::optimize_poolOverSsh_sharesWhatWasMeasured()
{
    const SshServer server;
    if (!server.whyNot().isEmpty())
        QSKIP(qPrintable(server.whyNot()));
    QVERIFY(server.setWorkerProgram(testProgramPath("faulty-worker")));
    const QTemporaryDir folder;
    const QStringList environment{"XDG_DATA_HOME=" + folder.path(),
                                  "STAGECRAFT_WORKER=" + testProgramPath("faulty-worker")};
    const auto search = [&](const QString &device, const QString &file) {
        return cli({"optimize", "sample", "--strategy", "parallel", "-d", device, "-o", file, "--json"}, folder.path(),
                   environment);
    };
    const Answer pool = search("cpu,ssh:there/cpu", "pool.json");
    QVERIFY2(pool.status == 0, pool.err);
    QCOMPARE(pool.json()["device"].toString(), QString("cpu"));
    QCOMPARE(pool.json()["members"].toArray().size(), 2);
    const auto fresh = [](const Answer &answer) {
        const QJsonObject record = answer.json()["search"].toObject();
        return record["stage_measurements"].toInt() - record["stages_repeated"].toInt();
    };
    QVERIFY(fresh(pool) > 0);
    const Answer there = search("ssh:there/cpu", "there.json");
    QVERIFY2(there.status == 0, there.err);
    QCOMPARE(fresh(there), 0);
    QCOMPARE(fresh(search("cpu,ssh:there/cpu", "again.json")), 0);
}

STAGECRAFT_SUITE(TestCliPools)

} // namespace tst_cli_pools
#include "tst_cli_pools.moc"
