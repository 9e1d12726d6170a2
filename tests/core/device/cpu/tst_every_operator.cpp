// Every node type that the importer knows runs on cpu or is refused by name, so a type that is added without a kernel
// fails here. tests/app/tst_onnxruntime compares the outputs with ONNX Runtime, tst_onnx_backend with ONNX's own tests.

#include "device/cpu/cpu_device.h"
#include "device/cpu/refusal.h"
#include "model/onnx/convert/convert.h"
#include "model/onnx_import.h"
#include "search/stages/search.h"
#include "support/device_networks.h"
#include "support/operator_rows.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>
#include <map>
#include <onnx/onnx_pb.h>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_every_operator {

namespace {

// Executes the node; returns an error of any step.
Result<std::vector<HostTensor>> execute(const std::string &type, const Recipe &recipe)
{
    auto source = importOnnxBytes(modelOf(type, recipe), "one", {});
    if (!source)
        qFatal("%s is not imported: %s", type.c_str(), source.error().message.c_str());
    const auto graph = std::make_shared<Graph>(std::move(source->graph));
    TRY_AS(auto session, makeCpuDevice()->open(graph));
    std::vector<HostTensor> inputs;
    for (const TensorId id : graph->inputs()) {
        const Tensor &tensor = graph->tensor(id);
        HostTensor &input = inputs.emplace_back(HostTensor{tensor.name, tensor.shape, {}});
        for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
            input.values.push_back(recipe.least + 0.8F * static_cast<float>(i % 13) / 13);
    }
    return runOn(*session, sequentialSchedule(*graph, oneBlock(*graph)), inputs, {});
}

// What is known of it without running it.
std::string refusalBeforehand(const std::string &type, const Recipe &recipe)
{
    auto source = importOnnxBytes(modelOf(type, recipe), "one", {});
    if (!source)
        qFatal("%s is not imported: %s", type.c_str(), source.error().message.c_str());
    const auto op = source->graph.find("the operator"); // none if it is folded
    return op ? cpu::refusalOf(source->graph, source->graph.op(*op)) : std::string();
}

} // namespace

class TestEveryOperator : public QObject {
    Q_OBJECT

private slots:
    void run_anyKnownType_executesOrIsRefusedByName_data();
    void run_anyKnownType_executesOrIsRefusedByName();
    void refusal_anyKnownType_isWhatTheDeviceSays_data() { run_anyKnownType_executesOrIsRefusedByName_data(); }
    void refusal_anyKnownType_isWhatTheDeviceSays();
    void refusal_unknownAttribute_isKnownBeforehand_data() { run_unknownAttribute_isRefusedByName_data(); }
    void refusal_unknownAttribute_isKnownBeforehand();
    void run_formWithoutKernel_isRefusedByName_data();
    void run_formWithoutKernel_isRefusedByName();
    void run_operandsAllConstant_executesOrIsRefusedByName_data();
    void run_operandsAllConstant_executesOrIsRefusedByName();
    void run_unknownAttribute_isRefusedByName_data();
    void run_unknownAttribute_isRefusedByName();
    void run_vectorsAndNumbers_equalImages_data();
    void run_vectorsAndNumbers_equalImages();
};

void TestEveryOperator::run_anyKnownType_executesOrIsRefusedByName_data()
{
    QTest::addColumn<QString>("type");
    for (const std::string &type : knownNodeTypes())
        QTest::newRow(type.c_str()) << QString::fromStdString(type);
}

void TestEveryOperator::run_anyKnownType_executesOrIsRefusedByName()
{
    QFETCH(QString, type);
    const auto row = operatorRows().find(type.toStdString());
    QVERIFY2(row != operatorRows().end(), "it has no row in tests/support/operator_rows.cpp");
    const auto outputs = execute(type.toStdString(), row->second.recipe);
    if (!row->second.cpu.empty()) {
        QVERIFY2(!outputs, "it runs: take it off the list of what is refused");
        QVERIFY(outputs.error().code == ErrorCode::InvalidInput);
        QVERIFY(!outputs.error().context.empty());
        QCOMPARE(outputs.error().context.front(), std::string("operator the operator"));
        QVERIFY2(outputs.error().message.find(row->second.cpu) != std::string::npos, outputs.error().message.c_str());
        return;
    }
    QVERIFY2(outputs, outputs ? "" : outputs.error().message.c_str());
    for (std::size_t i = 0; i < outputs->size(); ++i) {
        const HostTensor &output = (*outputs)[i];
        if (output.name == "beside") // the node itself is folded
            continue;
        QCOMPARE(output.name, "y" + std::to_string(i));
        QVERIFY(!output.values.empty() || !output.bytes.empty());
        QVERIFY(std::ranges::all_of(output.values, [](float value) { return std::isfinite(value); }));
    }
}

