#include "graph/cost_basis.h"
#include "graph/graph.h"
#include "graph/operator_cost.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_cost_basis {

namespace {

const Shape kImage{{1, 8, 10, 10}};
const Shape kUnknown{{}, false};

// An operator as in a model file: with separate operands and declared outputs.
TensorId kept(GraphBuilder &builder, const std::string &name, OperatorKind kind, const std::string &type,
              const std::vector<TensorId> &operands, const Shape &output)
{
    Operator op;
    op.name = name;
    op.kind = kind;
    op.type = type;
    for (const TensorId operand : operands)
        op.inputs.push_back({operand});
    return take(builder.add(std::move(op), {Tensor{name, output, DataType::Float32, {}}})).front();
}

Parameter weight(const std::string &role, DataType type, std::vector<std::int64_t> dims = {16, 8, 1, 1})
{
    return {role, role, Shape{std::move(dims)}, type, nullptr};
}

// input -> first -> (values) -> Reshape of an unknown shape -> 3 more operators; and one elsewhere.
Graph withLostShapes()
{
    GraphBuilder builder("lost");
    const TensorId input = take(builder.addInput("input", kImage));
    const TensorId values = kept(builder, "limits", OperatorKind::Elementwise, "Clip", {}, Shape{{2}});
    const TensorId shifted = kept(builder, "shifted", OperatorKind::Elementwise, "Add", {values}, Shape{{2}});
    TensorId last = kept(builder, "lost", OperatorKind::Reshape, "Reshape", {input, shifted}, kUnknown);
    for (const char *name : {"a", "b", "c"})
        last = kept(builder, name, OperatorKind::Unknown, "Conv", {last}, kUnknown);
    take(builder.add(conv("aside", {{input}}, 16)));
    return take(builder.build());
}

} // namespace

class TestCostBasis : public QObject {
    Q_OBJECT

private slots:
    void costBasis_everythingKnown_isComplete();
    void costBasis_lostShapes_namesTheCauseOnce();
    void costBasis_inputOfUnknownShape_isACause();
    void costBasis_operatorWithoutRule_isACause();
    void flops_productKeptAsInTheFile_areCounted();
    void flops_activation_areThoseOfTheNodesItStandsFor_data();
    void flops_activation_areThoseOfTheNodesItStandsFor();
    void costBasis_severalCauses_largestFirst();
    void missingCostText_nearlyAll_isNotAll();
    void arithmeticTypes_weights_decide_data();
    void arithmeticTypes_weights_decide();
    void conversionText_quantised_says();
    void weightTotals_sharedAndInteger_countOnceAndNot();
};

void TestCostBasis::costBasis_everythingKnown_isComplete()
{
    GraphBuilder builder("whole");
    const TensorId input = take(builder.addInput("input", kImage));
    // No arithmetic, but known shapes: this has a cost.
    kept(builder, "flat", OperatorKind::Reshape, "Reshape", {input}, Shape{{1, 800}});
    kept(builder, "sums", OperatorKind::Unknown, "CumSum", {input}, kImage);
    const CostBasis basis = costBasis(take(builder.build()));
    QVERIFY(basis.isComplete());
    QCOMPARE(basis.costed(), std::int64_t(2));
    QCOMPARE(basis.precision, std::string("fp32"));
    QVERIFY(missingCostText(basis).empty() && conversionText(basis).empty());
}

void TestCostBasis::costBasis_lostShapes_namesTheCauseOnce()
{
    const Graph graph = withLostShapes();
    const CostBasis basis = costBasis(graph);
    QCOMPARE(basis.uncosted.size(), std::size_t(1));
    QCOMPARE(basis.uncosted[0].operatorName, std::string("lost"));
    QCOMPARE(basis.uncosted[0].count, std::int64_t(4));
    QVERIFY(basis.uncosted[0].losesShapes);
    QCOMPARE(basis.costed(), std::int64_t(3));
    QCOMPARE(missingCostText(basis),
             std::string("42 % of operators costed (3 of 7); shapes unknown from lost (Reshape) on, because its output "
                         "shape depends on values that the program does not know in advance: those of limits (Clip), "
                         "which has constant inputs only"));
    QVERIFY(!isCosted(graph, graph.find("b").value()));
    QVERIFY(isCosted(graph, graph.find("aside").value()));
    QVERIFY(!areCosted(graph, {{graph.find("aside").value()}, {graph.find("lost").value()}}));
}

void TestCostBasis::costBasis_inputOfUnknownShape_isACause()
{
    GraphBuilder builder("open");
    const TensorId input = take(builder.addInput("input", kUnknown));
    kept(builder, "first", OperatorKind::Activation, "Relu", {input}, kUnknown);
    const CostBasis basis = costBasis(take(builder.build()));
    QCOMPARE(basis.uncosted.size(), std::size_t(1));
    QCOMPARE(basis.uncosted[0].reason, std::string("the shape of an input of the model is unknown"));
}

