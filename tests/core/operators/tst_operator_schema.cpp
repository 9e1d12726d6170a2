// Every row of the table of operator types is complete: shapes, cost and a reference, and each device answers as its
// row in tests/support/operator_rows.cpp states. An operator that is added without one of them fails here.

#include "device/cpu/cpu_device.h"
#include "device/executing/session_steps.h"
#include "device/simulated/device_description.h"
#include "device/simulated/lowering.h"
#include "gpu/plan/lowering.h"
#include "model/onnx/file/node.h"
#include "model/onnx_import.h"
#include "operators/folding/fold.h"
#include "operators/schema.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/operator_rows.h"
#include "support/reference_kernels.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <onnx/onnx_pb.h>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_operator_schema {

namespace {

// The inputs of the node's model, the same in every run.
std::vector<HostTensor> inputsOf(const Graph &graph, float least)
{
    std::vector<HostTensor> inputs;
    for (const TensorId id : graph.inputs()) {
        const Tensor &tensor = graph.tensor(id);
        HostTensor &input = inputs.emplace_back(HostTensor{tensor.name, tensor.shape, {}});
        for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
            input.values.push_back(least + 0.8F * static_cast<float>(i % 13) / 13);
    }
    return inputs;
}

// The node of the model with all operands as constants.
NodeFacts factsOf(const onnx::ModelProto &model, const std::vector<HostTensor> &inputs)
{
    const onnx::NodeProto &proto = model.graph().node(0);
    NodeFacts node;
    node.type = proto.domain().empty() ? proto.op_type() : proto.domain() + "::" + proto.op_type();
    node.opset = 13;
    node.attributes = attributesOf(proto);
    node.outputCount = static_cast<std::size_t>(proto.output_size());
    for (const std::string &name : proto.input()) {
        Constant constant;
        const auto input = std::ranges::find(inputs, name, &HostTensor::name);
        if (input != inputs.end())
            constant = floatConstant(input->shape.dims, input->values);
        for (const auto &weight : model.graph().initializer()) {
            if (weight.name() == name)
                constant = decodeTensor(weight, {}).value();
        }
        const Shape shape{constant.dims};
        node.inputs.push_back(OperandFacts{{}, shape, constant.type, std::make_shared<Constant>(std::move(constant))});
    }
    return node;
}

// What the device says of the only operator; empty: it executes it.
template <typename Answer>
std::string answerOf(const Result<Answer> &supported)
{
    return supported ? std::string() : supported.error().message;
}

void checkAnswer(const std::string &device, const std::string &answer, const std::string &stated)
{
    const std::string text = device + " says: " + (answer.empty() ? "it executes it" : answer);
    QVERIFY2(answer.empty() == stated.empty() && answer.find(stated) != std::string::npos, text.c_str());
}

// Whether no operator is left of the node: its operands are constants, or only their shapes count.
bool isFolded(const Graph &graph)
{
    return !graph.find("the operator");
}

struct Case {
    onnx::ModelProto model;
    std::shared_ptr<const Graph> graph;
};

Case caseOf(const std::string &type)
{
    Case made;
    const std::string bytes = modelOf(type, operatorRows().at(type).recipe);
    made.model.ParseFromString(bytes);
    auto source = importOnnxBytes(bytes, "one", {});
    if (!source)
        qFatal("%s is not imported: %s", type.c_str(), source.error().message.c_str());
    made.graph = std::make_shared<const Graph>(std::move(source->graph));
    return made;
}

} // namespace

class TestOperatorSchema : public QObject {
    Q_OBJECT

private slots:
    void rows_all_areNamedOnceAndComplete();
    void defaults_all_areOfTheTypeTheyAreReadAs();
    void unknownAttribute_values_areThoseListed();
    void kinds_all_haveARow();
    void activations_all_areInTheOrderOfTheirNumbers();
    void operators_everyRow_isTried_data() { eachType(); }
    void operators_everyRow_isTried();
    void execute_onCpu_equalsTheReference_data() { eachType(); }
    void execute_onCpu_equalsTheReference();
    void support_onGpu_isAsStated_data() { eachType(); }
    void support_onGpu_isAsStated();
    void simulate_anyRow_takesTime_data() { eachType(); }
    void simulate_anyRow_takesTime();

private:
    static void eachType()
    {
        QTest::addColumn<QString>("type");
        for (const OperatorSchema &schema : operatorSchemas()) {
            const auto type = QString::fromUtf8(schema.type.data(), static_cast<qsizetype>(schema.type.size()));
            if (schema.shapes && !schema.hasSubgraphs) // those are tried in tst_inline_graphs
                QTest::newRow(qPrintable(type)) << type;
        }
    }
};