// Types that do not go together are only found by the kernel.
void TestEveryOperator::refusal_anyKnownType_isWhatTheDeviceSays()
{
    QFETCH(QString, type);
    const OperatorRow &row = operatorRows().at(type.toStdString());
    const bool isFoundLater = row.cpu == "there is no kernel of";
    const std::string refusal = refusalBeforehand(type.toStdString(), row.recipe);
    QVERIFY2(refusal.empty() == (row.cpu.empty() || isFoundLater), refusal.c_str());
}

void TestEveryOperator::refusal_unknownAttribute_isKnownBeforehand()
{
    QFETCH(QString, type);
    Recipe recipe = operatorRows().at(type.toStdString()).recipe;
    recipe.numbers["of_a_later_opset"] = 1;
    QCOMPARE(QString::fromStdString(refusalBeforehand(type.toStdString(), recipe)),
             QString("cpu does not know the attribute of_a_later_opset"));
}

void TestEveryOperator::run_formWithoutKernel_isRefusedByName_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<Recipe>("recipe");
    QTest::addColumn<QString>("expected");
    QTest::newRow("training") << "Dropout" << Recipe{.integers = {{1}, {1}}, .outputs = 2}
                              << "it drops values at random, which is for training";
    QTest::newRow("padding of an unknown kind")
        << "Pad" << Recipe{.integers = {{0, 0, 1, 1, 0, 0, 1, 1}}, .texts = {{"mode", "mirror"}}}
        << "cpu does not know the attribute mode=mirror of Pad";
    QTest::newRow("resize of an unknown kind")
        << "Resize" << Recipe{.floats = {{0}}, .reals = {{1, 1, 2, 2}}, .texts = {{"mode", "smooth"}}}
        << "cpu does not know the attribute mode=smooth of Resize";
    QTest::newRow("places of an unknown kind")
        << "Resize"
        << Recipe{.floats = {{0}}, .reals = {{1, 1, 2, 2}}, .texts = {{"coordinate_transformation_mode", "corner"}}}
        << "cpu does not know the attribute coordinate_transformation_mode=corner of Resize";
    QTest::newRow("unknown order of blocks")
        << "SpaceToDepth" << Recipe{.numbers = {{"blocksize", 2}}, .texts = {{"mode", "RCD"}}}
        << "cpu does not know the attribute mode=RCD of SpaceToDepth";
    QTest::newRow("index outside") << "Gather" << Recipe{.integers = {{7}}} << "one of its indices is out of range";
    // The last of five positions is 1, of tables with one row.
    QTest::newRow("position outside") << "RotaryEmbedding"
                                      << Recipe{.tensors = {{1, 2, 5, 4}}, .floats = {{1, 2}, {1, 2}, {1, 5}}}
                                      << "one of its positions is out of range";
    QTest::newRow("truths of numbers") << "And" << Recipe{.tensors = {{3, 4}, {3, 4}}}
                                       << "there is no kernel of And for float32, float32";
}

void TestEveryOperator::run_formWithoutKernel_isRefusedByName()
{
    QFETCH(QString, type);
    QFETCH(Recipe, recipe);
    QFETCH(QString, expected);
    const auto outputs = execute(type.toStdString(), recipe);
    QVERIFY(!outputs && outputs.error().code == ErrorCode::InvalidInput);
    QCOMPARE(outputs.error().context.front(), std::string("operator the operator"));
    QCOMPARE(QString::fromStdString(outputs.error().message), expected);
}

