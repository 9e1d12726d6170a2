// ONNX files with stages: merged operators are one node there, and the operators they were when the file is read.

#include "export/onnx_stages.h"
#include "model/onnx/file/stage_metadata.h"
#include "model/onnx_import.h"
#include "operators/parameter_roles.h"
#include "operators/parameter_values.h"
#include "results/files/schedule_json.h"
#include "schedule/verify.h"
#include "support/device_networks.h"
#include "support/formed_units.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <onnx/onnx_pb.h>

using namespace stagecraft;
using test::take;

namespace tst_onnx_stages {

namespace {

Operator convolution(std::string name, TensorId input, std::array<std::int64_t, 2> kernel, std::int64_t dilation,
                     Activation after, bool hasBias)
{
    Operator op = test::conv(name, {{input}}, 3);
    ConvAttributes conv = *op.conv();
    conv.window.kernel = kernel;
    conv.window.dilation = {dilation, dilation};
    const std::int64_t high = kernel[0] / 2 * dilation;
    const std::int64_t wide = kernel[1] / 2 * dilation;
    conv.window.padding = {high, wide, high, wide};
    conv.after = after;
    op.attributes = conv;
    op.parameters.push_back({std::string(role::kWeight), name + ".w", Shape{{3, 4, kernel[0], kernel[1]}}, {}, {}});
    if (hasBias)
        op.parameters.push_back({std::string(role::kBias), name + ".b", Shape{{3}}, {}, {}});
    return op;
}

struct Scheduled {
    std::shared_ptr<const Graph> graph;
    TimedSchedule schedule;
};

// {a + b + c merged}, {p | q}, {all}. `biases`: of a, b and c.
Scheduled scheduled(Activation after, std::int64_t dilation, std::array<bool, 3> biases)
{
    GraphBuilder builder("net");
    const TensorId x = take(builder.addInput("x", Shape{{2, 4, 9, 7}}));
    const TensorId a = take(builder.add(convolution("a", x, {1, 1}, dilation, after, biases[0])));
    const TensorId p = take(builder.add(convolution("p", x, {1, 1}, 1, {}, true)));
    const TensorId b = take(builder.add(convolution("b", x, {3, 3}, dilation, after, biases[1])));
    const TensorId q = take(builder.add(test::join("q", {{a, b}})));
    const TensorId c = take(builder.add(convolution("c", x, {1, 5}, dilation, after, biases[2])));
    const TensorId all = take(builder.add(test::join("all", {{c}, {p}, {q}})));
    Scheduled made{std::make_shared<const Graph>(take(builder.build({all}))), {}};
    const auto id = [&](const char *name) { return *made.graph->find(name); };
    made.schedule.stages = {{0, Strategy::Merge, {{id("a")}, {id("b")}, {id("c")}}},
                            {1, Strategy::Concurrent, {{id("p")}, {id("q")}}},
                            {1, Strategy::Concurrent, {{id("all")}}}};
    made.schedule.context.model = {"net", "123"};
    made.schedule.context.batch = 2;
    made.schedule.context.device = "sim:test";
    return made;
}

onnx::ModelProto written(const Scheduled &made)
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("net.onnx").toStdString();
    const auto exported = exportOnnx(*made.graph, path, {.stages = onnxStages(*made.graph, made.schedule)});
    if (!exported)
        qFatal("%s", exported.error().message.c_str());
    onnx::ModelProto model;
    std::ifstream stream(path, std::ios::binary);
    if (!model.ParseFromIstream(&stream))
        qFatal("what was written cannot be read");
    return model;
}

SourceGraph readBack(const onnx::ModelProto &file)
{
    SourceGraph source = take(importOnnxBytes(file.SerializeAsString(), "net", {}));
    source.graph = take(test::formedUnits(std::move(source.graph), source.keptApart));
    return source;
}

QByteArray valuesOf(const Operator &op)
{
    QByteArray text;
    for (const Parameter &parameter : op.parameters) {
        text += QByteArray::fromStdString(parameter.role + " " + toString(parameter.shape));
        const auto values = parameterValues(parameter);
        for (const float value : *values)
            text += ' ' + QByteArray::number(value, 'g', 9);
    }
    return text;
}

void compareOperators(const Graph &read, const Graph &made)
{
    QCOMPARE(read.size(), made.size());
    for (const Operator &op : made.operators()) {
        const auto id = read.find(op.name);
        QVERIFY2(id, op.name.c_str());
        const Operator &own = read.op(*id);
        QCOMPARE(read.tensor(own.outputs.front()).name, made.tensor(op.outputs.front()).name);
        QVERIFY(own.attributes == op.attributes);
        QCOMPARE(valuesOf(own), valuesOf(op));
    }
}

// The operators of the graph again, and the schedule that the file states.
void compareReadBack(const SourceGraph &source, const Graph &made, ScheduleWithBlocks &read)
{
    QVERIFY(source.report.notes.empty());
    compareOperators(source.graph, made);
    auto stated = scheduleWithBlocksFromJson(source.schedule, source.graph, {}, {"net", "456"});
    QVERIFY2(stated, stated ? "" : stated.error().message.c_str());
    read = std::move(*stated);
}

std::string &metadata(onnx::ModelProto &file, std::string_view key)
{
    for (auto &entry : *file.mutable_metadata_props()) {
        if (entry.key() == key)
            return *entry.mutable_value();
    }
    qFatal("the file does not state it");
}

void replaceIn(std::string &text, const std::string &from, const std::string &to)
{
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
        qFatal("there is no %s in %s", from.c_str(), text.c_str());
    text.replace(at, from.size(), to);
}

} // namespace