void TestOperatorSchema::rows_all_areNamedOnceAndComplete()
{
    const auto rows = operatorSchemas();
    QVERIFY(rows.size() > 120);
    QVERIFY(std::ranges::adjacent_find(rows, {}, &OperatorSchema::type) == rows.end());
    for (const OperatorSchema &row : rows) {
        const std::string type(row.type);
        QVERIFY2(!row.operands.empty(), type.c_str());
        QVERIFY2(row.shapes || (row.kind == OperatorKind::Unknown && row.outputs == 0), type.c_str());
        // An operator with a kind of its own has a cost; one that only moves values has no arithmetic.
        QVERIFY2(row.kind == OperatorKind::Unknown || row.cost != Cost::None, type.c_str());
        Operator op;
        op.type = type;
        op.kind = row.kind;
        const Shape shape{{2, 3}};
        if (row.kind != OperatorKind::Unknown)
            QCOMPARE(flopsOf(op, shape, shape), row.cost == Cost::Moves ? 0.0 : 6.0);
        QCOMPARE(hasArithmetic(op), row.cost != Cost::None && !row.hasSubgraphs);
        QVERIFY2(fusionClass(op) == (kindSchema(row.kind).shape ? kindSchema(row.kind).fusion : row.fusion),
                 type.c_str());
        for (const AttributeSchema &attribute : row.attributes)
            QVERIFY2(isKnownAttribute(type, attribute.name), type.c_str());
    }
}

void TestOperatorSchema::defaults_all_areOfTheTypeTheyAreReadAs()
{
    QCOMPARE(std::get<std::int64_t>(*attributeDefault("Softmax", "axis")), std::int64_t{-1});
    QCOMPARE(std::get<float>(*attributeDefault("LRN", "beta")), 0.75F);
    QCOMPARE(std::get<std::string>(*attributeDefault("Resize", "mode")), std::string("nearest"));
    QVERIFY(!attributeDefault("Transpose", "perm"));
    QVERIFY(!attributeDefault("Softmax", "axes"));
    QVERIFY(!attributeDefault("Mystery", "axis"));
    QVERIFY(!isKnownAttribute("Softmax", "axes"));
    QVERIFY(isKnownAttribute("Mystery", "axes"));
}

void TestOperatorSchema::unknownAttribute_values_areThoseListed()
{
    const auto unknown = [](const char *type, const char *name, const AttributeValue &value) {
        return unknownAttribute(type, name, &value).value_or("");
    };
    QCOMPARE(unknown("Resize", "mode", "cubic"), std::string());
    QCOMPARE(unknown("Resize", "mode", "sharp"), std::string("mode=sharp"));
    QCOMPARE(unknown("Resize", "mode", std::string(50, 'x')), "mode=" + std::string(40, 'x') + "...");
    QCOMPARE(unknown("Conv", "auto_pad", ""), std::string());
    QCOMPARE(unknown("Conv", "kernel_shape", std::vector<std::int64_t>{3, 3}), std::string());
    QCOMPARE(unknown("Einsum", "equation", "ij->ji"), std::string());
    QCOMPARE(unknown("LeakyRelu", "alpha", std::int64_t{1}), std::string()); // a number is one
    QCOMPARE(unknown("LeakyRelu", "alpha", "1"), std::string("alpha=1"));
    QCOMPARE(unknown("Softmax", "axis", std::vector<std::int64_t>{1}), std::string("axis=[1]"));
    QCOMPARE(unknown("MeanVarianceNormalization", "axes", "0"), std::string("axes=0"));
    QCOMPARE(unknown("Relu", "slope", 0.5F), std::string("slope"));
    QCOMPARE(unknown("Mystery", "slope", 0.5F), std::string());
}