void TestCostBasis::costBasis_operatorWithoutRule_isACause()
{
    GraphBuilder builder("form");
    const TensorId input = take(builder.addInput("input", kImage));
    const TensorId made = kept(builder, "it", OperatorKind::Unknown, "Mystery", {input}, kImage);
    kept(builder, "behind", OperatorKind::Activation, "Relu", {made}, kImage);
    const CostBasis basis = costBasis(take(builder.build()));
    QCOMPARE(basis.uncosted.size(), std::size_t(1));
    QCOMPARE(basis.uncosted[0].operatorName, std::string("it"));
    QCOMPARE(basis.uncosted[0].count, std::int64_t(1)); // the shape is known, so later operators have a cost
    QVERIFY(!basis.uncosted[0].losesShapes);
    QCOMPARE(basis.uncosted[0].reason, std::string("the program has no rule for Mystery"));
}

void TestCostBasis::flops_productKeptAsInTheFile_areCounted()
{
    GraphBuilder builder("products");
    const TensorId volume = take(builder.addInput("volume", Shape{{1, 8, 4, 10, 10}}));
    const TensorId weight = take(builder.addInput("weight", Shape{{6, 8, 3, 3, 3}}));
    kept(builder, "conv", OperatorKind::Unknown, "Conv", {volume, weight}, Shape{{1, 6, 2, 8, 8}});
    const TensorId words = take(builder.addInput("words", Shape{{5, 2, 16}}));
    const TensorId w = take(builder.addInput("w", Shape{{1, 80, 16}}));
    const TensorId r = take(builder.addInput("r", Shape{{1, 80, 20}}));
    kept(builder, "lstm", OperatorKind::Unknown, "LSTM", {words, w, r}, Shape{{5, 1, 2, 20}});
    const TensorId a = take(builder.addInput("a", Shape{{2, 3, 7}}));
    const TensorId b = take(builder.addInput("b", Shape{{2, 7, 4}}));
    kept(builder, "product", OperatorKind::Unknown, "MatMulInteger", {a, b}, Shape{{2, 3, 4}});
    const Graph graph = take(builder.build());
    QVERIFY(costBasis(graph).isComplete());
    QCOMPARE(flops(graph, graph.find("conv").value()), 2.0 * (6 * 2 * 8 * 8) * (8 * 27));
    QCOMPARE(flops(graph, graph.find("lstm").value()), 2.0 * 5 * 2 * 80 * (16 + 20));
    QCOMPARE(flops(graph, graph.find("product").value()), 2.0 * (2 * 3 * 4) * 7);
}

void TestCostBasis::flops_activation_areThoseOfTheNodesItStandsFor_data()
{
    QTest::addColumn<ActivationKind>("kind");
    QTest::addColumn<double>("operations");
    QTest::newRow("none") << ActivationKind::None << 0.0;
    QTest::newRow("max(0, x)") << ActivationKind::Relu << 1.0;
    QTest::newRow("x * sigmoid(x)") << ActivationKind::Silu << 2.0;
    QTest::newRow("clip(a * x + b)") << ActivationKind::HardSigmoid << 3.0;
    QTest::newRow("x * clip(x + 3) / 6") << ActivationKind::HardSwish << 4.0;
    QTest::newRow("x * tanh(softplus(x))") << ActivationKind::Mish << 3.0;
    QTest::newRow("x * 0.5 * (1 + erf(x / s))") << ActivationKind::Gelu << 5.0;
}

// Alone, and as part of a convolution.
void TestCostBasis::flops_activation_areThoseOfTheNodesItStandsFor()
{
    QFETCH(const ActivationKind, kind);
    QFETCH(const double, operations);
    GraphBuilder builder("activations");
    const TensorId input = take(builder.addInput("input", kImage));
    Operator alone = join("alone", {{input}});
    alone.kind = OperatorKind::Activation;
    alone.attributes = Activation{kind};
    take(builder.add(std::move(alone)));
    Operator fused = conv("fused", {{input}}, 8);
    fused.conv()->after = Activation{kind};
    Operator plain = conv("plain", {{input}}, 8);
    plain.conv()->after = {};
    take(builder.add(std::move(fused)));
    take(builder.add(plain));
    const Graph graph = take(builder.build());
    const auto work = [&](const char *name) { return flops(graph, graph.find(name).value()); };
    QCOMPARE(work("alone"), operations * 800);
    QCOMPARE(work("fused") - work("plain"), operations * 800);
}