class TestOnnxStages : public QObject {
    Q_OBJECT

private slots:
    void stages_writtenAndRead_areTheSame_data();
    void stages_writtenAndRead_areTheSame();
    void stages_ofProducts_areTheSame_data();
    void stages_ofProducts_areTheSame();
    void stages_ofInputsOfTheirOwn_areTheSame_data();
    void stages_ofInputsOfTheirOwn_areTheSame();
    void stages_ofEachNode_areItsMetadata();
    void stages_exportedAgain_areTheNewOnes();
    void stages_damaged_areLeftOutWithANote_data();
    void stages_damaged_areLeftOutWithANote();
};

void TestOnnxStages::stages_writtenAndRead_areTheSame_data()
{
    QTest::addColumn<int>("activation");
    QTest::addColumn<int>("dilation");
    QTest::addColumn<int>("biases");
    QTest::newRow("linear, no bias") << int(ActivationKind::None) << 1 << 0;
    QTest::newRow("relu, some biases") << int(ActivationKind::Relu) << 1 << 5;
    QTest::newRow("clipped, dilated") << int(ActivationKind::Relu6) << 2 << 7;
    QTest::newRow("an activation of two nodes") << int(ActivationKind::Silu) << 1 << 7;
    QTest::newRow("another activation") << int(ActivationKind::HardSwish) << 3 << 2;
}

void TestOnnxStages::stages_writtenAndRead_areTheSame()
{
    QFETCH(const int, activation);
    QFETCH(const int, dilation);
    QFETCH(const int, biases);
    const Scheduled made = scheduled({static_cast<ActivationKind>(activation)}, dilation,
                                     {(biases & 1) != 0, (biases & 2) != 0, (biases & 4) != 0});
    const onnx::ModelProto file = written(made);
    const auto convolutions = std::ranges::count(file.graph().node(), "Conv", &onnx::NodeProto::op_type);
    QCOMPARE(convolutions, 2); // a + b + c, and p

    const SourceGraph source = readBack(file);
    ScheduleWithBlocks read;
    compareReadBack(source, *made.graph, read);
    if (QTest::currentTestFailed())
        return;
    QCOMPARE(toJson(source.graph, read.schedule), toJson(*made.graph, made.schedule));
    QCOMPARE(read.blocks.size(), std::size_t{2});
    QCOMPARE(read.blocks[0].operators.size(), std::size_t{3});
}

