// Nodes that stand for others: calls of local functions, a Scan, sequences whose tensors are known, subgraphs that hide
// names. Written out while a file is read, and computed as the specification has it.

#include "support/executed_model.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_known_nodes {

namespace {

using T = onnx::TensorProto;
using Dims = std::vector<std::int64_t>;
using Values = std::vector<float>;

constexpr int kDefaultsOfFunction = 11; // fields that came after ONNX 1.12
constexpr int kOverloadOfFunction = 13;
constexpr int kOverloadOfNode = 8;

// A function of one LeakyRelu, whose slope is an attribute of the call, 0.5 unless given.
onnx::FunctionProto &addLeaky(onnx::ModelProto &model, const std::string &overload, const std::string &type)
{
    onnx::FunctionProto &function = *model.add_functions();
    function.set_name("Leaky");
    function.set_domain("local");
    function.add_input("a");
    function.add_output("b");
    auto &node = *function.add_node();
    node.set_op_type(type);
    node.add_input("a");
    node.add_output("b");
    if (type == "LeakyRelu") {
        auto &attribute = *node.add_attribute();
        attribute.set_name("alpha");
        attribute.set_type(onnx::AttributeProto::FLOAT);
        attribute.set_ref_attr_name("slope");
        onnx::AttributeProto slope;
        slope.set_name("slope");
        slope.set_type(onnx::AttributeProto::FLOAT);
        slope.set_f(0.5F);
        function.mutable_unknown_fields()->AddLengthDelimited(kDefaultsOfFunction, slope.SerializeAsString());
    }
    if (!overload.empty())
        function.mutable_unknown_fields()->AddLengthDelimited(kOverloadOfFunction, overload);
    return function;
}

onnx::NodeProto &addCall(onnx::GraphProto &graph, const std::string &from, const std::string &to)
{
    auto &call = addNode(graph, "Leaky", {from}, {to});
    call.set_domain("local");
    return call;
}

} // namespace

class TestKnownNodes : public QObject {
    Q_OBJECT

private slots:
    void node_thatMakesNothing_isReadOver_data();
    void node_thatMakesNothing_isReadOver();
    void function_attributeLeftOut_hasItsDefault();
    void function_overloads_areToldApart();
    void function_callsItselfInABranch_isRefused();
    void function_inABranch_isWrittenOut_data();
    void function_inABranch_isWrittenOut();
    void loop_namesOfAnInnerBody_hideThoseOutside();
    void loop_conditionFromOutside_isWrittenOut();
    void loop_withinLoops_endsToBeWrittenOut();
    void scan_ofKnownSize_isWrittenOut_data();
    void scan_ofKnownSize_isWrittenOut();
    void sequence_ofParts_isWrittenOut_data();
    void sequence_ofParts_isWrittenOut();
    void sequence_changed_isWrittenOut();
    void sequence_ofALoop_isWrittenOut();
    void sequence_asOutput_isKept();
};

void TestKnownNodes::function_attributeLeftOut_hasItsDefault()
{
    onnx::ModelProto model = newModel({2});
    addLeaky(model, "", "LeakyRelu");
    onnx::GraphProto &graph = *model.mutable_graph();
    addCall(graph, "x", "left");
    auto &slope = *addCall(graph, "x", "given").add_attribute();
    slope.set_name("slope");
    slope.set_type(onnx::AttributeProto::FLOAT);
    slope.set_f(0.25F);
    graph.add_output()->set_name("left");
    graph.add_output()->set_name("given");
    const auto outputs = outputsOf(readModel(model), {-4, 8});
    QCOMPARE(outputs[0].values, (Values{-2, 8}));
    QCOMPARE(outputs[1].values, (Values{-1, 8}));
}

void TestKnownNodes::function_overloads_areToldApart()
{
    onnx::ModelProto model = newModel({2});
    addLeaky(model, "first", "Relu");
    addLeaky(model, "second", "Neg");
    onnx::GraphProto &graph = *model.mutable_graph();
    addCall(graph, "x", "a").mutable_unknown_fields()->AddLengthDelimited(kOverloadOfNode, "second");
    addCall(graph, "a", "b").mutable_unknown_fields()->AddLengthDelimited(kOverloadOfNode, "first");
    graph.add_output()->set_name("b");
    QCOMPARE(outputsOf(readModel(model), {-4, 8}).front().values, (Values{4, 0}));
}

