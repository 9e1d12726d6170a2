// Manual editing without a view: places on the page, the effect and text of dropping there, and what becomes chosen
// next.

#include "support/schedule_making.h"
#include "support/suite.h"
#include "widgets/schedule/choosing.h"
#include "widgets/schedule/chosen_parts.h"
#include "widgets/schedule/edit_geometry.h"
#include "widgets/schedule/edit_move.h"
#include "widgets/schedule/planned_move.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_edit_move {

namespace {

// {a | b, c}, {ac} of block 1, {d + e merged}, {f} of block 2.
struct Edited {
    Sample sample = makeSample();
    EditContext context;

    Edited()
    {
        auto model = std::make_shared<Model>();
        model->graph = sample.graph;
        model->blocks = {{{op("a"), op("b"), op("c"), op("ac")}}, {{op("d"), op("e"), op("f")}}};
        context = {model, sample.schedule, 3, 8, {}, {}};
    }
    [[nodiscard]] OperatorId op(const char *name) const { return sample.op(name); }
    [[nodiscard]] SchedulePage layout() const { return schedulePage(*sample.schedule, 600, 1); }
    [[nodiscard]] QString textOf(const char *name, const EditPlace &place, bool takeAlong) const
    {
        return moveText(context, {op(name)}, planMove(context, {op(name)}, place, takeAlong));
    }
};

} // namespace

class TestEditMove : public QObject {
    Q_OBJECT

private slots:
    void placeAt_partsOfARow_areBeforeIntoAndBehind();
    void placeAt_headerAndEnds_areBetween();
    void placeRect_betweenBlocks_isOnTheSideOfTheBlock();
    void laneAt_belowTheBoxes_isTheGroup();
    void planMove_legal_saysWhatItTakesWhereKept();
    void planMove_simulated_saysWhatTheWholeGains();
    void planMove_outsideTheSpace_says();
    void planMove_inTheWay_movesAlongWithShift();
    void planMove_mergeStage_isUnmergedWithShift();
    void planMove_otherBlock_isRefusedInWords();
    void planMove_ownStage_changesNothing();
    void visit_goesFromLegalPlaceToLegalPlace();
    void type_digits_makeANumber();
    void chosenWith_keys_addsRemovesAndExtends();
    void chosenBeyond_arrows_addOneMore();
    void chosenIn_otherSchedule_keepsWholeStages();
};

void TestEditMove::placeAt_partsOfARow_areBeforeIntoAndBehind()
{
    const Edited edited;
    const SchedulePage layout = edited.layout();
    const QRectF row = layout.rows[1].rect;
    const auto at = [&](double share) { return placeAt(layout, {200, row.top() + share * row.height()}); };
    QCOMPARE(at(0.1), (EditPlace{1, true}));
    QCOMPARE(at(0.3), (EditPlace{1, false}));
    QCOMPARE(at(0.7), (EditPlace{1, false}));
    QCOMPARE(at(0.9), (EditPlace{2, true}));
    QVERIFY(!placeAt(SchedulePage{}, {0, 0}));
}

void TestEditMove::placeAt_headerAndEnds_areBetween()
{
    const Edited edited;
    const SchedulePage layout = edited.layout();
    QCOMPARE(placeAt(layout, layout.headers[1].rect.center()), (EditPlace{2, true}));
    QCOMPARE(placeAt(layout, {10, -5}), (EditPlace{0, true}));
    QCOMPARE(placeAt(layout, {10, layout.size.height() + 50}), (EditPlace{4, true}));
}

void TestEditMove::placeRect_betweenBlocks_isOnTheSideOfTheBlock()
{
    const Edited edited;
    const SchedulePage layout = edited.layout();
    const EditPlace place{2, true};
    QCOMPARE(placeRect(layout, *edited.sample.schedule, place, 0).center().y(), layout.rows[1].rect.bottom());
    QCOMPARE(placeRect(layout, *edited.sample.schedule, place, 1).center().y(), layout.rows[2].rect.top());
    QCOMPARE(placeRect(layout, *edited.sample.schedule, {1, false}, 0), layout.rows[1].rect);
}

void TestEditMove::laneAt_belowTheBoxes_isTheGroup()
{
    const Edited edited;
    const SchedulePage layout = edited.layout();
    const auto box = std::ranges::find(layout.boxes, edited.op("a"), &OperatorBox::op);
    const QPointF below(box->rect.center().x(), layout.rows[0].lanes.bottom() - 2); // a is next to two operators
    QCOMPARE(laneAt(layout, layout.rows[0], below), std::optional<std::size_t>{box->group});
    QVERIFY(!laneAt(layout, layout.rows[0], box->rect.center()));
    QVERIFY(!laneAt(layout, layout.rows[2], layout.rows[2].lanes.center())); // a merge stage
    QVERIFY(grabbedAt(layout, below).what == Grab::Lane);
    QVERIFY(grabbedAt(layout, box->rect.center()).what == Grab::Operator);
    QVERIFY(grabbedAt(layout, layout.rows[0].gutter.center()).what == Grab::Stage);
    QVERIFY(grabbedAt(layout, layout.headers[0].rect.center()).what == Grab::Empty);
    QCOMPARE(operatorsIn(layout, layout.rows[0].rect).size(), std::size_t{3});
}

