// Files of launches: read as they were written, every wait that is taken out of one is found, others are refused.

#include "flow/verify/launches_file.h"

#include "flow/verify/verify_program.h"
#include "flow/verify_plan.h"
#include "plan/program_faults.h"
#include "support/cli_process.h"
#include "support/graph_making.h"
#include "support/profile_making.h"
#include "support/program_making.h"
#include "support/suite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <stop_token>
#include <utility>

using namespace stagecraft;
using namespace stagecraft::plan;
using namespace stagecraft::test;

namespace tst_launches_file {

namespace {

constexpr int kPlans = 1000;

QString qt(const std::string &text)
{
    return QString::fromStdString(text);
}

std::string fileOf(const LaunchedProgram &program)
{
    QJsonArray memory;
    for (const NamedMemory &each : program.memory) {
        const Allocation &bytes = program.allocations[each.allocation];
        memory << QJsonObject{{"name", qt(each.name)},
                              {"arena", QString("arena%1").arg(bytes.arena)},
                              {"begin", static_cast<qint64>(bytes.begin)},
                              {"end", static_cast<qint64>(bytes.end)}};
    }
    QJsonArray steps;
    for (const ProgramStep &step : program.steps) {
        if (const auto *record = std::get_if<EventRecord>(&step))
            steps << QJsonObject{{"record", qt(program.events[record->event])},
                                 {"stream", qt(program.streams[record->stream])}};
        if (const auto *wait = std::get_if<EventWait>(&step))
            steps << QJsonObject{{"wait", qt(program.events[wait->event])},
                                 {"stream", qt(program.streams[wait->stream])}};
        if (const auto *launch = std::get_if<ProgramLaunch>(&step)) {
            QJsonArray reads;
            QJsonArray writes;
            QJsonArray workspace;
            for (const std::uint32_t each : launch->reads)
                reads << qt(program.memory[each].name);
            for (const std::uint32_t each : launch->writes)
                (program.memory[each].isWorkspace ? workspace : writes) << qt(program.memory[each].name);
            steps << QJsonObject{{"launch", qt(launch->name)},
                                 {"stream", qt(program.streams[launch->stream])},
                                 {"reads", reads},
                                 {"writes", writes},
                                 {"workspace", workspace}};
        }
    }
    return QJsonDocument(QJsonObject{{"kind", "launches"}, {"version", 1}, {"memory", memory}, {"steps", steps}})
        .toJson()
        .toStdString();
}

} // namespace

class TestLaunchesFile : public QObject {
    Q_OBJECT

private slots:
    void read_anyWaitRemoved_isFoundByItsPair();
    void read_accidents_areFoundAndTheirRepairsPass_data();
    void read_accidents_areFoundAndTheirRepairsPass();
    void read_parts_areReadAsTheirWhole();
    void read_outputs_areReadAtTheEnd();
    void verify_parts_areNoBuffers();
    void verify_stopRequested_isCancelled();
    void read_otherFiles_areRefused_data();
    void read_otherFiles_areRefused();
};

void TestLaunchesFile::read_anyWaitRemoved_isFoundByItsPair()
{
    std::mt19937 random(44);
    std::size_t removed = 0;
    for (int round = 0; round < kPlans; ++round) {
        const ProgramWithWaits made = withNeededWaits(randomLaunches(random));
        const std::string text = fileOf(made.program);
        QVERIFY(isLaunchesFile(text));
        const VerifiedPlan passed = take(verifyProgram(take(programFromLaunches(text))));
        QVERIFY(passed.faults.empty());
        QCOMPARE(passed.events.value_or(0), made.waits.size());
        const auto launches = launchesOf(made.program);
        for (const NeededWait &wait : made.waits) {
            const auto program = take(programFromLaunches(fileOf(withoutStep(made.program, wait.step))));
            const VerifiedPlan verified = take(verifyProgram(program));
            QCOMPARE(verified.faults.size(), std::size_t{1});
            QCOMPARE(verified.faults.front().launches,
                     (std::vector<std::string>{launches[wait.first]->name, launches[wait.second]->name}));
            ++removed;
        }
    }
    qInfo("%zu waits removed", removed);
    QVERIFY(removed > kPlans);
}

void TestLaunchesFile::read_accidents_areFoundAndTheirRepairsPass_data()
{
    QTest::addColumn<QString>("expected");
    QTest::newRow("shared_scratch") << "workspace race: shared_experts on aux and routed_experts on main use the "
                                       "workspace cublas_scratch, and nothing puts one after the other";
    QTest::newRow("reused_memory") << "race on reused memory: indexer on side reads q, next_layer on main writes "
                                      "next_q in bytes 2048 to 4095, and nothing makes next_layer wait";
    QTest::newRow("unjoined_stream") << "stream not joined: stream communication is never joined: capture, from which "
                                        "all is captured, does not wait for its last launch, notify";
}

void TestLaunchesFile::read_accidents_areFoundAndTheirRepairsPass()
{
    QFETCH(const QString, expected);
    const QString path = sourcePath("tests/data/plans/") + QTest::currentDataTag();
    const auto faults =
        take(verifyProgram(take(programFromLaunches(contentOf(path + ".launches.json").toStdString())))).faults;
    QCOMPARE(faults.size(), std::size_t{1});
    QCOMPARE(qt(faults.front().kind + ": " + faults.front().reason), expected);
    const std::string repaired = contentOf(path + ".fixed.launches.json").toStdString();
    QVERIFY(take(verifyProgram(take(programFromLaunches(repaired)))).faults.empty());
}

// q and k are parts of qkv, whose bytes are taken from old.
void TestLaunchesFile::read_parts_areReadAsTheirWhole()
{
    const auto faultsWith = [](const QByteArray &steps) {
        const QByteArray text =
            R"({"kind": "launches", "version": 1, "memory": [{"name": "old", "begin": 100, "end": 200}, )"
            R"({"name": "qkv", "begin": 0, "end": 150}, {"name": "q", "of": "qkv", "begin": 0, "end": 50}, )"
            R"({"name": "k", "of": "qkv", "begin": 50, "end": 150}], "steps": [)" +
            steps + "]}";
        QStringList told;
        for (const PlanFault &fault : take(verifyProgram(take(programFromLaunches(text.toStdString())))).faults)
            told << qt(fault.kind + ": " + fault.reason);
        return told;
    };
    const QByteArray first = R"({"launch": "a", "stream": "1", "writes": ["old"]}, )"
                             R"({"launch": "b", "stream": "1", "reads": ["old"]}, )"
                             R"({"launch": "c", "stream": "1", "writes": ["qkv"]}, )";
    QCOMPARE(faultsWith(first + R"({"launch": "d", "stream": "1", "reads": ["q", "k"]})"), QStringList());
    QCOMPARE(faultsWith(first + R"({"launch": "d", "stream": "2", "reads": ["k"]})"),
             QStringList{"tensor race: c on 1 writes qkv, d on 2 reads k, and nothing makes d wait"});
    QCOMPARE(faultsWith(R"({"launch": "a", "stream": "1", "writes": ["q"]}, )"
                        R"({"launch": "b", "stream": "2", "writes": ["k"]})"),
             QStringList());
    QCOMPARE(faultsWith(R"({"launch": "a", "stream": "1", "writes": ["qkv"]}, )"
                        R"({"launch": "b", "stream": "1", "writes": ["old"]}, )"
                        R"({"launch": "c", "stream": "1", "reads": ["q"]}, )"
                        R"({"launch": "d", "stream": "1", "reads": ["k"]})"),
             QStringList{"overwritten: d on 1 reads k, but b on 1 wrote old over it before, in bytes 100 to 149"});
}

void TestLaunchesFile::read_outputs_areReadAtTheEnd()
{
    const auto programWith = [](const QByteArray &output) {
        return take(programFromLaunches((R"({"kind": "launches", "version": 1, "memory": [{"name": "x", "begin": 0, )"
                                         R"("end": 64)" +
                                         output +
                                         R"(}, {"name": "y", "begin": 32, "end": 96}], "steps": [)"
                                         R"({"launch": "a", "stream": "1", "writes": ["x", "x"]}, )"
                                         R"({"launch": "b", "stream": "1", "writes": ["y"]}]})")
                                            .toStdString()));
    };
    QCOMPARE(launchesOf(programWith({})).front()->writes, std::vector<std::uint32_t>{0});
    QVERIFY(take(verifyProgram(programWith({}))).faults.empty());
    QVERIFY(take(verifyProgram(programWith(R"(, "output": false)"))).faults.empty());
    const auto faults = take(verifyProgram(programWith(R"(, "output": true)"))).faults;
    QCOMPARE(faults.size(), std::size_t{1});
    QCOMPARE(qt(faults.front().reason), QString("what comes after the last launch reads x, but b on 1 wrote y over it "
                                                "before, in bytes 32 to 63"));
}

// Of y, its parts z1 and z2 and the memory that shares bytes with z2, two are buffers, and one pair of them.
void TestLaunchesFile::verify_parts_areNoBuffers()
{
    PlanFile plan{
        {"plan",
         R"({"kind": "launches", "version": 1, "steps": [], "memory": [{"name": "y", "begin": 0, "end": 64}, )"
         R"({"name": "z1", "of": "y", "begin": 0, "end": 32}, )"
         R"({"name": "z2", "of": "y", "begin": 32, "end": 64}, {"name": "x", "begin": 60, "end": 96}]})",
         {}},
        PlanKind::Launches};
    const VerifiedPlan verified = take(verifyPlan(std::move(plan), nullptr));
    QCOMPARE(verified.buffers.value_or(0), std::size_t{2});
    QCOMPARE(verified.sharingPairs.value_or(0), std::size_t{1});
}

void TestLaunchesFile::verify_stopRequested_isCancelled()
{
    std::stop_source source;
    source.request_stop();
    const QString path = sourcePath("tests/data/plans/reused_memory.launches.json");
    PlanFile plan{{"plan", contentOf(path).toStdString(), {}}, PlanKind::Launches};
    const auto verified = verifyPlan(std::move(plan), nullptr, source.get_token());
    QVERIFY(!verified && verified.error().code == ErrorCode::Cancelled);
}

void TestLaunchesFile::read_otherFiles_areRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *name, const QByteArray &members, const char *says) {
        QTest::newRow(name) << R"({"kind": "launches", )" + members + "}" << says;
    };
    QTest::newRow("cut short") << QByteArray(R"({"kind": "launches")")
                               << "is no file of launches: it is not JSON, or it is cut short";
    row("no version", R"("memory": [], "steps": [])", "launches: \"version\" is missing");
    row("a later version", R"("version": 2, "memory": [], "steps": [])",
        "launches: version 2 is not known, only version 1");
    row("no memory", R"("version": 1, "steps": [])", "launches: \"memory\" is not a list");
    row("no steps", R"("version": 1, "memory": [])", "launches: \"steps\" is not a list");
    const auto memory = [&](const char *name, const QByteArray &entries, const char *says) {
        row(name, R"("version": 1, "steps": [], "memory": [)" + entries + "]", says);
    };
    memory("memory that is a number", "1", "memory: 1 is neither a name nor an object");
    memory("memory without a name", "{}", "memory: \"name\" is missing");
    memory("memory without an end", R"({"name": "x", "begin": 0})", "memory: \"end\" is missing");
    memory("memory without bytes", R"({"name": "x", "begin": 8, "end": 8})",
           "memory x: it has no bytes: it begins at 8 and ends before 8");
    memory("an arena without a place", R"({"name": "x", "arena": "pool"})",
           "memory x: it is in an arena or a part, and \"begin\" and \"end\" are missing");
    memory("a part of nothing", R"({"name": "x", "of": "y", "begin": 0, "end": 1})",
           "memory x: it is part of y, which is not listed before it");
    memory("a part that is larger",
           R"({"name": "y", "begin": 0, "end": 4}, {"name": "x", "of": "y", "begin": 2, "end": 5})",
           "memory x: it does not lie within y, or that is a part itself");
    memory("a part of a part",
           R"({"name": "y", "begin": 0, "end": 4}, {"name": "z", "of": "y", "begin": 0, "end": 4}, )"
           R"({"name": "x", "of": "z", "begin": 0, "end": 2})",
           "memory x: it does not lie within z, or that is a part itself");
    memory("an output that is text", R"({"name": "x", "output": "yes"})", "memory: \"output\" is not true or false");
    memory("memory twice", R"("x", "x")", "memory x: it is listed twice");
    const auto steps = [&](const char *name, const QByteArray &entries, const char *says) {
        row(name, R"("version": 1, "memory": ["x"], "steps": [)" + entries + "]", says);
    };
    steps("a step that is a number", "1", "step 1: it is not an object");
    steps("a step that is nothing", "{}", "step 1: it is not one of launch, record, wait and synchronize");
    steps("a step that is two", R"({"record": "e", "wait": "e", "stream": "s"})",
          "step 1: it is not one of launch, record, wait and synchronize");
    steps("no stream", R"({"launch": "a"})", "step 1: \"stream\" is missing");
    steps("unknown memory", R"({"launch": "a", "stream": "s"}, {"launch": "b", "stream": "s", "reads": ["y"]})",
          "step 2: \"y\" is not listed in \"memory\"");
    steps("memory that is no list", R"({"launch": "a", "stream": "s", "writes": "x"})",
          "step 1: \"writes\" is not a list of names");
    steps("a workspace that is read later",
          R"({"launch": "a", "stream": "s", "workspace": ["x"]}, {"launch": "b", "stream": "s", "reads": ["x"]})",
          "step 2: x is a workspace in step 1, and read in step 2");
    steps("a workspace that was read before",
          R"({"launch": "a", "stream": "s", "reads": ["x"]}, {"launch": "b", "stream": "s", "workspace": ["x"]})",
          "step 2: x is a workspace in step 2, and read in step 1");
    steps("a workspace that is read in its step",
          R"({"launch": "a", "stream": "s", "reads": ["x"], "workspace": ["x"]})",
          "step 1: x is a workspace in step 1, and read in step 1");
    row("a workspace that is an output",
        R"("version": 1, "memory": [{"name": "x", "output": true}], )"
        R"("steps": [{"launch": "a", "stream": "s", "workspace": ["x"]}])",
        "step 1: x is a workspace here, and an output");
    row("an origin without steps", R"("version": 1, "memory": [], "steps": [], "origin": "main")",
        "launches: \"origin\" is main, and no step is on that stream");
    row("a host that waits in a capture",
        R"("version": 1, "memory": [], "origin": "s", "steps": [{"launch": "a", "stream": "s"}, {"synchronize": true}])",
        "step 2: the host cannot wait for the device while a stream is captured");
}

void TestLaunchesFile::read_otherFiles_areRefused()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, says);
    const auto program = programFromLaunches(text.toStdString());
    QVERIFY(!program);
    QCOMPARE(errorOf(program.error()), says);
}

STAGECRAFT_SUITE(TestLaunchesFile)

} // namespace tst_launches_file
#include "tst_launches_file.moc"
