// What this program exports as a trace comes back without loss.

#include "export/trace.h"
#include "support/graph_making.h"
#include "support/profile_making.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_own_traces {

namespace {

// Two operators side by side, then one that joins them: on streams, or on threads of a CPU.
struct MadeTrace {
    Graph graph;
    TimedSchedule schedule;
    Timeline timeline;

    explicit MadeTrace(bool isOnCpu = false) : graph(makeGraph())
    {
        schedule.context.batch = 4;
        schedule.context.precision = "fp32";
        schedule.stages = {Stage{0, Strategy::Concurrent, {{OperatorId{0}}, {OperatorId{1}}}},
                           Stage{0, Strategy::Concurrent, {{OperatorId{2}}}}};
        timeline.device = isOnCpu ? "cpu" : "sim:v100";
        timeline.provenance = isOnCpu ? Provenance::Measured : Provenance::Simulated;
        if (!isOnCpu)
            schedule.measured.simulationErrors = {{"fp32", 254, 0.06, 0.09, true}};
        timeline.durationNs = 2'057'336;
        timeline.streams = 2;
        timeline.stages = {{0, 0, 1'234'567}, {1, 1'234'567, 2'057'336}};
        timeline.kernels = {span("conv_1", 0, 0, 0, 1'003, 1'200'001), span("conv_2", 1, 0, 1, 1'007, 2'057),
                            span("join, \"of both\"", 2, 1, 0, 1'234'568, 2'057'336)};
        timeline.counters = {{"active warps", "warps", "simulated", 5120, {0, 1'003, 2'057'336}, {0, 17.25, 1e-3}}};
        timeline.notes = {"a note"};
    }

    [[nodiscard]] std::vector<RatedResult> results() const
    {
        return {{.name = "IOS-Both, 2.057 ms",
                 .schedule = std::make_shared<const TimedSchedule>(schedule),
                 .timeline = std::make_shared<const TimelineIndex>(std::make_shared<const Timeline>(timeline))}};
    }

private:
    static Graph makeGraph()
    {
        GraphBuilder builder("two");
        const TensorId x = take(builder.addInput("x", Shape{{4, 8, 6, 6}}));
        const TensorId a = take(builder.add(conv("a", {{x}}, 8)));
        const TensorId b = take(builder.add(conv("b", {{x}}, 8, 3)));
        (void)take(builder.add(join("a + b", {{a, b}})));
        return take(builder.build());
    }

    static KernelSpan span(const std::string &name, std::uint32_t op, std::uint32_t stage, std::uint32_t stream,
                           std::int64_t startNs, std::int64_t endNs)
    {
        KernelSpan made;
        made.name = name;
        made.operators = {OperatorId{op}};
        made.stage = stage;
        made.group = stream;
        made.stream = stream;
        made.startNs = startNs;
        made.endNs = endNs;
        made.grid = {7, 2, 1};
        made.threadsPerBlock = 128;
        made.registersPerThread = 96;
        made.sharedBytesPerBlock = 12'544;
        made.flops = 1.5e9;
        made.bytes = 4096.5;
        return made;
    }
};

template <typename T>
T fact(const std::vector<std::pair<std::string, ProfiledFact>> &facts, const std::string &name)
{
    const auto found = std::ranges::find(facts, name, [](const auto &one) { return one.first; });
    const T *value = found == facts.end() ? nullptr : std::get_if<T>(&found->second);
    if (!value)
        qFatal("no %s", name.c_str());
    return *value;
}

} // namespace

class TestOwnTraces : public QObject {
    Q_OBJECT

private slots:
    void read_bothTraces_haveEverythingThatWasWritten_data();
    void read_bothTraces_haveEverythingThatWasWritten();
    void read_bothTraces_areEqual();
    void read_operatorOnSeveralThreads_isOne();
    void read_perfettoThatIsNotOurs_isRefused();
};

void TestOwnTraces::read_bothTraces_haveEverythingThatWasWritten_data()
{
    QTest::addColumn<bool>("isChrome");
    QTest::newRow("chrome") << true;
    QTest::newRow("perfetto") << false;
}

void TestOwnTraces::read_bothTraces_haveEverythingThatWasWritten()
{
    QFETCH(bool, isChrome);
    const MadeTrace made;
    const std::string text =
        isChrome ? chromeTrace(made.graph, made.results()) : perfettoTrace(made.graph, made.results());
    const auto profile = readContents({QByteArray::fromStdString(text)});
    QVERIFY2(profile, profile ? "" : qPrintable(errorOf(profile.error())));
    QCOMPARE(profile->format, std::string(isChrome ? "stagecraft-chrome-trace" : "stagecraft-perfetto"));
    QCOMPARE(profile->device, std::string("sim:v100"));
    QVERIFY(profile->provenance == Provenance::Simulated);
    QVERIFY(std::ranges::find(profile->notes, "simulated, within 6 % on kernels left out in fp32 (median of 254)") !=
            profile->notes.end());
    QCOMPARE(profile->title, std::string("IOS-Both, 2.057 ms"));
    QVERIFY(std::ranges::find(profile->notes, "a note") != profile->notes.end());
    QCOMPARE(profile->streams.size(), 2U);
    QCOMPARE(profile->kernels.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        const ProfiledKernel &read = profile->kernels[i];
        const KernelSpan &kernel = made.timeline.kernels[i];
        QVERIFY(read.startNs == kernel.startNs && read.endNs() == kernel.endNs);
        QCOMPARE(read.stream, kernel.stream);
        QCOMPARE(read.name, made.graph.op(kernel.operators.front()).name);
        QCOMPARE(fact<std::string>(read.facts, "kernel"), kernel.name);
        QCOMPARE(fact<std::int64_t>(read.facts, "stage"), std::int64_t{kernel.stage} + 1);
        QCOMPARE(fact<std::int64_t>(read.facts, "group"), std::int64_t{kernel.group} + 1);
        QCOMPARE(fact<double>(read.facts, "FLOP"), kernel.flops);
        QCOMPARE(fact<double>(read.facts, "bytes"), kernel.bytes);
        QCOMPARE(fact<std::int64_t>(read.facts, "thread blocks"), 14);
        QCOMPARE(fact<std::int64_t>(read.facts, "threads per block"), 128);
        QCOMPARE(fact<std::int64_t>(read.facts, "registers per thread"), 96);
        QCOMPARE(fact<std::int64_t>(read.facts, "shared bytes per block"), 12'544);
    }
    QCOMPARE(profile->stages.size(), 2U);
    QVERIFY(profile->stages[1].startNs == 1'234'567 && profile->stages[1].endNs == 2'057'336);
    QCOMPARE(fact<std::string>(profile->stages[0].facts, "groups"), std::string("a | b"));
    QCOMPARE(fact<std::string>(profile->stages[0].facts, "schedule"),
             std::string(R"({"strategy":"concurrent","groups":[["a"],["b"]]})"));
    QCOMPARE(profile->counters.size(), 1U);
    QCOMPARE(profile->counters[0].name, std::string("active warps (simulated)"));
    QCOMPARE(profile->counters[0].unit, std::string("warps"));
    QVERIFY(profile->counters[0].timesNs == made.timeline.counters[0].timesNs);
    QVERIFY(profile->counters[0].values == made.timeline.counters[0].values);
}

void TestOwnTraces::read_bothTraces_areEqual()
{
    const MadeTrace made;
    const auto chrome = readContents({QByteArray::fromStdString(chromeTrace(made.graph, made.results()))});
    const auto perfetto = readContents({QByteArray::fromStdString(perfettoTrace(made.graph, made.results()))});
    QVERIFY(chrome && perfetto);
    QVERIFY(chrome->notes == perfetto->notes);
    for (std::size_t i = 0; i < chrome->kernels.size(); ++i) {
        auto chromeFacts = chrome->kernels[i].facts;
        auto perfettoFacts = perfetto->kernels[i].facts;
        std::ranges::sort(chromeFacts);
        std::ranges::sort(perfettoFacts);
        QVERIFY(chromeFacts == perfettoFacts);
    }
}

void TestOwnTraces::read_operatorOnSeveralThreads_isOne()
{
    QByteArray text =
        R"({"displayTimeUnit":"ns","traceEvents":[{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"x"}})";
    for (int thread = 1; thread <= 3; ++thread) {
        const QByteArray tid = QByteArray::number(thread + 1);
        text += R"(,{"ph":"M","name":"thread_name","pid":1,"tid":)" + tid + R"(,"args":{"name":"thread )" +
                QByteArray::number(thread) + R"("}},{"ph":"X","name":"a","cat":"kernel","pid":1,"tid":)" + tid +
                R"(,"ts":1.0,"dur":5.0,"args":{"stage":1}})";
    }
    const auto profile = readContents({text + "]}"});
    QVERIFY2(profile, profile ? "" : qPrintable(errorOf(profile.error())));
    QCOMPARE(profile->streams.size(), 3U);
    QCOMPARE(profile->kernels.size(), 1U);
}

void TestOwnTraces::read_perfettoThatIsNotOurs_isRefused()
{
    const MadeTrace made;
    const std::string text = perfettoTrace(made.graph, made.results());
    const auto cut = readContents({QByteArray::fromStdString(text.substr(0, text.size() - 3))});
    QVERIFY(!cut);
    QVERIFY2(errorOf(cut.error()).endsWith("profile1: it is no Perfetto trace, or it is cut short"),
             qPrintable(errorOf(cut.error())));
    const auto empty = readContents({QByteArray("\x0a\x02\x50\x01", 4)});
    QVERIFY(!empty);
    QVERIFY2(errorOf(empty.error()).endsWith("profile1: it has no rows with stages and kernels"),
             qPrintable(errorOf(empty.error())));
}

STAGECRAFT_SUITE(TestOwnTraces)

} // namespace tst_own_traces
#include "tst_own_traces.moc"
