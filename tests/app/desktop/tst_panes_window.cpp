// Several results side by side in the window, by mouse and keyboard: opening, aligning, folding, stepping through
// differences, copying stages, and comparing numbers.
// Past 500 lines: one window with the same results, compared in every way.

#include "app/desktop/window_test.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "schedule/compare/latency_parts.h"
#include "support/suite.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/blocks/blocks_model.h"
#include "widgets/blocks/blocks_table.h"
#include "widgets/comparison/difference_table.h"
#include "widgets/inspector/inspector.h"
#include "widgets/schedule/operator_labels.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/schedule/span_change.h"
#include "widgets/schedule/span_gutter.h"
#include "widgets/search/search_panel.h"
#include "widgets/shelf/shelf_view.h"

#include <QAbstractItemView>
#include <QAction>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QScrollBar>
#include <QStatusBar>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>

using namespace stagecraft;

namespace tst_panes_window {

namespace {

ResultId baselineNamed(const TestedWindow &window, const char *name)
{
    for (const ScheduleResult &result : window.document()->results()->shelf().results()) {
        if (result.shownName() == name)
            return result.id;
    }
    return {};
}

void clickRow(TestedWindow &window, ResultId id)
{
    QTest::mouseClick(window.shelf()->list()->viewport(), Qt::LeftButton, {}, window.shelf()->rowRect(id).center());
}

void clickBeside(TestedWindow &window, ResultId id)
{
    const QRect place = window.shelf()->besideRect(id);
    QVERIFY(!place.isEmpty());
    QTest::mouseClick(window.shelf()->list()->viewport(), Qt::LeftButton, {}, place.center());
}

ScheduleView *viewOf(const TestedWindow &window, std::size_t pane)
{
    return window.panes()->pane(pane)->view();
}

ShelfRow shelfRowOf(const TestedWindow &window, ResultId id)
{
    for (const ShelfRowGroup &group : window.shelf()->rows()) {
        for (const ShelfRow &row : group.rows) {
            if (row.id == id)
                return row;
        }
    }
    return {};
}

// Finds a menu entry by its keys.
QAction *entryOf(const TestedWindow &window, const QString &keys)
{
    for (QAction *top : window.menuBar()->actions()) {
        for (QAction *action : top->menu()->actions()) {
            if (action->shortcut() == QKeySequence(keys))
                return action;
        }
    }
    return nullptr;
}

// "Whole schedule", "Block 1", ...: finds a row of the tree by its text, including nested rows.
QTreeWidgetItem *treeRow(const TestedWindow &window, const QString &start)
{
    for (QTreeWidgetItemIterator each(window.difference()->tree()); *each; ++each) {
        if ((*each)->text(0).startsWith(start))
            return *each;
    }
    return nullptr;
}

std::size_t firstDifference(const TestedWindow &window)
{
    return *window.panes()->compared()->nextDifference({}, 1);
}

} // namespace

class TestPanesWindow : public WindowTest {
    Q_OBJECT

private slots:
    void plus_pressed_opensBeside();
    void key_opensBesideAndClosesAgain();
    void closeButton_pressed_closesItsPane();
    void header_saysTheChangeAgainstA();
    void block_latency_isTheSameInPaneTableAndInspector();
    void threePanes_everyOperatorHasAName();
    void row_clicked_isShownInThePaneInFocus();
    void pane_clicked_getsTheFocus();
    void spans_startLevelInAllPanes();
    void scrolling_andZooming_goTogetherUntilSeparated();
    void operator_selected_isSelectedInBoth();
    void stage_withoutCounterpart_saysSo();
    void f8_goesFromDifferenceToDifference();
    void threePanes_foldEqualStages_clickUnfolds();
    void arrow_pressed_takesTheSpanAsANewResult();
    void take_byKey_isOfTheSelectedSpan();
    void take_block_makesTheBlockEqual();
    void difference_hasEveryNumber();
    void difference_rowClicked_selectsInThePanes();
    void difference_pairs_nameOperators();
    void removedResult_closesItsPane();
    void otherBatch_comparesPerImage();
    void narrowWindow_saysWhyNoPaneMore();
    void gutter_joinsStagesOfUnequalSpansInSight();
    void actions_areAllInTheMenuWithKeys();

private:
    // Sequential in pane A, Greedy in pane B.
    static void openTwo(TestedWindow &window, const QString &model)
    {
        window.resize(1600, 1000);
        window.show();
        openAndWait(window, model);
        clickRow(window, baselineNamed(window, "Sequential"));
        clickBeside(window, baselineNamed(window, "Greedy"));
        QCOMPARE(window.panes()->count(), std::size_t{2});
        QVERIFY(window.panes()->compared());
    }
    static void settle(TestedWindow &window) { QTRY_VERIFY(window.isSettled()); }
};

void TestPanesWindow::plus_pressed_opensBeside()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("sample"));
    const ResultId sequential = baselineNamed(window, "Sequential");
    const ResultId greedy = baselineNamed(window, "Greedy");
    QVERIFY(window.panes()->pane(0)->result() == sequential && window.panes()->pane(1)->result() == greedy);
    QCOMPARE(window.panes()->pane(0)->letter(), QStringLiteral("A"));
    QCOMPARE(window.panes()->pane(1)->letter(), QStringLiteral("B"));
    QVERIFY(window.panes()->pane(0)->titleText().startsWith(QStringLiteral("Sequential")));
    QVERIFY(window.panes()->pane(1)->titleText().startsWith(QStringLiteral("Greedy")));
    QCOMPARE(shelfRowOf(window, sequential).letters, QStringLiteral("A"));
    QCOMPARE(shelfRowOf(window, greedy).letters, QStringLiteral("B"));
    QVERIFY(shelfRowOf(window, greedy).spoken.contains(QStringLiteral("shown in pane B")));
    QCOMPARE(window.panes()->focused(), std::size_t{1});
    QVERIFY(window.document()->results()->current() == greedy); // the other views show the focused pane
    for (std::size_t i = 0; i < 2; ++i)
        QVERIFY(window.panes()->pane(i)->width() >= PaneRow::kNarrowestPane);
}

