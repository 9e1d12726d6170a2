// Streams: what the verifier refuses, the events that are needed, and schedule files.

#include "model/built_in.h"
#include "results/files/schedule_json.h"
#include "schedule/streams/require_stages.h"
#include "schedule/streams/stream_events.h"
#include "schedule/streams/streams_text.h"
#include "schedule/streams/verify_streams.h"
#include "schedule/verify.h"
#include "support/graph_making.h"
#include "support/random_graph.h"
#include "support/random_streams.h"
#include "support/suite.h"

#include <QtTest>

#include <deque>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_streams {
namespace {

// a reads the input; b and c read a and can be merged; d reads both.
Graph diamond()
{
    GraphBuilder builder("diamond");
    const TensorId x = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
    const TensorId a = take(builder.add(conv("a", {{x}}, 8)));
    const TensorId b = take(builder.add(conv("b", {{a}}, 8, 3)));
    const TensorId c = take(builder.add(conv("c", {{a}}, 8)));
    static_cast<void>(take(builder.add(join("d", {{b, c}}))));
    return take(builder.build());
}

constexpr OperatorId kA{0}, kB{1}, kC{2}, kD{3};

// a, b, d on the first stream, c on the second.
Streams onTwo()
{
    return {2, {{{kA}, 0}, {{kB}, 0}, {{kC}, 1, {0}}, {{kD}, 0, {2}}}};
}

Streams merged()
{
    return {1, {{{kA}, 0}, {{kB, kC}, 0}, {{kD}, 0}}};
}

Blocks oneBlock(const Graph &graph)
{
    return consecutiveBlocks(graph, 1);
}

QString refusalOf(const Graph &graph, const Streams &streams)
{
    const auto verified = verifyStreams(graph, oneBlock(graph), streams);
    if (verified)
        return QStringLiteral("legal");
    QString text;
    for (const std::string &place : verified.error().context)
        text += QString::fromStdString(place) + QStringLiteral(": ");
    return text + QString::fromStdString(verified.error().message);
}

// By definition: a launch has ended before another begins if a walk along streams and events leads there.
bool isLegalByDefinition(const Graph &graph, const Streams &streams)
{
    std::vector<int> launched(graph.size(), 0);
    std::vector<std::size_t> launchOf(graph.size());
    std::vector<int> used(streams.count, 0);
    for (std::size_t i = 0; i < streams.launches.size(); ++i) {
        const StreamLaunch &launch = streams.launches[i];
        if (launch.stream >= streams.count || launch.operators.empty())
            return false;
        ++used[launch.stream];
        for (std::size_t k = 0; k < launch.operators.size(); ++k) {
            const OperatorId id = launch.operators[k];
            if (!id.isValid() || id.index() >= graph.size() || (k > 0 && !(launch.operators[k - 1] < id)))
                return false;
            ++launched[id.index()];
            launchOf[id.index()] = i;
        }
        if (launch.isMerged() && !verifyStage(graph, [&] {
                Stage stage;
                stage.strategy = Strategy::Merge;
                for (const OperatorId id : launch.operators)
                    stage.groups.push_back({id});
                return stage;
            }()))
            return false;
        for (std::size_t k = 0; k < launch.waits.size(); ++k) {
            const std::uint32_t before = launch.waits[k];
            if (before >= i || streams.launches[before].stream == launch.stream ||
                (k > 0 && launch.waits[k - 1] >= before))
                return false;
        }
    }
    if (std::ranges::any_of(launched, [](int times) { return times != 1; }) ||
        std::ranges::any_of(used, [](int launches) { return launches == 0; }))
        return false;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        std::vector<bool> before(streams.launches.size(), false);
        std::deque<std::size_t> walk{launchOf[i]};
        while (!walk.empty()) {
            const std::size_t at = walk.front();
            walk.pop_front();
            std::vector<std::size_t> next(streams.launches[at].waits.begin(), streams.launches[at].waits.end());
            for (std::size_t earlier = 0; earlier < at; ++earlier) {
                if (streams.launches[earlier].stream == streams.launches[at].stream)
                    next.push_back(earlier);
            }
            for (const std::size_t one : next) {
                if (!before[one])
                    walk.push_back(one);
                before[one] = true;
            }
        }
        for (const OperatorId producer : graph.predecessors(OperatorId::fromIndex(i))) {
            if (!before[launchOf[producer.index()]])
                return false;
        }
    }
    return true;
}

