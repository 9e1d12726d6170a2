#include "graph_compare.h"
#include "model/onnx_import.h"
#include "model/rewrite/cut_blocks.h"
#include "operators/parameter_values.h"
#include "support/formed_units.h"
#include "support/places.h"
#include "support/sha256.h"
#include "support/suite.h"

#include <QFile>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_onnx_import {

namespace {

const std::string kData = sourcePath("tests/data/onnx/").toStdString();

// "Conv-Relu Concat", in the graph's order.
QString units(const Graph &graph)
{
    QStringList types;
    for (const Operator &op : graph.operators())
        types << test::text(displayType(op));
    return types.join(' ');
}

QString outputs(const Graph &graph)
{
    QStringList shapes;
    for (const TensorId id : graph.outputs())
        shapes << test::text(graph.tensor(id).name + " " + toString(graph.tensor(id).shape));
    return shapes.join(", ");
}

QByteArray bytesOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class OnnxImportTest : public QObject {
    Q_OBJECT

private slots:
    void importOnnx_legalFile_formsUnits_data();
    void importOnnx_legalFile_formsUnits();
    void importOnnx_norm_foldsIntoWeights();
    void importOnnx_biasApart_foldsIntoConv();
    void importOnnx_halfWeights_areReadExactly();
    void importOnnx_unknownOperator_isListed();
    void importOnnx_furtherOutputs_areThereWhereUsed_data();
    void importOnnx_furtherOutputs_areThereWhereUsed();
    void importOnnx_unusedStatistics_saysItIsInTraining();
    void importOnnx_halfInside_keepsTheCasts();
    void importOnnx_subgraph_readsWhatItTakesFromOutside();
    void importOnnx_batchGiven_replacesTheFiles();
    void importOnnx_sizesGiven_areTaken();
    void importOnnx_sizesThatDoNotFit_refuses_data();
    void importOnnx_sizesThatDoNotFit_refuses();
    void importOnnx_sizesThatFitNoGuess_namesThem();
    void importOnnx_report_countsWhatBecameOfEachType();
    void importOnnx_otherBatchThanInReshape_replacesIt();
    void importOnnx_anyFile_hashesItsBytes();
    void importOnnx_foldingBeyondTheBudget_leavesTheOperator();
};

void OnnxImportTest::importOnnx_legalFile_formsUnits_data()
{
    QTest::addColumn<QString>("expected");
    QTest::addColumn<QString>("expectedOutputs");
    const auto row = [](const char *file, const char *expected, const char *outputs) {
        QTest::newRow(file) << QString(expected) << QString(outputs);
    };
    row("conv_norm_relu", "Conv-Relu", "y 1x4x8x8");
    row("norm_kept_apart", "BatchNormalization Relu", "y 1x3x8x8");
    row("bias_apart", "Conv", "y 1x4x8x8");
    row("auto_pad", "Conv", "y 1x4x5x4");
    row("ceil_pool", "MaxPool", "y 1x3x4x4");
    row("dilated_groups", "GroupConv", "y 1x6x8x8");
    row("transposed", "ConvTranspose", "y 1x5x17x17");
    row("open_sizes", "Conv GlobalAveragePool", "y 1x4x1x1");
    row("open_sizes_small_only", "Flatten Gemm", "y 1x10");
    row("computed_reshape", "Reshape Gemm", "y 1x10");
    row("constant_nodes", "Conv", "y 1x4x8x8");
    row("weights_as_inputs", "Conv", "y 1x4x8x8");
    row("half_weights", "Conv", "y 1x4x8x8");
    row("shared_relu", "Relu-SepConv Relu-SepConv Relu-Conv Add-Concat", "y 1x8x8x8");
    row("residual", "Conv-Relu Conv Add Relu", "y 1x3x8x8");
    row("pre_activation", "Relu-Conv", "y 1x4x8x8");
    row("gated", "Conv-SiLU Conv-HardSwish", "y 1x4x8x8");
    row("relu6", "Conv-Relu6", "y 1x4x8x8");
    row("pad_apart", "Conv", "y 1x4x4x4");
    row("nested_concat", "Relu Tanh Concat", "y 1x9x8x8");
    row("old_broadcast", "Mul", "y 1x3x8x8");
    row("two_outputs", "Split Relu Sigmoid", "y 1x3x8x3, z 1x3x8x5");
    row("mean_pool", "GlobalAveragePool Flatten Softmax", "y 1x3");
    row("resize", "Resize", "y 1x3x16x16");
    row("unused_mask", "Conv-Relu", "y 1x4x8x8");
    row("unused_statistics", "Conv-Relu", "y 1x4x8x8");
    row("unused_old_statistics", "Conv-Relu", "y 1x4x8x8");
    row("unused_places", "MaxPool", "y 1x3x4x4");
    row("unused_states", "LSTM", "y 7x1x1x5");
    row("unused_sequence", "LSTM", "y 1x1x5");
    row("used_mask", "Dropout Relu Cast", "y 1x3x8x8, z 1x3x8x8");
    row("used_statistics", "BatchNormalization", "y 1x3x8x8, v2 3");
    row("used_places", "MaxPool Cast", "y 1x3x7x7, z 1x3x7x7");
    row("unknown_operator", "Relu com.example::Mystery Relu", "y 1x7x8x8");
    row("unknown_shape", "com.example::Mystery Relu", "y unknown");
    row("branches", "Tanh ReduceMax Greater If", "y 1x3x8x8");
    row("same_node_names", "Relu Tanh", "y 1x3x8x8");
    row("shuffled", "Relu Tanh Relu", "y 1x3x8x8");
    row("external", "Conv", "y 1x4x8x8");
    row("constant_output", "Relu", "y 1x3x8x8");
    row("training_dropout", "Identity", "y 1x3x8x8");
    row("doubles", "Relu", "y 3");
    row("cast_to_double", "Cast", "y 3");
    row("cast_to_half", "Cast", "y 3");
    row("old_broadcast_of_tensors", "Add", "y 1x3x3x3");
}

void OnnxImportTest::importOnnx_legalFile_formsUnits()
{
    QFETCH(QString, expected);
    QFETCH(QString, expectedOutputs);
    const auto source = importOnnx({kData + QTest::currentDataTag() + ".onnx"});
    QVERIFY2(source, source ? "" : qPrintable(test::describe(source.error())));
    const auto formed = test::formedUnits(source->graph, source->keptApart);
    QVERIFY2(formed, formed ? "" : qPrintable(test::describe(formed.error())));
    QCOMPARE(units(*formed), expected);
    QCOMPARE(outputs(*formed), expectedOutputs);
    QVERIFY(verifyBlocks(*formed, cutBlocks(*formed)));
}

void OnnxImportTest::importOnnx_norm_foldsIntoWeights()
{
    const auto source = importOnnx({kData + "conv_norm_relu.onnx"});
    QVERIFY(source);
    const auto formed = test::formedUnits(source->graph);
    QVERIFY(formed);
    const Operator &conv = formed->operators()[0];
    QCOMPARE(conv.name, std::string("a"));
    QCOMPARE(*parameterValues(*conv.parameter("weight")), std::vector<float>(108, 1.0F)); // 1 * 2 / sqrt(4)
    QCOMPARE(*parameterValues(*conv.parameter("bias")), std::vector<float>(4, 2.0F));     // (0 - 1) * 1 + 3
}

void OnnxImportTest::importOnnx_biasApart_foldsIntoConv()
{
    const auto source = importOnnx({kData + "bias_apart.onnx"});
    QVERIFY(source);
    const auto formed = test::formedUnits(source->graph);
    QVERIFY(formed);
    const Operator &conv = formed->operators()[0];
    QCOMPARE(*parameterValues(*conv.parameter("weight")), std::vector<float>(108, 2.0F));
    QCOMPARE(*parameterValues(*conv.parameter("bias")), std::vector<float>(4, 1.0F)); // (0 + 0.5) * 2
}

void OnnxImportTest::importOnnx_halfWeights_areReadExactly()
{
    const auto source = importOnnx({kData + "half_weights.onnx"});
    QVERIFY(source);
    const Operator &conv = source->graph.operators()[0];
    QVERIFY(std::holds_alternative<std::vector<Half>>(*conv.parameter("weight")->values));
    const auto weight = *parameterValues(*conv.parameter("weight"));
    QCOMPARE(weight.size(), std::size_t(12));
    QCOMPARE(weight.front(), -1.0F);
    QCOMPARE(weight.back(), 1.0F);
    QCOMPARE(weight[1], -0.818359375F); // -9/11 in half precision
    QCOMPARE(*parameterValues(*conv.parameter("bias")), (std::vector<float>{1, 2, 3, 4}));
}

void OnnxImportTest::importOnnx_unknownOperator_isListed()
{
    const auto source = importOnnx({kData + "unknown_operator.onnx"});
    QVERIFY(source);
    QCOMPARE(source->report.unknownTypes, std::vector<std::string>{"com.example::Mystery"});
    QCOMPARE(source->report.notes.size(), std::size_t(1));
    QCOMPARE(source->report.notes[0].operatorName, std::string("m"));
    QCOMPARE(source->graph.operators()[1].kind, OperatorKind::Unknown);
    const auto &attributes = std::get<GenericAttributes>(source->graph.operators()[1].attributes);
    QVERIFY(attributes.values.front() == NamedAttribute("level", 3));
}

void OnnxImportTest::importOnnx_furtherOutputs_areThereWhereUsed_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *file, const char *type, const char *expected) {
        QTest::newRow(file) << QString(type) << QString(expected);
    };
    row("unused_places", "MaxPool", "y 1x3x4x4");
    row("unused_states", "LSTM", "y 7x1x1x5");
    row("unused_sequence", "LSTM", "all 7x1x1x5, y 1x1x5");
    row("used_mask", "Dropout", "d 1x3x8x8, mask 1x3x8x8");
    row("used_statistics", "BatchNormalization", "y 1x3x8x8, m2 3, v2 3");
    row("used_places", "MaxPool", "y 1x3x7x7, places 1x3x7x7");
    row("two_outputs", "Split", "left 1x3x8x3, right 1x3x8x5");
}

