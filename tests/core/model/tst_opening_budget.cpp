// What a small file may ask for is counted before it is done: functions, Loops, sequences, sparse tensors and folding
// take from one budget, and are refused or stay operators where it ends. Files that would not end are not waited for.

#include "model/onnx_import.h"
#include "support/onnx_nodes.h"
#include "support/suite.h"

#include <QStringList>
#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_opening_budget {

namespace {

using T = onnx::TensorProto;

onnx::ModelProto newModel(int opset = 17)
{
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(opset);
    model.mutable_graph()->set_name("made");
    describe(*model.mutable_graph()->add_input(), "x", T::FLOAT, {2});
    return model;
}

void finish(onnx::ModelProto &model, const std::string &output)
{
    describe(*model.mutable_graph()->add_output(), output, T::FLOAT, {2});
}

Result<SourceGraph> opened(const onnx::ModelProto &model, const std::shared_ptr<WorkBudget> &budget = openingBudget())
{
    OpenRequest options;
    options.budget = budget;
    return importOnnxBytes(model.SerializeAsString(), "made", {}, options);
}

qsizetype count(const Graph &graph, const std::string &type)
{
    return std::ranges::count(graph.operators(), type, &Operator::type);
}

// A function of a chain of so many nodes.
void addChain(onnx::ModelProto &model, const std::string &name, const std::string &type, const std::string &domain,
              int nodes)
{
    onnx::FunctionProto &function = *model.add_functions();
    function.set_name(name);
    function.set_domain("local");
    function.add_input("v0");
    function.add_output("v" + std::to_string(nodes));
    for (int i = 0; i < nodes; ++i) {
        auto &node = *function.add_node();
        node.set_op_type(type);
        node.set_domain(domain);
        node.add_input("v" + std::to_string(i));
        node.add_output("v" + std::to_string(i + 1));
    }
}

// A Loop of `turns` over x, whose body is filled by the caller; it carries v.
onnx::GraphProto &addLoop(onnx::ModelProto &model, std::int64_t turns)
{
    onnx::GraphProto &graph = *model.mutable_graph();
    addWhole(graph, "turns", T::INT64, turns);
    onnx::GraphProto &body = subgraph(addNode(graph, "Loop", {"turns", "", "x"}, {"y"}), "body");
    describe(*body.add_input(), "turn", T::INT64, {});
    describe(*body.add_input(), "go", T::BOOL, {});
    describe(*body.add_input(), "v", T::FLOAT, {2});
    body.add_output()->set_name("go");
    body.add_output()->set_name("w");
    return body;
}

void repeatOne(onnx::GraphProto &graph, const std::string &name, const std::vector<std::int64_t> &dims)
{
    addIntegers(graph, name + " sizes", dims);
    addNode(graph, "ConstantOfShape", {name + " sizes"}, {name});
}

QString textOf(const Error &error)
{
    QStringList texts;
    for (const std::string &place : error.context)
        texts << QString::fromStdString(place);
    return (texts << QString::fromStdString(error.message)).join(": ");
}

} // namespace

class TestOpeningBudget : public QObject {
    Q_OBJECT

private slots:
    void function_writtenOutTooOften_isRefusedBeforeIt();
    void function_writtenOut_isCharged();
    void loop_bodyWithWeights_hasThemOnce();
    void loop_moreThanIsLeft_stays();
    void loop_nodeWithoutAnInput_isRefusedByName();
    void sequence_moreThanIsLeft_stays();
    void sparseTensors_moreThanIsLeft_areRefused();
    void ifs_withinEachOther_areReadOnce();
    void fold_moreThanIsLeft_staysAnOperator_data();
    void fold_moreThanIsLeft_staysAnOperator();
    void open_stopRequested_isCancelled();
};

// 902,500 nodes from 5 KB.
void TestOpeningBudget::function_writtenOutTooOften_isRefusedBeforeIt()
{
    onnx::ModelProto model = newModel();
    addChain(model, "Inner", "Relu", "", 100);
    addChain(model, "Outer", "Inner", "local", 95);
    onnx::GraphProto &graph = *model.mutable_graph();
    for (int i = 0; i < 95; ++i)
        addNode(graph, "Outer", {i == 0 ? "x" : "u" + std::to_string(i - 1)}, {"u" + std::to_string(i)})
            .set_domain("local");
    finish(model, "u94");
    const auto budget = openingBudget();
    const auto source = opened(model, budget);
    QVERIFY(!source);
    QVERIFY2(textOf(source.error()).contains("the function Inner calls itself, or writes out to too many operators"),
             qPrintable(textOf(source.error())));
    QVERIFY(budget->taken().steps <= opening::kLimit.steps + opening::times(300, opening::kWrittenNode).steps);
}

