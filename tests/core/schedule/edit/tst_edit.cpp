// Edits by hand: their results, refusals and messages; after any sequence of them the schedule passes the verifier.

#include "results/files/schedule_json.h"
#include "schedule/compare/spans.h"
#include "schedule/edit/edit_history.h"
#include "schedule/edit/edit_places.h"
#include "schedule/merge.h"
#include "schedule/stage_groups.h"
#include "schedule/verify.h"
#include "support/graph_making.h"
#include "support/random_edits.h"
#include "support/suite.h"
#include "support/timing_making.h"

#include <QtTest>

#include <algorithm>
#include <random>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_edit {

namespace {

// Block 1: a, b, c read the input, d reads a, e adds b and d. Block 2: f and g read e.
struct Small {
    Graph graph;
    Blocks blocks;

    Small()
    {
        GraphBuilder builder("small");
        const TensorId input = take(builder.addInput("input", Shape{{1, 8, 8, 8}}));
        const TensorId a = take(builder.add(conv("a", {{input}}, 8, 3)));
        const TensorId b = take(builder.add(conv("b", {{input}}, 8, 1)));
        static_cast<void>(take(builder.add(conv("c", {{input}}, 16, 3, 2))));
        const TensorId d = take(builder.add(conv("d", {{a}}, 8, 1)));
        const TensorId e = take(builder.add(join("e", {{b, d}})));
        static_cast<void>(take(builder.add(conv("f", {{e}}, 8, 1))));
        static_cast<void>(take(builder.add(conv("g", {{e}}, 8, 3))));
        graph = take(builder.build());
        blocks = {{ids("abcde")}, {ids("fg")}};
    }

    [[nodiscard]] std::vector<OperatorId> ids(const std::string &letters) const
    {
        std::vector<OperatorId> result;
        for (const char letter : letters)
            result.push_back(*graph.find(std::string(1, letter)));
        return result;
    }
    [[nodiscard]] OperatorId id(char letter) const { return ids(std::string(1, letter)).front(); }
};

const Small &small()
{
    static const Small made;
    return made;
}

// "ab|c" concurrent with two groups; "(a+b)" a merge; stages separated by spaces.
QString shown(const Graph &graph, const std::vector<Stage> &stages)
{
    QStringList all;
    for (const Stage &stage : stages) {
        QStringList groups;
        for (const auto &group : stage.groups) {
            QString names;
            for (const OperatorId id : group)
                names += QString::fromStdString(graph.op(id).name);
            groups << names;
        }
        all << (stage.strategy == Strategy::Merge ? "(" + groups.join("+") + ")" : groups.join("|"));
    }
    return all.join(" ");
}

// (a+b) c d e (f+g)
std::vector<Stage> start()
{
    const Small &s = small();
    const auto stage = [&](std::size_t block, const char *letters, Strategy strategy) {
        return stageOf(s.graph, block, s.ids(letters), strategy);
    };
    return {stage(0, "ab", Strategy::Merge), stage(0, "c", Strategy::Concurrent), stage(0, "d", Strategy::Concurrent),
            stage(0, "e", Strategy::Concurrent), stage(1, "fg", Strategy::Merge)};
}

QString everything(const Error &error)
{
    std::string text;
    for (const std::string &where : error.context)
        text += where + ": ";
    return QString::fromStdString(text + error.message);
}

TimedSchedule scheduleOf(std::vector<Stage> stages)
{
    TimedSchedule schedule;
    schedule.stages = std::move(stages);
    return schedule;
}

} // namespace