void TestPanesWindow::key_opensBesideAndClosesAgain()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QVERIFY(window.panes()->pane(0)->letter().isEmpty()); // as before with a single pane
    window.shelf()->list()->setFocus();
    window.shelf()->choose(baselineNamed(window, "Sequential"));
    QTest::keyClick(window.shelf()->list(), Qt::Key_Return, Qt::ControlModifier);
    QCOMPARE(window.panes()->count(), std::size_t{2});
    QVERIFY(window.panes()->pane(1)->result() == baselineNamed(window, "Sequential"));
    QTest::keyClick(&window, Qt::Key_W, Qt::ControlModifier);
    QCOMPARE(window.panes()->count(), std::size_t{1});
    QVERIFY(window.panes()->pane(0)->letter().isEmpty());
    QVERIFY(shelfRowOf(window, baselineNamed(window, "Sequential")).letters.isEmpty());
    QVERIFY(window.document()->results()->current() == window.panes()->pane(0)->result());
}

void TestPanesWindow::closeButton_pressed_closesItsPane()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("sample"));
    QTest::mouseClick(window.panes()->pane(0)->closeButton(), Qt::LeftButton);
    QCOMPARE(window.panes()->count(), std::size_t{1});
    QVERIFY(window.panes()->pane(0)->result() == baselineNamed(window, "Greedy"));
    QVERIFY(!window.panes()->compared());
}

