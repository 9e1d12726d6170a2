// Operators that stand for several others: forms that are known, those that are not, and operands that do not fit. The
// numbers are those of ONNX's reference implementation and of ONNX Runtime.

#include "operators/composed/composed.h"
#include "operators/kernels/kernel.h"
#include "operators/schema.h"
#include "support/suite.h"

#include <QtTest>

#include <cmath>

using namespace stagecraft;

namespace tst_compositions {

namespace {

using Dims = std::vector<std::int64_t>;
using Operand = std::optional<OperandFacts>;

Operand given(Constant constant)
{
    const Shape shape{constant.dims};
    const DataType type = constant.type;
    return OperandFacts{{}, shape, type, std::make_shared<const Constant>(std::move(constant))};
}

Operand floats(Dims dims, std::vector<float> values)
{
    return given(floatConstant(std::move(dims), std::move(values)));
}

Operand integers(DataType type, Dims dims, Dims values)
{
    Constant constant = intConstant(std::move(dims), std::move(values));
    constant.type = type;
    return given(std::move(constant));
}

Operand truths(Dims dims, const std::vector<bool> &values)
{
    std::vector<Truth> truths;
    for (const bool value : values)
        truths.push_back({value});
    return given({std::move(dims), DataType::Bool, shared(std::move(truths))});
}

// Numbers between -1 and 1 that repeat after five.
Operand numbers(Dims dims, std::int64_t step)
{
    std::vector<float> values(static_cast<std::size_t>(elementCount(dims).value()));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(static_cast<std::int64_t>(i) * step % 5 - 2) * 0.5F;
    return floats(std::move(dims), std::move(values));
}

NodeFacts node(std::string type, std::vector<Operand> inputs, std::vector<NamedAttribute> attributes = {},
               std::size_t outputs = 1)
{
    NodeFacts facts;
    facts.type = std::move(type);
    facts.inputs = std::move(inputs);
    facts.attributes = std::move(attributes);
    facts.outputCount = outputs;
    return facts;
}

NodeFacts attention(std::int64_t keys, std::vector<Operand> further, std::vector<NamedAttribute> attributes = {},
                    std::size_t outputs = 1)
{
    std::vector<Operand> inputs{numbers({1, 1, 2, 2}, 7), numbers({1, 1, keys, 2}, 3), numbers({1, 1, keys, 2}, 4)};
    inputs.insert(inputs.end(), further.begin(), further.end());
    return node("Attention", std::move(inputs), std::move(attributes), outputs);
}

const std::string kOurs = "com.microsoft::";

NodeFacts fused(const std::string &activation, std::vector<NamedAttribute> attributes = {})
{
    attributes.emplace_back("activation", activation);
    return node(kOurs + "FusedConv", {floats({1, 1, 1, 4}, {-4, -1, 1, 4}), floats({1, 1, 1, 1}, {1})},
                std::move(attributes));
}

std::vector<Operand> quantised(Dims dims, Dims values, float scale, std::int64_t zero)
{
    return {integers(DataType::UInt8, std::move(dims), std::move(values)), floats({}, {1}),
            integers(DataType::UInt8, {}, {0}), floats({}, {scale}), integers(DataType::UInt8, {}, {zero})};
}

struct Expected {
    Dims dims;
    std::vector<float> values;
};

struct Form {
    NodeFacts node;
    std::vector<Expected> outputs; // by place; without values where nothing is asked of one
};

} // namespace

class TestCompositions : public QObject {
    Q_OBJECT

private slots:
    void evaluate_knownForm_isTheSpecification_data();
    void evaluate_knownForm_isTheSpecification();
    void inferShapes_formThatIsNotKnown_isUnknown_data();
    void inferShapes_formThatIsNotKnown_isUnknown();
    void inferShapes_operandsThatDoNotFit_refuses_data();
    void inferShapes_operandsThatDoNotFit_refuses();
    void resultType_attentionOfHalves_isHalves();
};

void TestCompositions::evaluate_knownForm_isTheSpecification_data()
{
    QTest::addColumn<Form>("form");
    const auto row = [](const char *name, NodeFacts facts, std::vector<Expected> outputs) {
        QTest::newRow(name) << Form{std::move(facts), std::move(outputs)};
    };
    const std::vector<Operand> before{{}, numbers({1, 1, 1, 2}, 2), numbers({1, 1, 1, 2}, 9)};
    const NamedAttribute causal{"is_causal", std::int64_t{1}};
    row("Attention from before", attention(2, before, {causal}, 3),
        {{{1, 1, 2, 2}, {-1, 1, -0.471453F, 0.647635F}},
         {{1, 1, 3, 2}, {-1, 0, -1, 0.5F, -0.5F, 1}},
         {{1, 1, 3, 2}, {-1, 1, -1, 1, 0.5F, 0}}});
    row("Attention, a mask that ends before the keys", attention(3, {floats({2, 2}, {0.5F, -1, 0.25F, 2})}),
        {{{1, 1, 2, 2}, {-0.796816F, 0.864544F, 0.309338F, 0.127108F}}});
    row("Attention, truths that end before the keys", attention(3, {truths({2, 2}, {true, true, false, true})}),
        {{{1, 1, 2, 2}, {-0.381218F, 0.587479F, 0.5F, 0}}});
    row("Attention, one key counts", attention(3, {{}, {}, {}, integers(DataType::Int64, {1}, {1})}, {causal}),
        {{{1, 1, 2, 2}, {0, 0, -1, 1}}});
    row("Attention, scores before their cap", attention(3, {}, {{"softcap", 0.5F}}, 4),
        {{{1, 1, 2, 2}, {-0.352816F, 0.14284F, -0.374343F, -0.279229F}},
         {},
         {},
         {{1, 1, 2, 3}, {0.707107F, 0.353553F, 0, -0.883883F, -0.707107F, 0.353553F}}});
    row("FusedMatMul, the first axis behind the batch",
        node(kOurs + "FusedMatMul", {floats({2, 2, 1}, {1, 2, 3, 4}), floats({2, 1, 1}, {10, 100})},
             {{"transBatchA", std::int64_t{1}}}),
        {{{2, 2, 1}, {10, 30, 200, 400}}});
    row("FusedMatMul, both",
        node(kOurs + "FusedMatMul", {floats({2, 2, 1}, {1, 2, 3, 4}), floats({1, 2, 2}, {10, 20, 100, 200})},
             {{"transBatchA", std::int64_t{1}},
              {"transA", std::int64_t{1}},
              {"transBatchB", std::int64_t{1}},
              {"transB", std::int64_t{1}}}),
        {{{2, 1, 1}, {70, 1000}}});
    row("FusedConv, HardSwish", fused("HardSwish"), {{{1, 1, 1, 4}, {0, -1 / 3.0F, 2 / 3.0F, 4}}});
    row("FusedConv, Clip", fused("Clip", {{"activation_params", std::vector<float>{-2, 3}}}),
        {{{1, 1, 1, 4}, {-2, -1, 1, 3}}});
    row("FusedConv, LeakyRelu without a number", fused("LeakyRelu"), {{{1, 1, 1, 4}, {-0.04F, -0.01F, 1, 4}}});
    row("FusedGemm, Elu",
        node(kOurs + "FusedGemm", {floats({1, 1}, {-1}), floats({1, 1}, {1})},
             {{"activation", "Elu"}, {"activation_alpha", 2.0F}}),
        {{{1, 1}, {2 * (std::exp(-1.0F) - 1)}}});
    row("QLinearSoftmax of two axes",
        node(kOurs + "QLinearSoftmax", quantised({2, 2, 2}, {5, 5, 5, 5, 0, 200, 0, 0}, 1 / 256.0F, 0),
             {{"axis", std::int64_t{1}}, {"opset", std::int64_t{11}}}),
        {{{2, 2, 2}, {64, 64, 64, 64, 0, 255, 0, 0}}});
    row("QLinearGlobalAveragePool, channels last",
        node(kOurs + "QLinearGlobalAveragePool", quantised({1, 2, 2, 2}, {1, 10, 2, 20, 3, 30, 6, 60}, 1, 7),
             {{"channels_last", std::int64_t{1}}}),
        {{{1, 1, 1, 2}, {10, 37}}});
    row("QLinearAveragePool, channels last",
        node(kOurs + "QLinearAveragePool", quantised({1, 2, 2, 2}, {1, 10, 3, 20, 3, 30, 5, 60}, 1, 0),
             {{"channels_last", std::int64_t{1}}, {"kernel_shape", Dims{1, 2}}}),
        {{{1, 2, 1, 2}, {2, 15, 4, 45}}});
    row("QuantizeLinear of 16 bits, by row",
        node("QuantizeLinear",
             {floats({2, 2}, {-1, 1, -1, 100}), floats({2}, {0.001F, 0.01F}),
              integers(DataType::Int16, {2}, {-300, 30000})},
             {{"axis", std::int64_t{0}}}),
        {{{2, 2}, {-1300, 700, 29900, 32767}}});
    row("DequantizeLinear of 16 bits",
        node("DequantizeLinear", {integers(DataType::UInt16, {2}, {0, 65535}), floats({}, {0.5F}),
                                  integers(DataType::UInt16, {}, {40000})}),
        {{{2}, {-20000, 12767.5F}}});
}

void TestCompositions::evaluate_knownForm_isTheSpecification()
{
    QFETCH(const Form, form);
    QCOMPARE(composed::unknownForm(form.node), std::string());
    const auto made = evaluate(form.node);
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    for (std::size_t i = 0; i < form.outputs.size(); ++i) {
        if (form.outputs[i].values.empty())
            continue;
        QCOMPARE((*made)[i].dims, form.outputs[i].dims);
        const std::vector<float> values = *(*made)[i].asFloats();
        QCOMPARE(values.size(), form.outputs[i].values.size());
        for (std::size_t k = 0; k < values.size(); ++k)
            QVERIFY2(std::abs(values[k] - form.outputs[i].values[k]) <= 1e-5F * std::max(1.0F, std::abs(values[k])),
                     qPrintable(QStringLiteral("output %1, place %2: %3").arg(i).arg(k).arg(values[k])));
    }
}

void TestCompositions::inferShapes_formThatIsNotKnown_isUnknown_data()
{
    QTest::addColumn<NodeFacts>("facts");
    QTest::addColumn<QString>("reason");
    QTest::newRow("FusedConv") << fused("Mystery") << "its activation Mystery is not known";
    QTest::newRow("Clip without bounds") << fused("Clip") << "its activation Clip has no bounds";
    QTest::newRow("FusedGemm") << node(kOurs + "FusedGemm", {floats({1, 1}, {-1}), floats({1, 1}, {1})},
                                       {{"activation", "Mystery"}})
                               << "its activation Mystery is not known";
    QTest::newRow("Attention") << attention(2, {}, {{"qk_matmul_output_mode", std::int64_t{4}}}, 4)
                               << "its qk_matmul_output_mode 4 is not known";
}

void TestCompositions::inferShapes_formThatIsNotKnown_isUnknown()
{
    QFETCH(const NodeFacts, facts);
    QFETCH(const QString, reason);
    const auto shapes = inferShapes(facts);
    QVERIFY(shapes && *shapes);
    QCOMPARE((*shapes)->size(), facts.outputCount);
    for (const Shape &shape : **shapes)
        QVERIFY(!shape.known);
    QCOMPARE(QString::fromStdString(composed::unknownForm(facts)), reason);
    Operator op;
    op.type = facts.type;
    op.attributes = GenericAttributes{.values = facts.attributes};
    QCOMPARE(QString::fromStdString(composed::unknownForm(op)), reason);
    TensorValue output = newTensor(DataType::Float32, {1, 1, 1, 4}); // as the file may declare it
    KernelCall call{facts, {}, {}};
    for (const auto &input : facts.inputs)
        call.inputs.emplace_back(TensorView{input->type, input->shape.dims, nullptr});
    call.outputs.emplace_back(output.view);
    const auto done = composed::run(call);
    QVERIFY(!done);
    QCOMPARE(QString::fromStdString(done.error().message), reason);
}

void TestCompositions::inferShapes_operandsThatDoNotFit_refuses_data()
{
    QTest::addColumn<NodeFacts>("facts");
    QTest::addColumn<QString>("reason");
    const Operand past = numbers({1, 1, 1, 2}, 2);
    const std::vector<Operand> pool = quantised({2, 2}, {1, 2, 3, 4}, 1, 0);
    const NamedAttribute last{"channels_last", std::int64_t{1}};
    QTest::newRow("keys of before without values") << attention(2, {{}, past}) << "keys or values are missing";
    QTest::newRow("keys of before of other rank")
        << attention(2, {{}, numbers({1, 2}, 2), past}) << "its keys or values of before do not fit";
    QTest::newRow("keys of before for other heads")
        << attention(2, {{}, numbers({1, 2, 1, 2}, 2), past}) << "it joins tensors whose shapes do not fit";
    QTest::newRow("keys that count, of another batch")
        << attention(2, {{}, {}, {}, integers(DataType::Int64, {2}, {1, 1})})
        << "its numbers of keys that count do not fit its batch";
    QTest::newRow("heads") << node("Attention",
                                   {numbers({1, 3, 2, 2}, 1), numbers({1, 2, 2, 2}, 1), numbers({1, 2, 2, 2}, 1)})
                           << "its heads do not fit";
    QTest::newRow("axis of QLinearSoftmax")
        << node(kOurs + "QLinearSoftmax", pool, {{"axis", std::int64_t{2}}}) << "its axis is out of range";
    QTest::newRow("QLinearGlobalAveragePool of a matrix")
        << node(kOurs + "QLinearGlobalAveragePool", pool, {last}) << "its input is not a batch of images";
    QTest::newRow("QLinearAveragePool of a matrix")
        << node(kOurs + "QLinearAveragePool", pool, {last}) << "its input is not a batch of images";
}

void TestCompositions::inferShapes_operandsThatDoNotFit_refuses()
{
    QFETCH(const NodeFacts, facts);
    QFETCH(const QString, reason);
    const auto shapes = inferShapes(facts);
    QVERIFY(!shapes);
    QVERIFY2(shapes.error().message.find(reason.toStdString()) != std::string::npos, shapes.error().message.c_str());
}

void TestCompositions::resultType_attentionOfHalves_isHalves()
{
    const Operand past = numbers({1, 1, 1, 2}, 2);
    NodeFacts facts = attention(2, {numbers({2, 3}, 1), past, past}, {{"qk_matmul_output_mode", std::int64_t{3}}}, 4);
    for (auto &input : facts.inputs)
        input->type = DataType::Float16;
    for (std::size_t i = 0; i < facts.outputCount; ++i)
        QVERIFY(resultType(facts, i) == DataType::Float16);
}

STAGECRAFT_SUITE(TestCompositions)

} // namespace tst_compositions
#include "tst_compositions.moc"
