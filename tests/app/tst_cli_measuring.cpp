// Measuring devices on the command line: what it says of a worker that dies.

#include "support/cli_process.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft::test;

namespace {

const QString kFaulty = "STAGECRAFT_WORKER=" STAGECRAFT_FAULTY_WORKER;

} // namespace

class TestCliMeasuring : public QObject {
    Q_OBJECT

private slots:
    void search_workerKilledByAStage_saysWhichAndWhy_data();
    void search_workerKilledByAStage_saysWhichAndWhy();
};

void TestCliMeasuring::search_workerKilledByAStage_saysWhichAndWhy_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<QByteArray>("where");
    QTest::newRow("optimize") << QStringList{"optimize", "sample", "--strategy", "merge"} << QByteArray("search: ");
    QTest::newRow("compare") << QStringList{"compare", "sample"} << QByteArray("IOS-Merge: ");
    QTest::newRow("sweep") << QStringList{"sweep", "sample", "--r", "3", "--s", "8"} << QByteArray("r = 3, s = 8: ");
}

void TestCliMeasuring::search_workerKilledByAStage_saysWhichAndWhy()
{
    QFETCH(const QStringList, command);
    QFETCH(const QByteArray, where);
    const QTemporaryDir folder;
    const Answer answer = cli(command + QStringList{"-d", "cpu"}, {}, {kFaulty, "XDG_DATA_HOME=" + folder.path()});
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY2(answer.err.contains("stagecraft-cli: " + where), answer.err);
    QVERIFY2(answer.err.contains(" left out") && answer.err.contains("stage {conv"), answer.err);
    QVERIFY2(answer.err.contains("the worker was killed by signal 11 (Segmentation fault)."), answer.err);
    QVERIFY2(command.first() != "optimize" || answer.out.contains("without the stages left out"), answer.out);
}

QTEST_GUILESS_MAIN(TestCliMeasuring)
#include "tst_cli_measuring.moc"
