// Loops whose number of turns is constant, branches whose condition is, and sparse tensors: written out while a file is
// read, and computed as the specification has it. Branches whose condition is computed: kept, and executed.

#include "device/cpu/refusal.h"
#include "graph/cost_basis.h"
#include "graph/operator_cost.h"
#include "operators/schema.h"
#include "support/executed_model.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <cstring>

using namespace stagecraft;

namespace tst_inline_graphs {

namespace {

using T = onnx::TensorProto;
using Dims = std::vector<std::int64_t>;
using test::addFloats;
using test::addNode;
using test::addWhole;
using test::describe;
using test::newModel;
using test::readModel;
using test::subgraph;
using test::typesOf;

// Adds `step` to what it carries, and collects the numbers of the turns plus that: x + 2, (x + 2) + 2, ...
onnx::ModelProto looping(std::int64_t turns)
{
    onnx::ModelProto model = newModel({2});
    onnx::GraphProto &graph = *model.mutable_graph();
    addWhole(graph, "turns", T::INT64, turns);
    addWhole(graph, "go", T::BOOL, 1);
    addFloats(graph, "step", {2}, {2, 3});
    onnx::GraphProto &body = subgraph(addNode(graph, "Loop", {"turns", "go", "x"}, {"last", "each"}), "body");
    describe(*body.add_input(), "turn", T::INT64, {});
    describe(*body.add_input(), "goes_on", T::BOOL, {});
    describe(*body.add_input(), "carried", T::FLOAT, {2});
    auto &cast = addNode(body, "Cast", {"turn"}, {"turn_as_real"});
    auto &to = *cast.add_attribute();
    to.set_name("to");
    to.set_type(onnx::AttributeProto::INT);
    to.set_i(T::FLOAT);
    addNode(body, "Add", {"carried", "step"}, {"next"});
    addNode(body, "Add", {"next", "turn_as_real"}, {"numbered"});
    describe(*body.add_output(), "goes_on", T::BOOL, {});
    describe(*body.add_output(), "next", T::FLOAT, {2});
    describe(*body.add_output(), "numbered", T::FLOAT, {2});
    graph.add_output()->set_name("last");
    graph.add_output()->set_name("each");
    return model;
}

// Executes it on cpu for x = (1, 10).
std::vector<HostTensor> outputsOf(SourceGraph source)
{
    return test::outputsOf(std::move(source), {1, 10});
}

// A weight of 2x3 with these values at these places, added to a row of x.
struct Sparse {
    Dims placesDims;
    Dims places;
    std::vector<float> values;
    bool isRaw = false;
};

onnx::ModelProto withSparse(const Sparse &sparse)
{
    onnx::ModelProto model = newModel({2});
    onnx::GraphProto &graph = *model.mutable_graph();
    auto &tensor = *graph.add_sparse_initializer();
    tensor.add_dims(2);
    tensor.add_dims(3);
    auto &values = *tensor.mutable_values();
    values.set_name("w");
    values.set_data_type(T::FLOAT);
    values.add_dims(static_cast<std::int64_t>(sparse.values.size()));
    auto &indices = *tensor.mutable_indices();
    indices.set_data_type(T::INT64);
    for (const std::int64_t dim : sparse.placesDims)
        indices.add_dims(dim);
    if (sparse.isRaw) {
        std::string bytes(sparse.values.size() * sizeof(float), '\0');
        std::memcpy(bytes.data(), sparse.values.data(), bytes.size());
        values.set_raw_data(bytes);
        bytes.assign(sparse.places.size() * sizeof(std::int64_t), '\0');
        std::memcpy(bytes.data(), sparse.places.data(), bytes.size());
        indices.set_raw_data(bytes);
    } else {
        values.mutable_float_data()->Add(sparse.values.begin(), sparse.values.end());
        indices.mutable_int64_data()->Add(sparse.places.begin(), sparse.places.end());
    }
    addNode(graph, "MatMul", {"x", "w"}, {"y"});
    graph.add_output()->set_name("y");
    return model;
}

// Whether the largest x is above the limit decides: x with two constants of the branch behind it, or what an inner If
// makes of x, by a limit of its own.
onnx::ModelProto branching(float limit, float innerLimit)
{
    onnx::ModelProto model = newModel({2});
    onnx::GraphProto &graph = *model.mutable_graph();
    addFloats(graph, "limit", {1}, {limit});
    addFloats(graph, "factors", {2}, {2, 3});
    addNode(graph, "ReduceMax", {"x"}, {"top"});
    addNode(graph, "Greater", {"top", "limit"}, {"isAbove"});
    auto &choice = addNode(graph, "If", {"isAbove"}, {"y"});
    choice.set_name("choice");
    onnx::GraphProto &longer = subgraph(choice, "then_branch");
    addFloats(longer, "own", {2}, {5, 6});
    auto &axis = *addNode(longer, "Concat", {"x", "own"}, {"joined"}).add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    longer.add_output()->set_name("joined");
    onnx::GraphProto &other = subgraph(choice, "else_branch");
    addFloats(other, "innerLimit", {1}, {innerLimit});
    addNode(other, "Greater", {"top", "innerLimit"}, {"isAboveInner"});
    auto &inner = addNode(other, "If", {"isAboveInner"}, {"chosen"});
    onnx::GraphProto &negative = subgraph(inner, "then_branch");
    addNode(negative, "Neg", {"x"}, {"negative"});
    negative.add_output()->set_name("negative");
    onnx::GraphProto &product = subgraph(inner, "else_branch");
    addNode(product, "Mul", {"x", "factors"}, {"product"});
    product.add_output()->set_name("product");
    other.add_output()->set_name("chosen");
    graph.add_output()->set_name("y");
    return model;
}

} // namespace

class TestInlineGraphs : public QObject {
    Q_OBJECT

private slots:
    void loop_constantTurns_isWrittenOut();
    void loop_noTurn_passesItsValuesOn();
    void loop_computedOrTooManyTurns_isKept_data();
    void loop_computedOrTooManyTurns_isKept();
    void loop_conditionOfTheBody_isKept();
    void loop_ofOneTurn_isWrittenOut_data();
    void loop_ofOneTurn_isWrittenOut();
    void branch_thatDoesNotFit_isNotTaken_data();
    void branch_thatDoesNotFit_isNotTaken();
    void branch_neitherFits_isRefused();
    void branch_constantCondition_isTaken_data();
    void branch_constantCondition_isTaken();
    void branch_computedCondition_isExecuted_data();
    void branch_computedCondition_isExecuted();
    void branch_computedCondition_hasTheLargerCost();
    void branch_withWhatIsNotExecuted_isRefusedByName();
    void sparse_anyForm_isReadAsDense_data();
    void sparse_anyForm_isReadAsDense();
    void sparse_bad_isRefusedByName_data();
    void sparse_bad_isRefusedByName();
};

void TestInlineGraphs::loop_constantTurns_isWrittenOut()
{
    SourceGraph source = readModel(looping(3));
    QVERIFY2(!typesOf(source.graph).join(' ').contains("Loop"), qPrintable(typesOf(source.graph).join(' ')));
    QCOMPARE(typesOf(source.graph).join(' ').count("Concat"), 1);
    const auto outputs = outputsOf(std::move(source));
    QCOMPARE(outputs.size(), std::size_t{2});
    QCOMPARE(outputs[0].name, std::string("last"));
    QCOMPARE(outputs[0].values, (std::vector<float>{7, 19}));
    QCOMPARE(outputs[1].shape.dims, (Dims{3, 2}));
    QCOMPARE(outputs[1].values, (std::vector<float>{3, 13, 6, 17, 9, 21})); // turns are counted from 0
}

void TestInlineGraphs::loop_noTurn_passesItsValuesOn()
{
    onnx::ModelProto model = looping(0);
    onnx::GraphProto &graph = *model.mutable_graph();
    graph.mutable_node(0)->mutable_output()->RemoveLast(); // an empty stack has no shape
    graph.mutable_output()->RemoveLast();
    graph.mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_output()->RemoveLast();
    addNode(graph, "Neg", {"last"}, {"y"});
    graph.mutable_output(0)->set_name("y");
    const auto outputs = outputsOf(readModel(model));
    QCOMPARE(outputs.front().values, (std::vector<float>{-1, -10}));
}

void TestInlineGraphs::loop_computedOrTooManyTurns_isKept_data()
{
    QTest::addColumn<qint64>("turns");
    QTest::newRow("computed") << qint64{-1};
    QTest::newRow("too many") << qint64{1'000'000};
    QTest::newRow("times the body's nodes beyond 64 bits") << (qint64{1} << 62);
}

void TestInlineGraphs::loop_computedOrTooManyTurns_isKept()
{
    QFETCH(const qint64, turns);
    onnx::ModelProto model = looping(turns);
    if (turns < 0) {
        onnx::GraphProto &graph = *model.mutable_graph();
        describe(*graph.add_input(), "given", T::INT64, {});
        graph.mutable_node(0)->set_input(0, "given");
    }
    const SourceGraph source = readModel(model);
    QCOMPARE(typesOf(source.graph).join(' '), QString("Loop"));
    QCOMPARE(opaqueReason(source.graph.operators().front()),
             std::string("the program has no rule for Loop (how often it runs is computed, or too often to write it "
                         "out)"));
}

// It may end before its turns do.
void TestInlineGraphs::loop_conditionOfTheBody_isKept()
{
    onnx::ModelProto model = looping(3);
    onnx::GraphProto &body = *model.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g();
    addNode(body, "ReduceMax", {"next"}, {"most"});
    addNode(body, "Greater", {"most", "step"}, {"still"});
    body.mutable_output(0)->set_name("still");
    QCOMPARE(typesOf(readModel(model).graph).join(' '), QString("Loop"));
}

void TestInlineGraphs::loop_ofOneTurn_isWrittenOut_data()
{
    QTest::addColumn<qint64>("turns"); // -1: as many as its condition lets it
    QTest::addColumn<bool>("isComputed");
    QTest::newRow("one, and a condition that is computed") << qint64{1} << true;
    QTest::newRow("more, and a condition that is false") << qint64{9} << false;
    QTest::newRow("any, and a condition that is false") << qint64{-1} << false;
}

// Whatever its body makes of the condition: it counts for the turn after.
void TestInlineGraphs::loop_ofOneTurn_isWrittenOut()
{
    QFETCH(const qint64, turns);
    QFETCH(const bool, isComputed);
    onnx::ModelProto model = looping(turns);
    onnx::NodeProto &loop = *model.mutable_graph()->mutable_node(0);
    onnx::GraphProto &body = *loop.mutable_attribute(0)->mutable_g();
    if (turns < 0)
        loop.set_input(0, "");
    if (isComputed) {
        addNode(body, "ReduceMax", {"next"}, {"most"});
        addNode(body, "Greater", {"most", "step"}, {"still"});
    } else {
        addWhole(body, "still", T::BOOL, 0);
    }
    body.mutable_output(0)->set_name("still");
    const auto outputs = outputsOf(readModel(model));
    QCOMPARE(outputs[0].values, (std::vector<float>{3, 13}));
    QCOMPARE(outputs[1].shape.dims, (Dims{1, 2}));
}

namespace {

// One branch for x of four numbers, and one for x of `other`, as a file has them for each size of its input.
onnx::ModelProto branchOfSize(std::int64_t other)
{
    onnx::ModelProto model = newModel({4});
    onnx::GraphProto &graph = *model.mutable_graph();
    addFloats(graph, "limit", {1}, {5});
    addNode(graph, "ReduceMax", {"x"}, {"top"});
    addNode(graph, "Greater", {"top", "limit"}, {"isAbove"});
    auto &choice = addNode(graph, "If", {"isAbove"}, {"y"});
    for (const auto &[name, size] : {std::pair<const char *, std::int64_t>("then_branch", 4), {"else_branch", other}}) {
        onnx::GraphProto &branch = subgraph(choice, name);
        const std::string made = std::string(name) + "_y";
        addFloats(branch, std::string(name) + "_w", {size, 2},
                  std::vector<float>(static_cast<std::size_t>(size * 2), 1));
        addNode(branch, "MatMul", {"x", std::string(name) + "_w"}, {made});
        branch.add_output()->set_name(made);
    }
    graph.add_output()->set_name("y");
    return model;
}

} // namespace

void TestInlineGraphs::branch_thatDoesNotFit_isNotTaken_data()
{
    QTest::addColumn<bool>("isTurned");
    QTest::newRow("else") << false;
    QTest::newRow("then") << true;
}

// It opens, and runs where the other one is taken.
void TestInlineGraphs::branch_thatDoesNotFit_isNotTaken()
{
    QFETCH(const bool, isTurned);
    onnx::ModelProto model = branchOfSize(3);
    onnx::NodeProto &choice = *model.mutable_graph()->mutable_node(2);
    if (isTurned) {
        choice.mutable_attribute(0)->set_name("else_branch");
        choice.mutable_attribute(1)->set_name("then_branch");
    }
    SourceGraph source = readModel(model);
    const Tensor &made = source.graph.tensor(source.graph.outputs().front());
    QCOMPARE(made.shape.dims, Dims{2});
    QVERIFY(made.type == DataType::Float32);
    const float top = isTurned ? 1 : 10;
    QCOMPARE(test::outputsOf(std::move(source), {1, 1, 1, top}).front().values, (std::vector<float>{3 + top, 3 + top}));

    const auto graph = std::make_shared<const Graph>(std::move(readModel(model).graph));
    const auto session = makeCpuDevice()->open(graph);
    QVERIFY(session);
    const HostTensor x{"x", Shape{{4}}, {1, 1, 1, 11 - top}};
    const auto refused = runOn(**session, sequentialSchedule(*graph, test::oneBlock(*graph)), {x}, {});
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.find("it multiplies matrices that do not fit") != std::string::npos,
             refused.error().message.c_str());
}