void TestPanesWindow::header_saysTheChangeAgainstA()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("inception_v3"));
    const double a = window.document()->results()->shelf().latency(baselineNamed(window, "Sequential"))->us;
    const double b = window.document()->results()->shelf().latency(baselineNamed(window, "Greedy"))->us;
    QVERIFY(b < a);
    const SchedulePane *pane = window.panes()->pane(1);
    const QString change = QStringLiteral("%1%2 %, faster").arg(QChar(0x2212)).arg((1 - b / a) * 100, 0, 'f', 1);
    QVERIFY2(pane->summaryText().contains(change), qPrintable(pane->summaryText()));
    for (const char *panel : {"graph", "inspector"}) // with enough space, it says what it is compared with
        window.findChild<QDockWidget *>(QLatin1String(panel))->hide();
    QTRY_VERIFY2(pane->summaryText().contains(QStringLiteral("against A ") + change), qPrintable(pane->summaryText()));
    QVERIFY(!window.panes()->pane(0)->summaryText().contains(QStringLiteral("against A")));
}

// One block has one latency wherever it is shown, and its header says how it differs from A.
void TestPanesWindow::block_latency_isTheSameInPaneTableAndInspector()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("inception_v3"));
    window.panes()->focus(1);
    settle(window);
    const std::size_t block = 2;
    const BlockHeader &header = viewOf(window, 1)->page().headers[block];
    QVERIFY(header.parts && header.parts->barriers > 0);
    const QString latency = latencyText(header.parts->latencyUs());
    QAbstractItemModel *rows = window.blocks()->table()->model();
    QCOMPARE(rows->index(static_cast<int>(block), BlocksModel::Latency).data().toString(),
             shortLatencyText(header.parts->latencyUs(), false));
    window.selection()->set({std::nullopt, std::nullopt, block});
    QTRY_VERIFY2(window.inspector()->plainText().contains(QStringLiteral("Latency: %1").arg(latency)),
                 qPrintable(window.inspector()->plainText()));
    QVERIFY(viewOf(window, 0)->blockChanges().empty());
    const TimeChange &change = viewOf(window, 1)->blockChanges()[block];
    QCOMPARE(change.fromUs, viewOf(window, 0)->page().headers[block].parts->latencyUs());
    QCOMPARE(change.toUs, header.parts->latencyUs());
}

// Three panes at 1280 points: every operator that is in sight has a name.
void TestPanesWindow::threePanes_everyOperatorHasAName()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("inception_v3"));
    clickBeside(window, window.document()->results()->newest(ScheduleKind::Greedy));
    settle(window);
    window.resize(1280, 800);
    QTRY_COMPARE(window.panes()->count(), std::size_t{3});
    window.panes()->setEqualStagesFolded(false);
    settle(window);
    for (std::size_t pane = 0; pane < 3; ++pane) {
        const ScheduleView *view = viewOf(window, pane);
        const OperatorLabels labels(view->graph(), view->schedule());
        for (const OperatorBox &box : view->page().boxes) {
            const int room = static_cast<int>(box.rect.width()) - 12;
            QVERIFY(!labels.fitted(box.op, box.stage, view->fontMetrics(), room).isEmpty());
        }
        QCOMPARE(view->page().size.height(), viewOf(window, 0)->page().size.height());
        QCOMPARE(view->horizontalScrollBar()->maximum(), 0);
    }
}

void TestPanesWindow::row_clicked_isShownInThePaneInFocus()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("sample"));
    QTest::mouseClick(viewOf(window, 0)->viewport(), Qt::LeftButton, {}, QPoint(40, 5));
    QCOMPARE(window.panes()->focused(), std::size_t{0});
    clickRow(window, baselineNamed(window, "Greedy"));
    QVERIFY(window.panes()->pane(0)->result() == baselineNamed(window, "Greedy"));
    QVERIFY(window.panes()->pane(1)->result() == baselineNamed(window, "Greedy"));
    QCOMPARE(shelfRowOf(window, baselineNamed(window, "Greedy")).letters, QStringLiteral("A, B"));
    QCOMPARE(window.panes()->compared()->differences(), std::size_t{0});
}