void TestOnnxStages::stages_ofProducts_areTheSame_data()
{
    QTest::addColumn<std::vector<std::int64_t>>("input");
    QTest::addColumn<bool>("transposed");
    QTest::addColumn<int>("activation");
    QTest::addColumn<QByteArray>("type");
    QTest::newRow("a matrix") << std::vector<std::int64_t>{7, 4} << true << int(ActivationKind::None)
                              << QByteArray("Gemm");
    QTest::newRow("a matrix, relu") << std::vector<std::int64_t>{7, 4} << false << int(ActivationKind::Relu)
                                    << QByteArray("Gemm");
    QTest::newRow("a stack") << std::vector<std::int64_t>{2, 7, 4} << false << int(ActivationKind::None)
                             << QByteArray("MatMul");
    QTest::newRow("a stack, an activation of two nodes")
        << std::vector<std::int64_t>{2, 7, 4} << false << int(ActivationKind::Silu) << QByteArray("MatMul");
}

void TestOnnxStages::stages_ofProducts_areTheSame()
{
    QFETCH(const std::vector<std::int64_t>, input);
    QFETCH(const bool, transposed);
    QFETCH(const int, activation);
    QFETCH(const QByteArray, type);
    Scheduled made{test::productsOfOneInput(Shape{input}, transposed, {static_cast<ActivationKind>(activation)}),
                   test::mergedProducts()};
    made.schedule.context.model = {"net", "123"};
    const onnx::ModelProto file = written(made);
    QCOMPARE(std::ranges::count(file.graph().node(), type.toStdString(), &onnx::NodeProto::op_type), 1);

    ScheduleWithBlocks read;
    compareReadBack(readBack(file), *made.graph, read);
    if (QTest::currentTestFailed())
        return;
    QVERIFY(read.schedule.stages.front().isMerged());
}

void TestOnnxStages::stages_ofInputsOfTheirOwn_areTheSame_data()
{
    QTest::addColumn<std::shared_ptr<const Graph>>("graph");
    QTest::addColumn<QByteArray>("withOneLess");
    const QByteArray inputs = "as many inputs";
    const QByteArray stacks = "not a product of stacks";
    QTest::newRow("convolutions") << test::equalBranches(16, 16, 1) << inputs;
    QTest::newRow("grouped") << test::equalBranches(16, 32, 4) << inputs;
    QTest::newRow("depthwise") << test::equalBranches(6, 6, 6) << inputs;
    QTest::newRow("products") << test::equalProducts(Shape{{7, 4}}, false, {ActivationKind::Relu}) << stacks;
    QTest::newRow("products of stacks") << test::equalProducts(Shape{{2, 7, 4}}, false, {}) << stacks;
    QTest::newRow("an activation of two nodes")
        << test::equalProducts(Shape{{2, 7, 4}}, false, {ActivationKind::Silu}) << stacks;
}

void TestOnnxStages::stages_ofInputsOfTheirOwn_areTheSame()
{
    QFETCH(const std::shared_ptr<const Graph>, graph);
    QFETCH(const QByteArray, withOneLess);
    Scheduled made{graph, test::mergedBranches()};
    made.schedule.context.model = {"net", "123"};
    onnx::ModelProto file = written(made);
    ScheduleWithBlocks read;
    compareReadBack(readBack(file), *made.graph, read);
    if (QTest::currentTestFailed())
        return;
    QVERIFY(read.schedule.stages[1].isMerged());

    // One operator less than inputs.
    std::string &merges = metadata(file, kMergesKey);
    auto json = nlohmann::ordered_json::parse(merges);
    json[0]["operators"].erase(2);
    merges = json.dump();
    const SourceGraph other = readBack(file);
    QVERIFY(!other.report.notes.empty());
    const std::string &says = other.report.notes.back().text;
    QVERIFY2(QByteArray::fromStdString(says).contains(withOneLess), says.c_str());
}

