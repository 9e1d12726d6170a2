// An ONNX file that is read and written keeps its opset, nodes, types and names.

#include "graph_compare.h"
#include "model/onnx/file/element_types.h"
#include "model/onnx_export.h"
#include "model/onnx_import.h"
#include "support/formed_units.h"
#include "support/suite.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <fstream>
#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>

using namespace stagecraft;

namespace tst_onnx_export {

namespace {

std::string tensorInfo(const char *name, const char *dims, int type = onnx::TensorProto::FLOAT)
{
    std::string text =
        std::string("{ name: '") + name + "' type { tensor_type { elem_type: " + std::to_string(type) + " shape { ";
    for (const QString &dim : QString(dims).split(' ', Qt::SkipEmptyParts))
        text += "dim { dim_value: " + dim.toStdString() + " } ";
    return text + "} } } }";
}

// A file with this opset and the graph in the text.
onnx::ModelProto modelOf(int opset, const std::string &graph)
{
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(opset);
    if (!google::protobuf::TextFormat::ParseFromString(graph, model.mutable_graph()))
        qFatal("this text is no graph");
    return model;
}

struct Exported {
    onnx::ModelProto model;
    QString refusal;
};

Exported exported(const onnx::ModelProto &file, bool keepSource = true)
{
    Exported exported;
    const auto source = importOnnxBytes(file.SerializeAsString(), "net", {}, {.keepSource = keepSource});
    if (!source) {
        exported.refusal = "import: " + test::describe(source.error());
        return exported;
    }
    const auto units = test::formedUnits(source->graph, source->keptApart);
    const QTemporaryDir folder;
    const std::string path = folder.filePath("net.onnx").toStdString();
    const auto written = exportOnnx(*units, path, {.onnx = source->onnx});
    if (!written) {
        exported.refusal = test::describe(written.error());
        return exported;
    }
    std::ifstream stream(path, std::ios::binary);
    if (!exported.model.ParseFromIstream(&stream))
        qFatal("what was written cannot be read");
    return exported;
}

const onnx::NodeProto &nodeOf(const onnx::ModelProto &model, const char *type)
{
    for (const auto &node : model.graph().node()) {
        if (node.op_type() == type)
            return node;
    }
    qFatal("there is no %s", type);
}

const std::string kImage = "input " + tensorInfo("x", "1 4 8 8");

} // namespace

class OnnxExportTest : public QObject {
    Q_OBJECT

private slots:
    void exportOnnx_untouchedNodes_areCopiedInTheirOpset_data();
    void exportOnnx_untouchedNodes_areCopiedInTheirOpset();
    void exportOnnx_changedNodes_takeTheFormOfTheOpset_data();
    void exportOnnx_changedNodes_takeTheFormOfTheOpset();
    void exportOnnx_mishBeforeItWasAnOperator_isWrittenOut();
    void exportOnnx_splitOfUnknownRank_isCopied();
    void exportOnnx_againstTheSchema_refusesNamingTheOperator();
    void exportOnnx_outputsWithoutComputation_areKept();
    void exportOnnx_outputOfUnknownRank_refuses();
    void exportOnnx_bodies_readWhatTheirNamesBecame();
    void exportOnnx_sharedConstants_areWrittenOnce();
    void bytesAs_noValues_areNoBytes();
    void exportOnnx_integers_keepAllDigits();
    void exportOnnx_integers_areNotTakenForReals_data();
    void exportOnnx_integers_areNotTakenForReals();
    void exportOnnx_typesThatDoNotFit_namesTheOperator();
    void exportOnnx_severalRealTypesAndFunctions_keepsBoth();
    void exportOnnx_realTypes_areKept();
    void exportOnnx_doubleBeyondFloat_isKept();
    void exportOnnx_metadata_isKept();
    void exportOnnx_sameOperatorOfAnotherDomain_keepsTheDomain();
};

void OnnxExportTest::exportOnnx_untouchedNodes_areCopiedInTheirOpset_data()
{
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("graph");
    const auto row = [](const char *name, int opset, const std::string &graph) {
        QTest::newRow(name) << opset << QString::fromStdString(kImage + graph);
    };
    const std::string output = " output " + tensorInfo("y", "1 4 16 16");
    row("Resize with antialias", 18,
        "node { op_type: 'Resize' input: 'x' input: '' input: 's' output: 'y' name: 'up' "
        "attribute { name: 'antialias' type: INT i: 1 } attribute { name: 'mode' type: STRING s: 'linear' } } "
        "initializer { name: 's' dims: 4 data_type: 1 float_data: [1, 1, 2, 2] }" +
            output);
    row("ReduceMax without axes", 18,
        "node { op_type: 'ReduceMax' input: 'x' input: 'axes' output: 'y' name: 'max' "
        "attribute { name: 'noop_with_empty_axes' type: INT i: 1 } } "
        "initializer { name: 'axes' dims: 1 data_type: 7 int64_data: 2 } output " +
            tensorInfo("y", "1 4 1 8"));
    row("ReduceMean with axes", 18,
        "node { op_type: 'ReduceMean' input: 'x' input: 'axes' output: 'y' name: 'mean' "
        "attribute { name: 'noop_with_empty_axes' type: INT i: 1 } attribute { name: 'keepdims' type: INT i: 1 } } "
        "initializer { name: 'axes' dims: 1 data_type: 7 int64_data: 1 } output " +
            tensorInfo("y", "1 1 8 8"));
    row("GroupNormalization", 21,
        "node { op_type: 'GroupNormalization' input: 'x' input: 'g' input: 'g' output: 'y' name: 'norm' "
        "attribute { name: 'num_groups' type: INT i: 2 } attribute { name: 'stash_type' type: INT i: 1 } } "
        "initializer { name: 'g' dims: 4 data_type: 1 float_data: [1, 2, 3, 4] } output " +
            tensorInfo("y", "1 4 8 8"));
    row("Clip, bounds as attributes", 6,
        "node { op_type: 'Clip' input: 'x' output: 'y' name: 'clip' attribute { name: 'min' type: FLOAT f: -1 } "
        "attribute { name: 'max' type: FLOAT f: 2 } } output " +
            tensorInfo("y", "1 4 8 8"));
    row("Upsample", 9,
        "node { op_type: 'Upsample' input: 'x' input: 's' output: 'y' name: 'up' } "
        "initializer { name: 's' dims: 4 data_type: 1 float_data: [1, 1, 2, 2] }" +
            output);
    row("LayerNormalization before it was an operator", 13, // as ONNX Runtime's optimiser writes it
        "node { op_type: 'LayerNormalization' input: 'x' input: 's' output: 'y' name: 'norm' } "
        "initializer { name: 's' dims: 8 data_type: 1 float_data: [1, 2, 3, 4, 5, 6, 7, 8] } output " +
            tensorInfo("y", "1 4 8 8"));
    row("ReduceMax of no axes, which are all", 13,
        "node { op_type: 'ReduceMax' input: 'x' output: 'y' name: 'max' attribute { name: 'axes' type: INTS } "
        "attribute { name: 'keepdims' type: INT i: 0 } } output " +
            tensorInfo("y", ""));
    row("an operator without a rule", 20,
        "node { op_type: 'Mystery' domain: 'com.example' input: 'x' output: 'y' name: 'odd' "
        "attribute { name: 'table' type: TENSOR t { dims: 1 data_type: 1 float_data: 3 } } } output " +
            tensorInfo("y", "1 4 8 8"));
}

void OnnxExportTest::exportOnnx_untouchedNodes_areCopiedInTheirOpset()
{
    QFETCH(int, opset);
    QFETCH(QString, graph);
    onnx::ModelProto file = modelOf(opset, graph.toStdString());
    const std::string domain = file.graph().node(0).domain();
    if (!domain.empty()) {
        file.add_opset_import()->set_domain(domain);
        file.mutable_opset_import(1)->set_version(3);
    }
    const Exported written = exported(file);
    QCOMPARE(written.refusal, QString());
    bool hasOpset = false;
    bool hasDomain = domain.empty();
    for (const auto &import : written.model.opset_import()) {
        hasOpset = hasOpset || (import.domain().empty() && import.version() == opset);
        hasDomain = hasDomain || (import.domain() == domain && import.version() == 3);
    }
    QVERIFY(hasOpset && hasDomain);
    QCOMPARE(written.model.graph().node_size(), 1);
    onnx::NodeProto node = written.model.graph().node(0);
    node.clear_doc_string(); // the mark of a unit
    QCOMPARE(node.SerializeAsString(), file.graph().node(0).SerializeAsString());
    QCOMPARE(written.model.graph().initializer_size(), file.graph().initializer_size());
}

void OnnxExportTest::exportOnnx_changedNodes_takeTheFormOfTheOpset_data()
{
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QStringList>("written");
    const QString clip = "node { op_type: 'Clip' input: 'x' output: 'y' name: 'y' attribute { name: 'min' type: FLOAT "
                         "f: 0 } attribute { name: 'max' type: FLOAT f: 6 } }";
    const QString hard = "node { op_type: 'HardSigmoid' input: 'x' output: 'h' name: 'h' attribute { name: 'alpha' "
                         "type: FLOAT f: 0.16666667 } } node { op_type: 'Mul' input: 'x' input: 'h' output: 'y' name: "
                         "'y' }";
    const QString gelu = "node { op_type: 'Gelu' input: 'x' output: 'y' name: 'y' }";
    const QString silu = "node { op_type: 'Sigmoid' input: 'x' output: 's' name: 's' } node { op_type: 'Mul' input: "
                         "'x' input: 's' output: 'y' name: 'y' }";
    const QString mish =
        "initializer { name: 'w' data_type: 1 dims: [4, 4, 1, 1] float_data: [1, 0, 0, 0, 0, 1, 0, 0, 0, "
        "0, 1, 0, 0, 0, 0, 1] } node { op_type: 'Conv' input: 'x' input: 'w' output: 'c' name: 'c' } "
        "node { op_type: 'Mish' input: 'c' output: 'y' name: 'y' }";
    QTest::newRow("Clip to 6, attributes") << 9 << clip << QStringList{"Clip 1"};
    QTest::newRow("hard swish, before it was an operator") << 13 << hard << QStringList{"HardSigmoid 1", "Mul 2"};
    QTest::newRow("hard swish") << 14 << hard << QStringList{"HardSwish 1"};
    QTest::newRow("Gelu") << 20 << gelu << QStringList{"Gelu 1"};
    QTest::newRow("Mish of a convolution") << 18 << mish << QStringList{"Conv 2", "Mish 1"};
    QTest::newRow("x * sigmoid(x)") << 22 << silu << QStringList{"Sigmoid 1", "Mul 2"};
}

void OnnxExportTest::exportOnnx_changedNodes_takeTheFormOfTheOpset()
{
    QFETCH(int, opset);
    QFETCH(QString, nodes);
    QFETCH(QStringList, written);
    const auto result =
        exported(modelOf(opset, kImage + nodes.toStdString() + " output " + tensorInfo("y", "1 4 8 8")));
    QCOMPARE(result.refusal, QString());
    QStringList found;
    for (const auto &node : result.model.graph().node())
        found << QString("%1 %2").arg(node.op_type().c_str()).arg(node.input_size());
    QCOMPARE(found, written);
    // When read back, it is one unit again.
    const auto again = importOnnxBytes(result.model.SerializeAsString(), "net", {});
    QVERIFY(again);
    QCOMPARE(test::formedUnits(again->graph, again->keptApart)->size(), std::size_t(1));
}

// A model without its file is written in opset 17, which has no Mish.
void OnnxExportTest::exportOnnx_mishBeforeItWasAnOperator_isWrittenOut()
{
    const onnx::ModelProto file = modelOf(
        18, kImage + " node { op_type: 'Mish' input: 'x' output: 'y' name: 'y' } output " + tensorInfo("y", "1 4 8 8"));
    const auto result = exported(file, false);
    QCOMPARE(result.refusal, QString());
    QStringList found;
    for (const auto &node : result.model.graph().node())
        found << node.op_type().c_str();
    QCOMPARE(found, (QStringList{"Softplus", "Tanh", "Mul"}));
    QCOMPARE(nodeOf(result.model, "Mul").input(0), std::string("x"));
}

// Used to divide by zero.
void OnnxExportTest::exportOnnx_splitOfUnknownRank_isCopied()
{
    const onnx::ModelProto file =
        modelOf(13, kImage +
                        " node { op_type: 'Mystery' domain: 'com.example' input: 'x' output: 't' name: 't' } "
                        "node { op_type: 'Split' input: 't' output: 'a' output: 'b' name: 'split' "
                        "attribute { name: 'axis' type: INT i: 1 } } output " +
                        tensorInfo("a", "1 2") + " output " + tensorInfo("b", "1 2"));
    onnx::ModelProto open = file;
    for (auto &output : *open.mutable_graph()->mutable_output()) {
        for (auto &dim : *output.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
            dim.Clear();
    }
    open.add_opset_import()->set_domain("com.example");
    open.mutable_opset_import(1)->set_version(1);
    const Exported written = exported(open);
    QCOMPARE(written.refusal, QString());
    QCOMPARE(nodeOf(written.model, "Split").SerializeAsString(), open.graph().node(1).SerializeAsString());
    // Without the file there is nothing to copy, and the type of the first operator is unknown.
    QVERIFY(exported(open, false).refusal.contains("operator t: the program does not know"));
}

void OnnxExportTest::exportOnnx_againstTheSchema_refusesNamingTheOperator()
{
    const auto file =
        modelOf(17, kImage +
                        " node { op_type: 'Resize' input: 'x' input: '' input: 's' output: 'y' name: "
                        "'up' attribute { name: 'antialias' type: INT i: 1 } } "
                        "initializer { name: 's' dims: 4 data_type: 1 float_data: [1, 1, 2, 2] } output " +
                        tensorInfo("y", "1 4 16 16"));
    const Exported written = exported(file);
    QVERIFY2(written.refusal.contains("net.onnx: operator up (Resize): the result is not valid ONNX"),
             qPrintable(written.refusal));
    QVERIFY2(written.refusal.contains("antialias"), qPrintable(written.refusal));
}

void OnnxExportTest::exportOnnx_outputsWithoutComputation_areKept()
{
    const auto file = modelOf(15, kImage +
                                      " node { op_type: 'Relu' input: 'x' output: 'y' name: 'relu' } "
                                      "node { op_type: 'Shape' input: 'x' output: 'size' name: 'shape' } output " +
                                      tensorInfo("size", "4", onnx::TensorProto::INT64) + " output " +
                                      tensorInfo("y", "1 4 8 8") + " output " + tensorInfo("x", "1 4 8 8"));
    const Exported written = exported(file);
    QCOMPARE(written.refusal, QString());
    QCOMPARE(written.model.graph().output_size(), 3);
    for (int i = 0; i < 3; ++i)
        QCOMPARE(written.model.graph().output(i).SerializeAsString(), file.graph().output(i).SerializeAsString());
    QCOMPARE(written.model.graph().initializer_size(), 1);
    QCOMPARE(written.model.graph().initializer(0).name(), std::string("size"));
}

void OnnxExportTest::exportOnnx_outputOfUnknownRank_refuses()
{
    auto file = modelOf(20, kImage +
                                " node { op_type: 'Mystery' domain: 'com.example' input: 'x' output: 'y' name: "
                                "'odd' } output " +
                                tensorInfo("y", "1"));
    file.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
    QVERIFY(exported(file).refusal.contains("output y: its rank is unknown"));
}

void OnnxExportTest::exportOnnx_bodies_readWhatTheirNamesBecame()
{
    const auto branch = [&](const char *name, const char *type, const char *result) {
        return std::string(" attribute { type: GRAPH name: '") + name + "' g { name: '" + name + "' node { op_type: '" +
               type + "' input: 'inner' input: 'k' output: '" + result + "' } output " + tensorInfo(result, "1 4 8 8") +
               " } }";
    };
    const auto file = modelOf(16, kImage + " input " + tensorInfo("c", "", onnx::TensorProto::BOOL) +
                                      " node { op_type: 'Relu' input: 'x' output: 'relu' name: 'relu' } "
                                      "node { op_type: 'Identity' input: 'relu' output: 'inner' name: 'same' } "
                                      "node { op_type: 'If' input: 'c' output: 'y' name: 'if'" +
                                      branch("then_branch", "Add", "a") + branch("else_branch", "Mul", "b") +
                                      " } initializer { name: 'k' dims: 1 data_type: 1 float_data: 2 } output " +
                                      tensorInfo("y", "1 4 8 8"));
    const Exported written = exported(file);
    QCOMPARE(written.refusal, QString());
    const onnx::NodeProto &node = nodeOf(written.model, "If");
    for (const auto &attribute : node.attribute())
        QCOMPARE(attribute.g().node(0).input(0), std::string("relu"));
    QCOMPARE(written.model.graph().initializer_size(), 1);
}

void OnnxExportTest::exportOnnx_sharedConstants_areWrittenOnce()
{
    const auto file = modelOf(13, kImage +
                                      " node { op_type: 'Mul' input: 'x' input: 'k' output: 'm' name: 'm' } "
                                      "node { op_type: 'Sub' input: 'm' input: 'k' output: 'y' name: 'y' } "
                                      "initializer { name: 'k' dims: 1 data_type: 1 float_data: 2 } output " +
                                      tensorInfo("y", "1 4 8 8"));
    const Exported written = exported(file);
    QCOMPARE(written.refusal, QString());
    QCOMPARE(written.model.graph().initializer_size(), 1);
    QCOMPARE(written.model.graph().initializer(0).name(), std::string("k"));
}

void OnnxExportTest::exportOnnx_integers_keepAllDigits()
{
    const auto file = modelOf(13, "input " + tensorInfo("x", "1", onnx::TensorProto::INT64) +
                                      " node { op_type: 'Add' input: 'x' input: 'k' output: 'y' name: 'y' } "
                                      "initializer { name: 'k' dims: 1 data_type: 7 int64_data: 9007199254740993 } "
                                      "output " +
                                      tensorInfo("y", "1", onnx::TensorProto::INT64));
    const Exported written = exported(file);
    QCOMPARE(written.refusal, QString());
    std::int64_t value = 0;
    QCOMPARE(written.model.graph().initializer(0).raw_data().size(), sizeof value);
    std::memcpy(&value, written.model.graph().initializer(0).raw_data().data(), sizeof value);
    QCOMPARE(value, std::int64_t(9007199254740993));
}

// In ONNX, Sum, GlobalAveragePool and Clip to a float only exist for real numbers.
void OnnxExportTest::exportOnnx_integers_areNotTakenForReals_data()
{
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QStringList>("written");
    QTest::newRow("mean") << "node { op_type: 'ReduceMean' input: 'x' output: 'y' name: 'y' attribute { name: 'axes' "
                             "type: INTS ints: [2, 3] } }"
                          << QStringList{"ReduceMean"};
    QTest::newRow("clip") << "node { op_type: 'Clip' input: 'x' input: 'low' input: 'high' output: 'y' name: 'y' } "
                             "initializer { name: 'low' data_type: 6 int32_data: 0 } "
                             "initializer { name: 'high' data_type: 6 int32_data: 6 }"
                          << QStringList{"Clip"};
    QTest::newRow("sum") << "node { op_type: 'Neg' input: 'x' output: 'n' name: 'n' } "
                            "node { op_type: 'Abs' input: 'x' output: 'p' name: 'p' } "
                            "node { op_type: 'Add' input: 'x' input: 'n' output: 'a' name: 'a' } "
                            "node { op_type: 'Add' input: 'a' input: 'p' output: 'b' name: 'b' } "
                            "node { op_type: 'Concat' input: 'b' input: 'x' output: 'y' name: 'y' "
                            "attribute { name: 'axis' type: INT i: 1 } }"
                         << QStringList{"Neg", "Abs", "Add", "Add", "Concat"};
}

void OnnxExportTest::exportOnnx_integers_areNotTakenForReals()
{
    QFETCH(QString, nodes);
    QFETCH(QStringList, written);
    const auto integers = [](const char *name, const char *dims) {
        return tensorInfo(name, dims, onnx::TensorProto::INT32);
    };
    const char *result = written.front() == "ReduceMean" ? "1 2 1 1" : written.front() == "Neg" ? "1 4 4 4" : "1 2 4 4";
    const Exported exportedFile = exported(
        modelOf(16, "input " + integers("x", "1 2 4 4") + nodes.toStdString() + " output " + integers("y", result)));
    QCOMPARE(exportedFile.refusal, QString());
    QStringList found;
    for (const auto &node : exportedFile.model.graph().node())
        found << QString::fromStdString(node.op_type());
    QCOMPARE(found, written);
}

void OnnxExportTest::exportOnnx_typesThatDoNotFit_namesTheOperator()
{
    const auto file = modelOf(13, kImage + " input " + tensorInfo("i", "1 4 8 8", onnx::TensorProto::INT64) +
                                      " node { op_type: 'Add' input: 'x' input: 'i' output: 'y' name: 'sum' } output " +
                                      tensorInfo("y", "1 4 8 8", onnx::TensorProto::FLOAT));
    const QString refusal = exported(file).refusal;
    QVERIFY2(refusal.contains("operator sum (Add): the result is not valid ONNX: B has inconsistent type"),
             qPrintable(refusal));
}

void OnnxExportTest::exportOnnx_severalRealTypesAndFunctions_keepsBoth()
{
    auto file = modelOf(16, kImage +
                                " node { op_type: 'Cast' input: 'x' output: 'y' name: 'y' attribute { name: 'to' type: "
                                "INT i: 10 } } output " +
                                tensorInfo("y", "1 4 8 8", onnx::TensorProto::FLOAT16));
    onnx::FunctionProto &function = *file.add_functions();
    function.set_name("own");
    function.set_domain("of.others");
    auto &opset = *function.add_opset_import();
    opset.set_domain("");
    opset.set_version(16);
    const Exported kept = exported(file);
    QCOMPARE(kept.refusal, QString());
    QCOMPARE(kept.model.functions(0).name(), std::string("own"));
    QCOMPARE(kept.model.graph().node(0).op_type(), std::string("Cast"));
}

void OnnxExportTest::exportOnnx_realTypes_areKept()
{
    const auto graph = [](int inputType, const char *cast) {
        return modelOf(13, "input " + tensorInfo("x", "1 2", inputType) + cast +
                               " node { op_type: 'MatMul' input: 't' input: 'w' output: 'y' name: 'y' } "
                               "initializer { name: 'w' dims: 2 dims: 2 data_type: 10 int32_data: [15360, 0, 0, "
                               "15360] } output " +
                               tensorInfo("y", "1 2", onnx::TensorProto::FLOAT16));
    };
    const Exported half = exported(
        graph(onnx::TensorProto::FLOAT16, " node { op_type: 'Identity' input: 'x' output: 't' name: 'same' }"));
    QCOMPARE(half.refusal, QString());
    QCOMPARE(half.model.graph().input(0).type().tensor_type().elem_type(), int(onnx::TensorProto::FLOAT16));
    QCOMPARE(half.model.graph().output(0).type().tensor_type().elem_type(), int(onnx::TensorProto::FLOAT16));
    QCOMPARE(half.model.graph().initializer(0).data_type(), int(onnx::TensorProto::FLOAT16));
    QCOMPARE(half.model.graph().initializer(0).raw_data(), std::string("\0\x3c\0\0\0\0\0\x3c", 8));
    const Exported mixed =
        exported(graph(onnx::TensorProto::FLOAT, " node { op_type: 'Cast' input: 'x' output: 't' name: 'cast' "
                                                 "attribute { name: 'to' type: INT i: 10 } }"));
    QCOMPARE(mixed.refusal, QString());
    QCOMPARE(mixed.model.graph().input(0).type().tensor_type().elem_type(), int(onnx::TensorProto::FLOAT));
    QCOMPARE(mixed.model.graph().node(0).op_type(), std::string("Cast"));
    QCOMPARE(mixed.model.graph().output(0).type().tensor_type().elem_type(), int(onnx::TensorProto::FLOAT16));
    QCOMPARE(mixed.model.graph().initializer(0).data_type(), int(onnx::TensorProto::FLOAT16));
}

void OnnxExportTest::exportOnnx_doubleBeyondFloat_isKept()
{
    const auto file = modelOf(13, "input " + tensorInfo("x", "1 1", onnx::TensorProto::DOUBLE) +
                                      " node { op_type: 'MatMul' input: 'x' input: 'w' output: 'y' name: 'y' } "
                                      "initializer { name: 'w' dims: 1 dims: 1 data_type: 11 double_data: 1e198 } "
                                      "output " +
                                      tensorInfo("y", "1 1", onnx::TensorProto::DOUBLE));
    const Exported kept = exported(file);
    QCOMPARE(kept.refusal, QString());
    QCOMPARE(kept.model.graph().initializer(0).data_type(), int(onnx::TensorProto::DOUBLE));
    const onnx::TensorProto &weight = kept.model.graph().initializer(0);
    double value = 0;
    QCOMPARE(weight.raw_data().size(), sizeof(value));
    std::memcpy(&value, weight.raw_data().data(), sizeof(value));
    QCOMPARE(value, 1e198);
}

void OnnxExportTest::exportOnnx_metadata_isKept()
{
    auto file = modelOf(13, kImage + " node { op_type: 'Relu' input: 'x' output: 'y' name: 'y' } output " +
                                tensorInfo("y", "1 4 8 8"));
    file.add_metadata_props()->set_key("labels");
    file.mutable_metadata_props(0)->set_value("cat, dog");
    const Exported written = exported(file);
    QCOMPARE(written.model.metadata_props_size(), 1);
    QCOMPARE(written.model.metadata_props(0).value(), std::string("cat, dog"));
}

// ONNX Runtime's quantiser writes 16 bits with its own names: read as ONNX's operators, costed as such, and kept.
void OnnxExportTest::exportOnnx_sameOperatorOfAnotherDomain_keepsTheDomain()
{
    auto file = modelOf(13, kImage +
                                " node { op_type: 'QuantizeLinear' domain: 'com.microsoft' input: 'x' input: 's' "
                                "input: 'z' output: 'q' name: 'q' } "
                                "node { op_type: 'DequantizeLinear' domain: 'com.microsoft' input: 'q' input: 's' "
                                "input: 'z' output: 'y' name: 'y' } "
                                "initializer { name: 's' data_type: 1 float_data: 0.5 } "
                                "initializer { name: 'z' data_type: 4 int32_data: 7 } output " +
                                tensorInfo("y", "1 4 8 8"));
    file.add_opset_import()->set_domain("com.microsoft");
    file.mutable_opset_import(1)->set_version(1);
    const auto source = importOnnxBytes(file.SerializeAsString(), "net", {}, {});
    QVERIFY(source);
    QVERIFY(source->report.unknownTypes.empty());
    QCOMPARE(source->graph.operators()[0].type, std::string("QuantizeLinear"));
    QVERIFY(source->graph.tensor(source->graph.operators()[0].outputs.front()).type == DataType::UInt16);
    const Exported written = exported(file);
    QCOMPARE(written.refusal, QString());
    for (const char *type : {"QuantizeLinear", "DequantizeLinear"})
        QCOMPARE(nodeOf(written.model, type).domain(), std::string("com.microsoft"));
}

// Their address is null; nothing may be copied from it.
void OnnxExportTest::bytesAs_noValues_areNoBytes()
{
    for (const int type : {onnx::TensorProto::FLOAT, onnx::TensorProto::FLOAT16, onnx::TensorProto::INT64}) {
        QCOMPARE(bytesAs(type, std::vector<float>{}), std::string());
        QCOMPARE(bytesAs(type, std::vector<std::int64_t>{}), std::string());
    }
}

STAGECRAFT_SUITE(OnnxExportTest)

} // namespace tst_onnx_export
#include "tst_onnx_export.moc"