void TestPanesWindow::pane_clicked_getsTheFocus()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("sample"));
    QTest::mouseClick(window.panes()->pane(0), Qt::LeftButton, {}, QPoint(60, 1)); // its header
    QCOMPARE(window.panes()->focused(), std::size_t{0});
    QVERIFY(window.document()->results()->current() == baselineNamed(window, "Sequential"));
    QTest::keyClick(&window, Qt::Key_F9);
    QCOMPARE(window.panes()->focused(), std::size_t{1});
    QVERIFY(window.document()->results()->current() == baselineNamed(window, "Greedy"));
    QTest::keyClick(&window, Qt::Key_F9, Qt::ShiftModifier);
    QCOMPARE(window.panes()->focused(), std::size_t{0});
}

void TestPanesWindow::spans_startLevelInAllPanes()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("squeezenet"));
    for (const CommonSpan &span : window.panes()->compared()->spans()) {
        const int a = viewOf(window, 0)->stageRect(span.sides[0].first).top();
        const int b = viewOf(window, 1)->stageRect(span.sides[1].first).top();
        QCOMPARE(a, b);
    }
    // On screen, too: the views themselves are level.
    QCOMPARE(viewOf(window, 0)->mapTo(&window, QPoint()).y(), viewOf(window, 1)->mapTo(&window, QPoint()).y());
}

void TestPanesWindow::scrolling_andZooming_goTogetherUntilSeparated()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("squeezenet"));
    QScrollBar *a = viewOf(window, 0)->verticalScrollBar();
    QScrollBar *b = viewOf(window, 1)->verticalScrollBar();
    b->setValue(300);
    QCOMPARE(a->value(), 300);
    viewOf(window, 1)->setFocus();
    QTest::keyClick(viewOf(window, 1), Qt::Key_Minus);
    QVERIFY(viewOf(window, 1)->zoom() < 1);
    QCOMPARE(viewOf(window, 0)->zoom(), viewOf(window, 1)->zoom());
    QCOMPARE(a->value(), b->value());
    QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
    const int before = a->value();
    b->setValue(before + 100);
    QCOMPARE(a->value(), before);
    QTest::keyClick(viewOf(window, 1), Qt::Key_1);
    QVERIFY(viewOf(window, 0)->zoom() < 1 && viewOf(window, 1)->zoom() == 1);
    // The button between the panes links them again.
    QToolButton *link = window.panes()->gutter(0)->findChild<QToolButton *>();
    QVERIFY(link);
    QTest::mouseClick(link, Qt::LeftButton);
    QCOMPARE(viewOf(window, 0)->zoom(), 1.0);
    QCOMPARE(a->value(), b->value());
}

void TestPanesWindow::operator_selected_isSelectedInBoth()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("sample"));
    const OperatorId op = viewOf(window, 1)->schedule()->stages[0].groups.back().back();
    QTest::mouseClick(viewOf(window, 1)->viewport(), Qt::LeftButton, {}, viewOf(window, 1)->operatorRect(op).center());
    QVERIFY(window.selection()->current().op == op);
    QVERIFY(window.panes()->pane(0)->selection()->current().op == op);
    const std::size_t there = *window.panes()->pane(0)->selection()->current().stage;
    QVERIFY(std::ranges::any_of(viewOf(window, 0)->schedule()->stages[there].groups,
                                [op](const auto &group) { return std::ranges::count(group, op) > 0; }));
    // The selection follows the focus, as the stage of the other schedule.
    QTest::keyClick(&window, Qt::Key_F9);
    QVERIFY(window.selection()->current().op == op && window.selection()->current().stage == there);
}

void TestPanesWindow::stage_withoutCounterpart_saysSo()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("squeezenet"));
    const ComparedSchedules &compared = *window.panes()->compared();
    const CommonSpan span = compared.spans()[firstDifference(window)];
    QVERIFY(span.sides[0].count > span.sides[1].count); // in Sequential, some stages have no counterpart
    QTest::keyClick(&window, Qt::Key_F9);
    bool wasSaid = false;
    for (std::size_t stage = span.sides[0].first; stage < span.sides[0].end(); ++stage) {
        window.selection()->set({std::nullopt, stage});
        const auto there = compared.counterpart(0, stage, 1);
        QCOMPARE(viewOf(window, 1)->missingText(),
                 there ? QString() : QStringLiteral("Stage %1 of A: not in this schedule").arg(stage + 1));
        QVERIFY(window.panes()->pane(1)->selection()->current().stage == there);
        wasSaid = wasSaid || !there;
    }
    QVERIFY(wasSaid);
}

