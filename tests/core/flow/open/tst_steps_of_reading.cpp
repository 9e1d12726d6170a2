// The graph before and after each pass, from a model's file, in step with what the import report says.

#include "flow/open/pass_steps.h"
#include "model/onnx_import.h"
#include "operators/schema.h"
#include "support/opened_model.h"
#include "support/places.h"
#include "support/suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_steps_of_reading {

namespace {

const std::string kData = sourcePath("tests/data/onnx/").toStdString();

QStringList namesOf(const Graph &graph)
{
    QStringList names;
    for (const Operator &op : graph.operators())
        names << QString::fromStdString(op.name);
    return names;
}

} // namespace

class TestStepsOfReading : public QObject {
    Q_OBJECT

private slots:
    void passStepsOf_file_haveWhatTheReportSays_data();
    void passStepsOf_file_haveWhatTheReportSays();
    void passStepsOf_folding_showsWhatTheFileHas();
    void passStepsOf_identities_keepTheirReaders();
    void passStepsOf_changedFile_isRefused();
    void passStepsOf_builtIn_hasNone();
    void passStepsOf_stopped_isCancelled();
};

void TestStepsOfReading::passStepsOf_file_haveWhatTheReportSays_data()
{
    QTest::addColumn<QString>("file");
    for (const char *file :
         {"computed_reshape", "constant_nodes", "conv_norm_relu", "gated", "half_weights", "pad_apart",
          "same_node_names", "shared_relu", "training_dropout", "branches", "resize", "quantised"})
        QTest::addRow("%s", file) << QString(file);
}

void TestStepsOfReading::passStepsOf_file_haveWhatTheReportSays()
{
    QFETCH(const QString, file);
    for (const Units units : {Units::Ios, Units::Tvm, Units::None}) {
        OpenRequest options;
        options.reading.units = units;
        const auto model = openedModel(kData + file.toStdString() + ".onnx", options);
        QVERIFY2(model, model ? "" : model.error().message.c_str());
        for (const PassReport &report : model->report.passes) {
            const auto steps = passStepsOf(*model, report.pass);
            QVERIFY2(steps, steps ? "" : steps.error().message.c_str());
            QStringList reported;
            for (const PassChange &change : report.changes)
                reported << QString::fromStdString(change.name);
            QStringList gone;
            for (const PassStep &step : *steps) {
                for (const OperatorId id : step.gone) {
                    gone << QString::fromStdString(step.before->op(id).name);
                    const OperatorId into = step.becomes[id.index()];
                    const auto change = std::ranges::find(report.changes, step.before->op(id).name, &PassChange::name);
                    if (into.isValid() && change != report.changes.end())
                        QVERIFY(step.units[into.index()] == change->unit);
                }
            }
            reported.sort();
            gone.sort();
            QCOMPARE(gone, reported);
        }
    }
}

// Shape, Gather, Unsqueeze and Concat compute the target of a Reshape.
void TestStepsOfReading::passStepsOf_folding_showsWhatTheFileHas()
{
    const auto model = openedModel(kData + "computed_reshape.onnx");
    QVERIFY(model);
    const auto steps = passStepsOf(*model, pass::kFoldConstants);
    QVERIFY(steps && steps->size() == 1);
    const Graph &before = *steps->front().before;
    QCOMPARE(namesOf(before), QStringList({"s", "n", "u", "target", "r", "y"}));
    const auto reads = [&](const char *reader, const char *what) {
        const auto from = before.predecessors(*before.find(reader));
        return std::ranges::find(from, *before.find(what)) != from.end();
    };
    QVERIFY(reads("n", "s") && reads("u", "n") && reads("target", "u") && reads("r", "target"));
    QCOMPARE(before.op(*before.find("s")).inputs.size(), std::size_t(1)); // the input, for its shape
    QCOMPARE(namesOf(*steps->front().after), QStringList({"r", "y"}));
    QCOMPARE(steps->front().after->op(*steps->front().after->find("r")).inputs.size(), std::size_t(1));
}

void TestStepsOfReading::passStepsOf_identities_keepTheirReaders()
{
    const auto model = openedModel(kData + "constant_nodes.onnx");
    QVERIFY(model);
    const auto steps = passStepsOf(*model, pass::kRemoveIdentities);
    QVERIFY(steps && steps->size() == 1);
    QCOMPARE(namesOf(*steps->front().before), QStringList({"a", "i", "y"}));
    QCOMPARE(namesOf(*steps->front().after), QStringList({"a"}));
    QVERIFY(steps->front().units.front() == *model->graph->find("a"));
}

void TestStepsOfReading::passStepsOf_changedFile_isRefused()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("model.onnx");
    QVERIFY(QFile::copy(QString::fromStdString(kData + "conv_norm_relu.onnx"), path));
    const auto model = openedModel(path.toStdString());
    QVERIFY(model);
    QVERIFY(QFile::remove(path) && QFile::copy(QString::fromStdString(kData + "gated.onnx"), path));
    const auto changed = passStepsOf(*model, "fuse-activations");
    QVERIFY(!changed);
    QCOMPARE(QString::fromStdString(changed.error().message), QString("the file has changed since it was opened"));
    QVERIFY(QFile::remove(path));
    QVERIFY(!passStepsOf(*model, "fuse-activations"));
}

void TestStepsOfReading::passStepsOf_builtIn_hasNone()
{
    const auto model = openedModel("sample");
    QVERIFY(model);
    const auto steps = passStepsOf(*model, "fuse-activations");
    QVERIFY(steps && steps->empty());
}

void TestStepsOfReading::passStepsOf_stopped_isCancelled()
{
    const auto model = openedModel(kData + "conv_norm_relu.onnx");
    std::stop_source stop;
    stop.request_stop();
    const auto steps = passStepsOf(*model, "fuse-activations", stop.get_token());
    QVERIFY(!steps && steps.error().code == ErrorCode::Cancelled);
}

STAGECRAFT_SUITE(TestStepsOfReading)

} // namespace tst_steps_of_reading
#include "tst_steps_of_reading.moc"