void TestOpeningBudget::function_writtenOut_isCharged()
{
    onnx::ModelProto model = newModel();
    addChain(model, "Inner", "Relu", "", 100);
    addNode(*model.mutable_graph(), "Inner", {"x"}, {"y"}).set_domain("local");
    finish(model, "y");
    const auto budget = openingBudget();
    const auto source = opened(model, budget);
    QVERIFY2(source, source ? "" : qPrintable(textOf(source.error())));
    QCOMPARE(count(source->graph, "Relu"), qsizetype(100));
    QCOMPARE(budget->taken().steps, opening::times(100, opening::kWrittenNode).steps);
}

// A body with a megabyte of weights, 200 times.
void TestOpeningBudget::loop_bodyWithWeights_hasThemOnce()
{
    onnx::ModelProto model = newModel();
    onnx::GraphProto &body = addLoop(model, 200);
    constexpr std::size_t kWeights = 1 << 18;
    addFloats(body, "weights", {kWeights}, std::vector<float>(kWeights, 1.0F));
    addNode(body, "Gather", {"weights", "turn"}, {"factor"});
    addNode(body, "Mul", {"v", "factor"}, {"w"});
    finish(model, "y");
    const auto budget = openingBudget();
    const auto source = opened(model, budget);
    QVERIFY2(source, source ? "" : qPrintable(textOf(source.error())));
    QCOMPARE(count(source->graph, "Mul"), qsizetype(200));
    QVERIFY(budget->taken().bytes < std::int64_t{1} << 22U);
}

void TestOpeningBudget::loop_moreThanIsLeft_stays()
{
    onnx::ModelProto model = newModel();
    addNode(addLoop(model, 50), "Relu", {"v"}, {"w"});
    finish(model, "y");
    const auto all = opened(model);
    QVERIFY(all && count(all->graph, "Relu") == 50);
    const auto few = opened(model, std::make_shared<WorkBudget>(opening::times(40, opening::kWrittenNode)));
    QVERIFY2(few, few ? "" : qPrintable(textOf(few.error())));
    QCOMPARE(count(few->graph, "Loop"), qsizetype(1));
}

// The library that parses files ended the reading with a text of its own.
void TestOpeningBudget::loop_nodeWithoutAnInput_isRefusedByName()
{
    onnx::ModelProto model = newModel();
    onnx::GraphProto &body = addLoop(model, 3);
    addNode(body, "Identity", {}, {"still"});
    addNode(body, "Relu", {"v"}, {"w"});
    body.mutable_output(0)->set_name("still");
    finish(model, "y");
    const auto source = opened(model);
    QVERIFY(!source);
    QCOMPARE(textOf(source.error()), QString("operator y (Loop): operator still (Identity): it lacks the input input, "
                                             "which operators of its type always have"));
}

// Each holds all that came before.
void TestOpeningBudget::sequence_moreThanIsLeft_stays()
{
    onnx::ModelProto model = newModel();
    onnx::GraphProto &graph = *model.mutable_graph();
    addNode(graph, "SequenceEmpty", {}, {"s0"});
    constexpr int kInserts = 200;
    for (int i = 0; i < kInserts; ++i)
        addNode(graph, "SequenceInsert", {"s" + std::to_string(i), "x"}, {"s" + std::to_string(i + 1)});
    setInteger(addNode(graph, "ConcatFromSequence", {"s" + std::to_string(kInserts)}, {"y"}), "axis", 0);
    graph.add_output()->set_name("y");
    const auto all = opened(model);
    QVERIFY(all && count(all->graph, "SequenceInsert") == 0);
    const std::int64_t names = kInserts * kInserts / 2;
    WorkAmount left = opening::times(names / 2, opening::kName);
    left.steps += opening::times(10 * kInserts, opening::kReadNode).steps;
    const auto few = opened(model, std::make_shared<WorkBudget>(WorkAmount{
                                       left.steps, opening::times(names / 2, opening::kName).bytes -
                                                       opening::times(kInserts, opening::kWrittenNode).bytes}));
    QVERIFY2(few, few ? "" : qPrintable(textOf(few.error())));
    QVERIFY(count(few->graph, "ConcatFromSequence") == 1);
}

// 40 of half a gigabyte each, from 60 bytes each.
void TestOpeningBudget::sparseTensors_moreThanIsLeft_areRefused()
{
    onnx::ModelProto model = newModel();
    onnx::GraphProto &graph = *model.mutable_graph();
    for (int i = 0; i < 40; ++i) {
        onnx::SparseTensorProto &sparse = *graph.add_sparse_initializer();
        sparse.add_dims(std::int64_t{1} << 26);
        sparse.mutable_values()->set_name("s" + std::to_string(i));
        sparse.mutable_values()->set_data_type(T::FLOAT);
        sparse.mutable_values()->add_dims(1);
        sparse.mutable_values()->add_float_data(1);
        sparse.mutable_indices()->set_data_type(T::INT64);
        sparse.mutable_indices()->add_dims(1);
        sparse.mutable_indices()->add_int64_data(0);
    }
    addNode(graph, "Relu", {"x"}, {"y"});
    finish(model, "y");
    const auto source = opened(model, std::make_shared<WorkBudget>(WorkAmount{opening::kLimit.steps, 1 << 20}));
    QVERIFY(!source);
    QCOMPARE(textOf(source.error()), QString("sparse tensor s0: its shape 67108864 has more elements than the program "
                                             "writes out of a file of this size"));
    QVERIFY(!source.error().remedy.empty());
}