void TestPanesWindow::f8_goesFromDifferenceToDifference()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("squeezenet"));
    const ComparedSchedules &compared = *window.panes()->compared();
    QVERIFY(compared.differences() > 1);
    std::vector<std::size_t> visited;
    for (std::size_t i = 0; i < compared.differences(); ++i) {
        QTest::keyClick(&window, Qt::Key_F8);
        const std::size_t span = *window.panes()->currentSpan();
        QVERIFY(!compared.spans()[span].isEqual);
        visited.push_back(span);
        QVERIFY(viewOf(window, 0)->viewport()->rect().intersects(
            viewOf(window, 0)->stageRect(compared.spans()[span].sides[0].first)));
        const QString said = window.statusBar()->currentMessage();
        QVERIFY(said.startsWith(QStringLiteral("Difference %1 of %2").arg(i + 1).arg(compared.differences())));
        const TimeChange change = *spanChange(compared, span, 0, 1);
        QCOMPARE(change.fromUs, *sumOfStagesUs(compared.schedule(0), compared.spans()[span].sides[0]));
        QVERIFY2(said.contains(changeText(change)), qPrintable(said));
        const QStringList beside = window.panes()->gutter(0)->numbers(span);
        QVERIFY2(beside.size() == 3 && beside[0] == shortLatencyText(change.fromUs, false) &&
                     beside[1] == shortLatencyText(change.toUs, false) && beside[2].endsWith(QStringLiteral(" %")),
                 qPrintable(beside.join(QLatin1Char(' '))));
    }
    QVERIFY(std::ranges::is_sorted(visited));
    QVERIFY(std::ranges::adjacent_find(visited) == visited.end());
    QTest::keyClick(&window, Qt::Key_F8, Qt::ShiftModifier);
    QVERIFY(window.panes()->currentSpan() == visited[visited.size() - 2]);
}

void TestPanesWindow::threePanes_foldEqualStages_clickUnfolds()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("squeezenet"));
    window.findChild<QDockWidget *>(QStringLiteral("graph"))->hide();
    const auto runs = equalRuns(window.panes()->compared()->spans());
    QVERIFY(!runs.empty());
    QVERIFY(!viewOf(window, 0)->foldRect(runs[0].firstSpan).isEmpty()); // a line above them, but not folded
    QVERIFY(
        viewOf(window, 0)->stageRect(window.panes()->compared()->spans()[runs[0].firstSpan].sides[0].first).height() >
        0);
    clickBeside(window, baselineNamed(window, "Sequential"));
    QCOMPARE(window.panes()->count(), std::size_t{3});
    const auto &spans = window.panes()->compared()->spans();
    const std::size_t first = equalRuns(spans)[0].firstSpan;
    const std::size_t stage = spans[first].sides[2].first;
    QCOMPARE(viewOf(window, 2)->stageRect(stage).height(), 0);
    QTest::mouseClick(viewOf(window, 0)->viewport(), Qt::LeftButton, {}, viewOf(window, 0)->foldRect(first).center());
    for (std::size_t pane = 0; pane < 3; ++pane)
        QVERIFY(viewOf(window, pane)->stageRect(spans[first].sides[pane].first).height() > 0);
    QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier); // off
    QVERIFY(!window.panes()->areEqualStagesFolded());
    QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
    QCOMPARE(viewOf(window, 2)->stageRect(stage).height(), 0);
}

