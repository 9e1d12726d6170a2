// "verify": plans that can go wrong, in words, in numbers and by exit status.

#include "answers/verify_answer.h"
#include "plan/fault_words.h"
#include "support/cli_process.h"
#include "support/places.h"
#include "support/shared_data.h"
#include "support/suite.h"

#include <QDir>
#include <QJsonArray>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_cli_verify {

namespace {

QString planOf(const QString &name)
{
    return sourcePath("tests/data/plans/" + name + ".launches.json");
}

QJsonObject readObject(const QString &path)
{
    return QJsonDocument::fromJson(contentOf(path)).object();
}

} // namespace

class TestCliVerify : public QObject {
    Q_OBJECT

private slots:
    void verify_ownSchedules_pass_data();
    void verify_ownSchedules_pass();
    void verify_eventRemoved_isNamed();
    void verify_illegalStages_areNamed();
    void verify_launches_needNoModel();
    void verify_severalPlans_areCountedTogether();
    void verify_damagedPlan_hidesNoOther();
    void verify_severalSchedules_openTheModelOnce();
    void verify_kindsOfFaults_areAllListed();
    void verify_exportForOnnxRuntime_passes();
    void verify_cudaGraph_saysWhatIsMapped();
    void verify_ownTrace_keepsItsEdges();
    void verify_tracesOfOthers_haveAnOrder();
    void verify_otherFiles_areRefused_data();
    void verify_otherFiles_areRefused();
};

void TestCliVerify::verify_ownSchedules_pass_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("strategy");
    for (const char *strategy : {"both", "nimble", "opara", "ios-relaxed"}) {
        for (const char *model : {"googlenet", "inception_v3"})
            QTest::addRow("%s, %s", model, strategy) << model << strategy;
    }
}

void TestCliVerify::verify_ownSchedules_pass()
{
    QFETCH(const QString, model);
    QFETCH(const QString, strategy);
    const QTemporaryDir folder;
    const QString file = folder.filePath("s.schedule.json");
    QCOMPARE(cli({"optimize", model, "-d", "sim:v100", "--strategy", strategy, "--batch", "2", "-o", file}).status, 0);
    const Answer answer = cli({"verify", file, "--model", model, "--json"});
    QVERIFY2(answer.status == 0, answer.err + answer.out);
    const QJsonObject plan = answer.json()["plans"].toArray().first().toObject();
    QVERIFY(plan["passed"].toBool());
    QCOMPARE(plan["plan_kind"].toString(), QString("schedule"));
    QVERIFY(plan["launches"].toInt() > 20 && plan["streams"].toInt() > 1);
    QVERIFY(plan["buffers"].toInt() > 20 && plan["sharing_pairs"].toInt() > 20);
    QVERIFY((plan["events"].toInt() > 0) == (strategy != "both") &&
            (plan["barriers"].toInt() > 0) == (strategy == "both"));
    QCOMPARE(answer.json()["model"].toString(), model);
    const Answer text = cli({"verify", file, "-m", model});
    QCOMPARE(text.status, 0);
    QVERIFY2(text.out.contains("  passed: nothing was found\n"), text.out);
}

void TestCliVerify::verify_eventRemoved_isNamed()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("s.schedule.json");
    QCOMPARE(cli({"optimize", "googlenet", "-d", "sim:v100", "--strategy", "nimble", "-o", file}).status, 0);
    QJsonObject schedule = readObject(file);
    QJsonArray events = schedule["events"].toArray();
    const QJsonObject removed = events.takeAt(7).toObject();
    schedule["events"] = events;
    write(file, QJsonDocument(schedule).toJson());
    const Answer answer = cli({"verify", file, "--model", "googlenet", "--json"});
    QVERIFY2(answer.status == 1, answer.err + answer.out);
    QCOMPARE(answer.json()["faults"].toInt(), 1);
    const QJsonObject fault = answer.json()["plans"][0]["faults"][0].toObject();
    const QString from = removed["from"].toString();
    const QString to = removed["to"].toString();
    QCOMPARE(fault["kind"].toString(), QString("tensor race"));
    QCOMPARE(fault["launches"].toArray(), (QJsonArray{from, to}));
    QCOMPARE(fault["remedy"].toString(), QString("Add an event from %1 to %2").arg(from, to));
    const Answer text = cli({"verify", file, "--model", "googlenet"});
    QCOMPARE(text.status, 1);
    QVERIFY2(text.out.contains(QString("Add an event from %1 to %2.\n").arg(from, to).toUtf8()), text.out);
    QVERIFY2(text.out.endsWith("  failed: 1 fault\n"), text.out);
}

