// "profile": what other programs recorded, on the operators of a model.

#include "support/cli_process.h"
#include "support/places.h"
#include "support/shared_data.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft::test;

namespace tst_cli_profile {

namespace {

const QString kLayers = sourcePath("tests/data/profiles/sample.layers.json");
const QString kRuns = sourcePath("tests/data/profiles/sample.runs.json");

} // namespace

class TestCliProfile : public QObject {
    Q_OBJECT

private slots:
    void profile_layers_areMappedAndAddUp();
    void profile_textForPeople_namesWhatIsMissing();
    void profile_noneFits_opensWithAWarning();
    void profile_ownTraces_comeBack_data();
    void profile_ownTraces_comeBack();
    void profile_otherFiles_areRefused_data();
    void profile_otherFiles_areRefused();
    void profile_tracesOfOthers_open_data();
    void profile_tracesOfOthers_open();
};

void TestCliProfile::profile_layers_areMappedAndAddUp()
{
    const Answer answer = cli({"profile", "sample", kLayers, kRuns, "--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject json = answer.json();
    QCOMPARE(json["profile_format"].toString(), QString("tensorrt"));
    QCOMPARE(json["provenance"].toString(), QString("recorded"));
    QCOMPARE(json["latency_us"].toDouble(), 550.0);
    QCOMPARE(json["sum_us"].toDouble(), 614.4);
    QCOMPARE(json["mapped_us"].toDouble(), 593.92);
    QCOMPARE(json["unmapped_us"].toDouble(), 20.48);
    QCOMPARE(json["unmapped"].toArray().first()["name"].toString(), QString("shuffle"));
    QStringList operators;
    for (const QJsonValue &op : json["operators"].toArray())
        operators << op["name"].toString() + ": " + op["mapped_by"].toString();
    QCOMPARE(operators, QStringList({"conv2: fused names", "conv3: name", "conv4: renamed node"}));
    QVERIFY(json["busy_us"].isNull() && json["device"].isNull());
    for (const char *key : {"busy_us", "overlap_us", "gaps_us", "device", "streams", "program_version"})
        QVERIFY2(json[key].isNull() && !json["missing"][key].toString().isEmpty(), key);
    double latencyUs = json["sum_us"].toDouble();
    for (const QJsonValue &difference : json["differences"].toArray())
        latencyUs += difference["time_us"].toDouble();
    QVERIFY(qAbs(latencyUs - json["latency_us"].toDouble()) < 1e-9);
}

void TestCliProfile::profile_textForPeople_namesWhatIsMissing()
{
    const Answer answer = cli({"profile", "sample", kLayers});
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY2(answer.out.contains("sample, recorded by TensorRT on an unknown device: latency unknown (recorded)"),
             answer.out);
    QVERIFY2(answer.out.contains("mapped 593.9 us 96.7 %, mapped to nothing 20.5 us 3.3 %"), answer.out);
    QVERIFY2(answer.out.contains("missing: latency_us: the sum of layers is not the latency"), answer.out);
    QVERIFY(answer.err.isEmpty());
}

void TestCliProfile::profile_noneFits_opensWithAWarning()
{
    const QTemporaryDir folder;
    write(folder.filePath("x.json"), R"([{"count": 1}, {"name": "elsewhere", "timeMs": 0.5}])");
    const Answer answer = cli({"profile", "sample", "x.json", "--json"}, folder.path());
    QCOMPARE(answer.status, 0);
    QVERIFY2(answer.err.contains("warning: none of the 1 kernels or layers fits an operator of sample"), answer.err);
    QCOMPARE(answer.json()["unmapped_us"].toDouble(), 500.0);
    QVERIFY(answer.json()["operators"].toArray().isEmpty());
}

void TestCliProfile::profile_ownTraces_comeBack_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("format");
    QTest::newRow("chrome") << "t.json"
                            << "chrome-trace";
    QTest::newRow("perfetto") << "t.pftrace"
                              << "perfetto";
}

void TestCliProfile::profile_ownTraces_comeBack()
{
    QFETCH(QString, file);
    QFETCH(QString, format);
    const QTemporaryDir folder;
    QCOMPARE(
        cli({"export", "squeezenet", "greedy", "-d", "sim:v100", "--format", format, "-o", file}, folder.path()).status,
        0);
    const QJsonObject timeline =
        cli({"timeline", "squeezenet", "-d", "sim:v100", "--schedule", "greedy", "--json"}).json();
    const Answer answer = cli({"profile", "squeezenet", file, "--json"}, folder.path());
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject json = answer.json();
    QCOMPARE(json["profile_format"].toString(), "stagecraft-" + format);
    QCOMPARE(json["device"].toString(), QString("sim:v100"));
    QCOMPARE(json["unmapped_us"].toDouble(), 0.0);
    QCOMPARE(json["streams"].toInt(), timeline["streams"].toInt());
    double sumUs = 0;
    const QJsonArray kernels = timeline["kernels"].toArray();
    for (const QJsonValue &kernel : kernels)
        sumUs += kernel["end_us"].toDouble() - kernel["start_us"].toDouble();
    QCOMPARE(json["kernels"].toInt(), static_cast<int>(kernels.size()));
    QVERIFY(qAbs(json["sum_us"].toDouble() - sumUs) < 1e-6);
    QVERIFY(json["overlap_us"].toDouble() > 0);
    QVERIFY(qAbs(json["latency_us"].toDouble() - json["busy_us"].toDouble() - json["gaps_us"].toDouble()) < 1e-6);
}

void TestCliProfile::profile_otherFiles_areRefused_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("no file") << QStringList{"sample"} << 2 << QByteArray("FILE");
    QTest::newRow("not there") << QStringList{"sample", "/no/such/trace.json"} << 3
                               << QByteArray("/no/such/trace.json");
    QTest::newRow("a model") << QStringList{"sample", sourcePath("tests/data/onnx/residual.onnx")} << 3
                             << QByteArray("it is no profile that this program knows");
    QTest::newRow("no times") << QStringList{"sample", kRuns} << 3
                              << QByteArray("sample.runs.json: these files have no times of layers");
    QTest::newRow("twice") << QStringList{"sample", kLayers, kLayers} << 3 << QByteArray("they are of two profiles");
}

void TestCliProfile::profile_otherFiles_areRefused()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    QFETCH(QByteArray, says);
    const Answer answer = cli(QStringList{"profile"} + arguments);
    QCOMPARE(answer.status, status);
    QVERIFY2(answer.err.contains(says), answer.err);
    QVERIFY(answer.out.isEmpty());
}