void TestCostBasis::costBasis_severalCauses_largestFirst()
{
    GraphBuilder builder("several");
    const TensorId input = take(builder.addInput("input", kImage));
    kept(builder, "e", OperatorKind::Unknown, "Mystery", {input}, kImage);
    for (const char *name : {"l1", "l2", "l3"})
        kept(builder, name, OperatorKind::Unknown, "Riddle", {input}, kImage);
    const CostBasis basis = costBasis(take(builder.build()));
    QCOMPARE(basis.uncosted.size(), std::size_t(2));
    QCOMPARE(missingCostText(basis),
             std::string("0 % of operators costed (0 of 4); l1 (Riddle) and 2 more have no cost, because the program "
                         "has no rule for Riddle; and 1 other cause"));
}

void TestCostBasis::missingCostText_nearlyAll_isNotAll()
{
    CostBasis basis;
    basis.operators = 100'000;
    basis.uncosted = {{"x", "LSTM", "the program has no rule for LSTM", 1, false}};
    QVERIFY(missingCostText(basis).starts_with("99.9 % of operators costed (99,999 of 100,000); x (LSTM) has no cost"));
}

void TestCostBasis::arithmeticTypes_weights_decide_data()
{
    QTest::addColumn<bool>("halfInput");
    QTest::addColumn<int>("halfWeights");
    QTest::addColumn<QString>("precision");
    QTest::newRow("single") << false << 0 << "fp32";
    QTest::newRow("half") << true << 2 << "fp16";
    QTest::newRow("half within") << false << 2 << "fp16";
    QTest::newRow("half at the door") << true << 0 << "fp32";
    QTest::newRow("mixed") << false << 1 << "fp16 and fp32";
}

void TestCostBasis::arithmeticTypes_weights_decide()
{
    QFETCH(const bool, halfInput);
    QFETCH(const int, halfWeights);
    GraphBuilder builder("types");
    const DataType type = halfInput ? DataType::Float16 : DataType::Float32;
    TensorId last = take(builder.addInput("input", kImage, type));
    for (int i = 0; i < 2; ++i) {
        Operator op = conv("c" + std::to_string(i), {{last}}, 8);
        op.parameters = {weight("weight", i < halfWeights ? DataType::Float16 : DataType::Float32, {8, 8, 1, 1})};
        last = take(builder.add(std::move(op)));
        last = take(builder.add(join("j" + std::to_string(i), {{last, last}})));
    }
    const Graph graph = take(builder.build());
    QTEST(QString::fromStdString(costBasis(graph).precision), "precision");
    const auto types = arithmeticTypes(graph);
    QVERIFY(types[1] == types[0]); // without weights: the type of its input
    QVERIFY(types[3] == types[2]);
}

void TestCostBasis::conversionText_quantised_says()
{
    GraphBuilder builder("quantised");
    const TensorId input = take(builder.addInput("input", kImage));
    const TensorId q = kept(builder, "q", OperatorKind::Elementwise, "QuantizeLinear", {input}, kImage);
    kept(builder, "d", OperatorKind::Elementwise, "DequantizeLinear", {q}, kImage);
    const CostBasis basis = costBasis(take(builder.build()));
    QVERIFY(basis.isComplete());
    QCOMPARE(basis.conversions, std::int64_t(2));
    QVERIFY(conversionText(basis).starts_with("quantised operators are costed as fp32, and 2 conversions"));
}

void TestCostBasis::weightTotals_sharedAndInteger_countOnceAndNot()
{
    GraphBuilder builder("shared");
    TensorId last = take(builder.addInput("input", kImage));
    Parameter shared = weight("weight", DataType::Float16, {8, 8, 1, 1});
    shared.values = stagecraft::shared(std::vector<float>(64));
    for (const char *name : {"a", "b"}) {
        Operator op = conv(name, {{last}}, 8);
        op.parameters = {shared};
        last = take(builder.add(std::move(op)));
    }
    Operator own = conv("c", {{last}}, 8);
    own.parameters = {weight("weight", DataType::Float32, {8, 8, 1, 1})};
    last = take(builder.add(std::move(own)));
    Operator reshape;
    reshape.name = reshape.type = "Reshape";
    reshape.kind = OperatorKind::Reshape;
    reshape.inputs = {{last}};
    reshape.parameters = {weight("operand1", DataType::Int64, {2})};
    take(builder.add(std::move(reshape), {Tensor{"r", Shape{{1, 800}}, DataType::Float32, {}}}));
    Operator resize;
    resize.name = resize.type = "Resize";
    resize.kind = OperatorKind::Resize;
    resize.inputs = {{last}};
    resize.parameters = {weight("operand2", DataType::Float32, {4})};
    take(builder.add(std::move(resize), {Tensor{"s", kImage, DataType::Float32, {}}}));
    const WeightTotals totals = weightTotals(take(builder.build()));
    QCOMPARE(totals.parameters, std::int64_t(128));
    QCOMPARE(totals.bytes, std::int64_t(64 * 2 + 64 * 4));
}

STAGECRAFT_SUITE(TestCostBasis)

} // namespace tst_cost_basis
#include "tst_cost_basis.moc"
