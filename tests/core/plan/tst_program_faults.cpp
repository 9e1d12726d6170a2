// Programs that can go wrong: what is found, how it is said, and that every wait that is missing is found.

#include "plan/program_faults.h"

#include "plan/fault_words.h"
#include "support/graph_making.h"
#include "support/program_making.h"
#include "support/suite.h"

#include <QTest>

#include <chrono>
#include <random>
#include <stop_token>

using namespace stagecraft;
using namespace stagecraft::plan;
using namespace stagecraft::test;

namespace tst_program_faults {

namespace {

constexpr int kPlans = 1000;

// "kind: reason. remedy", a line each.
QStringList told(const LaunchedProgram &program)
{
    QStringList lines;
    for (const ProgramFault &fault : take(faultsOf(program))) {
        const FaultText text = textOf(program, subjectsOf(program), fault);
        lines << QString::fromStdString(std::string(toString(fault.kind)) + ": " + text.reason + ". " + text.remedy);
    }
    return lines;
}

} // namespace

class TestProgramFaults : public QObject {
    Q_OBJECT

private slots:
    void faultsOf_handMade_areNamed_data();
    void faultsOf_handMade_areNamed();
    void faultsOf_severalWaitsMissing_areEachNamedOnce();
    void faultsOf_tooMuch_isRefused_data();
    void faultsOf_tooMuch_isRefused();
    void faultsOf_stopRequested_isCancelled();
    void faultsOf_manyUsesOfSharedMemory_takeNotLong();
    void sharingPairs_parts_areLeftOut();
    void faultsOf_randomLaunches_passWithTheirWaits();
    void faultsOf_anyWaitRemoved_isFoundByItsPair();
};

void TestProgramFaults::faultsOf_handMade_areNamed_data()
{
    QTest::addColumn<LaunchedProgram>("program");
    QTest::addColumn<QStringList>("expected");
    const auto row = [](const char *name, const ProgramMaker &maker, const QStringList &expected = {}) {
        QTest::newRow(name) << maker.made << expected;
    };
    const auto twoStreams = [] { return ProgramMaker().launch("a", "main", {}, {"x"}); };
    row("one stream", twoStreams().launch("b", "main", {"x"}, {"y"}));
    row("an event", twoStreams().record("e", "main").wait("e", "side").launch("b", "side", {"x"}, {}));
    row("a barrier", twoStreams().waitForAll().launch("b", "side", {"x"}, {}));
    row("an event through a third stream", twoStreams()
                                               .record("e", "main")
                                               .wait("e", "third")
                                               .record("f", "third")
                                               .wait("f", "side")
                                               .launch("b", "side", {"x"}, {}));
    row("both read", ProgramMaker().launch("a", "main", {"x"}, {}).launch("b", "side", {"x"}, {}));
    row("no event", twoStreams().launch("b", "side", {"x"}, {"y"}),
        {"tensor race: a on main writes x, b on side reads it, and nothing makes b wait. Add an event from a to b"});
    row("written while it is read", ProgramMaker().launch("a", "main", {"x"}, {}).launch("b", "side", {}, {"x"}),
        {"tensor race: a on main reads x, b on side writes it, and nothing makes b wait. Add an event from a to b"});
    row("recorded too early",
        ProgramMaker()
            .launch("before", "main", {}, {})
            .record("e", "main")
            .launch("a", "main", {}, {"x"})
            .wait("e", "side")
            .launch("b", "side", {"x"}, {}),
        {"tensor race: a on main writes x, b on side reads it, and nothing makes b wait. Add an event from a to b"});
    row("waited for too late", twoStreams().record("e", "main").launch("b", "side", {"x"}, {}).wait("e", "side"),
        {"tensor race: a on main writes x, b on side reads it, and nothing makes b wait. Add an event from a to b"});
    const auto reused = [] {
        return ProgramMaker().memory("x", 0, 64).memory("y", 32, 96).launch("a", "main", {}, {"x"}).record("e", "main");
    };
    row("reused in order", reused().launch("b", "main", {"x"}, {}).launch("c", "main", {}, {"y"}));
    row("reused before it is read",
        reused().wait("e", "side").launch("b", "side", {"x"}, {}).launch("c", "main", {}, {"y"}),
        {"race on reused memory: b on side reads x, c on main writes y in bytes 32 to 63, and nothing makes c wait. "
         "Add "
         "an event from b to c, or give them bytes of their own"});
    row("side by side in the arena", ProgramMaker()
                                         .memory("x", 0, 64)
                                         .memory("y", 64, 96)
                                         .launch("a", "main", {}, {"x"})
                                         .launch("b", "side", {}, {"y"}));
    row("written over", reused().launch("b", "main", {}, {"y"}).launch("c", "main", {"x"}, {}),
        {"overwritten: c on main reads x, but b on main wrote y over it before, in bytes 32 to 63. Give y bytes that x "
         "keeps until it was read"});
    row("written over elsewhere", reused().launch("b", "main", {}, {"y"}).launch("c", "side", {"x"}, {}),
        {"overwritten: c on side reads x, but b on main wrote y over it before, in bytes 32 to 63. Give y bytes that x "
         "keeps until it was read",
         "tensor race: a on main writes x, c on side reads it, and nothing makes c wait. Add an event from a to c"});
    row("written again",
        reused().launch("b", "main", {}, {"y"}).launch("again", "main", {}, {"x"}).launch("c", "main", {"x"}, {}));
    const auto halves = [] {
        ProgramMaker maker;
        maker.memory("y", 0, 2048).memory("z1", 0, 1024).memory("z2", 1024, 2048).memory("tmp", 0, 512);
        maker.made.allocations[1].partOf = 0;
        maker.made.allocations[2].partOf = 0;
        return maker.launch("a", "main", {}, {"z1"}).launch("b", "main", {}, {"tmp"});
    };
    row("a half written over", halves().launch("c", "main", {}, {"z2"}).launch("d", "main", {"y"}, {}),
        {"overwritten: d on main reads y, but b on main wrote tmp over it before, in bytes 0 to 511. Give tmp bytes "
         "that "
         "y keeps until it was read"});
    row("the half written again", halves().launch("c", "main", {}, {"z1"}).launch("d", "main", {"y"}, {}));
    row("the whole written again", halves().launch("c", "main", {}, {"y"}).launch("d", "main", {"z1"}, {}));
    const auto across = [&] { return halves().memory("over", 512, 1536).launch("c", "main", {}, {"over"}); };
    row("both halves written again",
        across().launch("d", "main", {}, {"z2"}).launch("e", "main", {}, {"z1"}).launch("f", "main", {"y"}, {}));
    row("one of two halves written again", across().launch("d", "main", {}, {"z1"}).launch("e", "main", {"y"}, {}),
        {"overwritten: e on main reads y, but c on main wrote over over it before, in bytes 512 to 1535. Give over "
         "bytes "
         "that y keeps until it was read"});
    ProgramMaker output = reused().launch("b", "main", {}, {"y"});
    output.made.memory[0].isOutput = true;
    row("an output written over", output,
        {"overwritten: what comes after the last launch reads x, but b on main wrote y over it before, in bytes 32 to "
         "63. Give y bytes that x keeps until it was read"});
    ProgramMaker scratch = ProgramMaker().launch("a", "main", {}, {"w"}).launch("b", "side", {}, {"w"});
    scratch.made.memory[0].isWorkspace = true;
    row("a workspace of two streams", scratch,
        {"workspace race: a on main and b on side use the workspace w, and nothing puts one after the other. Add an "
         "event from a to b, or give each stream a workspace of its own"});
    row("never recorded", twoStreams().wait("e", "side"),
        {"wait for nothing: stream side waits for the event e, which is never recorded: the wait holds nothing back. "
         "Record e before side waits for it"});
    row("recorded later", twoStreams().wait("e", "side").record("e", "main"),
        {"wait for nothing: stream side waits for the event e, which is recorded only later: the wait holds nothing "
         "back. Record e before side waits for it"});
    const auto captured = [&] {
        return twoStreams().record("e", "main").wait("e", "side").launch("b", "side", {"x"}, {}).capturedOn("main");
    };
    row("joined", captured().record("f", "side").wait("f", "main"));
    row("joined through a third stream",
        captured().record("f", "side").wait("f", "third").record("g", "third").wait("g", "main"));
    row("not joined", captured(),
        {"stream not joined: stream side is never joined: main, from which all is captured, does not wait for its last "
         "launch, b. Record an event on side after b and let main wait for it before the capture ends"});
    row("joined before its last launch", captured().record("f", "side").wait("f", "main").launch("c", "side", {}, {}),
        {"stream not joined: stream side is never joined: main, from which all is captured, does not wait for its last "
         "launch, c. Record an event on side after c and let main wait for it before the capture ends"});
    row("not forked", twoStreams().launch("b", "side", {}, {"y"}).capturedOn("main"),
        {"stream not forked: b on side comes before its stream waits for anything of main, from which all is captured: "
         "it is not part of the capture. Record an event on main and let side wait for it first"});
    row("nothing", ProgramMaker());
}

void TestProgramFaults::faultsOf_handMade_areNamed()
{
    QFETCH(const LaunchedProgram, program);
    QFETCH(const QStringList, expected);
    QCOMPARE(told(program), expected);
}

// a -> b -> c on three streams without events: c needs b, and has a with it.
void TestProgramFaults::faultsOf_severalWaitsMissing_areEachNamedOnce()
{
    const auto program = ProgramMaker()
                             .launch("a", "1", {}, {"x"})
                             .launch("b", "2", {"x"}, {"y"})
                             .launch("c", "3", {"x", "y"}, {"z"})
                             .made;
    const auto faults = take(faultsOf(program));
    QCOMPARE(faults.size(), std::size_t{2});
    QVERIFY(faults[0].first == 0 && faults[0].second == 1);
    QVERIFY(faults[1].first == 1 && faults[1].second == 2);
}

void TestProgramFaults::faultsOf_tooMuch_isRefused_data()
{
    QTest::addColumn<LaunchedProgram>("program");
    QTest::addColumn<QString>("says");
    LaunchedProgram launches{.streams = {"main"}};
    launches.steps.assign(kMostCheckedLaunches + 1, ProgramLaunch{"a", 0});
    QTest::newRow("launches") << launches << "it has 32769 launches, and 32768 can be checked together";
    QTest::newRow("streams") << LaunchedProgram{.streams = std::vector<std::string>(kMostCheckedStreams + 1)}
                             << "it has 1025 streams, and 1024 can be checked together";
    LaunchedProgram memory{.allocations = {{0, 0, 1}}};
    memory.memory.resize(kMostCheckedMemory + 1);
    QTest::newRow("memory") << memory << "it has 131073 tensors and workspaces, and 131072 can be checked together";
    QTest::newRow("pairs") << LaunchedProgram{.allocations = std::vector<Allocation>(5800, {0, 0, 1})}
                           << "more than 16777216 pairs of its memory share bytes";
}

void TestProgramFaults::faultsOf_tooMuch_isRefused()
{
    QFETCH(const LaunchedProgram, program);
    QFETCH(const QString, says);
    const auto faults = faultsOf(program);
    QVERIFY(!faults);
    QCOMPARE(QString::fromStdString(faults.error().message), says);
}

void TestProgramFaults::faultsOf_stopRequested_isCancelled()
{
    std::stop_source source;
    source.request_stop();
    const auto faults = faultsOf(ProgramMaker().launch("a", "main", {}, {"x"}).made, source.get_token());
    QVERIFY(!faults && faults.error().code == ErrorCode::Cancelled);
}

// Each of two tensors in the same bytes is written and read in turn, as often as can be checked.
void TestProgramFaults::faultsOf_manyUsesOfSharedMemory_takeNotLong()
{
    LaunchedProgram program{.streams = {"main"},
                            .allocations = {{0, 0, 64}, {0, 0, 64}},
                            .memory = {{.name = "x", .allocation = 0}, {.name = "y", .allocation = 1}}};
    for (std::uint32_t i = 0; i < kMostCheckedLaunches; i += 4) {
        for (const std::uint32_t memory : {0U, 1U}) {
            program.steps.emplace_back(ProgramLaunch{"write", 0, {}, {memory}});
            program.steps.emplace_back(ProgramLaunch{"read", 0, {memory}, {}});
        }
    }
    const auto from = std::chrono::steady_clock::now();
    QVERIFY(take(faultsOf(program)).empty());
    QVERIFY(std::chrono::steady_clock::now() - from < std::chrono::seconds(20));
}

void TestProgramFaults::sharingPairs_parts_areLeftOut()
{
    std::mt19937 random(41);
    for (int round = 0; round < kPlans; ++round) {
        LaunchedProgram program;
        for (std::size_t i = 0; i < random() % 12; ++i) {
            const std::size_t begin = random() % 20;
            program.allocations.push_back({random() % 2, begin, begin + 1 + random() % 10});
            if (i > 0 && random() % 4 == 0)
                program.allocations.back().partOf = 0;
        }
        std::size_t wholes = 0;
        std::size_t pairs = 0;
        for (std::size_t i = 0; i < program.allocations.size(); ++i) {
            const Allocation &one = program.allocations[i];
            wholes += one.partOf ? 0 : 1;
            for (std::size_t j = 0; j < i; ++j)
                pairs += !one.partOf && !program.allocations[j].partOf && one.shares(program.allocations[j]) ? 1 : 0;
        }
        QCOMPARE(wholeAllocations(program), wholes);
        QCOMPARE(sharingPairs(program), pairs);
    }
}

void TestProgramFaults::faultsOf_randomLaunches_passWithTheirWaits()
{
    std::mt19937 random(39);
    std::size_t waits = 0;
    for (int round = 0; round < kPlans; ++round) {
        const ProgramWithWaits made = withNeededWaits(randomLaunches(random));
        const QStringList faults = told(made.program);
        QVERIFY2(faults.isEmpty(), qPrintable(QString("plan %1: %2").arg(round).arg(faults.join('\n'))));
        waits += made.waits.size();
    }
    QVERIFY(waits > kPlans);
}

void TestProgramFaults::faultsOf_anyWaitRemoved_isFoundByItsPair()
{
    std::mt19937 random(40);
    std::size_t removed = 0;
    std::size_t reused = 0;
    std::size_t workspaces = 0;
    for (int round = 0; round < kPlans; ++round) {
        const ProgramWithWaits made = withNeededWaits(randomLaunches(random));
        for (const NeededWait &wait : made.waits) {
            const auto faults = take(faultsOf(withoutStep(made.program, wait.step)));
            QCOMPARE(faults.size(), std::size_t{1});
            QVERIFY(faults.front().first == wait.first && faults.front().second == wait.second);
            ++removed;
            reused += faults.front().kind == ProgramFaultKind::ReuseRace ? 1 : 0;
            workspaces += faults.front().kind == ProgramFaultKind::WorkspaceRace ? 1 : 0;
        }
    }
    qInfo("%zu waits removed, %zu of them for reused memory and %zu for workspace", removed, reused, workspaces);
    QVERIFY(removed > kPlans && reused > 100 && workspaces > 10);
}

STAGECRAFT_SUITE(TestProgramFaults)

} // namespace tst_program_faults
#include "tst_program_faults.moc"