void OnnxImportTest::importOnnx_furtherOutputs_areThereWhereUsed()
{
    QFETCH(QString, type);
    QFETCH(QString, expected);
    const auto source = importOnnx({kData + QTest::currentDataTag() + ".onnx"});
    QVERIFY2(source, source ? "" : qPrintable(test::describe(source.error())));
    const Operator &op = source->graph.operators()[0];
    QCOMPARE(test::text(displayType(op)), type);
    QStringList given;
    for (const TensorId id : op.outputs)
        given << test::text(source->graph.tensor(id).name + " " + toString(source->graph.tensor(id).shape));
    QCOMPARE(given.join(", "), expected);
}

void OnnxImportTest::importOnnx_unusedStatistics_saysItIsInTraining()
{
    for (const char *file : {"unused_statistics", "unused_old_statistics"}) {
        const auto source = importOnnx({kData + file + ".onnx"});
        QVERIFY(source);
        QCOMPARE(source->report.notes.size(), std::size_t(1));
        QCOMPARE(source->report.notes[0].operatorName, std::string("n"));
        QVERIFY(source->report.notes[0].text.find("in training") != std::string::npos);
    }
    QVERIFY(importOnnx({kData + "unused_mask.onnx"})->report.notes.empty());
    const auto both = importOnnx({kData + "both_in_training.onnx"});
    QVERIFY(both);
    QCOMPARE(both->report.inTraining.size(), std::size_t(2));
    QCOMPARE(both->report.notes.size(), std::size_t(1));
    QCOMPARE(both->report.notes[0].operatorName, std::string("n1"));
    QVERIFY(both->report.notes[0].text.ends_with("as is 1 other"));
}