void TestPanesWindow::arrow_pressed_takesTheSpanAsANewResult()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("squeezenet"));
    const std::size_t span = firstDifference(window);
    const std::size_t before = window.panes()->compared()->differences();
    const std::size_t rows = window.document()->results()->shelf().results().size();
    viewOf(window, 0)->scrollToSpan(span);
    SpanGutter *gutter = window.panes()->gutter(0);
    const QRect arrow = gutter->arrowRect(span, SpanGutter::Arrow::IntoRight); // Sequential's into Greedy
    QVERIFY(!arrow.isEmpty());
    QTest::mouseClick(gutter, Qt::LeftButton, {}, arrow.center());
    settle(window);
    QCOMPARE(window.document()->results()->shelf().results().size(), rows + 1);
    const ResultId edited = window.panes()->pane(1)->result();
    const ScheduleResult &result = *window.document()->results()->shelf().find(edited);
    QVERIFY(result.origin == Origin::Edited && result.from == baselineNamed(window, "Greedy"));
    QVERIFY(shelfRowOf(window, edited).detail.contains(QStringLiteral("edited from Greedy")));
    QVERIFY(window.document()->results()->shelf().latency(edited));
    QCOMPARE(result.schedule->context.device, std::string("sim:v100"));
    QCOMPARE(window.panes()->compared()->differences(), before - 1);
    QVERIFY(window.panes()->compared()->spans()[span].isEqual);
    // The result that took the stages is unchanged.
    QVERIFY(window.document()->results()->shelf().find(baselineNamed(window, "Greedy")));
    QVERIFY2(window.panes()->pane(1)->titleText().contains(QStringLiteral("edited from Greedy")),
             qPrintable(window.panes()->pane(1)->titleText()));
}

void TestPanesWindow::take_byKey_isOfTheSelectedSpan()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("squeezenet"));
    QAction *take = entryOf(window, QStringLiteral("Alt+Right"));
    QVERIFY(take && !take->isEnabled()); // no selection
    QTest::keyClick(&window, Qt::Key_F8);
    QTest::keyClick(&window, Qt::Key_F8);
    const std::size_t span = *window.panes()->currentSpan();
    QVERIFY(take->isEnabled());
    QVERIFY2(take->text().contains(QStringLiteral("of A, into B")), qPrintable(take->text()));
    QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier);
    settle(window);
    QVERIFY(window.panes()->compared()->spans()[span].isEqual);
    QVERIFY(window.document()->results()->front().name.find("edited") != std::string::npos);
}

void TestPanesWindow::take_block_makesTheBlockEqual()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("squeezenet"));
    QTest::keyClick(&window, Qt::Key_F8);
    const std::size_t block = window.panes()->compared()->spans()[*window.panes()->currentSpan()].block;
    QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier | Qt::ShiftModifier);
    settle(window);
    const auto &blocks = window.panes()->compared()->difference().blocks;
    const auto found = std::ranges::find(blocks, block, &BlockDifference::block);
    QVERIFY(found != blocks.end() && found->isEqual());
}