void TestInlineGraphs::branch_neitherFits_isRefused()
{
    onnx::ModelProto model = branchOfSize(3);
    auto &weights = *model.mutable_graph()->mutable_node(2)->mutable_attribute(0)->mutable_g()->mutable_initializer(0);
    weights.set_dims(0, 5);
    weights.mutable_float_data()->Resize(10, 1);
    const auto source = importOnnxBytes(model.SerializeAsString(), "made", {});
    QVERIFY(!source);
    QVERIFY2(source.error().message.find("it multiplies matrices that do not fit") != std::string::npos,
             source.error().message.c_str());
}

void TestInlineGraphs::branch_constantCondition_isTaken_data()
{
    QTest::addColumn<bool>("condition");
    QTest::addColumn<float>("expected");
    QTest::newRow("then") << true << -3.0F;
    QTest::newRow("else") << false << 3.0F;
}

// The branch has a Loop of its own, and reads from outside.
void TestInlineGraphs::branch_constantCondition_isTaken()
{
    QFETCH(const bool, condition);
    QFETCH(const float, expected);
    onnx::ModelProto model = looping(1);
    onnx::GraphProto &graph = *model.mutable_graph();
    onnx::NodeProto loop = graph.node(0);
    graph.clear_node();
    graph.clear_output();
    addWhole(graph, "which", T::BOOL, condition ? 1 : 0);
    auto &choice = addNode(graph, "If", {"which"}, {"y"});
    for (const char *name : {"then_branch", "else_branch"}) {
        onnx::GraphProto &branch = subgraph(choice, name);
        *branch.add_node() = loop;
        addNode(branch, std::string(name) == "then_branch" ? "Neg" : "Abs", {"last"}, {std::string(name) + "_y"});
        describe(*branch.add_output(), std::string(name) + "_y", T::FLOAT, {2});
    }
    graph.add_output()->set_name("y");
    SourceGraph source = readModel(model);
    QVERIFY2(!typesOf(source.graph).join(' ').contains("If") && !typesOf(source.graph).join(' ').contains("Loop"),
             qPrintable(typesOf(source.graph).join(' ')));
    QCOMPARE(outputsOf(std::move(source)).front().values.front(), expected);
}