void OnnxImportTest::importOnnx_halfInside_keepsTheCasts()
{
    const auto inside = importOnnx({kData + "half_inside.onnx"});
    QVERIFY(inside);
    QVERIFY(inside->report.notes.empty());
    const auto cast = inside->graph.find("h");
    QVERIFY(cast);
    QCOMPARE(inside->graph.op(*cast).type, std::string("Cast"));
    QVERIFY(inside->graph.tensor(inside->graph.op(*cast).outputs.front()).type == DataType::Float16);
}

void OnnxImportTest::importOnnx_subgraph_readsWhatItTakesFromOutside()
{
    const auto source = importOnnx({kData + "branches.onnx"});
    QVERIFY(source);
    const auto choice = source->graph.find("choice");
    QVERIFY(choice);
    QCOMPARE(source->graph.predecessors(*choice).size(), std::size_t(2)); // the condition, and `a` inside the branches
}

void OnnxImportTest::importOnnx_batchGiven_replacesTheFiles()
{
    const auto open = importOnnx({.spec = kData + "open_sizes.onnx", .batch = 8});
    QVERIFY(open);
    QCOMPARE(outputs(open->graph), QString("y 8x4x1x1"));
    const auto fixed = importOnnx({.spec = kData + "residual.onnx", .batch = 8});
    QVERIFY(fixed);
    QCOMPARE(outputs(fixed->graph), QString("y 8x3x8x8"));
    const auto negative = importOnnx({.spec = kData + "residual.onnx", .batch = -1});
    QVERIFY(!negative);
    QCOMPARE(negative.error().code, ErrorCode::WrongUse);
}

