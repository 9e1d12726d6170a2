#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"
#include "operators/schema.h"
#include "schedule/merge.h"
#include "support/formed_units.h"
#include "support/suite.h"

#include <QTest>

#include <array>
#include <cmath>

using namespace stagecraft;
using test::listing;

namespace tst_form_units {

namespace {

using Values = std::vector<float>;

// A graph on an input of 4 channels, built front to back; errors are bugs of the test.
class Sketch {
public:
    Sketch() : m_builder("sketch"), input(*m_builder.addInput("x", {{1, 4, 6, 6}})) {}

    TensorId conv(const std::string &name, TensorId from, std::int64_t groups = 1, std::int64_t kernel = 3)
    {
        ConvAttributes attributes;
        attributes.outChannels = 4;
        attributes.groups = groups;
        attributes.window.kernel = {kernel, kernel};
        attributes.window.padding = {kernel / 2, kernel / 2, kernel / 2, kernel / 2};
        Operator op{name, "Conv", OperatorKind::Conv, attributes, {{from}}, {}, {}};
        op.parameters.push_back(parameter(role::kWeight, name, {4, 4 / groups, kernel, kernel}, nullptr));
        return *m_builder.add(std::move(op));
    }
    TensorId relu(const std::string &name, TensorId from)
    {
        constexpr Activation kRelu{ActivationKind::Relu, 0, 0};
        return *m_builder.add({name, "Relu", OperatorKind::Activation, kRelu, {{from}}, {}, {}});
    }
    TensorId join(const std::string &name, InputExpression inputs)
    {
        return *m_builder.add({name, "", OperatorKind::Join, GenericAttributes{}, std::move(inputs), {}, {}});
    }
    TensorId norm(const std::string &name, TensorId from, Values scale, Values bias)
    {
        const auto channels = static_cast<std::int64_t>(scale.size());
        Operator op{name, "BatchNormalization", OperatorKind::BatchNorm, GenericAttributes{}, {{from}}, {}, {}};
        op.parameters = {parameter(role::kScale, name, {channels}, shared(std::move(scale))),
                         parameter(role::kBias, name, {channels}, shared(std::move(bias)))};
        return *m_builder.add(std::move(op), {Tensor{name, m_builder.tensor(from).shape, DataType::Float32, {}}})
                    ->begin();
    }
    TensorId other(Operator op, Shape output)
    {
        const std::string name = op.name;
        return m_builder.add(std::move(op), {Tensor{name, std::move(output), DataType::Float32, {}}})->front();
    }
    static Parameter parameter(std::string_view role, const std::string &name, std::vector<std::int64_t> dims,
                               SharedValues values)
    {
        return {
            std::string(role), name + "." + std::string(role), {std::move(dims)}, DataType::Float32, std::move(values)};
    }

    Graph units(std::vector<TensorId> outputs = {}, const std::set<std::string> &keptApart = {})
    {
        return *test::formedUnits(*m_builder.build(std::move(outputs)), keptApart);
    }

private:
    GraphBuilder m_builder;

public:
    TensorId input;
};

// Products and what comes around them.
class Products {
public:
    explicit Products(std::vector<std::int64_t> dims)
        : m_builder("products"), input(*m_builder.addInput("x", {std::move(dims)}))
    {
    }

