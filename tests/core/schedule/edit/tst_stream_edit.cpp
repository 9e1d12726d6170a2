// Edits of streams: what each does, what it refuses and why, and that anything goes in any order.

#include "schedule/edit/edit_history.h"
#include "schedule/streams/stream_events.h"
#include "schedule/streams/verify_streams.h"
#include "support/graph_making.h"
#include "support/random_edits.h"
#include "support/random_streams.h"
#include "support/suite.h"

#include <QTest>

#include <memory>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_stream_edit {

namespace {

// a -> b -> d, a -> c -> d.
struct Diamond {
    Graph graph;
    OperatorId a{0}, b{1}, c{2}, d{3};

    Diamond()
    {
        GraphBuilder builder("diamond");
        const TensorId x = take(builder.addInput("x", Shape{{1, 8, 8, 8}}));
        const TensorId first = take(builder.add(conv("a", {{x}}, 8)));
        const TensorId left = take(builder.add(conv("b", {{first}}, 8, 3)));
        const TensorId right = take(builder.add(conv("c", {{first}}, 8)));
        static_cast<void>(take(builder.add(join("d", {{left, right}}))));
        graph = take(builder.build());
    }

    // a, b and d on the first stream, c on the second, launched in the order of the file.
    [[nodiscard]] Streams onTwo() const { return {2, {{{a}, 0}, {{b}, 0}, {{c}, 1, {0}}, {{d}, 0, {2}}}}; }
};

const Diamond &diamond()
{
    static const Diamond made;
    return made;
}

Result<EditedStages> edited(const Streams &streams, const Edit &edit)
{
    return applyEdit(diamond().graph, consecutiveBlocks(diamond().graph, 1), Schedule{.streams = streams}, edit);
}

} // namespace

