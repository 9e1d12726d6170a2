// The CPU device compared with ONNX Runtime: single operators, built-in networks, well-known networks from PyPI's onnx,
// and the models of rapidocr-onnxruntime if it is installed. Needs a Python with onnx and onnxruntime:
// STAGECRAFT_PYTHON, or build/peers, which packaging/test.sh creates; skipped with the reason if there is none.

#include "model/onnx/convert/convert.h"
#include "results/files/schedule_json.h"
#include "schedule/verify.h"
#include "support/hand_made_schedule.h"
#include "support/opened_model.h"
#include "support/operator_rows.h"
#include "support/peer_python.h"
#include "support/places.h"
#include "support/suite.h"
#include "support/text_file.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_onnxruntime {

class TestOnnxRuntime : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void run_eachOperator_equalsOnnxRuntime();
    void run_resizeInEveryMode_equalsOnnxRuntime();
    void run_sizesThatValuesDecide_equalOnnxRuntime();
    void run_builtInNetworks_equalOnnxRuntime_data();
    void run_builtInNetworks_equalOnnxRuntime();
    void run_lightModels_equalOnnxRuntime_data();
    void run_lightModels_equalOnnxRuntime();
    void run_realModels_equalOnnxRuntime_data();
    void run_realModels_equalOnnxRuntime();

private:
    void compare(const QStringList &what);
    void runScript(const QString &name, const QStringList &arguments);
    void compareModel(const QString &model);
    [[nodiscard]] QStringList modelsIn(const QString &folder) const; // in that Python's packages

    QString m_python;
};

void TestOnnxRuntime::initTestCase()
{
    m_python = test::pythonWith("onnx, onnxruntime, numpy");
    if (m_python.isEmpty())
        QSKIP("there is no Python with onnx and onnxruntime; packaging/test.sh installs them");
}

void TestOnnxRuntime::compare(const QStringList &what)
{
    runScript("compare_with_onnxruntime.py", what);
}

void TestOnnxRuntime::runScript(const QString &name, const QStringList &arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(m_python, QStringList{sourcePath("tests/app/") + name, programPath("stagecraft-cli")} + arguments);
    QVERIFY(process.waitForFinished(280'000));
    const QByteArray report = process.readAll();
    qInfo().noquote() << report;
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(report.contains("ok "));
}

void TestOnnxRuntime::run_eachOperator_equalsOnnxRuntime()
{
    QStringList types;
    for (const std::string &type : knownNodeTypes()) {
        if (test::operatorRows().at(type).cpu.empty())
            types << QString::fromStdString(type);
    }
    compare(QStringList{"operators"} + types);
}

void TestOnnxRuntime::run_resizeInEveryMode_equalsOnnxRuntime()
{
    runScript("resize_sweep.py", {});
}

void TestOnnxRuntime::run_sizesThatValuesDecide_equalOnnxRuntime()
{
    runScript("varying_sizes.py", {});
}

// Under the baselines, the result of a search, and a schedule of this test.
void TestOnnxRuntime::compareModel(const QString &spec)
{
    const auto model = openedModel(spec.toStdString());
    QVERIFY(model);
    TimedSchedule schedule = test::handMadeSchedule(*model->graph, model->blocks);
    schedule.context.model = {model->name, model->sha256};
    QVERIFY(verifySchedule(*model->graph, model->blocks, schedule));
    QTemporaryDir folder;
    const QString path = folder.filePath("hand-made.schedule.json");
    QVERIFY(writeTextFile(path.toStdString(), toJson(*model->graph, schedule)));
    compare({"model", spec, path});
}

void TestOnnxRuntime::run_builtInNetworks_equalOnnxRuntime_data()
{
    QTest::addColumn<QString>("network");
    for (const BuiltInModel &model : builtInModels()) {
        if (model.name != "resnext29" && model.name != "alexnet") // more than 60 million weights, half a minute each
            QTest::newRow(model.name.c_str()) << QString::fromStdString(model.name);
    }
}

void TestOnnxRuntime::run_builtInNetworks_equalOnnxRuntime()
{
    QFETCH(QString, network);
    compareModel(network);
}

QStringList TestOnnxRuntime::modelsIn(const QString &folder) const
{
    QStringList files;
    const QDir packages(QFileInfo(m_python).absolutePath() + "/../lib");
    for (const QString &python : packages.entryList({"python3*"}, QDir::Dirs)) {
        const QDir models(packages.filePath(python + "/site-packages/" + folder));
        for (const QString &file : models.entryList({"*.onnx"}, QDir::Files))
            files << models.filePath(file);
    }
    return files;
}

void TestOnnxRuntime::run_lightModels_equalOnnxRuntime_data()
{
    QTest::addColumn<QString>("name");
    // Those with more than 60 million weights (bvlc_alexnet, vgg19, zfnet512) take half a minute each.
    for (const char *name : {"densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet"})
        QTest::newRow(name) << QString("light_%1.onnx").arg(name);
}

void TestOnnxRuntime::run_lightModels_equalOnnxRuntime()
{
    QFETCH(QString, name);
    const QStringList files = modelsIn("onnx/backend/test/data/light").filter(name);
    if (files.isEmpty())
        QSKIP("the onnx of that Python comes without its light models");
    compare({"light", files.front()});
}

void TestOnnxRuntime::run_realModels_equalOnnxRuntime_data()
{
    QTest::addColumn<QString>("file");
    const QStringList files = modelsIn("rapidocr_onnxruntime/models");
    for (const QString &file : files)
        QTest::newRow(qPrintable(QFileInfo(file).fileName())) << file;
    if (files.isEmpty())
        QTest::newRow("none") << QString();
}

void TestOnnxRuntime::run_realModels_equalOnnxRuntime()
{
    QFETCH(QString, file);
    if (file.isEmpty())
        QSKIP("the models of rapidocr-onnxruntime are not installed in that Python");
    compareModel(file);
}

STAGECRAFT_SUITE(TestOnnxRuntime)

} // namespace tst_onnxruntime
#include "tst_onnxruntime.moc"