void OnnxImportTest::importOnnx_sizesGiven_areTaken()
{
    const auto proposed = importOnnx({kData + "open_sizes.onnx"});
    QVERIFY(proposed);
    QCOMPARE(proposed->report.openInputs.size(), std::size_t{1});
    const OpenInput &open = proposed->report.openInputs.front();
    QCOMPARE(open.name, std::string("x"));
    QCOMPARE(open.sizes, (std::vector<std::int64_t>{1, 3, 224, 224}));
    QCOMPARE(open.isOpen, (std::vector<bool>{false, false, true, true}));
    QVERIFY(!open.isChosen);
    const auto chosen = importOnnx({.spec = kData + "open_sizes.onnx", .reading = {.sizes = {{"x", {2, 3, 40, 50}}}}});
    QVERIFY2(chosen, chosen ? "" : qPrintable(test::describe(chosen.error())));
    QCOMPARE(toString(chosen->graph.tensor(chosen->graph.inputs().front()).shape), std::string("2x3x40x50"));
    QVERIFY(chosen->report.openInputs.front().isChosen);
    for (const ImportNote &note : chosen->report.notes) // what a person chose is no guess
        QVERIFY2(note.text.find("open") == std::string::npos, note.text.c_str());
    const auto shapeless =
        importOnnx({.spec = kData + "bad_no_input_shape.onnx", .reading = {.sizes = {{"x", {1, 3, 8, 8}}}}});
    QVERIFY2(shapeless, shapeless ? "" : qPrintable(test::describe(shapeless.error())));
}

void OnnxImportTest::importOnnx_sizesThatDoNotFit_refuses_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QList<qint64>>("sizes");
    QTest::addColumn<QString>("message");
    QTest::newRow("other input") << "z" << QList<qint64>{1, 3, 8, 8} << "an input z, which the model does not have";
    QTest::newRow("other colours") << "x" << QList<qint64>{1, 4, 8, 8} << "do not fit: the file states ?x3x?x?";
    QTest::newRow("other rank") << "x" << QList<qint64>{1, 3, 8} << "do not fit";
    QTest::newRow("zero") << "x" << QList<qint64>{1, 3, 0, 8} << "make no sense";
}

void OnnxImportTest::importOnnx_sizesThatDoNotFit_refuses()
{
    QFETCH(QString, name);
    QFETCH(QList<qint64>, sizes);
    QFETCH(QString, message);
    const auto source = importOnnx({.spec = kData + "open_sizes.onnx",
                                    .reading = {.sizes = {{name.toStdString(), {sizes.begin(), sizes.end()}}}}});
    QVERIFY(!source);
    QCOMPARE(source.error().code, ErrorCode::WrongUse);
    QVERIFY2(source.error().message.find(message.toStdString()) != std::string::npos, source.error().message.c_str());
}