void TestEditMove::planMove_legal_saysWhatItTakesWhereKept()
{
    Edited edited;
    auto measured = std::make_shared<TimedSchedule>(*edited.sample.schedule);
    measured->measured.provenance = Provenance::Measured;
    edited.context.schedule = measured;
    const EditPlace place{0, true};
    QCOMPARE(edited.textOf("b", place, false), QStringLiteral("Move b to a new stage before stage 1"));
    edited.context.knownUs = [](const Stage &) { return std::optional(21.0); };
    QCOMPARE(edited.textOf("b", place, false),
             QStringLiteral("Move b to a new stage before stage 1: 2 stages take 42.0 µs, stored"));
}

// What a drop gains or costs, for exact latencies: stages against those replaced, and the barriers.
void TestEditMove::planMove_simulated_saysWhatTheWholeGains()
{
    Edited edited;
    const EditPlace place{0, true}; // {b}, {a | c}, ...: a barrier more
    edited.context.knownUs = [](const Stage &) { return std::optional(16.5); };
    const QString moved = QStringLiteral("Move b to a new stage before stage 1: 2 stages take 33.0 µs, simulated");
    QCOMPARE(edited.textOf("b", place, false), moved); // what a barrier costs is not known
    edited.context.barrierUs = [] { return std::optional(4.0); };
    const QString minus(QChar(0x2212));
    QCOMPARE(edited.textOf("b", place, false), moved + QStringLiteral("; the whole ") + minus +
                                                   QStringLiteral("3.00 µs, faster: stages ") + minus +
                                                   QStringLiteral("7.00 µs, barriers +4.00 µs"));
    edited.context.knownUs = [](const Stage &) { return std::optional<double>(); };
    QCOMPARE(edited.textOf("b", place, false), QStringLiteral("Move b to a new stage before stage 1"));
}

void TestEditMove::planMove_outsideTheSpace_says()
{
    const Edited edited; // a, b, c and ac become one group
    QCOMPARE(edited.textOf("ac", {0, false}, false),
             QStringLiteral("Move ac to stage 1; outside r 3: the proof no longer applies"));
}

void TestEditMove::planMove_inTheWay_movesAlongWithShift()
{
    const Edited edited;
    const EditPlace place{1, true};
    const PlannedMove alone = planMove(edited.context, {edited.op("b")}, place, false);
    QVERIFY(!alone.edited && !alone.takesAlong);
    QCOMPARE(alone.inTheWay, std::vector<OperatorId>{edited.op("c")});
    QCOMPARE(companionText(*edited.sample.graph, {edited.op("b")}, edited.op("c")), QStringLiteral("reads it"));
    QCOMPARE(edited.textOf("b", place, false),
             QStringLiteral("c: runs before b, whose output it reads\nShift moves c along"));
    const PlannedMove both = planMove(edited.context, {edited.op("b")}, place, true);
    QVERIFY(both.edited && both.takesAlong);
    QCOMPARE(both.edited->stages[1].groups, (std::vector<std::vector<OperatorId>>{{edited.op("b"), edited.op("c")}}));
    QVERIFY(edited.textOf("b", place, true).endsWith(QStringLiteral("; also moves c")));
}

void TestEditMove::planMove_mergeStage_isUnmergedWithShift()
{
    const Edited edited;
    const QString refused = edited.textOf("f", {2, false}, false);
    QVERIFY2(refused.endsWith(QStringLiteral("\nShift unmerges stage 3")), qPrintable(refused));
    const PlannedMove move = planMove(edited.context, {edited.op("f")}, {2, false}, true);
    QVERIFY(move.edited && move.unmerges);
    QVERIFY(move.edited->stages[2].strategy == Strategy::Concurrent);
    QVERIFY(edited.textOf("f", {2, false}, true).contains(QStringLiteral("unmerges stage 3")));
}

void TestEditMove::planMove_otherBlock_isRefusedInWords()
{
    const Edited edited;
    QCOMPARE(edited.textOf("f", {1, false}, false), QStringLiteral("f: belongs to block 2, and the stage to block 1"));
}

void TestEditMove::planMove_ownStage_changesNothing()
{
    const Edited edited;
    QCOMPARE(edited.textOf("ac", {1, false}, false), QStringLiteral("Stays where it is"));
    QVERIFY(planMove(edited.context, {edited.op("ac")}, {2, true}, false).changesNothing);
}