void TestKnownNodes::node_thatMakesNothing_isReadOver_data()
{
    QTest::addColumn<std::string>("type");
    for (const char *type : {"Identity", "Relu", "Constant", "Dropout"})
        QTest::newRow(type) << std::string(type);
}

void TestKnownNodes::node_thatMakesNothing_isReadOver()
{
    QFETCH(const std::string, type);
    onnx::ModelProto model = newModel({2});
    onnx::GraphProto &graph = *model.mutable_graph();
    onnx::NodeProto &node = addNode(graph, type, {"x"}, {"nothing"});
    node.clear_output();
    addNode(graph, "Neg", {"x"}, {"y"});
    graph.add_output()->set_name("y");
    const auto source = importOnnxBytes(model.SerializeAsString(), "made", {});
    QVERIFY2(source, source ? "" : source.error().message.c_str());
    QCOMPARE(source->graph.size(), std::size_t{1});
}

void TestKnownNodes::function_callsItselfInABranch_isRefused()
{
    onnx::ModelProto model = newModel({2});
    onnx::FunctionProto &function = addLeaky(model, "", "Neg");
    auto &choice = *function.add_node();
    choice.set_op_type("If");
    choice.add_input("a");
    choice.add_output("c");
    for (const char *name : {"then_branch", "else_branch"}) {
        onnx::GraphProto &branch = subgraph(choice, name);
        addCall(branch, "a", "again");
        branch.add_output()->set_name("again");
    }
    addCall(*model.mutable_graph(), "x", "y");
    model.mutable_graph()->add_output()->set_name("y");
    const auto source = importOnnxBytes(model.SerializeAsString(), "made", {});
    QVERIFY(!source);
    QVERIFY2(source.error().message.starts_with("the function Leaky calls itself"), source.error().message.c_str());
}

void TestKnownNodes::function_inABranch_isWrittenOut_data()
{
    QTest::addColumn<bool>("isComputed");
    QTest::newRow("constant condition") << false;
    QTest::newRow("computed condition") << true;
}

void TestKnownNodes::function_inABranch_isWrittenOut()
{
    QFETCH(const bool, isComputed);
    onnx::ModelProto model = newModel({2});
    addLeaky(model, "", "LeakyRelu");
    onnx::GraphProto &graph = *model.mutable_graph();
    addWhole(graph, "true", T::BOOL, 1);
    addFloats(graph, "limit", {}, {-100});
    addNode(graph, "ReduceMax", {"x"}, {"top"});
    addNode(graph, "Greater", {"top", "limit"}, {"above"});
    auto &choice = addNode(graph, "If", {isComputed ? "above" : "true"}, {"y"});
    onnx::GraphProto &branch = subgraph(choice, "then_branch");
    addCall(branch, "x", "leaky");
    branch.add_output()->set_name("leaky");
    onnx::GraphProto &other = subgraph(choice, "else_branch");
    addNode(other, "Neg", {"x"}, {"negative"});
    other.add_output()->set_name("negative");
    graph.add_output()->set_name("y");
    QCOMPARE(outputsOf(readModel(model), {-4, 8}).front().values, (Values{-2, 8}));
}

// Two turns of: v + (v doubled twice); the inner Loop calls what it carries v, too.
void TestKnownNodes::loop_namesOfAnInnerBody_hideThoseOutside()
{
    onnx::ModelProto model = newModel({1});
    onnx::GraphProto &graph = *model.mutable_graph();
    addWhole(graph, "two", T::INT64, 2);
    onnx::GraphProto &body = subgraph(addNode(graph, "Loop", {"two", "", "x"}, {"y"}), "body");
    onnx::GraphProto &inner = subgraph(addNode(body, "Loop", {"two", "", "v"}, {"doubled"}), "body");
    for (onnx::GraphProto *each : {&body, &inner}) {
        describe(*each->add_input(), "i", T::INT64, {});
        describe(*each->add_input(), "go", T::BOOL, {});
        describe(*each->add_input(), "v", T::FLOAT, {1});
        describe(*each->add_output(), "go", T::BOOL, {});
    }
    addNode(inner, "Add", {"v", "v"}, {"twice"});
    inner.add_output()->set_name("twice");
    addNode(body, "Add", {"v", "doubled"}, {"sum"});
    body.add_output()->set_name("sum");
    graph.add_output()->set_name("y");
    QCOMPARE(outputsOf(readModel(model), {3}).front().values, (Values{75}));
}