void OnnxImportTest::importOnnx_sizesThatFitNoGuess_namesThem()
{
    const std::string path = kData + "open_sizes_rare.onnx";
    const auto source = importOnnx({path});
    QVERIFY(!source);
    QVERIFY(source.error().code == ErrorCode::InvalidInput);
    QCOMPARE(
        QString::fromStdString(source.error().remedy),
        QString("The file leaves open dimension 3 (height) and dimension 4 of x, and none of the sizes that the "
                "program tries fits. Give yours: --shape x=1x1x?x? with numbers for the question marks, or export the "
                "model with fixed sizes"));
    const auto open = onnxOpenInputs(path);
    QVERIFY(open && open->size() == 1);
    QCOMPARE(open->front().name, std::string("x"));
    QVERIFY(open->front().isOpen == std::vector<bool>({false, false, true, true}));
    QVERIFY(open->front().sizes == std::vector<std::int64_t>({1, 1, 224, 224}));
    QVERIFY(importOnnx({.spec = path, .reading = {.sizes = {{"x", {1, 1, 30, 20}}}}}));
    const auto closed = onnxOpenInputs(kData + "residual.onnx");
    QVERIFY(closed && closed->empty());
}

void OnnxImportTest::importOnnx_report_countsWhatBecameOfEachType()
{
    const auto source = importOnnx({kData + "computed_reshape.onnx"}); // its shape is computed from constants
    QVERIFY(source);
    std::map<std::string, TypeReport> types;
    std::int64_t operators = 0;
    for (const TypeReport &type : source->report.types) {
        types[type.type] = type;
        operators += type.operators;
        QCOMPARE(type.nodes, type.folded + type.leftOut + type.fused + type.operators);
    }
    QCOMPARE(operators, static_cast<std::int64_t>(source->graph.size()));
    QCOMPARE(types["Concat"].folded, std::int64_t{1});
    QCOMPARE(types["Reshape"].operators, std::int64_t{1});
    const PassReport *folding = source->report.find(pass::kFoldConstants);
    QVERIFY(folding);
    QVERIFY(!folding->changes.empty());
}

void OnnxImportTest::importOnnx_otherBatchThanInReshape_replacesIt()
{
    const auto one = importOnnx({kData + "fixed_reshape.onnx"});
    QVERIFY(one);
    QCOMPARE(outputs(one->graph), QString("y 1x192"));
    const auto three = importOnnx({.spec = kData + "fixed_reshape.onnx", .batch = 3});
    QVERIFY2(three, three ? "" : qPrintable(test::describe(three.error())));
    QCOMPARE(outputs(three->graph), QString("y 3x192"));
    QCOMPARE(three->report.notes.size(), std::size_t(1));
}

void OnnxImportTest::importOnnx_anyFile_hashesItsBytes()
{
    const auto source = importOnnx({kData + "relu6.onnx"});
    QVERIFY(source);
    const QByteArray bytes = bytesOf(test::text(kData + "relu6.onnx"));
    QCOMPARE(source->sha256, sha256(bytes.toStdString()));
    QCOMPARE(sha256("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
}

// 134 million elements from 200 bytes, which would take 3 GB.
void OnnxImportTest::importOnnx_foldingBeyondTheBudget_leavesTheOperator()
{
    const auto source = importOnnx({kData + "folds_too_much.onnx"});
    QVERIFY2(source, source ? "" : qPrintable(test::describe(source.error())));
    QCOMPARE(units(source->graph), QString("ConstantOfShape Abs ReduceMax Add"));
    QVERIFY(std::ranges::any_of(source->report.notes, [](const ImportNote &note) {
        return note.operatorName == "fill" &&
               note.text.find("exceeds the limit for a file (16777216 elements") != std::string::npos;
    }));
}

STAGECRAFT_SUITE(OnnxImportTest)

} // namespace tst_onnx_import
#include "tst_onnx_import.moc"