void TestInlineGraphs::branch_computedCondition_isExecuted_data()
{
    QTest::addColumn<float>("limit");
    QTest::addColumn<float>("innerLimit");
    QTest::addColumn<std::vector<float>>("expected");
    QTest::newRow("then") << 5.0F << 5.0F << std::vector<float>{1, 10, 5, 6};
    QTest::newRow("else, then") << 20.0F << 5.0F << std::vector<float>{-1, -10};
    QTest::newRow("else, else") << 20.0F << 20.0F << std::vector<float>{2, 30};
}

void TestInlineGraphs::branch_computedCondition_isExecuted()
{
    QFETCH(const float, limit);
    QFETCH(const float, innerLimit);
    QFETCH(const std::vector<float>, expected);
    const auto outputs = outputsOf(readModel(branching(limit, innerLimit)));
    QCOMPARE(outputs.front().values, expected);
    QCOMPARE(outputs.front().shape.dims, Dims{static_cast<std::int64_t>(expected.size())});
}

void TestInlineGraphs::branch_computedCondition_hasTheLargerCost()
{
    const SourceGraph source = readModel(branching(5, 5));
    const auto choice = source.graph.find("choice");
    QVERIFY(choice);
    const Tensor &made = source.graph.tensor(source.graph.op(*choice).outputs.front());
    QCOMPARE(made.shape.dims, Dims{4});
    QVERIFY(made.shape.atMost);
    QVERIFY(made.type == DataType::Float32);
    QVERIFY(costBasis(source.graph).isComplete());
    QCOMPARE(flops(source.graph, *choice), 4.0); // the comparison and the negation or product of two numbers make three
    QCOMPARE(opaqueReason(source.graph.op(*choice)), std::string());
    const auto &attributes = std::get<GenericAttributes>(source.graph.op(*choice).attributes).values;
    QCOMPARE(toString(*find(attributes, "then_branch")),
             std::string("{Concat(operand 3, operand 5, axis 0); Concat 0}"));
}

