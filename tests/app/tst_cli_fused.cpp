// Fused stages on the command line: found, edited, measured on simulated devices and cpu, and refused by name
// elsewhere.

#include "support/cli_process.h"
#include "support/places.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft::test;

namespace tst_cli_fused {

class TestCliFused : public QObject {
    Q_OBJECT

private slots:
    void optimize_all_fusesAndIsFaster();
    void optimize_wavefront_isWhatCompareMakes();
    void optimize_optionsOfASearch_areRefused_data();
    void optimize_optionsOfASearch_areRefused();
    void edit_fuse_isMeasuredAndUndone();
    void fused_onCpu_runsIsPlannedAndExported();
    void fused_elsewhere_isRefusedByName_data();
    void fused_elsewhere_isRefusedByName();

private:
    // Each block as a fused stage, where that is faster.
    QString wavefront(const QTemporaryDir &folder, const QString &model)
    {
        const QString path = folder.filePath("wavefront.schedule.json");
        const Answer made = cli({"optimize", model, "-d", "sim:v100", "--strategy", "wavefront", "-o", path});
        return made.status == 0 ? path : QString::fromUtf8(made.err);
    }
};

void TestCliFused::optimize_all_fusesAndIsFaster()
{
    const QJsonObject both = cli({"optimize", "squeezenet", "-d", "sim:v100", "--json"}).json();
    const QJsonObject all = cli({"optimize", "squeezenet", "-d", "sim:v100", "--strategy", "all", "--json"}).json();
    QVERIFY(all["latency_us"].toDouble() > 0);
    QVERIFY(all["latency_us"].toDouble() < both["latency_us"].toDouble());
    QCOMPARE(all["search"].toObject()["strategy"].toString(), QString("ios-all"));
    QCOMPARE(all["search"].toObject()["gap"].toDouble(), 0.0);
    QStringList strategies;
    for (const QJsonValue &stage : all["schedule"].toObject()["stages"].toArray())
        strategies << stage.toObject()["strategy"].toString();
    QVERIFY(strategies.contains("fused"));
}

void TestCliFused::optimize_wavefront_isWhatCompareMakes()
{
    const QTemporaryDir folder;
    const QString path = wavefront(folder, "googlenet");
    const QJsonObject measured = cli({"measure", "googlenet", "-d", "sim:v100", "--schedule", path, "--json"}).json();
    const QJsonObject compared =
        cli({"compare", "googlenet", "-d", "sim:v100", "--schedule", "sequential", "--schedule", "wavefront", "--json"})
            .json()["schedules"]
            .toObject();
    QVERIFY(measured["latency_us"].toDouble() > 0);
    QCOMPARE(measured["latency_us"].toDouble(), compared["wavefront"].toObject()["latency_us"].toDouble());
    QVERIFY(compared["wavefront"].toObject()["speedup"].toDouble() > 1.3);
}

void TestCliFused::optimize_optionsOfASearch_areRefused_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("error");
    QTest::newRow("why") << QStringList{"--strategy", "wavefront", "--why"}
                         << "--why goes with a search, and wavefront is a policy";
    QTest::newRow("launch order") << QStringList{"--strategy", "wavefront", "--launch-order"}
                                  << "--launch-order goes with a search, and wavefront is a policy";
    QTest::newRow("memory") << QStringList{"--strategy", "all", "--max-memory", "1GiB"}
                            << "--max-memory does not search for fused stages";
}

void TestCliFused::optimize_optionsOfASearch_areRefused()
{
    QFETCH(const QStringList, options);
    QFETCH(const QString, error);
    const Answer answer = cli(QStringList{"optimize", "sample", "-d", "sim:v100"} + options);
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.contains(error.toUtf8()), answer.err);
}

void TestCliFused::edit_fuse_isMeasuredAndUndone()
{
    const QTemporaryDir folder;
    const QString greedy = folder.filePath("greedy.schedule.json");
    const QString fused = folder.filePath("fused.schedule.json");
    const QString back = folder.filePath("back.schedule.json");
    QCOMPARE(cli({"export", "sample", "greedy", "-o", greedy}).status, 0);
    QCOMPARE(cli({"edit", "sample", "--schedule", greedy, "--fuse", "1", "-d", "sim:v100", "-o", fused}).status, 0);
    QVERIFY(cli({"measure", "sample", "-d", "sim:v100", "--schedule", fused, "--stages"}).out.contains("fused"));
    QCOMPARE(cli({"timeline", "sample", "-d", "sim:v100", "--schedule", fused, "--json"}).status, 0);
    QCOMPARE(cli({"edit", "sample", "--schedule", fused, "--concurrent", "1", "-o", back}).status, 0);
    QVERIFY(!cli({"measure", "sample", "-d", "sim:v100", "--schedule", back, "--stages"}).out.contains("fused"));
}

void TestCliFused::fused_onCpu_runsIsPlannedAndExported()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("fused.schedule.json");
    QCOMPARE(cli({"export", "sample", "greedy", "-o", path}).status, 0);
    QCOMPARE(cli({"edit", "sample", "--schedule", path, "--fuse", "1", "-o", path + "2"}).status, 0);
    const QJsonObject measured = cli({"measure", "sample", "-d", "cpu", "--schedule", path + "2", "--json"}).json();
    QVERIFY(measured["latency_us"].toDouble() > 0);
    const QJsonObject memory = cli({"memory", "sample", "--schedule", path + "2", "--json"}).json();
    QVERIFY(!memory.isEmpty());
    const QString out = folder.filePath("out");
    QCOMPARE(cli({"export", "sample", path + "2", "--format", "cpp", "-o", out}).status, 0);
    QFile stages(out + "/src/stages/block_001.cpp");
    QVERIFY(stages.open(QIODevice::ReadOnly));
    QVERIFY(stages.readAll().contains("Strategy::Fused"));
}

void TestCliFused::fused_elsewhere_isRefusedByName_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<QString>("error");
    QTest::newRow("cuda") << QStringList{"export", "sample", "--format", "cpp", "--target", "cuda", "-o", "out"}
                          << "C++ project for CUDA has no fused stages";
    for (const auto &[format, title] :
         {std::pair("pytorch", "PyTorch module"), std::pair("onnxruntime", "ONNX Runtime"),
          std::pair("onnx", "ONNX with stages"), std::pair("ios-json", "IOS JSON")})
        QTest::newRow(format) << QStringList{"export", "sample", "--format", format, "-o", "out"}
                              << QString("%1 has no fused stages").arg(title);
}

void TestCliFused::fused_elsewhere_isRefusedByName()
{
    QFETCH(QStringList, command);
    QFETCH(const QString, error);
    const QTemporaryDir folder;
    const QString path = folder.filePath("fused.schedule.json");
    QCOMPARE(cli({"export", "sample", "greedy", "-o", path}).status, 0);
    QCOMPARE(cli({"edit", "sample", "--schedule", path, "--fuse", "1", "-o", path + "2"}).status, 0);
    if (command.last() == "out")
        command.last() = folder.filePath("out");
    if (command.first() == "export")
        command.insert(2, path + "2");
    else
        command << path + "2";
    const Answer answer = cli(command);
    QVERIFY(answer.status != 0);
    QVERIFY2(answer.err.contains(error.toUtf8()), answer.err);
    QVERIFY2(answer.err.contains("--concurrent"), answer.err);
    QVERIFY(!QFileInfo::exists(folder.filePath("out")));
}

STAGECRAFT_SUITE(TestCliFused)

} // namespace tst_cli_fused
#include "tst_cli_fused.moc"