void TestOnnxStages::stages_ofEachNode_areItsMetadata()
{
    const onnx::ModelProto file = written(scheduled({ActivationKind::Relu}, 1, {true, true, true}));
    QByteArrayList stated;
    for (const auto &node : file.graph().node()) {
        QByteArray text = QByteArray::fromStdString(node.op_type());
        const auto &fields = node.unknown_fields(); // in ONNX 1.12
        for (int i = 0; i < fields.field_count(); ++i) {
            onnx::StringStringEntryProto entry;
            QCOMPARE(fields.field(i).number(), 9);
            QVERIFY(entry.ParseFromString(fields.field(i).length_delimited()));
            text += ' ' + QByteArray::fromStdString(entry.value());
        }
        stated += text;
    }
    QCOMPARE(stated,
             QByteArrayList({"Conv a+b+c 1 1 1 merge", "Relu a+b+c 1 1 1 merge", "Split a+b+c 1 1 1 merge",
                             "Conv p 2 1 2 concurrent", "Add q 2 2 2 concurrent", "Concat all 3 1 2 concurrent"}));
}

// What the first export stated does not remain beside it.
void TestOnnxStages::stages_exportedAgain_areTheNewOnes()
{
    const Scheduled made = scheduled({ActivationKind::Relu}, 1, {true, true, true});
    const SourceGraph source = readBack(written(made));
    TimedSchedule sequential;
    for (std::size_t i = 0; i < source.graph.size(); ++i)
        sequential.stages.push_back({0, Strategy::Concurrent, {{OperatorId::fromIndex(i)}}});
    const onnx::ModelProto again = written({std::make_shared<const Graph>(source.graph), sequential});
    QCOMPARE(again.metadata_props_size(), 2);
    QCOMPARE(std::ranges::count(again.graph().node(), "Conv", &onnx::NodeProto::op_type), 4);
    for (const auto &node : again.graph().node())
        QCOMPARE(node.unknown_fields().field_count(), 5);
    QVERIFY(!readBack(again).schedule.empty());
}

using Damage = std::function<void(onnx::ModelProto &)>;

void TestOnnxStages::stages_damaged_areLeftOutWithANote_data()
{
    QTest::addColumn<Damage>("damage");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *name, const Damage &damage, const char *says) {
        QTest::newRow(name) << damage << QString("The schedule in the file is not used: ") + says;
    };
    const auto merges = [](const std::string &from, const std::string &to) {
        return [=](onnx::ModelProto &file) { replaceIn(metadata(file, "stagecraft.merges"), from, to); };
    };
    row(
        "no JSON", [](onnx::ModelProto &file) { metadata(file, "stagecraft.merges") = "{["; },
        "its list of merged operators is not a list");
    row("no list of nodes", merges("\"nodes\"", "\"gnomes\""),
        "an entry of its list of merged operators is incomplete");
    row("no name", merges("\"name\":\"a\"", "\"name\":1"), "a merged operator is incompletely described");
    row("absurd channels", merges("\"channels\":3", "\"channels\":99999999999999"),
        "a merged operator is incompletely described");
    row("a node that is not there", merges("a+b+c/split", "a+b+c/slit"),
        "node a+b+c/slit of a merged operator is not in the file, or in two of them");
    row("too many channels", merges("\"channels\":3", "\"channels\":4"),
        "operator a+b+c: operator a has weights outside its kernel: they are not as they were exported");
    row("too few channels", merges("\"channels\":3", "\"channels\":2"),
        "operator a+b+c: operator c has weights outside its kernel: they are not as they were exported");
    row("a kernel that is too large", merges("\"kernel\":[1,5]", "\"kernel\":[1,7]"),
        "operator a+b+c: operator c does not fit into it");
    row("an operator fewer", merges("{\"name\":\"a\",\"channels\":3,\"kernel\":[1,1],\"bias\":true},", ""),
        "operator a+b+c: it is not a convolution with a split into as many outputs as it has operators");
}

void TestOnnxStages::stages_damaged_areLeftOutWithANote()
{
    QFETCH(const Damage, damage);
    QFETCH(const QString, says);
    onnx::ModelProto file = written(scheduled({ActivationKind::Relu}, 1, {true, true, true}));
    damage(file);
    const auto source = importOnnxBytes(file.SerializeAsString(), "net", {});
    QVERIFY(source);
    QVERIFY(source->schedule.empty());
    QCOMPARE(QString::fromStdString(source->report.notes.back().text), says);
    QVERIFY(source->graph.find("a+b+c")); // still a model
}

STAGECRAFT_SUITE(TestOnnxStages)

} // namespace tst_onnx_stages
#include "tst_onnx_stages.moc"