void TestCliVerify::verify_illegalStages_areNamed()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath("s.schedule.json");
    QCOMPARE(cli({"edit", "sample", "--join", "1,2", "-o", file}).status, 0);
    QJsonObject schedule = readObject(file);
    QJsonArray stages = schedule["stages"].toArray();
    stages.append(stages.takeAt(0));
    schedule["stages"] = stages;
    write(file, QJsonDocument(schedule).toJson());
    const Answer answer = cli({"verify", file, "--model", "sample", "--json"});
    QVERIFY2(answer.status == 1, answer.err + answer.out);
    const QJsonObject plan = answer.json()["plans"][0].toObject();
    QVERIFY(!plan["passed"].toBool() && plan["buffers"].isNull() && plan["launches"].isNull());
    QCOMPARE(plan["faults"][0]["kind"].toString(), QString("illegal schedule"));
    QCOMPARE(plan["faults"][0]["reason"].toString(),
             QString("stage 2: operator conv4: runs before conv1, whose output it reads"));
}

void TestCliVerify::verify_launches_needNoModel()
{
    const Answer failed = cli({"verify", planOf("shared_scratch")});
    QCOMPARE(failed.status, 1);
    QVERIFY2(failed.out.contains("a file of launches: 4 launches, 2 streams, 2 events, no barriers; 7 buffers, no "
                                 "pairs of them share bytes\n"),
             failed.out);
    QVERIFY2(failed.out.contains(
                 "  workspace race: shared_experts on aux and routed_experts on main use the workspace cublas_scratch, "
                 "and nothing puts one after the other. Add an event from shared_experts to routed_experts, or give "
                 "each stream a workspace of its own.\n"),
             failed.out);
    QVERIFY2(failed.out.contains("  not shown: whether every stream is joined: the file names no \"origin\" of a "
                                 "capture\n"),
             failed.out);
    const Answer passed = cli({"verify", planOf("shared_scratch.fixed")});
    QVERIFY2(passed.status == 0 && passed.err.isEmpty(), passed.err + passed.out);
}

void TestCliVerify::verify_severalPlans_areCountedTogether()
{
    const Answer answer = cli({"verify", planOf("reused_memory"), planOf("reused_memory.fixed"),
                               planOf("unjoined_stream"), planOf("unjoined_stream.fixed"), "--json"});
    QCOMPARE(answer.status, 1);
    QCOMPARE(answer.json()["faults"].toInt(), 2);
    QVERIFY(answer.json()["model"].isNull());
    QList<bool> passed;
    for (const QJsonValue &plan : answer.json()["plans"].toArray())
        passed << plan["passed"].toBool();
    QCOMPARE(passed, (QList<bool>{false, true, false, true}));
}

void TestCliVerify::verify_damagedPlan_hidesNoOther()
{
    const QTemporaryDir folder;
    const QString bad = folder.filePath("bad");
    write(bad, R"({"kind": "launches"})");
    const QStringList call{"verify", planOf("reused_memory.fixed"), bad, planOf("unjoined_stream")};
    const Answer answer = cli(call);
    QCOMPARE(answer.status, 3);
    QVERIFY2(answer.out.endsWith("  passed: nothing was found\n") && answer.out.count("a file of launches") == 1,
             answer.out);
    QVERIFY2(answer.err.contains("bad: launches: \"version\" is missing"), answer.err);
    const Answer json = cli(call + QStringList{"--json"});
    QVERIFY2(json.status == 3 && json.out.isEmpty(), json.out);
}