void TestEditMove::visit_goesFromLegalPlaceToLegalPlace()
{
    const Edited edited;
    EditMove move(edited.context, {edited.op("c")}, true);
    QCOMPARE(move.plan()->place, (EditPlace{0, false})); // the current place
    QVERIFY(move.visit(1, false));
    QCOMPARE(move.plan()->place, (EditPlace{1, true}));
    QVERIFY(move.visit(1, false));
    QCOMPARE(move.plan()->place, (EditPlace{1, false})); // together with its reader
    QVERIFY(!move.visit(1, false));                      // ac would run before it
    QVERIFY2(move.whyNoFurther(1).startsWith(QStringLiteral("No legal place further: ")),
             qPrintable(move.whyNoFurther(1)));
    QVERIFY(move.visit(1, true)); // ac comes along
    QVERIFY(move.plan()->takesAlong);
    QCOMPARE(move.block(), std::size_t{0});
    QVERIFY(!move.aim(move.plan()->place, true)); // already the target
}

void TestEditMove::type_digits_makeANumber()
{
    const Edited edited;
    EditMove move(edited.context, {edited.op("c")}, true);
    QVERIFY(move.type(2));
    QCOMPARE(move.plan()->place, (EditPlace{1, false}));
    QVERIFY(move.type(4)); // there is no stage 24
    QCOMPARE(move.plan()->place, (EditPlace{3, false}));
    QVERIFY(!move.plan()->edited);
    QVERIFY(!move.type(9));
    move.endNumber();
    QVERIFY(!move.type(0));
}

void TestEditMove::chosenWith_keys_addsRemovesAndExtends()
{
    const Edited edited;
    const SchedulePage layout = edited.layout();
    const SchedulePage::Hit a{0, edited.op("a")};
    const SchedulePage::Hit ac{1, edited.op("ac")};
    const SchedulePage::Hit third{2, std::nullopt};
    const ChosenParts one = chosenWith({}, layout, a, {});
    QCOMPARE(one, (ChosenParts{{edited.op("a")}, {}}));
    QCOMPARE(chosenWith(one, layout, ac, Qt::ControlModifier), (ChosenParts{{edited.op("a"), edited.op("ac")}, {}}));
    QVERIFY(chosenWith(one, layout, a, Qt::ControlModifier).isEmpty());
    QCOMPARE(chosenWith(one, layout, ac, Qt::ShiftModifier).operators.size(), std::size_t{4}); // b and c are in between
    QCOMPARE(chosenWith({{}, {0}}, layout, third, Qt::ShiftModifier), (ChosenParts{{}, {0, 1, 2}}));
    // What is already chosen stays chosen: a drag takes all of it.
    QCOMPARE(chosenWith({{edited.op("a"), edited.op("b")}, {}}, layout, a, {}).operators.size(), std::size_t{2});
    QCOMPARE(groupAt(*edited.sample.schedule, {0, edited.op("b")}),
             (std::vector<OperatorId>{edited.op("b"), edited.op("c")}));
    QCOMPARE(groupAt(*edited.sample.schedule, {2, edited.op("d")}),
             (std::vector<OperatorId>{edited.op("d"), edited.op("e")}));
}

void TestEditMove::chosenBeyond_arrows_addOneMore()
{
    const Edited edited;
    const SchedulePage layout = edited.layout();
    QCOMPARE(*chosenBeyond({{}, {1}}, layout, Qt::Key_Down), (ChosenParts{{}, {1, 2}}));
    QCOMPARE(*chosenBeyond({{}, {0}}, layout, Qt::Key_Up), (ChosenParts{{}, {0}}));
    QCOMPARE(chosenBeyond({{edited.op("a")}, {}}, layout, Qt::Key_Right)->operators.size(), std::size_t{2});
    QVERIFY(!chosenBeyond({{edited.op("a")}, {}}, layout, Qt::Key_Down));
}

void TestEditMove::chosenIn_otherSchedule_keepsWholeStages()
{
    const Edited edited;
    const ChosenParts chosen{{edited.op("f")}, {0}};
    const auto moved = planMove(edited.context, {edited.op("b")}, {0, true}, false);
    TimedSchedule now = *edited.sample.schedule;
    now.stages = moved.edited->stages;
    QCOMPARE(chosenIn(now, chosen, *edited.sample.schedule), (ChosenParts{{edited.op("f")}, {0, 1}}));
    QCOMPARE(operatorsOf(chosen, *edited.sample.schedule).size(), std::size_t{4});
    QCOMPARE(stagesOf(chosen, *edited.sample.schedule), (std::vector<std::size_t>{0, 3}));
}

STAGECRAFT_SUITE(TestEditMove)

} // namespace tst_edit_move
#include "tst_edit_move.moc"