// Whose condition is computed: what each of them makes was found out anew four times by the one around it.
void TestOpeningBudget::ifs_withinEachOther_areReadOnce()
{
    onnx::ModelProto model = newModel();
    onnx::GraphProto *graph = model.mutable_graph();
    describe(*graph->add_input(), "condition", T::BOOL, {});
    constexpr int kDepth = 24;
    for (int i = 0; i < kDepth; ++i) {
        const std::string name = "y" + std::to_string(i);
        auto &choice = addNode(*graph, "If", {"condition"}, {name});
        onnx::GraphProto &other = subgraph(choice, "else_branch");
        addNode(other, "Neg", {"x"}, {"n" + std::to_string(i)});
        other.add_output()->set_name("n" + std::to_string(i));
        if (i == 0)
            describe(*graph->add_output(), name, T::FLOAT, {2});
        else
            graph->add_output()->set_name(name);
        graph = &subgraph(choice, "then_branch");
    }
    addNode(*graph, "Relu", {"x"}, {"r"});
    graph->add_output()->set_name("r");
    const auto source = opened(model);
    QVERIFY2(source, source ? "" : qPrintable(textOf(source.error())));
    QCOMPARE(source->graph.tensor(source->graph.outputs().front()).shape.dims, (std::vector<std::int64_t>{2}));
}

void TestOpeningBudget::fold_moreThanIsLeft_staysAnOperator_data()
{
    QTest::addColumn<QString>("type");
    QTest::newRow("Einsum, sum over two axes each") << "Einsum";
    QTest::newRow("NonMaxSuppression, all are kept") << "NonMaxSuppression";
    QTest::newRow("Det") << "Det";
    QTest::newRow("Sum of many") << "Sum";
}

// Each would take minutes, from some hundred bytes.
void TestOpeningBudget::fold_moreThanIsLeft_staysAnOperator()
{
    QFETCH(const QString, type);
    onnx::ModelProto model = newModel();
    onnx::GraphProto &graph = *model.mutable_graph();
    std::string made = "made";
    if (type == "Einsum") {
        repeatOne(graph, "a", {2048, 2048});
        auto &equation = *addNode(graph, "Einsum", {"a", "a"}, {made}).add_attribute();
        equation.set_name("equation");
        equation.set_type(onnx::AttributeProto::STRING);
        equation.set_s("ij,kl->");
    } else if (type == "NonMaxSuppression") {
        repeatOne(graph, "boxes", {1, 1 << 17, 4});
        repeatOne(graph, "scores", {1, 1, 1 << 17});
        addWhole(graph, "most", T::INT64, 1 << 17);
        addFloats(graph, "allowed", {}, {1});
        addNode(graph, "NonMaxSuppression", {"boxes", "scores", "most", "allowed"}, {made});
    } else if (type == "Det") {
        repeatOne(graph, "matrix", {3000, 3000});
        addNode(graph, "Det", {"matrix"}, {made});
    } else {
        repeatOne(graph, "large", {1 << 20});
        addFloats(graph, "one", {}, {1});
        std::vector<std::string> reads(5000, "one");
        reads.front() = "large";
        addNode(graph, "Sum", reads, {made});
    }
    setInteger(addNode(graph, "Cast", {made}, {"real"}), "to", T::FLOAT);
    setInteger(addNode(graph, "ReduceMax", {"real"}, {"top"}), "keepdims", 0);
    addNode(graph, "Add", {"x", "top"}, {"y"});
    finish(model, "y");
    const auto source = opened(model);
    QVERIFY2(source, source ? "" : qPrintable(textOf(source.error())));
    const std::string summed = "Add"; // what a Sum is in the graph
    QVERIFY(count(source->graph, type.toStdString()) > 0 || (type == "Sum" && count(source->graph, summed) > 1));
    QVERIFY(std::ranges::any_of(source->report.notes, [](const ImportNote &note) {
        return note.operatorName == "made" && note.text.find("exceeds the limit") != std::string::npos;
    }));
}

void TestOpeningBudget::open_stopRequested_isCancelled()
{
    onnx::ModelProto model = newModel();
    addNode(*model.mutable_graph(), "Relu", {"x"}, {"y"});
    finish(model, "y");
    std::stop_source stop;
    stop.request_stop();
    const auto source = opened(model, openingBudget(stop.get_token()));
    QVERIFY(!source && source.error().code == ErrorCode::Cancelled);
}

STAGECRAFT_SUITE(TestOpeningBudget)

} // namespace tst_opening_budget
#include "tst_opening_budget.moc"