    TensorId product(const std::string &name, TensorId from, std::int64_t columns)
    {
        const std::int64_t rows = m_builder.tensor(from).shape.dims.back();
        Operator op{name, "MatMul", OperatorKind::Gemm, GemmAttributes{columns, rows, false, {}}, {{from}}, {}, {}};
        op.parameters = {Sketch::parameter(role::kWeight, name, {rows, columns},
                                           shared(Values(static_cast<std::size_t>(rows * columns), 1.0F)))};
        return *m_builder.add(std::move(op));
    }
    TensorId multiplied(const std::string &name, TensorId a, TensorId b, std::int64_t columns, std::int64_t inner)
    {
        return *m_builder.add(
            {name, "MatMul", OperatorKind::Gemm, GemmAttributes{columns, inner, false, {}}, {{a}, {b}}, {}, {}});
    }
    TensorId constant(const std::string &name, const std::string &type, TensorId from, std::vector<std::int64_t> dims,
                      Values values)
    {
        Operator op{name, type, OperatorKind::Elementwise, GenericAttributes{}, {{from}}, {}, {}};
        op.parameters = {Sketch::parameter(role::operand(1), name, std::move(dims), shared(std::move(values)))};
        return shaped(std::move(op), m_builder.tensor(from).shape);
    }
    TensorId elementwise(const std::string &name, const std::string &type, InputExpression inputs)
    {
        const Shape shape = m_builder.tensor(inputs.front().front()).shape;
        return shaped({name, type, OperatorKind::Elementwise, GenericAttributes{}, std::move(inputs), {}, {}}, shape);
    }
    TensorId moved(const std::string &name, const std::string &type, TensorId from, std::vector<std::int64_t> dims)
    {
        const OperatorKind kind = type == "Reshape" ? OperatorKind::Reshape : OperatorKind::Transpose;
        return shaped({name, type, kind, GenericAttributes{}, {{from}}, {}, {}}, {std::move(dims)});
    }
    TensorId softmax(const std::string &name, TensorId from)
    {
        const Shape shape = m_builder.tensor(from).shape;
        return shaped({name, "Softmax", OperatorKind::Softmax, GenericAttributes{}, {{from}}, {}, {}}, shape);
    }
    TensorId sum(const std::string &name, TensorId a, TensorId b)
    {
        return *m_builder.add({name, "", OperatorKind::Join, GenericAttributes{}, {{a, b}}, {}, {}});
    }

    Graph units(const std::set<std::string> &keptApart = {})
    {
        return *test::formedUnits(*m_builder.build(), keptApart);
    }

private:
    TensorId shaped(Operator op, Shape output)
    {
        const std::string name = op.name;
        return m_builder.add(std::move(op), {Tensor{name, std::move(output), DataType::Float32, {}}})->front();
    }