void TestKnownNodes::loop_conditionFromOutside_isWrittenOut()
{
    onnx::ModelProto model = newModel({1});
    onnx::GraphProto &graph = *model.mutable_graph();
    addWhole(graph, "two", T::INT64, 2);
    addWhole(graph, "always", T::BOOL, 1);
    onnx::GraphProto &body = subgraph(addNode(graph, "Loop", {"two", "always", "x"}, {"y"}), "body");
    describe(*body.add_input(), "i", T::INT64, {});
    describe(*body.add_input(), "go", T::BOOL, {});
    describe(*body.add_input(), "v", T::FLOAT, {1});
    addNode(body, "Identity", {"always"}, {"goes on"});
    addNode(body, "Add", {"v", "v"}, {"twice"});
    body.add_output()->set_name("goes on");
    body.add_output()->set_name("twice");
    graph.add_output()->set_name("y");
    QCOMPARE(outputsOf(readModel(model), {3}).front().values, (Values{12}));
}

// Four Loops of 100 turns within each other stand for 100 million additions.
void TestKnownNodes::loop_withinLoops_endsToBeWrittenOut()
{
    onnx::ModelProto model = newModel({1});
    addWhole(*model.mutable_graph(), "many", T::INT64, 100);
    onnx::GraphProto *around = model.mutable_graph();
    std::string value = "x";
    for (int level = 0; level < 4; ++level) {
        const std::string made = "made" + std::to_string(level);
        onnx::GraphProto &body = subgraph(addNode(*around, "Loop", {"many", "", value}, {made}), "body");
        around->add_output()->set_name(made);
        value = "value" + std::to_string(level);
        describe(*body.add_input(), "turn" + std::to_string(level), T::INT64, {});
        describe(*body.add_input(), "go" + std::to_string(level), T::BOOL, {});
        describe(*body.add_input(), value, T::FLOAT, {1});
        body.add_output()->set_name("go" + std::to_string(level));
        around = &body;
    }
    addNode(*around, "Add", {value, value}, {"sum"});
    around->add_output()->set_name("sum");
    const SourceGraph source = readModel(model);
    QVERIFY(typesOf(source.graph).contains("Loop"));
    QVERIFY(source.graph.size() < 200'000);
}

void TestKnownNodes::scan_ofKnownSize_isWrittenOut_data()
{
    QTest::addColumn<QList<qint64>>("axes"); // of the input, of the output
    QTest::addColumn<QList<qint64>>("backwards");
    QTest::addColumn<Values>("sums");
    QTest::addColumn<Dims>("dims");
    // x = 1 2 3 / 4 5 6, its running sums along an axis
    QTest::newRow("rows") << QList<qint64>{0, 0} << QList<qint64>{0, 0} << Values{1, 2, 3, 5, 7, 9} << Dims{2, 3};
    QTest::newRow("columns") << QList<qint64>{1, 0} << QList<qint64>{0, 0} << Values{1, 4, 3, 9, 6, 15} << Dims{3, 2};
    QTest::newRow("columns beside each other")
        << QList<qint64>{1, 1} << QList<qint64>{0, 0} << Values{1, 3, 6, 4, 9, 15} << Dims{2, 3};
    QTest::newRow("from the last") << QList<qint64>{0, 0} << QList<qint64>{1, 0} << Values{4, 5, 6, 5, 7, 9}
                                   << Dims{2, 3};
    QTest::newRow("to the first") << QList<qint64>{0, 0} << QList<qint64>{0, 1} << Values{5, 7, 9, 1, 2, 3}
                                  << Dims{2, 3};
}

void TestKnownNodes::scan_ofKnownSize_isWrittenOut()
{
    QFETCH(const QList<qint64>, axes);
    QFETCH(const QList<qint64>, backwards);
    QFETCH(const Values, sums);
    QFETCH(const Dims, dims);
    onnx::ModelProto model = newModel({2, 3});
    onnx::GraphProto &graph = *model.mutable_graph();
    const std::int64_t length = axes[0] == 0 ? 3 : 2;
    addFloats(graph, "zero", {length}, Values(static_cast<std::size_t>(length), 0.0F));
    auto &scan = addNode(graph, "Scan", {"zero", "x"}, {"last", "sums"});
    setInteger(scan, "num_scan_inputs", 1);
    setIntegers(scan, "scan_input_axes", {axes[0]});
    setIntegers(scan, "scan_output_axes", {axes[1]});
    setIntegers(scan, "scan_input_directions", {backwards[0]});
    setIntegers(scan, "scan_output_directions", {backwards[1]});
    onnx::GraphProto &body = subgraph(scan, "body");
    describe(*body.add_input(), "before", T::FLOAT, {length});
    describe(*body.add_input(), "part", T::FLOAT, {length});
    addNode(body, "Add", {"before", "part"}, {"sum"});
    addNode(body, "Identity", {"sum"}, {"shown"});
    body.add_output()->set_name("sum");
    body.add_output()->set_name("shown");
    graph.add_output()->set_name("sums");
    const auto outputs = outputsOf(readModel(model), {1, 2, 3, 4, 5, 6});
    QCOMPARE(outputs.front().shape.dims, dims);
    QCOMPARE(outputs.front().values, sums);
}

void TestKnownNodes::sequence_ofParts_isWrittenOut_data()
{
    QTest::addColumn<QList<qint64>>("sizes"); // a list, one number, or none
    QTest::addColumn<bool>("isNumber");
    QTest::addColumn<int>("place");
    QTest::addColumn<Dims>("dims");
    QTest::addColumn<Values>("values");
    // x = 0 1 2 3 4 5 6 7 8 9 in two rows, cut along the columns
    QTest::newRow("sizes") << QList<qint64>{2, 3} << false << 1 << Dims{2, 3} << Values{2, 3, 4, 7, 8, 9};
    QTest::newRow("from the end") << QList<qint64>{2, 3} << false << -2 << Dims{2, 2} << Values{0, 1, 5, 6};
    QTest::newRow("equal sizes, the last smaller") << QList<qint64>{2} << true << 2 << Dims{2, 1} << Values{4, 9};
    QTest::newRow("single columns") << QList<qint64>{} << true << 3 << Dims{2, 1} << Values{3, 8};
    QTest::newRow("single columns without their axis") << QList<qint64>{} << false << 3 << Dims{2} << Values{3, 8};
}

void TestKnownNodes::sequence_ofParts_isWrittenOut()
{
    QFETCH(const QList<qint64>, sizes);
    QFETCH(const bool, isNumber);
    QFETCH(const int, place);
    QFETCH(const Dims, dims);
    QFETCH(const Values, values);
    for (const int opset : {11, 13}) { // sizes of a Split are an attribute, or an operand
        onnx::ModelProto model = newModel({2, 5});
        model.mutable_opset_import(0)->set_version(opset);
        onnx::GraphProto &graph = *model.mutable_graph();
        std::vector<std::string> reads{"x"};
        if (!sizes.empty()) {
            reads.emplace_back("sizes");
            if (isNumber)
                addWhole(graph, "sizes", T::INT64, sizes.front());
            else
                addIntegers(graph, "sizes", {sizes.begin(), sizes.end()});
        }
        auto &split = addNode(graph, "SplitToSequence", reads, {"parts"});
        setInteger(split, "axis", 1);
        if (sizes.empty() && !isNumber)
            setInteger(split, "keepdims", 0);
        addWhole(graph, "place", T::INT64, place);
        addNode(graph, "SequenceAt", {"parts", "place"}, {"part"});
        addNode(graph, "Abs", {"part"}, {"y"});
        graph.add_output()->set_name("y");
        SourceGraph source = readModel(model);
        QVERIFY2(typesOf(source.graph).filter("Sequence").isEmpty(), qPrintable(typesOf(source.graph).join(' ')));
        const auto outputs = outputsOf(std::move(source), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
        QCOMPARE(outputs.front().shape.dims, dims);
        QCOMPARE(outputs.front().values, values);
    }
}

// Of x, -x, |x|: one is put in, one taken out, and the rest stacked; their number decides a size.
void TestKnownNodes::sequence_changed_isWrittenOut()
{
    onnx::ModelProto model = newModel({2});
    onnx::GraphProto &graph = *model.mutable_graph();
    addNode(graph, "Neg", {"x"}, {"negative"});
    addNode(graph, "Abs", {"x"}, {"absolute"});
    addWhole(graph, "first", T::INT64, 0);
    addNode(graph, "SequenceConstruct", {"x", "negative"}, {"two"});
    addNode(graph, "SequenceInsert", {"two", "absolute", "first"}, {"three"});
    addNode(graph, "SequenceErase", {"three"}, {"rest"}); // without -x
    addNode(graph, "Identity", {"rest"}, {"same"});
    auto &stack = addNode(graph, "ConcatFromSequence", {"same"}, {"stacked"});
    setInteger(stack, "axis", 0);
    setInteger(stack, "new_axis", 1);
    addNode(graph, "SequenceLength", {"three"}, {"length"});
    addNode(graph, "Expand", {"stacked", "shape"}, {"y"});
    addIntegers(graph, "front", {0});
    addNode(graph, "Unsqueeze", {"length", "front"}, {"one size"});
    addIntegers(graph, "others", {2, 2});
    setInteger(addNode(graph, "Concat", {"one size", "others"}, {"shape"}), "axis", 0);
    graph.add_output()->set_name("y");
    const auto outputs = outputsOf(readModel(model), {-1, 2});
    QCOMPARE(outputs.front().shape.dims, (Dims{3, 2, 2}));
    QCOMPARE(outputs.front().values, (Values{1, 2, -1, 2, 1, 2, -1, 2, 1, 2, -1, 2}));
}

// Collects x + turn of three turns, as scripted lists do.
void TestKnownNodes::sequence_ofALoop_isWrittenOut()
{
    onnx::ModelProto model = newModel({1});
    onnx::GraphProto &graph = *model.mutable_graph();
    addWhole(graph, "three", T::INT64, 3);
    addNode(graph, "SequenceEmpty", {}, {"none"});
    onnx::GraphProto &body = subgraph(addNode(graph, "Loop", {"three", "", "none"}, {"all"}), "body");
    describe(*body.add_input(), "turn", T::INT64, {});
    describe(*body.add_input(), "go", T::BOOL, {});
    body.add_input()->set_name("list");
    setInteger(addNode(body, "Cast", {"turn"}, {"real"}), "to", T::FLOAT);
    addNode(body, "Add", {"x", "real"}, {"sum"});
    addNode(body, "SequenceInsert", {"list", "sum"}, {"longer"});
    body.add_output()->set_name("go");
    body.add_output()->set_name("longer");
    setInteger(addNode(graph, "ConcatFromSequence", {"all"}, {"y"}), "axis", 0);
    graph.add_output()->set_name("y");
    QCOMPARE(outputsOf(readModel(model), {10}).front().values, (Values{10, 11, 12}));
}

void TestKnownNodes::sequence_asOutput_isKept()
{
    onnx::ModelProto model = newModel({2});
    onnx::GraphProto &graph = *model.mutable_graph();
    addNode(graph, "Neg", {"x"}, {"negative"});
    addNode(graph, "SequenceConstruct", {"x", "negative"}, {"two"});
    graph.add_output()->set_name("two");
    graph.add_output()->set_name("negative");
    QCOMPARE(typesOf(readModel(model).graph), (QStringList{"Neg", "SequenceConstruct"}));
}

STAGECRAFT_SUITE(TestKnownNodes)

} // namespace tst_known_nodes
#include "tst_known_nodes.moc"
