// Convolutions that were tuned stay so in the next process, through a file; a file that does not fit is left aside.

#include "gpu/plan/tuned_conv_file.h"
#include "host_device.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/graph_making.h"
#include "support/reference_execution.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;
using namespace stagecraft::gpu;

namespace tst_gpu_tuned_convs {

class TestGpuTunedConvs : public QObject {
    Q_OBJECT

private slots:
    void init();
    void run_secondProcess_tunesNothing();
    void run_fileThatDoesNotFit_tunesAgainAndSaysSo_data();
    void run_fileThatDoesNotFit_tunesAgainAndSaysSo();
    void add_everyField_isReadBack();
    void add_otherProcessInBetween_keepsBoth();
    void add_nowhereToWrite_isToldOnce();

private:
    [[nodiscard]] std::string file() const { return m_folder->filePath("engines/fp32.jsonl").toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

constexpr const char *kDevice = "engines;GPU=host;";

struct Process {
    int tuned = 0;
    std::string notice;
    std::vector<float> output;
};

// What a `measure` of a network with convolutions does about engines.
Process process(const std::string &file, const std::string &fingerprint = kDevice)
{
    const auto graph = inceptionModule(8, 1);
    TunedConvFile memory(file, fingerprint);
    HostTuner tuner{memory};
    const Schedule schedule = sequentialSchedule(*graph, oneBlock(*graph));
    const auto outputs =
        take(runOnHost(graph, schedule, hostOptions(TensorLayout::RowMajor), randomInputs(*graph, 1), &tuner));
    return {tuner.tuned, memory.takeNotice(), outputs.front().values};
}

TunedConv everyField()
{
    TunedConv tuned;
    tuned.choices = {{EngineId{35, {{2, 12}, {18, 1}}, true}, {}, true, false, 12.25},
                     {{}, "convTile_64_64", false, false, 30}};
    tuned.tried = 41;
    tuned.seconds = 0.75;
    tuned.compiled = {4, 3, 3.9};
    return tuned;
}

} // namespace

void TestGpuTunedConvs::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestGpuTunedConvs::run_secondProcess_tunesNothing()
{
    const Process first = process(file());
    QVERIFY(first.tuned > 3);
    const Process second = process(file());
    QCOMPARE(second.tuned, 0);
    QVERIFY(second.output == first.output); // the same kernels
    QCOMPARE(first.notice + second.notice, std::string());
}

void TestGpuTunedConvs::run_fileThatDoesNotFit_tunesAgainAndSaysSo_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QByteArray>("why");
    QTest::newRow("other device") << QByteArray("GPU=host") << QByteArray("GPU=other")
                                  << QByteArray("is of another device or driver");
    QTest::newRow("other version") << QByteArray("\"version\":1") << QByteArray("\"version\":2")
                                   << QByteArray("is of another version");
    QTest::newRow("cut off") << QByteArray("}\n") << QByteArray("") << QByteArray("is damaged in line 1");
    QTest::newRow("another type") << QByteArray("\"tried\":") << QByteArray("\"tried\":\"\",\"x\":")
                                  << QByteArray("is damaged in line 2");
    QTest::newRow("not JSON") << QByteArray("{\"conv\"") << QByteArray("conv") << QByteArray("is damaged in line 2");
}

void TestGpuTunedConvs::run_fileThatDoesNotFit_tunesAgainAndSaysSo()
{
    QFETCH(const QByteArray, from);
    QFETCH(const QByteArray, to);
    QFETCH(const QByteArray, why);
    const Process first = process(file());
    QFile on(QString::fromStdString(file()));
    QVERIFY(on.open(QIODevice::ReadOnly));
    QByteArray text = on.readAll();
    on.close();
    QVERIFY(text.contains(from));
    text.replace(from, to);
    QVERIFY(on.open(QIODevice::WriteOnly));
    on.write(text);
    on.close();
    const Process second = process(file());
    QCOMPARE(second.tuned, first.tuned);
    QVERIFY2(second.notice.find(why.toStdString()) != std::string::npos, second.notice.c_str());
    QVERIFY2(second.notice.find(file()) != std::string::npos, second.notice.c_str());
    const Process third = process(file()); // the second one wrote it anew
    QCOMPARE(third.tuned, 0);
    QCOMPARE(third.notice, std::string());
}

void TestGpuTunedConvs::add_everyField_isReadBack()
{
    TunedConvFile(file(), kDevice).add("a conv", everyField());
    TunedConvFile again(file(), kDevice);
    QVERIFY(again.find("a conv") && *again.find("a conv") == everyField());
    QVERIFY(!again.find("another"));
}

void TestGpuTunedConvs::add_otherProcessInBetween_keepsBoth()
{
    TunedConvFile here(file(), kDevice);
    TunedConvFile there(file(), kDevice);
    here.add("here", everyField());
    there.add("there", everyField());
    TunedConvFile again(file(), kDevice);
    QVERIFY(again.find("here") && again.find("there"));
    QVERIFY(there.find("here")); // it read the file before it wrote
}

void TestGpuTunedConvs::add_nowhereToWrite_isToldOnce()
{
    QFile blocked(m_folder->filePath("engines")); // a file where the folder would be
    QVERIFY(blocked.open(QIODevice::WriteOnly));
    TunedConvFile memory(file(), kDevice);
    memory.add("a conv", everyField());
    QVERIFY(memory.find("a conv"));
    const std::string notice = memory.takeNotice();
    QVERIFY2(notice.starts_with("chosen engines cannot be kept: "), notice.c_str());
    memory.add("another", everyField());
    QCOMPARE(memory.takeNotice(), std::string());
    TunedConvFile nowhere({}, kDevice);
    nowhere.add("a conv", everyField());
    QVERIFY(nowhere.find("a conv") && nowhere.takeNotice().empty());
}

STAGECRAFT_SUITE(TestGpuTunedConvs)

} // namespace tst_gpu_tuned_convs
#include "tst_gpu_tuned_convs.moc"