void TestPanesWindow::difference_hasEveryNumber()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("inception_v3"));
    const QTreeWidgetItem *whole = treeRow(window, QStringLiteral("Whole schedule"));
    QVERIFY(whole);
    QCOMPARE(whole->text(1), shelfRowOf(window, baselineNamed(window, "Sequential")).latency);
    QCOMPARE(whole->text(2), shelfRowOf(window, baselineNamed(window, "Greedy")).latency);
    QVERIFY(whole->text(3).startsWith(QChar(0x2212)) && whole->text(4).startsWith(QChar(0x2212)));
    // The rows of the first level add up to the whole.
    const ScheduleDifference &difference = window.panes()->compared()->difference();
    QVERIFY(difference.areBarriersKnown());
    const QString barriers = QStringLiteral("barriers %1 | %2 between blocks")
                                 .arg(difference.betweenBlocks.barriers[0])
                                 .arg(difference.betweenBlocks.barriers[1]);
    QCOMPARE(difference.betweenBlocks.barriers[0], std::size_t{0}); // Sequential
    QVERIFY(difference.betweenBlocks.barriers[1] > 0);
    const QTreeWidgetItem *between = treeRow(window, barriers);
    QVERIFY(between);
    QVERIFY2(between->toolTip(0).contains(aboutBarriers(0)), qPrintable(between->toolTip(0)));
    double sumUs = *difference.betweenBlocks.us[1];
    for (const LatencyParts &parts : blockParts(window.panes()->compared()->schedule(1))) {
        const std::size_t block = window.panes()->compared()->schedule(1).stages[parts.stages.first].block;
        const QTreeWidgetItem *row = treeRow(window, blockTitle(block));
        QCOMPARE(row->text(2), shortLatencyText(parts.latencyUs(), false));
        QCOMPARE(parts.latencyUs(), *difference.blocks[block].us[1] + *difference.blocks[block].inside.us[1]);
        sumUs += parts.latencyUs();
    }
    QCOMPARE(sumUs, *difference.wholeUs[1]);
    // One row for each block and each difference.
    const auto &compared = *window.panes()->compared();
    std::size_t blocks = 0;
    std::size_t spans = 0;
    for (QTreeWidgetItemIterator each(window.difference()->tree()); *each; ++each) {
        blocks += (*each)->text(0).startsWith(QStringLiteral("Block "));
        spans += (*each)->text(0).startsWith(QStringLiteral("stages "));
    }
    QCOMPARE(blocks, compared.difference().blocks.size());
    QCOMPARE(spans, compared.differences());
}

void TestPanesWindow::difference_rowClicked_selectsInThePanes()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("squeezenet"));
    QDockWidget *dock = window.findChild<QDockWidget *>(QStringLiteral("difference"));
    dock->raise();
    QTreeWidget *tree = window.difference()->tree();
    QTreeWidgetItem *row = treeRow(window, QStringLiteral("stages "));
    QVERIFY(row);
    tree->scrollToItem(row);
    QTRY_VERIFY(tree->isVisible());
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualItemRect(row).center());
    QVERIFY(window.panes()->currentSpan() == firstDifference(window));
    QVERIFY(window.selection()->current().stage ==
            window.panes()->compared()->spans()[firstDifference(window)].sides[1].first);
    // The other direction.
    const std::size_t other = *window.panes()->compared()->nextDifference(firstDifference(window), 1);
    window.selection()->set({std::nullopt, window.panes()->compared()->spans()[other].sides[1].first});
    QVERIFY(tree->currentItem() && tree->currentItem() != row);
    QVERIFY(tree->currentItem()->text(0).startsWith(QStringLiteral("stages ")));
}

void TestPanesWindow::difference_pairs_nameOperators()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("squeezenet"));
    const ComparedSchedules &compared = *window.panes()->compared();
    const QTreeWidgetItem *span = treeRow(window, QStringLiteral("stages "));
    const auto pairs = compared.pairs(firstDifference(window), 0, 1);
    QCOMPARE(span->childCount(), static_cast<int>(pairs.size()));
    bool hasName = false;
    bool hasNone = false;
    for (int i = 0; i < span->childCount(); ++i) {
        const StagePair &pair = pairs[static_cast<std::size_t>(i)];
        const QString text = span->child(i)->text(0);
        if (!pair.added.empty()) {
            QVERIFY(text.contains(QLatin1Char('+') +
                                  QString::fromStdString(compared.graph()->op(pair.added.front()).name)));
            hasName = true;
        }
        if (!pair.b) {
            QVERIFY2(text.contains(QStringLiteral("no counterpart")), qPrintable(text));
            hasNone = true;
        }
        // A difference is shown only if both run the same operators.
        QCOMPARE(span->child(i)->text(3).isEmpty(), !pair.hasSameOperators());
    }
    QVERIFY(hasName && hasNone);
}