void TestOperatorSchema::kinds_all_haveARow()
{
    for (int i = 0; i <= static_cast<int>(OperatorKind::Fused); ++i) {
        const auto kind = static_cast<OperatorKind>(i);
        QCOMPARE(kindSchema(kind).kind, kind);
        QVERIFY(!kindSchema(kind).name.empty());
    }
}

void TestOperatorSchema::activations_all_areInTheOrderOfTheirNumbers()
{
    for (std::size_t i = 0; i < activationSchemas().size(); ++i) {
        const ActivationSchema &row = activationSchemas()[i];
        QCOMPARE(static_cast<std::size_t>(row.kind), i);
        QVERIFY2(!row.isNode || schemaOf(row.name), "a node of this name has a row of its own");
        QVERIFY2(!row.isNode || !row.alpha || attributeDefault(row.name, "alpha"), row.name.data());
        QVERIFY2(!row.isNode || !row.beta || attributeDefault(row.name, "beta"), row.name.data());
    }
}

void TestOperatorSchema::operators_everyRow_isTried()
{
    QFETCH(QString, type);
    const auto row = operatorRows().find(type.toStdString());
    QVERIFY2(row != operatorRows().end(), "it has no row in tests/support/operator_rows.cpp");
    const auto [model, graph] = caseOf(type.toStdString());
    const auto shapes =
        inferShapes(factsOf(model, inputsOf(*graph, operatorRows().at(type.toStdString()).recipe.least)));
    QVERIFY(shapes && *shapes);
    QVERIFY2((**shapes)[0].known, "its row does not tell the shape of its output");
    if (isFolded(*graph))
        return;
    QCOMPARE(toString((**shapes)[0]), toString(graph->tensor(graph->outputs().front()).shape));
}

void TestOperatorSchema::execute_onCpu_equalsTheReference()
{
    QFETCH(QString, type);
    const auto [model, graph] = caseOf(type.toStdString());
    const auto inputs = inputsOf(*graph, operatorRows().at(type.toStdString()).recipe.least);
    if (isFolded(*graph)) {
        QVERIFY(fold(factsOf(model, inputs)));
        return;
    }
    auto session = makeCpuDevice()->open(graph);
    auto outputs = session ? runOn(**session, sequentialSchedule(*graph, oneBlock(*graph)), inputs, {})
                           : Result<std::vector<HostTensor>>(tl::unexpected(session.error()));
    checkAnswer("cpu", outputs ? std::string() : outputs.error().message, operatorRows().at(type.toStdString()).cpu);
    if (!outputs)
        return;
    const auto expected = referenceOutputs(factsOf(model, inputs));
    QVERIFY2(expected, "cpu executes it, but tests/support/reference_kernels.cpp has no kernel for it");
    for (std::size_t i = 0; i < expected->size(); ++i) {
        const std::vector<float> values = asType((*outputs)[i], DataType::Float32).values;
        QCOMPARE(values.size(), (*expected)[i].size());
        for (std::size_t k = 0; k < values.size(); ++k) {
            const float right = (*expected)[i][k];
            QVERIFY2(
                std::abs(values[k] - right) <= 1e-5F * std::max(1.0F, std::abs(right)),
                qPrintable(
                    QStringLiteral("output %1, place %2: %3 in place of %4").arg(i).arg(k).arg(values[k]).arg(right)));
        }
    }
}

void TestOperatorSchema::support_onGpu_isAsStated()
{
    QFETCH(QString, type);
    const Case made = caseOf(type.toStdString());
    std::string answer;
    for (std::size_t i = 0; i < made.graph->size() && answer.empty(); ++i)
        answer = answerOf(gpu::inputFormOf(*made.graph, OperatorId::fromIndex(i)));
    checkAnswer("gpu", answer, operatorRows().at(type.toStdString()).gpu);
}

void TestOperatorSchema::simulate_anyRow_takesTime()
{
    QFETCH(QString, type);
    const Case made = caseOf(type.toStdString());
    Lowering lowering(findDeviceDescription("v100").value());
    for (std::size_t i = 0; i < made.graph->size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        const bool onlyRenames = made.graph->op(id).kind == OperatorKind::Reshape;
        QCOMPARE(lowering.lower(*made.graph, id, DataType::Float32).empty(), onlyRenames);
    }
}

STAGECRAFT_SUITE(TestOperatorSchema)

} // namespace tst_operator_schema
#include "tst_operator_schema.moc"