void TestCliProfile::profile_tracesOfOthers_open_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QStringList>("files");
    for (const char *name :
         {"a100_alexnet", "a100_three_streams", "cpu_only", "mi250", "triton", "v100_resnet50_train"})
        QTest::newRow(name) << "resnet50" << QStringList{QString("profiles/pytorch/%1.json.gz").arg(name)};
    for (const char *name : {"pytorch_A100_fp16", "pytorch_A100_fp32", "pytorch_A100_qat", "tensorflow_RTX-3090_fp16",
                             "tensorflow_RTX-3090_fp32"})
        QTest::newRow(name) << (QString(name).startsWith("pytorch") ? "profiles/tensorrt/resnet18.onnx" : "resnet50")
                            << QStringList{QString("profiles/tensorrt/%1.profile.json").arg(name),
                                           QString("profiles/tensorrt/%1.graph.json").arg(name)};
}

void TestCliProfile::profile_tracesOfOthers_open()
{
    QFETCH(QString, model);
    QFETCH(QStringList, files);
    QStringList arguments{"profile", model.endsWith(".onnx") ? sharedDataPath(model) : model};
    for (const QString &file : files) {
        arguments << sharedDataPath(file);
        if (arguments.last().isEmpty())
            QSKIP(kNoSharedData);
    }
    const Answer answer = cli(arguments + QStringList{"--json"});
    QVERIFY2(answer.status == 0, answer.err);
    const QJsonObject json = answer.json();
    QVERIFY(json["kernels"].toInt() > 0);
    QVERIFY(qAbs(json["mapped_us"].toDouble() + json["unmapped_us"].toDouble() - json["sum_us"].toDouble()) < 1e-6);
    for (auto key = json.begin(); key != json.end(); ++key)
        QVERIFY2(!key->isNull() || json["missing"].toObject().contains(key.key()), qPrintable(key.key()));
}

STAGECRAFT_SUITE(TestCliProfile)

} // namespace tst_cli_profile
#include "tst_cli_profile.moc"