// A change that may or may not make it illegal.
void mutate(Streams &streams, std::mt19937 &random)
{
    const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
    const std::size_t i = below(streams.launches.size());
    StreamLaunch &launch = streams.launches[i];
    switch (below(10)) {
    case 0: streams.launches.erase(streams.launches.begin() + static_cast<std::ptrdiff_t>(i)); break;
    case 1: streams.launches.insert(streams.launches.begin() + static_cast<std::ptrdiff_t>(i), launch); break;
    case 2: std::swap(launch, streams.launches[below(streams.launches.size())]); break;
    case 3: launch.waits.push_back(static_cast<std::uint32_t>(below(streams.launches.size() + 3))); break;
    case 4: launch.stream = static_cast<std::uint32_t>(below(streams.count + 2)); break;
    case 5: launch.operators.push_back(OperatorId::fromIndex(below(streams.launches.size() + 2))); break;
    case 6:
        if (!launch.waits.empty())
            launch.waits.erase(launch.waits.begin() + static_cast<std::ptrdiff_t>(below(launch.waits.size())));
        break;
    case 7:
        if (!launch.waits.empty())
            ++launch.waits[below(launch.waits.size())];
        break;
    case 8: streams.count += below(2) == 0 ? 1 : static_cast<std::uint32_t>(-1); break;
    default: launch.operators.clear(); break;
    }
}

QByteArray fileOf(const Graph &graph, const Streams &streams)
{
    TimedSchedule schedule;
    schedule.streams = streams;
    schedule.context.model = {"diamond", "abc"};
    return QByteArray::fromStdString(toJson(graph, schedule));
}

} // namespace

class TestStreams : public QObject {
    Q_OBJECT

private slots:
    void verify_legal_passes();
    void verify_fault_isNamed_data();
    void verify_fault_isNamed();
    void verify_mergedInTwoBlocks_isRefused();
    void verify_stagesAndStreams_areRefused();
    void events_removed_areMissed();
    void verify_mutated_isAsByDefinition();
    void text_hasWaits();
    void file_isReadBack();
    void file_fault_isNamed_data();
    void file_fault_isNamed();
    void requireStages_streams_namesWhatNeedsThem();
};

void TestStreams::verify_legal_passes()
{
    const Graph graph = diamond();
    QCOMPARE(refusalOf(graph, onTwo()), QStringLiteral("legal"));
    QCOMPARE(refusalOf(graph, merged()), QStringLiteral("legal"));
}

void TestStreams::verify_fault_isNamed_data()
{
    QTest::addColumn<Streams>("streams");
    QTest::addColumn<QString>("refusal");
    const auto row = [](const char *name, auto change, const char *refusal) {
        Streams streams = onTwo();
        change(streams);
        QTest::newRow(name) << streams << QString::fromUtf8(refusal);
    };
    row(
        "missing", [](Streams &s) { s.launches.pop_back(); }, "operator d: is in no stream");
    row(
        "twice",
        [](Streams &s) {
            s.launches.push_back({{kB}, 1});
        },
        "operator b: is scheduled twice");
    row(
        "none", [](Streams &s) { s.launches[1].operators.clear(); }, "a launch has no operators");
    row(
        "stream", [](Streams &s) { s.launches[3].stream = 2; }, "operator d: is on stream 3, but there are 2");
    row(
        "empty stream", [](Streams &s) { s.count = 3; }, "stream 3 has no operators");
    row(
        "later", [](Streams &s) { s.launches[1].waits = {2}; },
        "operator b: waits for c, which is launched later: the wait never ends");
    row(
        "itself", [](Streams &s) { s.launches[1].waits = {1}; }, "operator b: waits for itself");
    row(
        "nothing", [](Streams &s) { s.launches[3].waits = {9}; }, "operator d: waits for a launch that there is not");
    row(
        "own stream", [](Streams &s) { s.launches[1].waits = {0}; },
        "operator b: waits for a by an event, but comes after it on its own stream");
    row(
        "event twice",
        [](Streams &s) {
            s.launches[3].waits = {2, 2};
        },
        "operator d: has events that do not ascend, or one twice");
    row(
        "no event", [](Streams &s) { s.launches[3].waits = {}; },
        "operator d: reads the output of c, and nothing makes it wait for it");
    row(
        "order", [](Streams &s) { std::swap(s.launches[0], s.launches[1]); },
        "operator b: runs before a, whose output it reads");
    row(
        "merged with reader",
        [](Streams &s) {
            s = {1, {{{kA, kB}, 0}, {{kC}, 0}, {{kD}, 0}}};
        },
        "operator b: reads another input than a, and operators with inputs of their own are merged only if all have "
        "the same "
        "sizes, attributes and activation");
    row(
        "not ascending",
        [](Streams &s) {
            s = {1, {{{kA}, 0}, {{kC, kB}, 0}, {{kD}, 0}}};
        },
        "operator c: is merged, and the operators do not ascend");
}

