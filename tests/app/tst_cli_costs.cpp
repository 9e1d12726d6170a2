// What the numbers of the command line omit and their precision, stated first and in JSON.

#include "support/cli_process.h"
#include "support/places.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft::test;

namespace tst_cli_costs {

namespace {

const QString kData = sourcePath("tests/data/onnx/");

QStringList on(const char *command, const char *model, const QStringList &more = {})
{
    return QStringList{command, kData + QString::fromLatin1(model) + QStringLiteral(".onnx")} + more;
}

// For its two convolutions.
// Of two convolutions, each in a stage of its own; of more stages the outer ones are casts.
double latencyOf(const char *model)
{
    const QJsonObject json = cli(on("measure", model, {"-d", "sim:v100", "--json"})).json();
    const QJsonArray stages = json["stage_latency_us"].toArray();
    const qsizetype first = stages.size() / 2 - 1;
    return stages[first].toDouble() + stages[first + 1].toDouble();
}

} // namespace

class TestCliCosts : public QObject {
    Q_OBJECT

private slots:
    void everyCommand_lostShapes_saysSoFirst_data();
    void everyCommand_lostShapes_saysSoFirst();
    void everyCommand_lostShapes_saysSoInJson_data();
    void everyCommand_lostShapes_saysSoInJson();
    void info_lostShapes_namesTheCauseOnce();
    void info_completeModel_saysNothing();
    void measure_onCpu_isALatency();
    void optimize_lostShapes_writesItWithTheSearch();
    void optimize_completeModel_writesNothingNew();
    void info_sharedWeights_countsFloatingPointOnce();
    void measure_precision_isThatOfTheWeights_data();
    void measure_precision_isThatOfTheWeights();
    void measure_halfWithinFloatInputs_takesAsLongAsHalfThroughoutAndItsCasts();
    void compare_quantised_saysHowItIsCosted();
    void measure_transposedConvolution_costsItsArithmetic();
};

void TestCliCosts::everyCommand_lostShapes_saysSoFirst_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<bool>("latency");
    const QStringList device{"-d", "sim:v100"};
    QTest::newRow("info") << on("info", "lost_shapes") << false;
    QTest::newRow("compare") << on("compare", "lost_shapes", device) << true;
    QTest::newRow("optimize") << on("optimize", "lost_shapes", device) << true;
    QTest::newRow("measure") << on("measure", "lost_shapes", device) << true;
    QTest::newRow("sweep") << on("sweep", "lost_shapes", device + QStringList{"--r", "1", "--s", "3"}) << true;
    QTest::newRow("specialize") << on("specialize", "lost_shapes", {"--devices", "sim:v100"}) << true;
    QTest::newRow("timeline") << on("timeline", "lost_shapes", device) << true;
}

void TestCliCosts::everyCommand_lostShapes_saysSoFirst()
{
    QFETCH(const QStringList, arguments);
    const Answer answer = cli(arguments);
    QVERIFY2(answer.status == 0, answer.err);
    const QByteArray first = answer.out.left(answer.out.indexOf('\n'));
    QVERIFY2(first.contains("of operators costed (") &&
                 first.contains("shapes unknown from lost (Reshape) on, because its output shape depends on values"),
             first);
    QVERIFY2(answer.out.contains("at least "), answer.out);
}

void TestCliCosts::everyCommand_lostShapes_saysSoInJson_data()
{
    everyCommand_lostShapes_saysSoFirst_data();
}

void TestCliCosts::everyCommand_lostShapes_saysSoInJson()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const bool, latency);
    const Answer answer = cli(arguments + QStringList{"--json"});
    QJsonObject json = answer.json();
    const QJsonArray notes = json[json.contains("model_notes") ? "model_notes" : "notes"].toArray();
    QCOMPARE(notes.size(), 1);
    QVERIFY(!notes.first().toObject()["text"].toString().isEmpty());
    if (json.contains("rows")) // specialize: every row has its own device
        json = json["rows"].toArray().first().toObject();
    QCOMPARE(json["uncosted"].toArray().size(), 1);
    const QJsonObject cause = json["uncosted"].toArray().first().toObject();
    QCOMPARE(cause["operator"].toString(), QString("lost"));
    QVERIFY(cause["reason"].toString().contains("depends on values"));
    QVERIFY(cause["loses_shapes"].toBool());
    QCOMPARE(json["costed_operators"].toInt() + cause["count"].toInt(), json["operators"].toInt());
    QCOMPARE(json["precision"].toString(), QString("fp32"));
    QVERIFY(json[latency ? "latency_is_lower_bound" : "flops_is_lower_bound"].toBool());
}

void TestCliCosts::info_lostShapes_namesTheCauseOnce()
{
    const Answer answer = cli(on("info", "lost_shapes", {"--json"}));
    QCOMPARE(answer.json()["notes"].toArray().size(), 1);
    QCOMPARE(answer.json()["unknown_types"].toArray().size(), 0);
    QCOMPARE(answer.err.count('\n'), 1);
    const Answer alike = cli(on("info", "mystery_chain"));
    QCOMPARE(alike.err, QByteArray("note: m1: the program has no rule for com.example::Mystery; 2 operators have no "
                                   "cost\n"));
}

