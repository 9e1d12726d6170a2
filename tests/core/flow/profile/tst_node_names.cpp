#include "flow/profile/node_names.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_node_names {

namespace {

// x -> Conv_0 -> Conv_3 -> Conv_5 -> sum; Conv_0 -> Conv_8 -> sum; and the nodes that became part of them.
Model residual()
{
    GraphBuilder builder("residual");
    const TensorId x = take(builder.addInput("x", Shape{{2, 8, 6, 6}}));
    const TensorId first = take(builder.add(conv("Conv_0", {{x}}, 8)));
    const TensorId left = take(builder.add(conv("Conv_3", {{first}}, 8)));
    const TensorId deeper = take(builder.add(conv("Conv_5", {{left}}, 8, 3)));
    Tensor named;
    named.name = "onnx::Add_9";
    named.shape = Shape{{2, 8, 6, 6}};
    const TensorId right = take(builder.addWithOutput(conv("Conv_8", {{first}}, 8), named));
    (void)take(builder.add(join("Add_6", {{deeper, right}})));
    Model model;
    model.graph = std::make_shared<const Graph>(take(builder.build()));
    model.report.passes = {
        {"fuse-activations", {{"Relu_1", "Relu", {}, OperatorId{0}}, {"Relu_7", "Relu", {}, OperatorId{4}}}},
        {"fold-constants", {{"weights", "Constant", {}, {}}}}};
    return model;
}

} // namespace

class TestNodeNames : public QObject {
    Q_OBJECT

private slots:
    void find_namesOfPrograms_areOperators_data();
    void find_namesOfPrograms_areOperators();
    void find_hostileNames_end();
};

void TestNodeNames::find_namesOfPrograms_areOperators_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("operators"); // empty: none
    QTest::addColumn<QString>("by");
    const auto row = [](const char *name, const char *operators, const char *by) {
        QTest::newRow(name) << name << operators << by;
    };
    row("Conv_3", "Conv_3", "name");
    row("Relu_1", "Conv_0", "name");
    row("onnx::Add_9", "Conv_8", "output tensor");
    row("Conv_0 + Relu_1", "Conv_0", "fused names");
    row("Conv_5 + Add_6 + Relu_7", "Conv_5, Add_6", "fused names");
    row("conv1.weight + QuantizeLinear_7 + Conv_8", "Conv_8", "fused names");
    row("Conv_3 || Conv_8", "Conv_3, Conv_8", "fused names");
    row("Conv_3+Conv_8", "Conv_3, Conv_8", "fused names");
    row("Conv_3+Conv_8 + Conv_3+Conv_8/after", "Conv_3, Conv_8", "fused names");
    row("Conv_3+Conv_8/split_1", "Conv_3, Conv_8", "fused names");
    row("Conv_3+weights", "", "");
    row("PWN(Relu_1)", "Conv_0", "fused names");
    row("PWN(PWN(Sigmoid_2), Relu_7)", "Add_6", "fused names");
    row("Conv_5 + (Unnamed Layer* 306) [Shuffle]", "Conv_5", "fused names");
    row("{ForeignNode[Conv_3...Add_6]}", "Conv_3, Conv_5, Add_6", "nodes between two");
    row("{ForeignNode[Conv_0...Relu_7]}", "Conv_0, Conv_3, Conv_5, Conv_8, Add_6", "nodes between two");
    row("{ForeignNode[fc.weight...Conv_5]}", "Conv_5", "nodes between two");
    row("{ForeignNode[Conv_5]}", "Conv_5", "nodes between two");
    row("{ForeignNode[a...b]}", "", "");
    row("Reformatting CopyNode for Input Tensor 0 to Conv_5 + Add_6 + Relu_7", "Conv_5, Add_6", "copy for it");
    row("Reformatting CopyNode for Output Tensor 0 to Conv_3", "Conv_3", "copy for it");
    row("Reformatting CopyNode for Network Output onnx::Add_9", "Conv_8", "copy for it");
    row("reshape_after_Conv_8", "Conv_8", "copy for it");
    row("Reformatting CopyNode for Input Tensor 0 to reshape_after_Conv_8", "Conv_8", "copy for it");
    row("copied_squeeze_after_Conv_8", "Conv_8", "copy for it");
    row("Conv_3_nchwc", "Conv_3", "renamed node");
    row("fused Conv_3", "Conv_3", "renamed node");
    row("Conv_3_token_12", "Conv_3", "renamed node");
    row("Conv_3/GatherSliceToSplitFusion", "Conv_3", "renamed node");
    row("Conv_3/after_nchwc", "Conv_3", "renamed node");
    row("weights", "", "");
    row("ReorderInput_token_12", "", "");
    row("Conv_30", "", "");
    row("", "", "");
    row(" + ", "", "");
    row("{ForeignNode[", "", "");
    row("]ForeignNode[", "", "");
}

void TestNodeNames::find_namesOfPrograms_areOperators()
{
    QFETCH(QString, name);
    QFETCH(QString, operators);
    QFETCH(QString, by);
    const Model model = residual();
    const auto found = NodeNames(model).find(name.toStdString());
    QStringList names;
    for (const OperatorId id : found ? found->operators : std::vector<OperatorId>())
        names << QString::fromStdString(model.graph->op(id).name);
    QCOMPARE(names.join(", "), operators);
    if (found)
        QCOMPARE(QString::fromStdString(std::string(toString(found->by))), by);
}

void TestNodeNames::find_hostileNames_end()
{
    const Model model = residual();
    const NodeNames names(model);
    std::string joined = "Conv_0";
    std::string nested = "Conv_0";
    for (int i = 0; i < 20000; ++i)
        joined += " + Conv_3";
    for (int i = 0; i < 2000; ++i)
        nested = "PWN(" + nested + ")/x_nchwc_token_1";
    QCOMPARE(names.find(joined)->operators.size(), 2U);
    QVERIFY(!names.find(nested));
    QVERIFY(!names.find(std::string(100000, '[')));
}

STAGECRAFT_SUITE(TestNodeNames)

} // namespace tst_node_names
#include "tst_node_names.moc"