    GraphBuilder m_builder;

public:
    TensorId input;
};

} // namespace

class FormUnitsTest : public QObject {
    Q_OBJECT

private slots:
    void formUnits_convRelu_fusesOnlyWithOneReader();
    void formUnits_outputOfTheGraph_isNotTakenAway();
    void formUnits_reluBehindSumOfItsOwn_staysApart();
    void formUnits_reluOfSharedSum_joinsConv();
    void formUnits_chainOfSepConvs_takesReluFromBehind();
    void formUnits_sharedReluOfConv_staysWithTheConv();
    void formUnits_sumIntoConcat_foldsWholePartsReadOnce();
    void formUnits_keptApart_isNotTakenIntoOthers();
    void formUnits_deadOperators_goAway();
    void formUnits_normBehindSeededConv_scalesItsWeights();
    void formUnits_normBehindTransposedConv_scalesItsChannels();
    void formUnits_normBehindGemm_scalesItsFeatures_data();
    void formUnits_normBehindGemm_scalesItsFeatures();
    void formUnits_arithmeticWithOtherConstants_stays();
    void formUnits_columnBehindStackOfProducts_isNoBias();
    void formUnits_rowBehindStackOfProducts_isItsBias();
    void formUnits_writtenOutGelu_isOne_data();
    void formUnits_writtenOutGelu_isOne();
    void formUnits_attention_isSevenUnits();
    void formUnits_productThatOthersRead_staysPlain();
};

void FormUnitsTest::formUnits_convRelu_fusesOnlyWithOneReader()
{
    Sketch one;
    one.relu("r", one.conv("c", one.input));
    QCOMPARE(listing(one.units()), QString("c:Conv-Relu"));
    Sketch two;
    const TensorId conv = two.conv("c", two.input);
    two.join("s", {{two.relu("r", conv), conv}});
    QCOMPARE(listing(two.units()), QString("c:Conv r:Relu s:Add"));
}

void FormUnitsTest::formUnits_outputOfTheGraph_isNotTakenAway()
{
    Sketch sketch;
    const TensorId conv = sketch.conv("c", sketch.input);
    const TensorId relu = sketch.relu("r", conv);
    QCOMPARE(listing(sketch.units({conv, relu})), QString("c:Conv r:Relu"));
    Sketch named;
    const Graph graph = named.units({named.relu("r", named.conv("c", named.input))});
    QCOMPARE(graph.tensor(graph.outputs().front()).name, std::string("r"));
}

// The end of RandWire.
void FormUnitsTest::formUnits_reluBehindSumOfItsOwn_staysApart()
{
    Sketch sketch;
    const TensorId a = sketch.conv("a", sketch.input);
    const TensorId b = sketch.conv("b", sketch.input);
    sketch.conv("c", sketch.relu("r", sketch.join("s", {{a, b}})));
    QCOMPARE(listing(sketch.units()), QString("a:Conv b:Conv s:Add r:Relu c:Conv"));
}

void FormUnitsTest::formUnits_reluOfSharedSum_joinsConv()
{
    Sketch sketch;
    const TensorId a = sketch.conv("a", sketch.input);
    const TensorId sum = sketch.join("s", {{a, sketch.input}});
    sketch.join("t", {{sketch.conv("c", sketch.relu("r", sum)), sum}});
    QCOMPARE(listing(sketch.units()), QString("a:Conv s:Add c:Relu-Conv t:Add"));
}

void FormUnitsTest::formUnits_chainOfSepConvs_takesReluFromBehind()
{
    Sketch sketch;
    TensorId x = sketch.input;
    for (const char *name : {"1", "2"}) {
        const TensorId relu = sketch.relu(std::string("r") + name, x);
        x = sketch.conv(std::string("p") + name, sketch.conv(std::string("d") + name, relu, 4), 1, 1);
    }
    const Graph graph = sketch.units();
    QCOMPARE(listing(graph), QString("p1:Relu-SepConv p2:Relu-SepConv"));
    const Operator &unit = graph.operators()[1];
    QCOMPARE(unit.parameters.size(), std::size_t(2));
    QCOMPARE(unit.parameters[0].role, std::string(role::kDepthwiseWeight));
    QCOMPARE(unit.parameters[0].name, std::string("d2.weight"));
    QCOMPARE(unit.parameters[1].role, std::string(role::kPointwiseWeight));
}

void FormUnitsTest::formUnits_sharedReluOfConv_staysWithTheConv()
{
    Sketch sketch;
    const TensorId relu = sketch.relu("r", sketch.conv("c", sketch.input));
    const TensorId left = sketch.conv("p1", sketch.conv("d1", relu, 4), 1, 1);
    const TensorId right = sketch.conv("p2", sketch.conv("d2", relu, 4), 1, 1);
    sketch.join("s", {{left, right}});
    QCOMPARE(listing(sketch.units()), QString("c:Conv-Relu d1:DepthwiseConv p1:Conv d2:DepthwiseConv p2:Conv s:Add"));
}

void FormUnitsTest::formUnits_sumIntoConcat_foldsWholePartsReadOnce()
{
    Sketch sketch;
    const TensorId a = sketch.conv("a", sketch.input);
    const TensorId b = sketch.conv("b", sketch.input);
    const TensorId once = sketch.join("once", {{a, b}});
    const TensorId twice = sketch.join("twice", {{b, a}});
    const TensorId summand = sketch.join("summand", {{a, sketch.input}});
    const Graph graph = [&] {
        sketch.join("concat", {{once}, {twice}, {a, twice}, {b, summand}});
        return sketch.units();
    }();
    QCOMPARE(listing(graph), QString("a:Conv b:Conv twice:Add summand:Add concat:Add-Concat"));
    QCOMPARE(graph.operators()[4].inputs.size(), std::size_t(4));
    QCOMPARE(graph.operators()[4].inputs[0].size(), std::size_t(2));
}

void FormUnitsTest::formUnits_keptApart_isNotTakenIntoOthers()
{
    Sketch sketch;
    const TensorId a = sketch.relu("r", sketch.conv("c", sketch.input));
    const TensorId sum = sketch.join("s", {{a, sketch.input}});
    sketch.join("concat", {{sum}, {a}});
    QCOMPARE(listing(sketch.units({}, {"r", "s"})), QString("c:Conv r:Relu s:Add concat:Concat"));
}

void FormUnitsTest::formUnits_deadOperators_goAway()
{
    Sketch sketch;
    const TensorId used = sketch.conv("used", sketch.input);
    sketch.relu("dead2", sketch.conv("dead1", used));
    QCOMPARE(listing(sketch.units({used})), QString("used:Conv"));
}

void FormUnitsTest::formUnits_normBehindSeededConv_scalesItsWeights()
{
    Sketch sketch;
    sketch.norm("n", sketch.conv("c", sketch.input), {1, 2, 3, -1}, {5, 6, 7, 8});
    const Graph graph = sketch.units();
    QCOMPARE(listing(graph), QString("c:Conv"));
    const Parameter seeded = Sketch::parameter(role::kWeight, "c", {4, 4, 3, 3}, nullptr);
    const Values before = *parameterValues(seeded);
    const Values after = *parameterValues(*graph.operators()[0].parameter(role::kWeight));
    const Values scale{1, 2, 3, -1};
    for (std::size_t i = 0; i < after.size(); ++i)
        QCOMPARE(after[i], before[i] * scale[i / 36]);
    QCOMPARE(*parameterValues(*graph.operators()[0].parameter(role::kBias)), (Values{5, 6, 7, 8}));
}

void FormUnitsTest::formUnits_normBehindTransposedConv_scalesItsChannels()
{
    Sketch sketch;
    // 4 input channels in 2 groups, 1 output channel each, 1x1 kernels: weight [4, 1, 1, 1].
    ConvAttributes attributes;
    attributes.outChannels = 2;
    attributes.groups = 2;
    Operator op{"t", "ConvTranspose", OperatorKind::ConvTranspose, attributes, {{sketch.input}}, {}, {}};
    op.parameters = {Sketch::parameter(role::kWeight, "t", {4, 1, 1, 1}, shared(Values{1, 1, 1, 1})),
                     Sketch::parameter(role::kBias, "t", {2}, shared(Values{1, 1}))};
    sketch.norm("n", sketch.other(std::move(op), {{1, 2, 6, 6}}), {2, 3}, {10, 20});
    const Graph graph = sketch.units();
    QCOMPARE(listing(graph), QString("t:ConvTranspose"));
    QCOMPARE(*parameterValues(*graph.operators()[0].parameter(role::kWeight)), (Values{2, 2, 3, 3}));
    QCOMPARE(*parameterValues(*graph.operators()[0].parameter(role::kBias)), (Values{12, 23}));
}

void FormUnitsTest::formUnits_normBehindGemm_scalesItsFeatures_data()
{
    QTest::addColumn<bool>("transposed");
    QTest::newRow("in x out") << false;
    QTest::newRow("out x in") << true;
}

void FormUnitsTest::formUnits_normBehindGemm_scalesItsFeatures()
{
    QFETCH(bool, transposed);
    GraphBuilder builder("gemm");
    const TensorId input = *builder.addInput("x", {{1, 2}});
    Operator gemm{"g", "Gemm", OperatorKind::Gemm, GemmAttributes{3, 2, transposed, {}}, {{input}}, {}, {}};
    const std::vector<std::int64_t> dims =
        transposed ? std::vector<std::int64_t>{3, 2} : std::vector<std::int64_t>{2, 3};
    gemm.parameters = {Sketch::parameter(role::kWeight, "g", dims, shared(Values(6, 1.0F)))};
    const TensorId product = *builder.add(std::move(gemm));
    Operator add{"a", "Add", OperatorKind::Elementwise, GenericAttributes{}, {{product}}, {}, {}};
    add.parameters = {Sketch::parameter(role::operand(1), "a", {3}, shared(Values{1, 2, 3}))};
    const TensorId sum = builder.add(std::move(add), {Tensor{"a", {{1, 3}}, DataType::Float32, {}}})->front();
    Operator mul{"m", "Mul", OperatorKind::Elementwise, GenericAttributes{}, {{sum}}, {}, {}};
    mul.parameters = {Sketch::parameter(role::operand(0), "m", {1, 3}, shared(Values{2, 3, 4}))};
    QVERIFY(builder.add(std::move(mul), {Tensor{"m", {{1, 3}}, DataType::Float32, {}}}));
    const auto graph = test::formedUnits(*builder.build());
    QVERIFY(graph);
    QCOMPARE(listing(*graph), QString("g:Gemm"));
    QCOMPARE(*parameterValues(*graph->operators()[0].parameter(role::kWeight)),
             (transposed ? Values{2, 2, 3, 3, 4, 4} : Values{2, 3, 4, 2, 3, 4}));
    QCOMPARE(*parameterValues(*graph->operators()[0].parameter(role::kBias)), (Values{2, 6, 12}));
}

// One value per row of the image, not per channel.
void FormUnitsTest::formUnits_arithmeticWithOtherConstants_stays()
{
    Sketch sketch;
    Operator add{"a", "Add", OperatorKind::Elementwise, GenericAttributes{}, {{sketch.conv("c", sketch.input)}},
                 {},  {}};
    add.parameters = {Sketch::parameter(role::operand(1), "a", {6, 1}, shared(Values(6, 1.0F)))};
    sketch.other(std::move(add), {{1, 4, 6, 6}});
    QCOMPARE(listing(sketch.units()), QString("c:Conv a:Add"));
}

// As many rows as features: one value per row must not be taken for one per feature.
void FormUnitsTest::formUnits_columnBehindStackOfProducts_isNoBias()
{
    GraphBuilder builder("stack");
    const TensorId input = *builder.addInput("x", {{2, 3, 4}});
    Operator gemm{"g", "MatMul", OperatorKind::Gemm, GemmAttributes{3, 4, false, {}}, {{input}}, {}, {}};
    gemm.parameters = {Sketch::parameter(role::kWeight, "g", {4, 3}, shared(Values(12, 1.0F)))};
    const TensorId product = *builder.add(std::move(gemm));
    Operator add{"a", "Add", OperatorKind::Elementwise, GenericAttributes{}, {{product}}, {}, {}};
    add.parameters = {Sketch::parameter(role::operand(1), "a", {3, 1}, shared(Values{1, 2, 3}))};
    QVERIFY(builder.add(std::move(add), {Tensor{"a", {{2, 3, 3}}, DataType::Float32, {}}}));
    const auto graph = test::formedUnits(*builder.build());
    QVERIFY(graph);
    QCOMPARE(listing(*graph), QString("g:Gemm-Add"));
    QVERIFY(!graph->operators().front().body()->operators().front().parameter(role::kBias));
}

void FormUnitsTest::formUnits_rowBehindStackOfProducts_isItsBias()
{
    Products sketch({2, 3, 4});
    const TensorId sum = sketch.constant("a", "Add", sketch.product("g", sketch.input, 3), {3}, {1, 2, 3});
    sketch.constant("m", "Mul", sum, {1, 1, 3}, {2, 3, 4});
    const Graph graph = sketch.units();
    QCOMPARE(listing(graph), QString("g:Gemm"));
    QCOMPARE(*parameterValues(*graph.operators()[0].parameter(role::kBias)), (Values{2, 6, 12}));
    QCOMPARE(*parameterValues(*graph.operators()[0].parameter(role::kWeight)),
             (Values{2, 3, 4, 2, 3, 4, 2, 3, 4, 2, 3, 4}));
}

void FormUnitsTest::formUnits_writtenOutGelu_isOne_data()
{
    QTest::addColumn<int>("half"); // where it is
    QTest::newRow("before") << 0;
    QTest::newRow("between") << 1;
    QTest::newRow("behind") << 2;
    QTest::newRow("another number") << 3;
}

void FormUnitsTest::formUnits_writtenOutGelu_isOne()
{
    QFETCH(const int, half);
    Products sketch({3, 4});
    const TensorId x = sketch.product("g", sketch.input, 4);
    const TensorId scaled = sketch.constant("d", "Div", x, {}, {std::sqrt(2.0F)});
    TensorId sum = sketch.constant("s", "Add", sketch.elementwise("e", "Erf", {{scaled}}), {}, {1});
    if (half == 1)
        sum = sketch.constant("h", "Mul", sum, {}, {0.5F});
    const TensorId first = half == 0 ? sketch.constant("h", "Mul", x, {}, {0.5F}) : x;
    const TensorId product = sketch.elementwise("m", "Mul", {{first}, {sum}});
    if (half > 1)
        sketch.constant("h", "Mul", product, {}, {half == 2 ? 0.5F : 0.25F});
    const QString units = listing(sketch.units());
    if (half < 3)
        QCOMPARE(units, QString("g:Gemm-Gelu"));
    else
        QVERIFY(!units.contains("Gelu"));
}

// Two heads of two values: Q, K and V, scores and their softmax, what they weigh, and the way out with a sum.
void FormUnitsTest::formUnits_attention_isSevenUnits()
{
    Products sketch({1, 3, 4});
    const auto heads = [&](const std::string &name, const std::vector<std::int64_t> &order) {
        const TensorId own = sketch.product(name, sketch.input, 4);
        return sketch.moved(name + "/turn", "Transpose", sketch.moved(name + "/cut", "Reshape", own, {1, 3, 2, 2}),
                            order == std::vector<std::int64_t>{0, 2, 1, 3} ? std::vector<std::int64_t>{1, 2, 3, 2}
                                                                           : std::vector<std::int64_t>{1, 2, 2, 3});
    };
    const TensorId q = heads("q", {0, 2, 1, 3});
    const TensorId k = heads("k", {0, 2, 3, 1});
    const TensorId v = heads("v", {0, 2, 1, 3});
    const TensorId scores = sketch.constant("scale", "Div", sketch.multiplied("qk", q, k, 3, 2), {}, {1.5F});
    const TensorId weighed = sketch.multiplied("pv", sketch.softmax("p", scores), v, 2, 3);
    const TensorId turned = sketch.moved("turn", "Transpose", weighed, {1, 3, 2, 2});
    const TensorId out = sketch.product("o", sketch.moved("join", "Reshape", turned, {1, 3, 4}), 4);
    sketch.sum("r", out, sketch.input);
    const Graph graph = sketch.units();
    QCOMPARE(listing(graph), QString("q:Gemm k:Gemm v:Gemm qk:Gemm-Div p:Softmax pv:Gemm o:Gemm-Add"));
    QCOMPARE(graph.op(*graph.find("qk")).body()->size(), std::size_t{6});
    QCOMPARE(graph.op(*graph.find("pv")).body()->size(), std::size_t{5});
    QVERIFY(mergedOperator(graph, std::array{*graph.find("q"), *graph.find("k"), *graph.find("v")}));
}

void FormUnitsTest::formUnits_productThatOthersRead_staysPlain()
{
    Products sketch({1, 3, 4});
    const TensorId own = sketch.product("g", sketch.input, 4);
    const TensorId sum = sketch.sum("s", own, sketch.input);
    sketch.sum("t", sum, own);
    QCOMPARE(listing(sketch.units()), QString("g:Gemm s:Add t:Add"));
    Products kept({1, 3, 4});
    kept.sum("s", kept.product("g", kept.input, 4), kept.input);
    QCOMPARE(listing(kept.units({"s"})), QString("g:Gemm s:Add"));
    Products flat({3, 4});
    flat.product("h", flat.moved("cut", "Reshape", flat.product("g", flat.input, 4), {6, 2}), 2);
    QCOMPARE(listing(flat.units()), QString("g:Gemm cut:Reshape h:Gemm"));
}

STAGECRAFT_SUITE(FormUnitsTest)

} // namespace tst_form_units
#include "tst_form_units.moc"