class EditTest : public QObject {
    Q_OBJECT

private slots:
    void applyEdit_legal_makesTheStages_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<QString>("stages");
        QTest::addColumn<QString>("changed");
        QTest::addColumn<QString>("words");
        const Small &s = small();
        const auto row = [](const char *name, Edit edit, const char *stages, const char *changed, const char *words) {
            QTest::newRow(name) << std::move(edit) << stages << changed << words;
        };
        row("down, lanes follow", MoveToStage{s.ids("c"), 2}, "(a+b) c|d e (f+g)", "2", "Move c to stage 3");
        row("down to its reader, one lane", MoveToStage{s.ids("d"), 3}, "(a+b) c de (f+g)", "3", "Move d to stage 4");
        row("where it is", MoveToStage{s.ids("c"), 1}, "(a+b) c d e (f+g)", "", "Move c to stage 2");
        row("out of a merge", MoveToStage{s.ids("b"), 1}, "a b|c d e (f+g)", "1 2",
            "Move b to stage 2; stage 1 is no longer merged");
        row("into a merge, which stops", MoveToStage{s.ids("d"), 0, true}, "ad|b c e (f+g)", "1",
            "Move d to stage 1; stage 1 is no longer merged");
        row("several", MoveToStage{s.ids("cd"), 3}, "(a+b) c|de (f+g)", "2", "Move c and d to stage 4");
        row("new stage in front", MoveToNewStage{s.ids("c"), 0}, "c (a+b) d e (f+g)", "",
            "Move c to a new stage before stage 1");
        row("new stage of merged ones", MoveToNewStage{s.ids("fg"), 5}, "(a+b) c d e (f+g)", "",
            "Move f and g to a new stage after stage 5");
        row("new stage between", MoveToNewStage{s.ids("b"), 2}, "a c b d e (f+g)", "1 3",
            "Move b to a new stage before stage 3; stage 1 is no longer merged");
        row("each one down", ShiftOperators{s.ids("cd"), true}, "(a+b) c de (f+g)", "3", "Move c and d one stage down");
        row("split", SplitStage{0, s.ids("b")}, "b a c d e (f+g)", "1 2",
            "Split b off stage 1; stage 1 is no longer merged");
        row("join", JoinStages{{1, 2}}, "(a+b) c|d e (f+g)", "2", "Join stages 2 and 3");
        row("join into one lane", JoinStages{{3, 1, 2}}, "(a+b) c|de (f+g)", "2", "Join stages 2, 3 and 4");
        row("join and unmerge", JoinStages{{0, 2}, true}, "ad|b c e (f+g)", "1",
            "Join stages 1 and 3; stage 1 is no longer merged");
        row("unmerge", SetStrategy{{0, 4}, Strategy::Concurrent}, "a|b c d e f|g", "1 5",
            "Run stages 1 and 5 concurrently");
        row("merge what merges", SetStrategy{{0}, Strategy::Merge}, "(a+b) c d e (f+g)", "", "Merge stage 1");
        row("stage up", MoveStages{{1}, 0}, "c (a+b) d e (f+g)", "", "Move stage 2 before stage 1");
        row("stages down", MoveStages{{1}, 4}, "(a+b) d e c (f+g)", "", "Move stage 2 before stage 5");
        row("try", TryStage{stageOf(s.graph, 0, s.ids("bd"), Strategy::Concurrent)}, "a b|d c e (f+g)", "1 2",
            "Try a stage of b and d");
    }
    void applyEdit_legal_makesTheStages()
    {
        QFETCH(const Edit, edit);
        QFETCH(const QString, stages);
        QFETCH(const QString, changed);
        QFETCH(const QString, words);
        const auto edited = applyEdit(small().graph, small().blocks, start(), edit);
        QVERIFY2(edited, edited ? "" : qPrintable(everything(edited.error())));
        QCOMPARE(shown(small().graph, edited->stages), stages);
        QStringList numbers;
        for (const std::size_t stage : edited->changed)
            numbers << QString::number(stage + 1);
        QCOMPARE(numbers.join(' '), changed);
        QCOMPARE(QString::fromStdString(edited->words), words);
    }

    void applyEdit_illegal_isRefused_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<QString>("reason");
        const Small &s = small();
        const auto row = [](const char *name, Edit edit, const char *reason) {
            QTest::newRow(name) << std::move(edit) << reason;
        };
        row("above what it reads", MoveToStage{s.ids("d"), 0},
            "stage 1: operator d: runs concurrently with a, whose output it reads, in another group of the stage");
        row("below its reader", MoveToStage{s.ids("a"), 3},
            "stage 3: operator d: runs before a, whose output it reads");
        row("new stage above what it reads", MoveToNewStage{s.ids("e"), 2},
            "stage 3: operator e: runs before d, whose output it reads");
        row("into another block", MoveToStage{s.ids("c"), 4},
            "stage 4: operator c: belongs to block 1, and the stage to block 2");
        row("behind another block", MoveToNewStage{s.ids("c"), 5},
            "stage 5: operator c: belongs to block 1, but runs after a stage of block 2");
        row("no such stage", MoveToStage{s.ids("c"), 9}, "there is no stage 10: the schedule has 5 stages");
        row("no operator", MoveToStage{{}, 1}, "no operator is named");
        row("unknown operator", MoveToStage{{OperatorId{77}}, 1}, "an operator is named that the model does not have");
        row("up into a merge", ShiftOperators{s.ids("cd"), false}, "stage 1: operator c: has another stride than a");
        row("up from the first", ShiftOperators{s.ids("a"), false}, "operator a: is in the first stage already");
        row("split elsewhere", SplitStage{2, s.ids("a")}, "operator a: is in stage 1, not in stage 3");
        row("split all", SplitStage{0, s.ids("ab")}, "a split would leave nothing in stage 1");
        row("join one", JoinStages{{2, 2}}, "it takes two stages to join");
        row("join with what does not merge", JoinStages{{0, 1}}, "stage 1: operator c: has another stride than a");
        row("merge of one", SetStrategy{{1}, Strategy::Merge}, "stage 2: a merge needs at least two operators");
        row("stage before what it reads", MoveStages{{2}, 0},
            "stage 1: operator d: runs before a, whose output it reads");
        row("no stages", MoveStages{{}, 0}, "no stage is named");
        row("replaced by less", ReplaceStages{0, 1, {}, "Reset"}, "operator a: is in no stage");
    }
    void applyEdit_illegal_isRefused()
    {
        QFETCH(const Edit, edit);
        QFETCH(const QString, reason);
        const auto edited = applyEdit(small().graph, small().blocks, start(), edit);
        QVERIFY(!edited);
        QCOMPARE(everything(edited.error()), reason);
    }

    // In the middle of a chain neither side is legal: a new stage is in between.
    void applyEdit_splitOfAChain_goesWhereItCan()
    {
        const Small &s = small();
        const std::vector<Stage> stages{stageOf(s.graph, 0, s.ids("abcde"), Strategy::Concurrent),
                                        stageOf(s.graph, 1, s.ids("fg"), Strategy::Concurrent)};
        const auto split = [&](const char *letters) {
            const auto edited = applyEdit(s.graph, s.blocks, stages, SplitStage{0, s.ids(letters)});
            return edited ? shown(s.graph, edited->stages) : everything(edited.error());
        };
        QCOMPARE(split("ab"), "a|b c|de f|g");
        QCOMPARE(split("e"), "ad|b|c e f|g");
        QCOMPARE(split("d"), "stage 1: operator d: runs before a, whose output it reads");
    }

    void editPlaces_randomGraphs_answerAsTheEditWould()
    {
        std::size_t legal = 0, illegal = 0;
        for (std::uint32_t seed = 0; seed < 150; ++seed) {
            RandomEdits random(seed, 6 + static_cast<int>(seed % 9), 1 + seed % 3);
            auto stages = random.sequential();
            for (int step = 0; step < 12; ++step) {
                if (auto edited = applyEdit(random.graph, random.blocks, stages, random.anyEdit(stages, stages)))
                    stages = edited->stages;
                const auto operators = random.someOperators(stages);
                const auto answers = editPlaces(random.graph, random.blocks, stages, operators);
                QCOMPARE(answers.size(), 2 * stages.size() + 1);
                for (const EditPlaceAnswer &answer : answers) {
                    const auto edited = applyEdit(random.graph, random.blocks, stages, editTo(answer.place, operators));
                    QCOMPARE(answer.legal ? QString() : everything(answer.legal.error()),
                             edited ? QString() : everything(edited.error()));
                    (edited ? legal : illegal) += 1;
                }
            }
        }
        QVERIFY(legal > 5000 && illegal > 5000);
    }

    void companions_randomGraphs_makeThePlaceLegal()
    {
        std::size_t withCompanions = 0;
        for (std::uint32_t seed = 0; seed < 100; ++seed) {
            RandomEdits random(seed, 8 + static_cast<int>(seed % 6), 1);
            auto stages = random.sequential();
            for (int step = 0; step < 10; ++step) {
                if (auto edited = applyEdit(random.graph, random.blocks, stages, random.anyEdit(stages, stages)))
                    stages = edited->stages;
                const auto chosen = random.inRange(random.someOperators(stages));
                for (const EditPlaceAnswer &answer : editPlaces(random.graph, random.blocks, stages, chosen)) {
                    if (!answer.place.isNew)
                        continue; // a merge stage only takes operators that can be merged
                    const auto others = companions(random.graph, stages, chosen, answer.place);
                    QCOMPARE(others.empty(), answer.legal.has_value());
                    auto all = chosen;
                    all.insert(all.end(), others.begin(), others.end());
                    QVERIFY(applyEdit(random.graph, random.blocks, stages, editTo(answer.place, all)));
                    withCompanions += others.empty() ? 0 : 1;
                }
            }
        }
        QVERIFY(withCompanions > 500);
    }

    // Whatever the edit, the stages stay legal, and exactly the stages reported as changed have changed.
    void applyEdit_aHundredThousandAtRandom_leaveALegalSchedule()
    {
        std::size_t done = 0, refused = 0, merges = 0;
        for (std::uint32_t seed = 0; done + refused < 100'000; ++seed) {
            RandomEdits random(seed, 5 + static_cast<int>(seed % 20), 1 + seed % 4);
            const auto origin = random.sequential();
            auto stages = origin;
            for (int step = 0; step < 500; ++step) {
                const Edit edit = random.anyEdit(stages, origin);
                const auto edited = applyEdit(random.graph, random.blocks, stages, edit);
                if (!edited) {
                    ++refused;
                    QVERIFY(!edited.error().message.empty());
                    QVERIFY(edited.error().code == ErrorCode::InvalidInput);
                    continue;
                }
                ++done;
                const auto legal = verifySchedule(random.graph, random.blocks, scheduleOf(edited->stages));
                QVERIFY2(legal, legal ? "" : qPrintable(everything(legal.error())));
                QVERIFY(!edited->words.empty());
                for (std::size_t i = 0; i < edited->stages.size(); ++i) {
                    const bool isNew = std::ranges::find(stages, edited->stages[i]) == stages.end();
                    QCOMPARE(std::ranges::find(edited->changed, i) != edited->changed.end(), isNew);
                    merges += edited->stages[i].strategy == Strategy::Merge ? 1 : 0;
                }
                stages = edited->stages;
            }
        }
        QVERIFY2(done > 20'000 && refused > 10'000 && merges > 3'000,
                 qPrintable(QString("%1 %2 %3").arg(done).arg(refused).arg(merges)));
    }

    // A stage of any legal schedule can be tried in any other.
    void applyEdit_tryAStageOfAnotherSchedule_isAlwaysLegal()
    {
        for (std::uint32_t seed = 0; seed < 200; ++seed) {
            RandomEdits random(seed, 6 + static_cast<int>(seed % 12), 1 + seed % 3);
            auto one = random.sequential();
            auto other = one;
            for (int step = 0; step < 40; ++step) {
                for (auto *stages : {&one, &other}) {
                    if (auto edited = applyEdit(random.graph, random.blocks, *stages, random.anyEdit(*stages, *stages)))
                        *stages = edited->stages;
                }
            }
            for (const Stage &stage : other) {
                const auto edited = applyEdit(random.graph, random.blocks, one, TryStage{stage});
                QVERIFY2(edited, edited ? "" : qPrintable(everything(edited.error())));
                QVERIFY(std::ranges::find(edited->stages, stage) != edited->stages.end());
            }
        }
    }

    void reset_afterRandomEdits_bringsTheOriginBack()
    {
        for (std::uint32_t seed = 0; seed < 200; ++seed) {
            RandomEdits random(seed, 6 + static_cast<int>(seed % 12), 2 + seed % 2);
            const auto origin = random.sequential();
            auto stages = origin;
            for (int step = 0; step < 60; ++step) {
                if (auto edited = applyEdit(random.graph, random.blocks, stages, random.anyEdit(stages, stages)))
                    stages = edited->stages;
            }
            const auto applied = [&](const Edit &edit) {
                return take(applyEdit(random.graph, random.blocks, stages, edit)).stages;
            };
            QCOMPARE(applied(resetAll(stages, origin)), origin);
            for (std::size_t b = 0; b < random.blocks.size(); ++b) {
                for (const Stage &stage : applied(resetBlock(stages, origin, b))) {
                    const auto &of = stage.block == b ? origin : stages;
                    QVERIFY(std::ranges::find(of, stage) != of.end());
                }
            }
            for (std::size_t i = 0; i < stages.size(); ++i) {
                const auto reset = applied(resetStage(stages, origin, i));
                for (const OperatorId id : operatorsOf(stages[i])) {
                    const auto has = [&](const Stage &stage) {
                        return std::ranges::binary_search(operatorsOf(stage), id);
                    };
                    QVERIFY(*std::ranges::find_if(reset, has) == *std::ranges::find_if(origin, has));
                }
            }
        }
        QCOMPARE(resetBlock(start(), start(), 1).words, "Reset block 2");
        QCOMPARE(resetStage(start(), start(), 2).words, "Reset stage 3");
    }

    void history_aThousandEdits_undoneAndRedone_areTheSameBytes()
    {
        RandomEdits random(7, 60, 3);
        auto origin = std::make_shared<TimedSchedule>(scheduleOf(random.sequential()));
        for (std::size_t i = 0; i < origin->stages.size(); ++i) {
            const auto us = 1.5 + static_cast<double>(i);
            origin->measured.stages.push_back({us, us + 1, 0.25, 9, {}});
        }
        origin->measured.whole = Timing::ofLatency(1234.5);
        origin->measured.provenance = Provenance::Measured;
        origin->context.device = "cpu";
        origin->search.strategy = "ios-both";
        const std::string before = toJson(random.graph, *origin);
        EditHistory history(origin, "ios-both");
        QCOMPARE(toJson(random.graph, history.schedule()), before);
        std::vector<std::string> states{before};
        while (states.size() <= 1000) {
            const auto stages = history.stages();
            const auto edited = history.apply(random.graph, random.blocks, random.anyEdit(stages, origin->stages));
            if (!edited || edited->stages == stages)
                continue;
            QCOMPARE(history.undoWords(), edited->words);
            QVERIFY(!history.canRedo());
            states.push_back(toJson(random.graph, history.schedule()));
        }
        for (std::size_t i = states.size() - 1; i-- > 0;) {
            QVERIFY(history.canUndo());
            history.undo();
            QCOMPARE(toJson(random.graph, history.schedule()), states[i]);
        }
        QVERIFY(!history.canUndo());
        QCOMPARE(toJson(random.graph, history.schedule()), before);
        for (std::size_t i = 1; i < states.size(); ++i) {
            history.redo();
            QCOMPARE(toJson(random.graph, history.schedule()), states[i]);
        }
        QVERIFY(!history.canRedo());
    }

    // A new step after an undo replaces the undone steps.
    void history_editAfterUndo_forgetsWhatWasUndone()
    {
        const Small &s = small();
        EditHistory history(std::make_shared<TimedSchedule>(scheduleOf(start())), "greedy");
        QVERIFY(history.apply(s.graph, s.blocks, MoveToStage{s.ids("c"), 2}));
        QVERIFY(history.apply(s.graph, s.blocks, MoveToStage{s.ids("e"), 1}));
        QCOMPARE(shown(s.graph, history.stages()), "(a+b) c|de (f+g)");
        history.undo();
        QCOMPARE(history.redoWords(), "Move e to stage 2");
        QVERIFY(history.apply(s.graph, s.blocks, SetStrategy{{0}, Strategy::Concurrent}));
        QVERIFY(!history.canRedo());
        QCOMPARE(shown(s.graph, history.stages()), "a|b c|d e (f+g)");
        QVERIFY(!history.apply(s.graph, s.blocks, MoveToStage{s.ids("a"), 3}));
        QCOMPARE(history.undoWords(), "Run stage 1 concurrently");
        QVERIFY(history.apply(s.graph, s.blocks, MoveToStage{s.ids("a"), 0})); // it is there already
        QCOMPARE(history.undoWords(), "Run stage 1 concurrently");
    }

    // Stages of an edit run in the layouts that the device chooses.
    void history_originWithLayouts_keepsNoTimes()
    {
        const Small &s = small();
        auto origin = std::make_shared<TimedSchedule>(scheduleOf(start()));
        origin->measured.stages = timingsOf({10, 20, 30, 40, 50});
        origin->layouts.tensors = {{"a", TensorLayout::ChannelsLast}};
        EditHistory history(origin, "greedy");
        QVERIFY(history.apply(s.graph, s.blocks, JoinStages{{1, 2}}));
        QCOMPARE(history.unknownStages(), (std::vector<std::size_t>{0, 1, 2, 3}));
        QVERIFY(history.schedule().layouts.empty());
        history.undo();
        QVERIFY(history.schedule().layouts == origin->layouts);
        QVERIFY(history.schedule().hasStageLatencies());
    }

    // A stage with a launch order is another one than the same groups without.
    void history_launchOrder_staysUntilItsStageChanges()
    {
        const Small &s = small();
        std::vector<Stage> stages = start();
        stages[1] = stageOf(s.graph, 0, s.ids("cd"), Strategy::Concurrent);
        stages[1].launchOrder = s.ids("dc");
        stages.erase(stages.begin() + 2);
        auto origin = std::make_shared<TimedSchedule>(scheduleOf(stages));
        origin->measured.stages = timingsOf({10, 20, 30, 40});
        EditHistory history(origin, "ios-both");
        QVERIFY(history.apply(s.graph, s.blocks, MoveToStage{s.ids("d"), 1})); // where it is
        QCOMPARE(history.stages(), stages);
        QVERIFY(history.apply(s.graph, s.blocks, SetStrategy{{3}, Strategy::Concurrent}));
        QCOMPARE(history.stages()[1], stages[1]);
        QVERIFY(history.apply(s.graph, s.blocks, MoveToNewStage{s.ids("c"), 2}));
        QVERIFY(history.apply(s.graph, s.blocks, MoveToStage{s.ids("c"), 1}));
        QCOMPARE(history.stages()[1].groups, stages[1].groups);
        QVERIFY(history.stages()[1].launchOrder.empty());
        const auto unknown = history.unknownStages();
        QVERIFY(std::ranges::find(unknown, std::size_t{1}) != unknown.end());
    }

    void history_times_stayWithTheirStages()
    {
        const Small &s = small();
        auto origin = std::make_shared<TimedSchedule>(scheduleOf(start()));
        origin->measured.stages = timingsOf({10, 20, 30, 40, 50});
        origin->measured.whole = Timing::ofLatency(160);
        origin->measured.provenance = Provenance::Simulated;
        origin->context.device = "sim:v100";
        EditHistory history(origin, "greedy");
        QVERIFY(history.apply(s.graph, s.blocks, JoinStages{{1, 2}}));
        QCOMPARE(history.unknownStages(), std::vector<std::size_t>{1});
        QVERIFY(!history.schedule().hasStageLatencies());
        QCOMPARE(history.schedule().search.strategy, "edited");
        QCOMPARE(history.schedule().search.editedFrom, "greedy");
        TimedSchedule timed = history.schedule();
        timed.measured.stages = timingsOf({10, 45, 40, 50});
        timed.measured.whole = Timing::ofLatency(155);
        timed.measured.provenance = Provenance::Simulated;
        timed.context.device = "sim:v100";
        history.keepTimes(timed);
        QCOMPARE(toJson(s.graph, history.schedule()), toJson(s.graph, timed));
        QVERIFY(history.apply(s.graph, s.blocks, SetStrategy{{0}, Strategy::Concurrent}));
        QCOMPARE(history.unknownStages(), std::vector<std::size_t>{0});
        QVERIFY(history.apply(s.graph, s.blocks, SetStrategy{{0}, Strategy::Merge}));
        QVERIFY(history.unknownStages().empty());
        const TimedSchedule back = history.schedule(); // the stages are known, but the whole was not timed since
        QCOMPARE(back.stageLatenciesUs(), (std::vector<double>{10, 45, 40, 50}));
        QCOMPARE(back.context.device, "sim:v100");
        QVERIFY(!back.measured.whole);
        history.undo();
        history.undo();
        QCOMPARE(toJson(s.graph, history.schedule()), toJson(s.graph, timed));
        history.undo();
        QCOMPARE(toJson(s.graph, history.schedule()), toJson(s.graph, *origin));
    }

    void scheduleFromJson_edited_keepsWhatItWasMadeOf()
    {
        const Small &s = small();
        TimedSchedule origin = scheduleOf(start());
        origin.context.model = {"small", "abc"};
        const std::string text = toJson(s.graph, editedSchedule(origin, "ios-both", Schedule{.stages = start()}));
        const auto read = scheduleFromJson(text, s.graph, s.blocks, origin.context.model);
        QVERIFY(read);
        QCOMPARE(read->search.strategy, "edited");
        QCOMPARE(read->search.editedFrom, "ios-both");
        QCOMPARE(toJson(s.graph, *read), text);
        QVERIFY(toJson(s.graph, origin).find("edited_from") == std::string::npos);
    }
};

STAGECRAFT_SUITE(EditTest)

} // namespace tst_edit
#include "tst_edit.moc"
