// Files that are wrong: each is refused by name, nothing is guessed, and no bytes end the process.

#include "graph_compare.h"
#include "model/onnx_import.h"
#include "model/rewrite/cut_blocks.h"
#include "support/formed_units.h"
#include "support/places.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_onnx_bad_files {

namespace {

const std::string kData = sourcePath("tests/data/onnx/").toStdString();

QByteArray bytesOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Reads, forms units and cuts blocks: for any bytes the result is a valid model or an error.
bool survives(const std::string &bytes)
{
    const auto source = importOnnxBytes(bytes, "fuzzed", kData);
    if (!source)
        return !source.error().message.empty();
    const auto formed = test::formedUnits(source->graph, source->keptApart);
    return formed && verifyBlocks(*formed, cutBlocks(*formed)).has_value();
}

} // namespace

class OnnxBadFilesTest : public QObject {
    Q_OBJECT

private slots:
    void importOnnx_badFile_refuses_data();
    void importOnnx_badFile_refuses();
    void importOnnx_unknownValue_isNotGuessed_data();
    void importOnnx_unknownValue_isNotGuessed();
    void importOnnx_wrongNodeInABranch_isSaid();
    void importOnnx_folderOrNothing_refuses();
    void importOnnxBytes_cutShort_neverCrashes();
    void importOnnxBytes_changedBytes_neverCrashes();
};

void OnnxBadFilesTest::importOnnx_badFile_refuses_data()
{
    QTest::addColumn<QString>("message");
    const auto row = [](const char *file, const char *message) { QTest::newRow(file) << QString(message); };
    row("bad_empty", "the file is empty");
    row("bad_text", "this is not an ONNX file");
    row("bad_cut_short", "the file is cut short or damaged");
    row("bad_no_graph", "no graph");
    row("bad_no_operators", "a graph without operators");
    row("bad_cycle", "operator a (Add): it is part of a cycle or after one");
    row("bad_missing_tensor", "operator y (Add): it reads the tensor ghost, which nothing makes");
    row("bad_missing_output", "nothing makes its output y");
    row("bad_twice_made", "operator y (Tanh): it makes the tensor y, which exists already");
    for (const char *kind : {"relu", "sigmoid", "add", "concat", "identity"})
        row(qPrintable(QString("bad_two_outputs_%1").arg(kind)), "it has 2 outputs, but operators of its type make 1");
    row("bad_two_outputs_constant", "operator n (Abs): it has 2 outputs, but operators of its type make 1");
    row("bad_inputs_tanh_0", "operator n (Tanh): it lacks the input X, which operators of its type always have");
    row("bad_inputs_relu_2", "operator n (Relu): it has 2 inputs, but operators of its type take 1");
    row("bad_inputs_add_1", "operator n (Add): it lacks the input B");
    row("bad_inputs_add_3", "operator n (Add): it has 3 inputs, but operators of its type take 2");
    row("bad_inputs_gemm_3", "operator n (Gemm): it lacks the input B");
    row("bad_attribute_twice", "operator y (Softmax): it gives its attribute axis twice");
    row("bad_axis_softmax", "operator y (Softmax): its axis is out of range");
    row("bad_axis_layer_norm", "operator y (LayerNormalization): its axis is out of range");
    row("bad_two_initializers", "two initializers are named w, of other shapes or types");
    row("bad_channels", "its weights are for 5 input channels, but its input has 3");
    row("bad_window", "its window of 9 is larger than the padded input of 8");
    row("bad_stride", "its kernel, strides and dilations must be at least 1");
    row("bad_groups", "it has -2 groups");
    row("bad_sum", "its operands have shapes that do not fit (1x4x8x8 and 1x3x8x8)");
    row("bad_matrix", "it multiplies matrices that do not fit (1x192 and 191x10)");
    row("bad_reshape", "it turns 1x3x8x8 into 1x7x-1");
    row("bad_norm", "its statistics are for 2 channels, but its input is 1x3x8x8");
    row("bad_slope", "operator y (PRelu): its slope (2x2x3x8x8) does not fit its input (1x3x8x8)");
    row("bad_only_constants", "nothing is left to compute for its outputs (y)");
    row("no_inputs", "nothing is left to compute for its outputs (y)");
    row("bad_negative_input", "input x: its size -7 makes no sense");
    row("bad_huge_input", "input x: its size 1099511627776 makes no sense");
    row("bad_overflow_input", "is absurd");
    row("bad_huge_output", "its output shape 1x4x2000006x2000006 is absurd");
    row("bad_no_input_shape", "input x: it has no shape");
    row("bad_sequence_input", "input x: it is not a tensor");
    row("bad_overflow_weight", "tensor w: its shape 2147483648x2147483648x3x3 is absurd");
    row("bad_negative_weight", "tensor w: its shape -4x3x3x3 is absurd");
    row("bad_no_data", "tensor w: it has 0 values, but its shape 4x3x3x3 needs 108");
    row("bad_short_data", "tensor w: it has 400 bytes of data, but its shape 4x3x3x3 needs 432");
    row("bad_external_escape", "is outside the model's folder");
    row("bad_external_absolute", "is outside the model's folder");
    row("bad_external_missing", "its external data file nowhere.bin is missing");
    row("bad_external_offset", "its external data file external.bin is cut short");
}