// Adds an operator with work to do: a graph with only constants cannot be opened.
void TestEveryOperator::run_operandsAllConstant_executesOrIsRefusedByName_data()
{
    run_anyKnownType_executesOrIsRefusedByName_data();
}

void TestEveryOperator::run_operandsAllConstant_executesOrIsRefusedByName()
{
    QFETCH(QString, type);
    Recipe recipe = operatorRows().at(type.toStdString()).recipe;
    recipe.floats.insert(recipe.floats.begin(), recipe.tensors.begin(), recipe.tensors.end());
    recipe.tensors.clear();
    recipe.besideRelu = true;
    const auto outputs = execute(type.toStdString(), recipe);
    if (!outputs) {
        QVERIFY2(outputs.error().code == ErrorCode::InvalidInput, outputs.error().message.c_str());
        QCOMPARE(outputs.error().context.front(), std::string("operator the operator"));
        return;
    }
    for (const HostTensor &output : *outputs)
        QVERIFY(std::ranges::all_of(output.values, [](float value) { return std::isfinite(value); }));
}

void TestEveryOperator::run_unknownAttribute_isRefusedByName_data()
{
    QTest::addColumn<QString>("type");
    for (const std::string &type : knownNodeTypes()) {
        if (operatorRows().at(type).cpu.empty())
            QTest::newRow(type.c_str()) << QString::fromStdString(type);
    }
    for (const char *type : {"Relu", "Asin", "Shrink", "Sinh"})
        QTest::addRow("%s, by name", type) << type;
}

void TestEveryOperator::run_unknownAttribute_isRefusedByName()
{
    QFETCH(QString, type);
    Recipe recipe = operatorRows().at(type.toStdString()).recipe;
    recipe.numbers["of_a_later_opset"] = 1;
    const auto outputs = execute(type.toStdString(), recipe);
    QVERIFY2(!outputs, "it runs as if the attribute were not there");
    QVERIFY(outputs.error().code == ErrorCode::InvalidInput);
    QCOMPARE(outputs.error().context.front(), std::string("operator the operator"));
    QVERIFY2(outputs.error().message.find("of_a_later_opset") != std::string::npos, outputs.error().message.c_str());
}

void TestEveryOperator::run_vectorsAndNumbers_equalImages_data()
{
    QTest::addColumn<QString>("type");
    for (const char *type : {"Relu",
                             "LeakyRelu",
                             "Sigmoid",
                             "Tanh",
                             "HardSwish",
                             "HardSigmoid",
                             "Elu",
                             "Gelu",
                             "Selu",
                             "Celu",
                             "Softplus",
                             "Softsign",
                             "Mish",
                             "Clip",
                             "Abs",
                             "Neg",
                             "Exp",
                             "Erf",
                             "Sin",
                             "Floor",
                             "Sqrt",
                             "Identity",
                             "ThresholdedRelu",
                             "Reciprocal",
                             "Shrink",
                             "Atan"})
        QTest::newRow(type) << type;
}

void TestEveryOperator::run_vectorsAndNumbers_equalImages()
{
    QFETCH(QString, type);
    const auto expected = execute(type.toStdString(), Recipe{.tensors = {{1, 2, 3, 2}}});
    QVERIFY(expected);
    for (const Dims &dims : {Dims{12}, Dims{3, 4}, Dims{2, 3, 2}, Dims{1, 2, 1, 3, 2}, Dims{1, 2, 1, 3, 1, 2}}) {
        const auto outputs = execute(type.toStdString(), Recipe{.tensors = {dims}});
        QVERIFY(outputs);
        QCOMPARE(outputs->front().shape.dims, dims);
        for (std::size_t i = 0; i < 12; ++i)
            QVERIFY(std::abs(outputs->front().values[i] - expected->front().values[i]) < 1e-6F);
    }
    const auto number = execute(type.toStdString(), Recipe{.tensors = {{}}});
    QVERIFY(number && number->front().shape.dims.empty());
    QVERIFY(std::abs(number->front().values[0] - expected->front().values[0]) < 1e-6F);
}

STAGECRAFT_SUITE(TestEveryOperator)

} // namespace tst_every_operator
#include "tst_every_operator.moc"