void TestStreams::verify_fault_isNamed()
{
    QFETCH(const Streams, streams);
    QFETCH(const QString, refusal);
    QCOMPARE(refusalOf(diamond(), streams), refusal);
}

void TestStreams::verify_mergedInTwoBlocks_isRefused()
{
    const Graph graph = diamond();
    const Blocks blocks{{{kA, kB}}, {{kC, kD}}};
    const auto verified = verifyStreams(graph, blocks, merged());
    QVERIFY(!verified);
    QCOMPARE(verified.error().message, std::string("is merged with b, which is in another block"));
    QVERIFY(verifyStreams(graph, merged())); // a device does not ask for blocks
}

void TestStreams::verify_stagesAndStreams_areRefused()
{
    const Graph graph = diamond();
    Schedule both{.stages = {stageAlone(kA)}, .streams = onTwo()};
    const auto verified = verifySchedule(graph, oneBlock(graph), both);
    QVERIFY(!verified);
    QCOMPARE(verified.error().message, std::string("it has both stages and streams"));
    both.stages.clear();
    QVERIFY(verifySchedule(graph, oneBlock(graph), both));
    both.layouts.reads = {{"a", TensorLayout::ChannelsLast}};
    QVERIFY(!verifySchedule(graph, oneBlock(graph), both));
}

void TestStreams::events_removed_areMissed()
{
    std::mt19937 random(1);
    std::size_t schedules = 0;
    std::size_t removed = 0;
    const auto check = [&](const Graph &graph, std::uint32_t streams) {
        const Streams made = randomStreams(graph, streams, random);
        QVERIFY2(verifyStreams(graph, made), qPrintable(refusalOf(graph, made)));
        for (std::size_t i = 0; i < made.launches.size(); ++i) {
            for (std::size_t k = 0; k < made.launches[i].waits.size(); ++k) {
                Streams without = made;
                auto &waits = without.launches[i].waits;
                waits.erase(waits.begin() + static_cast<std::ptrdiff_t>(k));
                QVERIFY2(!verifyStreams(graph, without), "an event was not needed");
                ++removed;
            }
        }
        ++schedules;
    };
    for (std::uint32_t seed = 0; seed < 980; ++seed)
        check(randomGraph(seed, {.operators = 3 + static_cast<int>(seed % 30)}), 1 + seed % 6);
    for (const char *name : {"squeezenet", "googlenet", "inception_v3", "randwire"}) {
        const Graph graph = builtInNetwork(name)->graph;
        for (std::uint32_t streams = 1; streams <= 5; ++streams)
            check(graph, streams);
    }
    QCOMPARE(schedules, 1000U);
    QVERIFY(removed > 5000);
}