void TestPanesWindow::removedResult_closesItsPane()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("sample"));
    window.shelf()->choose(baselineNamed(window, "Sequential"));
    window.shelf()->list()->setFocus();
    QTest::keyClick(window.shelf()->list(), Qt::Key_Delete);
    QCOMPARE(window.panes()->count(), std::size_t{1});
    QVERIFY(window.panes()->pane(0)->result() == baselineNamed(window, "Greedy"));
}

void TestPanesWindow::otherBatch_comparesPerImage()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const ResultId one = baselineNamed(window, "Greedy");
    clickRow(window, one);
    emit window.searchPanel()->batchChanged(16);
    QTRY_COMPARE(window.document()->next()->settings().batch, std::int64_t{16});
    settle(window);
    clickBeside(window, one); // greyed out, but it opens
    QCOMPARE(window.panes()->count(), std::size_t{2});
    QVERIFY(window.panes()->compared());
    QVERIFY2(window.panes()->pane(1)->summaryText().contains(QStringLiteral("an image +")) ||
                 window.panes()->pane(1)->summaryText().contains(QStringLiteral("an image, against A +")),
             qPrintable(window.panes()->pane(1)->summaryText()));
    QVERIFY(!window.panes()->pane(1)->summaryText().contains(QStringLiteral("slower"))); // no verdict
    QCOMPARE(window.difference()->tree()->headerItem()->text(0), QStringLiteral("Time per image"));
}

void TestPanesWindow::narrowWindow_saysWhyNoPaneMore()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("sample"));
    window.resize(1040, 700);
    QTRY_COMPARE(window.width(), 1040);
    window.shelf()->choose(baselineNamed(window, "Greedy"));
    for (std::size_t i = 0; i < window.panes()->count(); ++i)
        QVERIFY(window.panes()->pane(i)->width() >= PaneRow::kNarrowestPane);
    while (window.panes()->count() < PaneRow::kMostPanes) {
        const std::size_t before = window.panes()->count();
        clickBeside(window, baselineNamed(window, "Greedy"));
        if (window.panes()->count() == before)
            break;
    }
    QCOMPARE(window.width(), 1040); // panes never push the window wider
    QVERIFY(window.panes()->count() < PaneRow::kMostPanes);
    const QAction *beside = entryOf(window, QStringLiteral("Ctrl+Return"));
    QTRY_VERIFY(!beside->isEnabled());
    QVERIFY2(beside->text().contains(QStringLiteral("no room")), qPrintable(beside->text()));
    QVERIFY(window.statusBar()->currentMessage().contains(QStringLiteral("cannot be opened beside")));
}

void TestPanesWindow::gutter_joinsStagesOfUnequalSpansInSight()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("squeezenet"));
    const std::size_t span = firstDifference(window);
    viewOf(window, 0)->scrollToSpan(span);
    QVERIFY(window.panes()->gutter(0)->ribbonCount() >= window.panes()->compared()->links(span, 0, 1).size());
    viewOf(window, 0)->fitAll();
    std::size_t all = 0;
    for (std::size_t i = 0; i < window.panes()->compared()->spans().size(); ++i) {
        if (!window.panes()->compared()->spans()[i].isEqual)
            all += window.panes()->compared()->links(i, 0, 1).size();
    }
    QCOMPARE(window.panes()->gutter(0)->ribbonCount(), all); // equal spans have no ribbons
}

void TestPanesWindow::actions_areAllInTheMenuWithKeys()
{
    TestedWindow window(installedServices());
    openTwo(window, QStringLiteral("sample"));
    for (QAction *top : window.menuBar()->actions()) {
        if (top->text() != QStringLiteral("&Panes"))
            continue;
        int entries = 0;
        for (const QAction *action : top->menu()->actions()) {
            if (action->isSeparator())
                continue;
            QVERIFY2(!action->shortcut().isEmpty(), qPrintable(action->text()));
            ++entries;
        }
        QCOMPARE(entries, 13);
        return;
    }
    QFAIL("there is no menu Panes");
}

STAGECRAFT_SUITE(TestPanesWindow)

} // namespace tst_panes_window
#include "tst_panes_window.moc"