void TestInlineGraphs::branch_withWhatIsNotExecuted_isRefusedByName()
{
    onnx::ModelProto model = branching(5, 5);
    onnx::NodeProto &choice = *model.mutable_graph()->mutable_node(2);
    onnx::GraphProto &branch = *choice.mutable_attribute(0)->mutable_g();
    *branch.add_node() = looping(1).graph().node(0);
    addFloats(branch, "turns", {}, {1});
    addFloats(branch, "go", {}, {1});
    addFloats(branch, "step", {}, {1});
    const SourceGraph source = readModel(model);
    const Operator &op = source.graph.op(*source.graph.find("choice"));
    const std::string why = "(its condition is computed, and its then_branch is a graph with Loop)";
    QCOMPARE(opaqueReason(op), "the program has no rule for If " + why);
    QCOMPARE(cpu::refusalOf(source.graph, op), "cpu has no kernel for If " + why);
}

void TestInlineGraphs::sparse_anyForm_isReadAsDense_data()
{
    QTest::addColumn<Sparse>("sparse");
    // 0 5 0
    // 7 0 0, by x = (1, 10): 70 5 0
    for (const bool isRaw : {false, true}) {
        const char *how = isRaw ? "raw" : "listed";
        QTest::addRow("linear, %s", how) << Sparse{{2}, {1, 3}, {5, 7}, isRaw};
        QTest::addRow("by axis, %s", how) << Sparse{{2, 2}, {0, 1, 1, 0}, {5, 7}, isRaw};
    }
}