void TestStreams::verify_mutated_isAsByDefinition()
{
    std::mt19937 random(2);
    int illegal = 0;
    for (std::uint32_t i = 0; i < 10'000; ++i) {
        const Graph graph = randomGraph(i % 200, {.operators = 3 + static_cast<int>(i % 7), .sharedInput = 0.6});
        Streams streams = randomStreams(graph, 3, random);
        mutate(streams, random);
        const auto verified = verifyStreams(graph, streams);
        QCOMPARE(verified.has_value(), isLegalByDefinition(graph, streams));
        if (!verified)
            QVERIFY(!verified.error().message.empty());
        illegal += !verified;
    }
    QVERIFY(illegal > 5000 && illegal < 10'000);
}

void TestStreams::text_hasWaits()
{
    const Graph graph = diamond();
    QCOMPARE(streamsText(graph, onTwo()), std::string("stream 1  a, b, d after c\nstream 2  c after a\n"));
    QCOMPARE(streamsText(graph, merged()), std::string("stream 1  a, b + c merged, d\n"));
}

void TestStreams::file_isReadBack()
{
    const Graph graph = diamond();
    for (const Streams &streams : {onTwo(), merged()}) {
        const QByteArray text = fileOf(graph, streams);
        QVERIFY(text.contains("\"kind\": \"streams\"") && !text.contains("\"stages\""));
        const auto read = scheduleFromJson(text.toStdString(), graph, oneBlock(graph), {"diamond", "abc"});
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QVERIFY(read->stages.empty());
        QVERIFY(*read->streams == streams);
    }
    std::mt19937 random(3);
    for (const char *name : {"squeezenet", "nasnet"}) {
        const SourceGraph source = *builtInNetwork(name);
        const Streams streams = randomStreams(source.graph, 5, random);
        const auto read =
            scheduleFromJson(fileOf(source.graph, streams).toStdString(), source.graph, source.blocks, {"x", "abc"});
        QVERIFY(read && *read->streams == streams);
    }
}

void TestStreams::file_fault_isNamed_data()
{
    QTest::addColumn<QByteArray>("replaced");
    QTest::addColumn<QByteArray>("by");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char *name, const char *replaced, const char *by, const char *message) {
        QTest::newRow(name) << QByteArray(replaced) << QByteArray(by) << QByteArray(message);
    };
    row("kind", "\"kind\":\"streams\"", "\"kind\":\"rows\"", "\"kind\" is \"rows\", not stages or streams");
    row("stages, too", "\"kind\":\"streams\"", "\"stages\":[],\"kind\":\"streams\"", "it has streams and stages");
    row("no order", "\"launch_order\"", "\"order\"", "\"launch_order\" is not a list");
    row("unknown", "[[\"a\",\"b\",\"d\"],", "[[\"a\",\"q\",\"d\"],", "the model has no operator of this name");
    row("not in the order", "\"launch_order\":[\"a\",", "\"launch_order\":[",
        "b is not launched in the order of stream 1");
    row("never launched", "\"c\",\"d\"],\"events\"", "\"c\"],\"events\"", "d is never launched");
    row("launched twice", "\"c\",\"d\"],\"events\"", "\"c\",\"c\",\"d\"],\"events\"", "c is launched twice");
    row("event from later", "{\"from\":\"c\",\"to\":\"d\"}", "{\"from\":\"d\",\"to\":\"c\"}",
        "c waits for d, which is not launched before it: the wait never ends");
    row("event to nothing", "{\"from\":\"c\",\"to\":\"d\"}", "{\"from\":\"c\"}",
        "{\"from\":\"c\"} is not an object with \"from\" and \"to\"");
    row("missing event", ",{\"from\":\"c\",\"to\":\"d\"}", "",
        "reads the output of c, and nothing makes it wait for it");
    row("number", "[[\"a\",\"b\",\"d\"],", "[[\"a\",7,\"d\"],", "7 is not the name of an operator");
}

void TestStreams::file_fault_isNamed()
{
    QFETCH(const QByteArray, replaced);
    QFETCH(const QByteArray, by);
    QFETCH(const QByteArray, message);
    const Graph graph = diamond();
    QByteArray text = fileOf(graph, onTwo());
    text.replace("\n", "").replace(" ", "");
    QVERIFY2(text.contains(replaced), text.constData());
    const auto read =
        scheduleFromJson(text.replace(replaced, by).toStdString(), graph, oneBlock(graph), {"diamond", "abc"});
    QVERIFY(!read);
    QCOMPARE(QByteArray::fromStdString(read.error().message), message);
}

void TestStreams::requireStages_streams_namesWhatNeedsThem()
{
    QVERIFY(requireStages(Schedule{.stages = {stageAlone(kA)}}, "edit"));
    const auto refused = requireStages(Schedule{.streams = onTwo()}, "edit");
    QVERIFY(!refused && refused.error().code == ErrorCode::WrongUse);
    QCOMPARE(refused.error().message,
             std::string("edit takes a schedule with stages, and this one has streams without barriers"));
}

STAGECRAFT_SUITE(TestStreams)

} // namespace tst_streams
#include "tst_streams.moc"