// What is said as the model is opened at the batch of a file is said once.
void TestCliVerify::verify_severalSchedules_openTheModelOnce()
{
    const QTemporaryDir folder;
    const auto made = [&](const QString &batch) {
        const QString file = folder.filePath("batch" + batch);
        (void)cli({"optimize", "sample", "-d", "sim:v100", "--batch", batch, "-o", file});
        return file;
    };
    const Answer answer = cli({"verify", made("2"), made("2"), made("3"), "--model", "sample"});
    QVERIFY2(answer.status == 0, answer.err + answer.out);
    QCOMPARE(answer.out.count("  passed: nothing was found\n"), 3);
    QVERIFY2(answer.err.count("the model is opened at batch 2") == 1, answer.err);
    QVERIFY2(answer.err.count("the model is opened at batch 3") == 1, answer.err);
}

void TestCliVerify::verify_kindsOfFaults_areAllListed()
{
    QString text;
    const PlanFault fault;
    eachMember(fault, [&](const Field &field, const auto & /*value*/) {
        if (field.key == "kind")
            text = QString::fromUtf8(field.means.data(), static_cast<qsizetype>(field.means.size()));
    });
    static const QRegularExpression kBetween("(?:; of [^:]*: |, )");
    const QStringList listed = text.split(kBetween);
    QSet<QString> written;
    for (int kind = 0;; ++kind) {
        const std::string_view name = toString(static_cast<plan::ProgramFaultKind>(kind));
        if (name.empty())
            break;
        written << QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    }
    QCOMPARE(written.size(), 7);
    const QDir sources(sourcePath("core/flow/verify"));
    static const QRegularExpression kFirstOfFault(R"re((?:faults\.push_back\(\s*|return )\{"([^"]+)",)re");
    for (const QString &name : sources.entryList({"*.cpp"})) {
        for (auto found = kFirstOfFault.globalMatch(contentOf(sources.filePath(name))); found.hasNext();)
            written << found.next().captured(1);
    }
    QCOMPARE(written, QSet<QString>(listed.begin(), listed.end()));
    QCOMPARE(written.size(), listed.size());
}

void TestCliVerify::verify_exportForOnnxRuntime_passes()
{
    const QTemporaryDir folder;
    const QString net = folder.filePath("net");
    QCOMPARE(cli({"export", "squeezenet", "nimble", "-d", "sim:v100", "--format", "onnxruntime", "-o", net}).status, 0);
    const QStringList call{"verify", net + "/streams.json", "--model", net + "/model.onnx", "--json"};
    const Answer passed = cli(call);
    QVERIFY2(passed.status == 0, passed.err + passed.out);
    QJsonObject plan = passed.json()["plans"][0].toObject();
    QCOMPARE(plan["plan_kind"].toString(), QString("onnxruntime-streams"));
    QVERIFY(plan["streams"].toInt() > 1 && plan["events"].isNull() && plan["not_shown"].toArray().size() == 3);
    QJsonObject file = readObject(net + "/streams.json");
    QJsonArray streams = file["streams"].toArray();
    QJsonArray first = streams[0].toArray();
    const QString out = first.takeAt(1).toString();
    streams[0] = first;
    file["streams"] = streams;
    write(net + "/streams.json", QJsonDocument(file).toJson());
    const Answer failed = cli(call);
    QCOMPARE(failed.status, 1);
    QCOMPARE(failed.json()["plans"][0]["faults"][0]["launches"][0].toString(), out);
    QCOMPARE(failed.json()["faults"].toInt(), 1);
}

void TestCliVerify::verify_cudaGraph_saysWhatIsMapped()
{
    const QString graph = sourcePath("tests/data/plans/sample.cuda_graph.dot");
    const Answer passed = cli({"verify", graph, "--model", "sample", "--json"});
    QVERIFY2(passed.status == 0, passed.err + passed.out);
    const QJsonObject plan = passed.json()["plans"][0].toObject();
    QCOMPARE(plan["plan_kind"].toString(), QString("cuda-graph"));
    QCOMPARE(plan["mapped_operators"].toInt(), 5);
    QCOMPARE(plan["edges"].toInt(), 4);
    QCOMPARE(plan["launches"].toInt(), 5);
    QVERIFY(plan["streams"].isNull() && plan["buffers"].isNull());
    const QTemporaryDir folder;
    QByteArray text = contentOf(graph);
    text.replace("\"graph_1_node_0\" -> \"graph_1_node_3\"", "\"graph_1_node_5\" -> \"graph_1_node_3\"");
    write(folder.filePath("g.dot"), text);
    const Answer failed = cli({"verify", "g.dot", "-m", "sample"}, folder.path());
    QCOMPARE(failed.status, 1);
    QVERIFY2(failed.out.contains("g.dot, a CUDA graph: 5 launches; 5 operators mapped, 4 edges between them checked\n"),
             failed.out);
    QVERIFY2(failed.out.contains("  no path: conv4 reads from conv1, and no path of the graph makes it wait for all of "
                                 "its kernels. Add an event from conv1 to conv4 to what is captured.\n"),
             failed.out);
}

void TestCliVerify::verify_ownTrace_keepsItsEdges()
{
    const QTemporaryDir folder;
    const QString trace = folder.filePath("t.json");
    QCOMPARE(cli({"export", "googlenet", "nimble", "-d", "sim:v100", "--format", "chrome-trace", "-o", trace}).status,
             0);
    const Answer answer = cli({"verify", trace, "--model", "googlenet", "--json"});
    QVERIFY2(answer.status == 0, answer.err + answer.out);
    const QJsonObject plan = answer.json()["plans"][0].toObject();
    QCOMPARE(plan["plan_kind"].toString(), QString("profile"));
    QVERIFY(plan["mapped_operators"].toInt() > 50 && plan["edges"].toInt() > 50 && plan["streams"].toInt() > 1);
    const Answer layers = cli({"verify", sourcePath("tests/data/profiles/sample.layers.json"), "-m", "sample"});
    QCOMPARE(layers.status, 3);
    QVERIFY2(layers.err.contains("it does not say when kernels started and ended on the device"), layers.err);
}

void TestCliVerify::verify_tracesOfOthers_haveAnOrder()
{
    const QString trace = sharedDataPath("profiles/pytorch/v100_resnet50_train.json.gz");
    if (trace.isEmpty())
        QSKIP(kNoSharedData);
    const Answer answer = cli({"verify", trace, "--model", "resnet50", "--json"});
    QVERIFY2(answer.status == 0, answer.err + answer.out);
    QVERIFY(answer.json()["plans"][0]["mapped_operators"].toInt() > 20);
}

void TestCliVerify::verify_otherFiles_areRefused_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char *name, const QByteArray &content, int status, const char *says,
                        const QStringList &options = {}) {
        QTest::newRow(name) << content << options << status << QByteArray(says);
    };
    const QByteArray schedule = R"({"format": "stagecraft-schedule", "version": 1, "stages": [)";
    row("empty", "", 3, "plan: it is no plan that this program knows. Give a schedule file");
    row("text", "hello", 3, "plan: it is no plan that this program knows");
    row("other JSON", R"({"kind": "stages"})", 3, "plan: it is no plan that this program knows");
    row("no model", schedule + "]}", 2,
        "plan: it is a schedule, which is verified with its model. Name the model with "
        "--model");
    row("a schedule cut short", schedule, 3, "plan: is not JSON", {"--model", "sample"});
    row("a schedule of another model", schedule + R"({"groups": [["nowhere"]], "strategy": "concurrent"}]})", 3,
        "plan: ", {"--model", "sample"});
    row("an unknown model", schedule + "]}", 3, "nowhere.onnx", {"--model", "nowhere.onnx"});
    row("launches without memory", R"({"kind": "launches", "version": 1})", 3,
        "plan: launches: \"memory\" is not a list");
}

void TestCliVerify::verify_otherFiles_areRefused()
{
    QFETCH(const QByteArray, content);
    QFETCH(const QStringList, options);
    QFETCH(const int, status);
    QFETCH(const QByteArray, says);
    const QTemporaryDir folder;
    write(folder.filePath("plan"), content);
    const Answer answer = cli(QStringList{"verify", "plan"} + options, folder.path());
    QVERIFY2(answer.err.contains(says), answer.err);
    QCOMPARE(answer.status, status);
    QVERIFY2(answer.out.isEmpty(), answer.out);
    const Answer missing = cli(QStringList{"verify", "nowhere.json"} + options, folder.path());
    QCOMPARE(missing.status, 3);
    QVERIFY2(missing.err.contains("nowhere.json: "), missing.err);
    QCOMPARE(cli({"verify"}).status, 2);
}

STAGECRAFT_SUITE(TestCliVerify)

} // namespace tst_cli_verify
#include "tst_cli_verify.moc"
