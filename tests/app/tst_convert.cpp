// The files `convert` writes, checked by other programs: PyPI's onnx checks each file, and ONNX Runtime compares source
// and result. Covers ONNX's own backend tests, the files of tests/data/onnx and the built-in networks. Needs a Python
// with onnx and onnxruntime, like tst_onnxruntime; skipped with the reason if there is none.

#include "graph/expanded_graph.h"
#include "model/built_in.h"
#include "model/onnx_export.h"
#include "support/opened_model.h"
#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_convert {

namespace {

// What reads float64 in a file of several real types, which is written in float32, may be a unit afterwards.
bool readsDoubles(const Graph &graph, const Operator &op)
{
    return std::ranges::any_of(op.inputs, [&](const auto &part) {
        return std::ranges::any_of(part, [&](TensorId id) { return graph.tensor(id).type == DataType::Float64; });
    });
}

// Compares units, their names and shapes, and blocks; empty if they are equal.
QString difference(const Model &model, const Result<Model> &again)
{
    if (!again)
        return "it is refused: " + QString::fromStdString(again.error().message);
    if (again->graph->size() != model.graph->size())
        return QString("it has %1 units instead of %2").arg(again->graph->size()).arg(model.graph->size());
    for (std::size_t i = 0; i < model.graph->size(); ++i) {
        const auto id = OperatorId::fromIndex(i);
        const Operator &before = model.graph->op(id);
        const Operator &after = again->graph->op(id);
        const bool isOther = after.type != before.type && !readsDoubles(*model.graph, before);
        if (after.name != before.name || isOther || again->graph->outputShape(id) != model.graph->outputShape(id))
            return "unit " + QString::fromStdString(before.name) + " is another";
    }
    return again->blocks == model.blocks || isBuiltIn(model.source) ? QString() : "it has other blocks";
}

} // namespace

class TestConvert : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void convert_backendTests_areValidOrRefused();
    void convert_ownFiles_areValidOrRefused();
    void convert_builtInNetworks_areValid();
    void convert_quantisedAndHalf_areEqualToTheBit();

private:
    struct Converted {
        int written = 0;
        QStringList refusals; // file and reason
    };
    Converted convertAll(const QStringList &models, const QString &to);
    void check(const QString &sources, const QString &converted, int every);

    QString m_python;
};

void TestConvert::initTestCase()
{
    const QStringList candidates{qEnvironmentVariable("STAGECRAFT_PYTHON"), sourcePath("build/peers/bin/python")};
    for (const QString &python : candidates) {
        if (!python.isEmpty() && QProcess::execute(python, {"-c", "import onnx, onnxruntime, numpy"}) == 0) {
            m_python = python;
            return;
        }
    }
    QSKIP("there is no Python with onnx and onnxruntime; packaging/test.sh installs them");
}

// Each model is written, or refused with the name of what it contains.
TestConvert::Converted TestConvert::convertAll(const QStringList &models, const QString &to)
{
    Converted converted;
    for (const QString &spec : models) {
        const QString name = QFileInfo(spec).completeBaseName();
        const auto model = openedModel(spec.toStdString(), {.keepSource = true});
        if (!model)
            continue; // refused by the import, which has its own tests
        const std::string path = (to + '/' + name + ".onnx").toStdString();
        const ExpandedGraph expanded = expandUnits(*model->graph);
        const auto written = exportOnnx(*expanded.graph, path, {.onnx = model->onnx, .inUnits = expanded.isInUnit()});
        if (written) {
            ++converted.written;
            if (const QString other = difference(*model, openedModel(path)); !other.isEmpty())
                QTest::qFail(qPrintable(name + ": read back, " + other), __FILE__, __LINE__);
            continue;
        }
        const Error &error = written.error();
        converted.refusals << name + ": " + QString::fromStdString(error.message);
        const bool isNamed = !error.context.empty() && !error.message.empty() && !error.remedy.empty();
        if (error.code != ErrorCode::InvalidInput || !isNamed)
            QTest::qFail(qPrintable("refused without a name, a reason or a remedy: " + converted.refusals.back()),
                         __FILE__, __LINE__);
    }
    return converted;
}

void TestConvert::check(const QString &sources, const QString &converted, int every)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(m_python,
                  {sourcePath("tests/app/converted_models.py"), "check", sources, converted, QString::number(every)});
    QVERIFY(process.waitForFinished(280'000));
    const QByteArray report = process.readAll();
    qInfo().noquote() << report;
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(report.contains("bad 0"));
}

void TestConvert::convert_backendTests_areValidOrRefused()
{
    QTemporaryDir sources;
    QTemporaryDir results;
    QCOMPARE(QProcess::execute(m_python, {sourcePath("tests/app/converted_models.py"), "make", sources.path()}), 0);
    const auto files = QDir(sources.path()).entryInfoList({"*.onnx"}, QDir::Files);
    QVERIFY(files.size() > 1500);
    QStringList models;
    for (const QFileInfo &file : files)
        models << file.absoluteFilePath();
    const Converted converted = convertAll(models, results.path());
    qInfo().noquote() << converted.written << "of" << models.size() << "written, refused:\n"
                      << converted.refusals.join('\n');
    QVERIFY(converted.written > 1200);
    check(sources.path(), results.path(), 1);
}

void TestConvert::convert_ownFiles_areValidOrRefused()
{
    QTemporaryDir results;
    const QDir folder(sourcePath("tests/data/onnx"));
    QStringList models;
    for (const QString &file : folder.entryList({"*.onnx"}, QDir::Files))
        models << folder.filePath(file);
    const Converted converted = convertAll(models, results.path());
    QStringList refused; // outputs of unknown rank
    for (const QString &refusal : converted.refusals)
        refused << refusal.section(':', 0, 0);
    QCOMPARE(refused, QStringList("lost_shapes"));
    check(folder.path(), results.path(), 1);
}

void TestConvert::convert_builtInNetworks_areValid()
{
    QTemporaryDir results;
    QStringList models;
    for (const BuiltInModel &model : builtInModels())
        models << QString::fromStdString(model.name);
    const Converted converted = convertAll(models, results.path());
    QCOMPARE(converted.refusals, QStringList());
    QCOMPARE(converted.written, models.size());
    check(results.path(), results.path(), 1);
}

void TestConvert::convert_quantisedAndHalf_areEqualToTheBit()
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(m_python, {sourcePath("tests/app/exact_round_trips.py"), programPath("stagecraft-cli")});
    QVERIFY(process.waitForFinished(280'000));
    const QByteArray report = process.readAll();
    qInfo().noquote() << report;
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(report.contains("bad 0"));
}

STAGECRAFT_SUITE(TestConvert)

} // namespace tst_convert
#include "tst_convert.moc"