void OnnxBadFilesTest::importOnnx_badFile_refuses()
{
    QFETCH(QString, message);
    const std::string path = kData + QTest::currentDataTag() + ".onnx";
    const auto source = importOnnx({path});
    QVERIFY(!source);
    QCOMPARE(source.error().code, ErrorCode::InvalidInput);
    QCOMPARE(source.error().context.front(), path);
    QVERIFY(!source.error().remedy.empty());
    QVERIFY2(test::describe(source.error()).contains(message), qPrintable(test::describe(source.error())));
}

void OnnxBadFilesTest::importOnnx_unknownValue_isNotGuessed_data()
{
    QTest::addColumn<QString>("attribute");
    QTest::newRow("text") << "axis=channel";
    QTest::newRow("number") << "approximate=1";
    QTest::newRow("choice") << "approximate=erf";
    QTest::newRow("padding") << "auto_pad=SAMEISH";
}

// A value that the operator cannot have is no other value in silence.
void OnnxBadFilesTest::importOnnx_unknownValue_isNotGuessed()
{
    QFETCH(QString, attribute);
    const auto source = importOnnx({kData + "unknown_value_" + QTest::currentDataTag() + ".onnx"});
    QVERIFY(source);
    QCOMPARE(source->report.notes.size(), std::size_t(1));
    QCOMPARE(QString::fromStdString(source->report.notes[0].text),
             "the program does not know its attribute " + attribute +
                 "; it is kept as it is, with the shape and cost that it has without");
    QCOMPARE(source->graph.operators()[0].kind, OperatorKind::Unknown);
}

void OnnxBadFilesTest::importOnnx_wrongNodeInABranch_isSaid()
{
    const auto source = importOnnx({kData + "bad_branch.onnx"});
    QVERIFY(!source);
    const QString why = test::describe(source.error());
    QVERIFY2(why.contains("operator y (If): operator r (Relu): it has 2 inputs, but operators of its type take 1"),
             qPrintable(why));
}

void OnnxBadFilesTest::importOnnx_folderOrNothing_refuses()
{
    QVERIFY(test::describe(importOnnx({kData}).error()).contains("this is a folder"));
    QVERIFY(test::describe(importOnnx({kData + "nothing.onnx"}).error()).contains("there is no such file"));
}

void OnnxBadFilesTest::importOnnxBytes_cutShort_neverCrashes()
{
    for (const char *file : {"residual", "computed_reshape", "branches"}) {
        const std::string bytes = bytesOf(test::text(kData + file + ".onnx")).toStdString();
        QVERIFY(!bytes.empty());
        for (std::size_t length = 0; length < bytes.size(); ++length)
            QVERIFY(survives(bytes.substr(0, length)));
    }
}

void OnnxBadFilesTest::importOnnxBytes_changedBytes_neverCrashes()
{
    std::mt19937 random(7);
    const QDir folder(test::text(kData));
    for (const QString &file : folder.entryList({"*.onnx"})) {
        const std::string original = bytesOf(folder.filePath(file)).toStdString();
        for (int round = 0; round < 40 && !original.empty(); ++round) {
            std::string bytes = original;
            for (unsigned i = 0; i < 1 + random() % 4; ++i)
                bytes[random() % bytes.size()] = static_cast<char>(random());
            QVERIFY2(survives(bytes), qPrintable(file));
        }
    }
}

STAGECRAFT_SUITE(OnnxBadFilesTest)

} // namespace tst_onnx_bad_files
#include "tst_onnx_bad_files.moc"