void TestCliCosts::info_completeModel_saysNothing()
{
    const Answer answer = cli({"info", "sample"});
    QVERIFY(answer.out.startsWith("sample: ") && !answer.out.contains("at least"));
    const QJsonObject json = cli({"info", "sample", "--json"}).json();
    QCOMPARE(json["costed_operators"].toInt(), json["operators"].toInt());
    QVERIFY(!json["flops_is_lower_bound"].toBool() && json["uncosted"].toArray().isEmpty());
}

// Real runs omit nothing, even if their arithmetic is unknown.
void TestCliCosts::measure_onCpu_isALatency()
{
    const QTemporaryDir folder;
    QFile::copy(kData + "mean_pool.onnx", folder.filePath("mean_pool.onnx"));
    const Answer answer = cli({"measure", folder.filePath("mean_pool.onnx"), "-d", "cpu", "--json"}, {},
                              {"XDG_DATA_HOME=" + folder.path()});
    QVERIFY2(answer.status == 0, answer.err);
    QVERIFY(!answer.json()["latency_is_lower_bound"].toBool());
    QCOMPARE(answer.json()["precision"].toString(), QString("fp32"));
}

void TestCliCosts::optimize_lostShapes_writesItWithTheSearch()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("s.json");
    QVERIFY(cli(on("optimize", "lost_shapes", {"-d", "sim:v100", "-o", file})).status == 0);
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QJsonObject search = QJsonDocument::fromJson(written.readAll()).object()["search"].toObject();
    QCOMPARE(search["uncosted"].toArray().first().toObject()["operator"].toString(), QString("lost"));
    QVERIFY(search["costed_operators"].toInt() < search["operators"].toInt());
    const Answer again = cli(on("measure", "lost_shapes", {"-d", "sim:v100", "--schedule", file}));
    QVERIFY2(again.status == 0 && again.out.contains("at least "), again.err);
}

void TestCliCosts::optimize_completeModel_writesNothingNew()
{
    const QJsonObject json = cli({"optimize", "sample", "-d", "sim:v100", "--json"}).json();
    const QJsonObject search = json["schedule"].toObject()["search"].toObject();
    QVERIFY(!search.isEmpty() && !search.contains("uncosted") && !search.contains("costed_operators"));
    QVERIFY(!json["latency_is_lower_bound"].toBool());
}

// One convolution's weights, which are used twice, and the factors of a product count once; the shape of a Reshape and
// the scales of a Resize do not count.
void TestCliCosts::info_sharedWeights_countsFloatingPointOnce()
{
    const QJsonObject json = cli(on("info", "shared_weights", {"--json"})).json();
    QCOMPARE(json["parameters"].toInt(), 3 * 3 * 3 * 3 + 192);
    QCOMPARE(json["parameter_bytes"].toInt(), 4 * (3 * 3 * 3 * 3 + 192));
}

void TestCliCosts::measure_precision_isThatOfTheWeights_data()
{
    QTest::addColumn<QString>("precision");
    QTest::newRow("half_throughout") << "fp16";
    QTest::newRow("half_inside") << "fp16";
    QTest::newRow("half_stored") << "fp32";
    QTest::newRow("residual") << "fp32";
}

void TestCliCosts::measure_precision_isThatOfTheWeights()
{
    QFETCH(const QString, precision);
    const Answer json = cli(on("measure", QTest::currentDataTag(), {"-d", "sim:v100", "--json"}));
    QCOMPARE(json.json()["precision"].toString(), precision);
    const Answer text = cli(on("measure", QTest::currentDataTag(), {"-d", "sim:v100"}));
    QVERIFY2(text.out.contains("(simulated, " + precision.toLatin1() + ')'), text.out);
}

void TestCliCosts::measure_halfWithinFloatInputs_takesAsLongAsHalfThroughoutAndItsCasts()
{
    QCOMPARE(latencyOf("half_inside"), latencyOf("half_throughout"));
    const QJsonObject inside = cli(on("measure", "half_inside", {"-d", "sim:v100", "--json"})).json();
    QVERIFY(inside["stage_latency_us"].toArray()[0].toDouble() > 0); // the cast to half
    QVERIFY(latencyOf("half_stored") > latencyOf("half_throughout"));
}

void TestCliCosts::compare_quantised_saysHowItIsCosted()
{
    const Answer answer = cli(on("compare", "quantised", {"-d", "sim:v100"}));
    QVERIFY2(answer.out.startsWith("quantised operators are costed as fp32, and 2 conversions"), answer.out);
    const QJsonObject json = cli(on("compare", "quantised", {"-d", "sim:v100", "--json"})).json();
    QCOMPARE(json["quantized_conversions"].toInt(), 2);
    QVERIFY(!json["latency_is_lower_bound"].toBool());
}

void TestCliCosts::measure_transposedConvolution_costsItsArithmetic()
{
    const QJsonObject json = cli(on("timeline", "transposed", {"-d", "sim:v100", "--json"})).json();
    const QJsonObject kernel = json["kernels"].toArray().first().toObject();
    QCOMPARE(kernel["flops"].toDouble(), 2.0 * 8 * 8 * 3 * (5 * 2 * 2)); // each input value times its weights
}

STAGECRAFT_SUITE(TestCliCosts)

} // namespace tst_cli_costs
#include "tst_cli_costs.moc"
