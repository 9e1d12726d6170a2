// Nodes that repeat others are read without the rules: into the same graph as with them.

#include "model/onnx_import.h"
#include "support/random_onnx.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;

namespace tst_repeated_nodes {

namespace {

// Where a reader keeps what `convert` copies from, it asks the rules for every node.
Result<SourceGraph> imported(const std::string &bytes, bool byRules)
{
    OpenRequest options;
    options.keepSource = byRules;
    return importOnnxBytes(bytes, "random", {}, options);
}

QString operatorText(const Graph &graph, const Operator &op)
{
    QString text = QString::fromStdString(op.name + " " + op.type) + QString(" %1").arg(static_cast<int>(op.kind));
    for (const auto &part : op.inputs) {
        text += " |";
        for (const TensorId input : part)
            text += QString(" %1").arg(input.value);
    }
    for (const TensorId id : op.outputs) {
        const Tensor &tensor = graph.tensor(id);
        text += QString(" -> %1 %2 ").arg(id.value).arg(static_cast<int>(tensor.type)) +
                QString::fromStdString(tensor.name + " " + toString(tensor.shape)) +
                QString(" by %1").arg(tensor.producer.value);
    }
    return text;
}

QStringList reportText(const ImportReport &report)
{
    QStringList lines;
    for (const ImportNote &note : report.notes)
        lines << QString::fromStdString(note.operatorName + ": " + note.text);
    for (const TypeReport &type : report.types)
        lines << QString("%1: %2 nodes, %3 folded, %4 left out, %5 operators")
                     .arg(QString::fromStdString(type.type))
                     .arg(type.nodes)
                     .arg(type.folded)
                     .arg(type.leftOut)
                     .arg(type.operators);
    return lines;
}

} // namespace

class RepeatedNodesTest : public QObject {
    Q_OBJECT

private slots:
    void importOnnx_randomNodes_becomeWhatTheRulesSay();
    void importOnnx_nameTwice_isRefusedAlike();
};

void RepeatedNodesTest::importOnnx_randomNodes_becomeWhatTheRulesSay()
{
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const std::string bytes = test::RandomOnnx(seed, test::randomTypes(), 60).bytes();
        const auto quick = imported(bytes, false);
        const auto byRules = imported(bytes, true);
        QVERIFY2(quick && byRules, quick ? "" : quick.error().message.c_str());
        QCOMPARE(quick->graph.size(), byRules->graph.size());
        for (std::size_t i = 0; i < quick->graph.size(); ++i) {
            const Operator &actual = quick->graph.operators()[i];
            const Operator &expected = byRules->graph.operators()[i];
            QCOMPARE(operatorText(quick->graph, actual), operatorText(byRules->graph, expected));
            QVERIFY(actual.attributes == expected.attributes);
            QCOMPARE(actual.parameters.size(), expected.parameters.size());
        }
        QVERIFY(std::ranges::equal(quick->graph.outputs(), byRules->graph.outputs()));
        QCOMPARE(reportText(quick->report), reportText(byRules->report));
        QVERIFY(quick->typeOf == byRules->typeOf);
        QVERIFY(quick->keptApart == byRules->keptApart);
    }
}

void RepeatedNodesTest::importOnnx_nameTwice_isRefusedAlike()
{
    onnx::ModelProto model;
    QVERIFY(model.ParseFromString(test::RandomOnnx(1, {"Relu"}, 5).bytes()));
    model.mutable_graph()->mutable_node(3)->set_output(0, "t1");
    for (const bool byRules : {false, true}) {
        const auto read = imported(model.SerializeAsString(), byRules);
        QVERIFY(!read);
        QVERIFY2(read.error().message.find("t1") != std::string::npos, read.error().message.c_str());
    }
}

STAGECRAFT_SUITE(RepeatedNodesTest)

} // namespace tst_repeated_nodes
#include "tst_repeated_nodes.moc"
