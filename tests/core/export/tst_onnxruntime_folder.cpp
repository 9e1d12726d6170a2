// Streams for ONNX Runtime: every node of the written model once, on the stream of its group.

#include "export/onnx_stages.h"
#include "export/onnxruntime/onnxruntime_folder.h"
#include "model/onnx_export.h"
#include "operators/parameter_roles.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;
using test::take;

namespace tst_onnxruntime_folder {

namespace {

struct Scheduled {
    Graph graph;
    TimedSchedule schedule;
};

Operator weighted(const std::string &name, TensorId input)
{
    Operator op = test::conv(name, {{input}}, 4, 3);
    op.parameters.push_back({std::string(role::kWeight), name + ".w", Shape{{4, 4, 3, 3}}, {}, {}});
    return op;
}

// x -> a, b merged; then {b2} beside {c}; then all joined.
Scheduled scheduled()
{
    GraphBuilder builder("net");
    const TensorId x = take(builder.addInput("x", Shape{{1, 4, 8, 8}}));
    const TensorId a = take(builder.add(weighted("a", x)));
    const TensorId b = take(builder.add(weighted("b", x)));
    const TensorId c = take(builder.add(weighted("c", a)));
    const TensorId d = take(builder.add(weighted("d", b)));
    const TensorId all = take(builder.add(test::join("all", {{c}, {d}})));
    Scheduled made{take(builder.build({all})), {}};
    const auto id = [&](const char *name) { return *made.graph.find(name); };
    made.schedule.stages = {{0, Strategy::Merge, {{id("a")}, {id("b")}}},
                            {0, Strategy::Concurrent, {{id("c")}, {id("d")}}},
                            {0, Strategy::Concurrent, {{id("all")}}}};
    return made;
}

} // namespace

class TestOnnxRuntimeFolder : public QObject {
    Q_OBJECT

private slots:
    void streams_everyNode_isOnTheStreamOfItsGroup()
    {
        const Scheduled made = scheduled();
        const OnnxStages stages = onnxStages(made.graph, made.schedule);
        const QTemporaryDir folder;
        const auto written =
            exportOnnx(made.graph, folder.filePath("net.onnx").toStdString(), {.stages = std::optional(stages)});
        QVERIFY(written);
        const auto streams = onnxRuntimeStreams(made.schedule, stages.units, written->nodes);
        QCOMPARE(streams.size(), 2U);
        QCOMPARE(streams[0].size() + streams[1].size(), written->nodes.size());
        const auto has = [&](std::size_t stream, const char *name) {
            return std::ranges::count(streams[stream], name) == 1;
        };
        QVERIFY(has(0, "a+b") && has(0, "a+b/split") && has(0, "c") && has(0, "all") && has(1, "d"));
    }

    void streamsText_isWhatOnnxRuntimeReads_data()
    {
        QTest::addColumn<bool>("onCuda");
        QTest::addColumn<QString>("device");
        QTest::newRow("cpu") << false << "0";
        QTest::newRow("cuda") << true << "1";
    }

    void streamsText_isWhatOnnxRuntimeReads()
    {
        QFETCH(const bool, onCuda);
        QFETCH(const QString, device);
        const std::string text =
            onnxRuntimeStreamsText({{"a", "b \"quoted\""}, {"c"}}, onCuda ? CppTarget::Cuda : CppTarget::Cpu);
        const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
        QCOMPARE(json["type"].toString(), QString("DeviceBasedPartitioner"));
        QCOMPARE(json["devices"].toArray(), (QJsonArray{device, device}));
        QCOMPARE(json["streams"].toArray().size(), 2);
        QCOMPARE(json["streams"][0][1].toString(), QString("b \"quoted\""));
    }

    void files_sayWhatTheyAreFor()
    {
        const Scheduled made = scheduled();
        const auto textOf = [&](CppTarget target, const char *name) {
            const auto files = onnxRuntimeFiles(made.graph, made.schedule, "net \"@STAGES@\"", target);
            const auto found = std::ranges::find(files, name, &ProjectFile::path);
            return found != files.end() ? QString::fromStdString(found->text) : QString();
        };
        QVERIFY(textOf(CppTarget::Cpu, "run.py").contains("PROVIDER = \"CPUExecutionProvider\""));
        QVERIFY(textOf(CppTarget::Cuda, "run.py").contains("PROVIDER = \"CUDAExecutionProvider\""));
        QVERIFY(textOf(CppTarget::Cpu, "run.cpp").contains("kProvider = \"CPUExecutionProvider\""));
        QVERIFY(textOf(CppTarget::Cuda, "run.cpp").contains("kProvider = \"CUDAExecutionProvider\""));
        QVERIFY(textOf(CppTarget::Cpu, "CMakeLists.txt").contains("add_executable(run run.cpp)"));
        QVERIFY(textOf(CppTarget::Cuda, "README.md").contains("not been run on a GPU"));
        const QString page = textOf(CppTarget::Cpu, "README.md");
        QVERIFY(page.startsWith("# net ?@STAGES@? for ONNX Runtime")); // a name is no word of the template
        QVERIFY(page.contains("by stream (2)") && page.contains("`x`: 1x4x8x8"));
        QVERIFY(!textOf(CppTarget::Cpu, "LICENSE").isEmpty());
    }
};

STAGECRAFT_SUITE(TestOnnxRuntimeFolder)

} // namespace tst_onnxruntime_folder
#include "tst_onnxruntime_folder.moc"