class TestStreamEdit : public QObject {
    Q_OBJECT

private slots:
    void apply_legal_makesTheStreams_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<Streams>("expected");
        QTest::addColumn<QByteArray>("words");
        const auto &[graph, a, b, c, d] = diamond();
        const auto row = [](const char *name, Edit edit, Streams expected, const char *words) {
            QTest::newRow(name) << std::move(edit) << std::move(expected) << QByteArray(words);
        };
        row("to a stream", MoveLaunches{{b}, 1, {}}, {2, {{{a}, 0}, {{b}, 1, {0}}, {{c}, 1}, {{d}, 0, {2}}}},
            "Move b to stream 2");
        row("to a new stream", MoveLaunches{{d}, 2, {}}, {3, {{{a}, 0}, {{b}, 0}, {{c}, 1, {0}}, {{d}, 2, {1, 2}}}},
            "Move d to a new stream");
        row("the last of its stream", MoveLaunches{{c}, 0, {}}, {1, {{{a}, 0}, {{b}, 0}, {{c}, 0}, {{d}, 0}}},
            "Move c to stream 1");
        row("in launch order", MoveLaunches{{c}, {}, 1}, {2, {{{a}, 0}, {{c}, 1, {0}}, {{b}, 0}, {{d}, 0, {1}}}},
            "Move c before b");
        row("stream and order", MoveLaunches{{c}, 0, 1}, {1, {{{a}, 0}, {{c}, 0}, {{b}, 0}, {{d}, 0}}},
            "Move c to stream 1 before b");
        row("swap", SwapLaunches{b, c}, {2, {{{a}, 0}, {{c}, 0}, {{b}, 1, {0}}, {{d}, 0, {2}}}}, "Swap b and c");
        row("add an event", AddEvent{b, c}, {2, {{{a}, 0}, {{b}, 0}, {{c}, 1, {0, 1}}, {{d}, 0, {2}}}},
            "Add an event from b to c");
    }
    void apply_legal_makesTheStreams()
    {
        QFETCH(const Edit, edit);
        QFETCH(const Streams, expected);
        QFETCH(const QByteArray, words);
        const auto made = edited(diamond().onTwo(), edit);
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        QVERIFY(made->streams && *made->streams == expected);
        QVERIFY(made->stages.empty() && made->changed.empty());
        QCOMPARE(QByteArray::fromStdString(made->words), words);
    }

    void apply_illegal_isRefused_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<QByteArray>("says");
        const auto &[graph, a, b, c, d] = diamond();
        const auto row = [](const char *name, Edit edit, const char *says) {
            QTest::newRow(name) << std::move(edit) << QByteArray(says);
        };
        row("no such stream", MoveLaunches{{b}, 3, {}}, "there is no stream 4");
        row("no such place", MoveLaunches{{b}, {}, 5}, "there is no launch 6");
        row("no operator", MoveLaunches{{}, 0, {}}, "no operator is named");
        row("before what it reads", MoveLaunches{{d}, {}, 1}, "operator d: runs before b, whose output it reads");
        row("swap of an edge", SwapLaunches{a, b}, "operator b: runs before a, whose output it reads");
        row("swap with itself", SwapLaunches{a, a}, "operator a: cannot change places with itself");
        row("event that is there", AddEvent{a, c}, "operator c: waits for a already");
        row("event backwards", AddEvent{c, b}, "operator b: waits for c, which is launched later: the wait never ends");
        row("event on one stream", AddEvent{a, b},
            "operator b: waits for a by an event, but comes after it on its own stream");
        row("event that an edge needs", DropEvent{a, c},
            "operator c: reads the output of a, and nothing makes it wait for it");
        row("no such event", DropEvent{b, c}, "operator c: does not wait for b by an event");
        row("of stages", JoinStages{{0, 1}, false},
            "this edit takes a schedule with stages, and this one has streams without barriers");
    }
    void apply_illegal_isRefused()
    {
        QFETCH(const Edit, edit);
        QFETCH(const QByteArray, says);
        const auto made = edited(diamond().onTwo(), edit);
        QVERIFY(!made);
        std::string text;
        for (const std::string &where : made.error().context)
            text += where + ": ";
        QCOMPARE(QByteArray::fromStdString(text + made.error().message), says);
    }

    void apply_streamEditOfStages_isRefused()
    {
        const auto made = applyEdit(diamond().graph, consecutiveBlocks(diamond().graph, 1),
                                    Schedule{.stages = {stageAlone(diamond().a)}}, AddEvent{diamond().a, diamond().b});
        QVERIFY(!made && made.error().code == ErrorCode::WrongUse);
        QVERIFY(made.error().message.starts_with("this edit takes a schedule with streams"));
    }

    // What a person added goes along, and can be dropped again.
    void apply_eventThatNobodyNeeds_staysThroughMoves()
    {
        const auto &[graph, a, b, c, d] = diamond();
        const Streams added = *take(edited(diamond().onTwo(), AddEvent{b, c})).streams;
        const Streams moved = *take(edited(added, MoveLaunches{{d}, 2, {}})).streams;
        QCOMPARE(moved.launches[2].waits, (std::vector<std::uint32_t>{0, 1}));
        const Streams together = *take(edited(moved, MoveLaunches{{c}, 0, {}})).streams;
        QCOMPARE(together.eventCount(), std::size_t{1}); // c follows b on its stream; d waits for it
        QVERIFY(take(edited(added, DropEvent{b, c})).streams == diamond().onTwo());
    }

    void apply_atRandom_leavesLegalStreamsAndUndoesToTheLastByte()
    {
        int applied = 0;
        int refused = 0;
        for (std::uint32_t seed = 0; seed < 40; ++seed) {
            RandomEdits random(seed, 14, 3);
            auto origin = std::make_shared<TimedSchedule>();
            origin->streams = randomStreams(random.graph, 1 + seed % 4, random.engine);
            EditHistory history(origin, "nimble");
            for (int i = 0; i < 250; ++i) {
                const Streams before = *history.order().streams;
                const auto made = history.apply(random.graph, random.blocks, anyEdit(random, before));
                const Streams &now = *history.order().streams;
                QVERIFY(verifyStreams(random.graph, random.blocks, now));
                QVERIFY(made ? now == *made->streams : now == before);
                made ? ++applied : ++refused;
            }
            while (history.canUndo())
                history.undo();
            QVERIFY(history.order().streams == origin->streams);
            while (history.canRedo())
                history.redo();
            QVERIFY(verifyStreams(random.graph, random.blocks, *history.order().streams));
        }
        qInfo("%d applied, %d refused", applied, refused);
        QVERIFY(applied > 2000 && refused > 1000);
    }

    void history_measuredStep_keepsItsLatency()
    {
        auto origin = std::make_shared<TimedSchedule>();
        origin->streams = diamond().onTwo();
        origin->measured.whole = Timing::ofLatency(9);
        EditHistory history(origin, "nimble");
        const Blocks blocks = consecutiveBlocks(diamond().graph, 1);
        QVERIFY(history.apply(diamond().graph, blocks, SwapLaunches{diamond().b, diamond().c}));
        TimedSchedule timed = history.schedule();
        QVERIFY(!timed.latencyUs() && timed.search.editedFrom == "nimble" && timed.streams == history.order().streams);
        timed.measured.whole = Timing::ofLatency(7);
        history.keepTimes(timed);
        QCOMPARE(history.schedule().latencyUs().value_or(0), 7.0);
        history.undo();
        QCOMPARE(history.schedule().latencyUs().value_or(0), 9.0);
        history.redo();
        QCOMPARE(history.schedule().latencyUs().value_or(0), 7.0);
        QVERIFY(history.schedule().streams == timed.streams);
    }

private:
    static Edit anyEdit(RandomEdits &random, const Streams &streams)
    {
        const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random.engine() % count); };
        const auto any = [&] { return OperatorId::fromIndex(below(random.graph.size())); };
        switch (below(6)) {
        case 0: return MoveLaunches{{any()}, static_cast<std::uint32_t>(below(streams.count + 2)), {}};
        case 1: return MoveLaunches{{any(), any()}, {}, below(streams.launches.size() + 2)};
        case 2:
            return MoveLaunches{
                {any()}, static_cast<std::uint32_t>(below(streams.count + 1)), below(streams.launches.size() + 1)};
        case 3: return SwapLaunches{any(), any()};
        case 4: return AddEvent{any(), any()};
        default: break;
        }
        const OperatorId to = any();
        const StreamLaunch &launch = streams.launches[launchOfOperators(random.graph, streams)[to.index()]];
        const bool hasWaits = !launch.waits.empty();
        return DropEvent{hasWaits ? streams.launches[launch.waits.front()].operators.front() : any(), to};
    }
};

STAGECRAFT_SUITE(TestStreamEdit)

} // namespace tst_stream_edit

#include "tst_stream_edit.moc"