void TestInlineGraphs::sparse_anyForm_isReadAsDense()
{
    QFETCH(const Sparse, sparse);
    const auto outputs = outputsOf(readModel(withSparse(sparse)));
    QCOMPARE(outputs.front().values, (std::vector<float>{70, 5, 0}));
}

void TestInlineGraphs::sparse_bad_isRefusedByName_data()
{
    QTest::addColumn<Sparse>("sparse");
    QTest::addColumn<QString>("message");
    QTest::newRow("outside") << Sparse{{2}, {1, 6}, {5, 7}} << "the indices do not fit its shape";
    QTest::newRow("negative") << Sparse{{2}, {1, -1}, {5, 7}} << "the indices do not fit its shape";
    QTest::newRow("outside of an axis") << Sparse{{2, 2}, {0, 4, 1, 0}, {5, 7}} << "the indices do not fit its shape";
    QTest::newRow("fewer values") << Sparse{{2}, {1, 3}, {5}} << "it has another number of values than of indices";
}

void TestInlineGraphs::sparse_bad_isRefusedByName()
{
    QFETCH(const Sparse, sparse);
    QFETCH(const QString, message);
    const auto source = importOnnxBytes(withSparse(sparse).SerializeAsString(), "made", {});
    QVERIFY(!source);
    QVERIFY(source.error().code == ErrorCode::InvalidInput);
    QCOMPARE(QString::fromStdString(source.error().message), message);
    QCOMPARE(std::ranges::count(source.error().context, "sparse tensor w"), 1);
}

STAGECRAFT_SUITE(TestInlineGraphs)

} // namespace tst_inline_graphs
#include "tst_inline_graphs.moc"
