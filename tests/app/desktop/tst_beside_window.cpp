// The views around several panes: timelines on one axis, results chosen from a pane's header, distinguishable names,
// panes restored with their model.

#include "app/desktop/window_test.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/dialogs/chooser.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/schedule/overview_strip.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/search/search_panel.h"
#include "widgets/timeline/timeline_view.h"

#include <QAction>
#include <QLineEdit>
#include <QListWidget>
#include <QToolButton>

using namespace stagecraft;

namespace tst_beside_window {

namespace {

void searchAndWait(TestedWindow &window, int r)
{
    SearchOptions options = window.searchPanel()->options();
    options.r = r;
    window.searchPanel()->setOptions(options);
    window.startSearch();
    QTRY_VERIFY(window.isSettled());
}

Chooser *openChooser()
{
    return qobject_cast<Chooser *>(QApplication::activePopupWidget());
}

} // namespace

class TestBesideWindow : public WindowTest {
    Q_OBJECT

private slots:
    void timelines_ofAllPanes_areOnOneAxis();
    void timelines_aligned_startAtTheSelection();
    void timelines_click_selectsInItsPane();
    void chooser_fromTheHeader_opensBeside();
    void chooser_keys_filterAndTake();
    void titles_inNarrowPanes_keepWhatTellsThemApart();
    void lengths_beside_haveOneScale();
    void panes_otherModel_comeBackWithTheirs();
};

void TestBesideWindow::timelines_ofAllPanes_areOnOneAxis()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    QCOMPARE(window.timeline()->laneCount(), std::size_t{1});
    const ResultId sequential = window.document()->results()->newest(ScheduleKind::Sequential);
    window.panes()->openBeside(sequential);
    QTRY_VERIFY(window.isSettled());
    QTRY_COMPARE(window.timeline()->laneCount(), std::size_t{2});
    QTRY_COMPARE(window.timeline()->plainSummary().count(QStringLiteral("mean")), qsizetype{2}); // both are made
    const QString said = window.timeline()->plainSummary();
    QVERIFY2(said.contains(QStringLiteral("A ")) && said.contains(QStringLiteral("B ")), qPrintable(said));
    // Both show all their kernels, one below the other, on the axis of the longer one.
    const double slower = *window.document()->results()->shown(sequential).schedule->latencyUs();
    QVERIFY(window.timeline()->visibleToUs() >= slower * 0.99);
    QTRY_VERIFY(window.timeline()->kernelCentre(0, 1).y() > window.timeline()->kernelCentre(0, 0).y());
    window.panes()->close(1);
    QTRY_COMPARE(window.timeline()->laneCount(), std::size_t{1});
}

void TestBesideWindow::timelines_aligned_startAtTheSelection()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    window.document()->results()->setCurrent(window.document()->results()->newest(ScheduleKind::Greedy));
    window.panes()->openBeside(window.document()->results()->newest(ScheduleKind::Sequential));
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.timeline()->shiftUs(1), 0.0);
    const OperatorId last = window.panes()->pane(1)->schedule()->stages.back().groups[0][0];
    window.selection()->set({last, window.panes()->pane(1)->schedule()->stages.size() - 1});
    QTest::keyClick(&window, Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(window.timeline()->isAligned());
    std::vector<double> starts;
    for (std::size_t i = 0; i < 2; ++i) {
        const SchedulePane *pane = window.panes()->pane(i);
        const auto timeline = window.document()->results()->timelineOf(pane->result());
        for (const StageSpan &span : timeline->timeline().stages) {
            if (span.stage == pane->schedule()->stages.size() - 1)
                starts.push_back(static_cast<double>(span.startNs) / 1e3);
        }
    }
    QCOMPARE(starts.size(), std::size_t{2});
    QVERIFY(starts[0] != starts[1]);
    QTRY_VERIFY(qAbs(window.timeline()->shiftUs(1) - (starts[1] - starts[0])) < 1e-6);
    window.selection()->set({window.panes()->pane(1)->schedule()->stages.front().groups[0][0], 0});
    QTRY_COMPARE(window.timeline()->shiftUs(1), 0.0); // both start with it
    QTest::keyClick(&window, Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!window.timeline()->isAligned());
}

void TestBesideWindow::timelines_click_selectsInItsPane()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    window.panes()->openBeside(window.document()->results()->newest(ScheduleKind::Sequential));
    QTRY_VERIFY(window.isSettled());
    window.panes()->focus(1);
    QTRY_VERIFY(window.timeline()->kernelCentre(0, 0).y() > 0);
    const QPoint at = window.timeline()->kernelCentre(0, 0);
    QWidget *plot = window.timeline()->childAt(at);
    QTest::mouseClick(plot, Qt::LeftButton, {}, plot->mapFrom(window.timeline(), at));
    QCOMPARE(window.panes()->focused(), std::size_t{0});
    QVERIFY(window.selection()->current().op);
}

void TestBesideWindow::chooser_fromTheHeader_opensBeside()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    QToolButton *add = window.schedulePane()->addButton();
    QVERIFY(add->isVisible());
    QTest::mouseClick(add, Qt::LeftButton);
    Chooser *chooser = openChooser();
    QVERIFY(chooser);
    QCOMPARE(chooser->list()->count(), 1); // results on screen are not offered
    QVERIFY(chooser->list()->item(0)->text().startsWith(QStringLiteral("Sequential · one operator a stage")));
    for (int row = 0; row < chooser->list()->count(); ++row) { // nothing is cut: rows have the room, or wrap
        const QListWidgetItem *item = chooser->list()->item(row);
        const QRect place = chooser->list()->visualItemRect(item);
        const QRect text = chooser->list()->fontMetrics().boundingRect(QRect(0, 0, place.width() - 6, 1000),
                                                                       Qt::TextWordWrap, item->text());
        QVERIFY2(text.height() <= place.height(), qPrintable(item->text()));
        QVERIFY(place.right() <= chooser->list()->viewport()->width());
    }
    QTest::mouseClick(chooser->list()->viewport(), Qt::LeftButton, {},
                      chooser->list()->visualItemRect(chooser->list()->item(0)).center());
    QTRY_COMPARE(window.panes()->count(), std::size_t{2});
    QCOMPARE(window.panes()->pane(1)->result(), window.document()->results()->newest(ScheduleKind::Sequential));
}

void TestBesideWindow::chooser_keys_filterAndTake()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    searchAndWait(window, 1);
    searchAndWait(window, 2);
    QTest::keyClick(&window, Qt::Key_Return, Qt::ControlModifier | Qt::ShiftModifier);
    Chooser *chooser = openChooser();
    QVERIFY(chooser && chooser->list()->count() == 3);
    QTest::keyClicks(chooser->filter(), QStringLiteral("both r 1"));
    QTest::keyClick(chooser->filter(), Qt::Key_Return);
    QTRY_COMPARE(window.panes()->count(), std::size_t{2});
    QVERIFY2(window.panes()->pane(1)->titleText().contains(QStringLiteral("r 1")),
             qPrintable(window.panes()->pane(1)->titleText()));
    QTest::keyClick(&window, Qt::Key_Return, Qt::ControlModifier | Qt::ShiftModifier);
    QTest::keyClick(openChooser()->filter(), Qt::Key_Escape);
    QTRY_VERIFY(!openChooser());
    QCOMPARE(window.panes()->count(), std::size_t{2});
}

void TestBesideWindow::titles_inNarrowPanes_keepWhatTellsThemApart()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    for (const int r : {1, 2, 3, 4})
        searchAndWait(window, r);
    const std::vector<ResultId> ids = window.document()->results()->fitting();
    QCOMPARE(ids.size(), std::size_t{6});
    window.document()->results()->setCurrent(ids[2]);
    for (const std::size_t i : {3, 4, 5})
        window.panes()->openBeside(ids[i]);
    window.resize(1240, 800);
    QTRY_COMPARE(window.width(), 1240);
    QTRY_VERIFY(window.panes()->pane(0)->width() < 260);
    for (std::size_t i = 0; i < 4; ++i) {
        const QString title = window.panes()->pane(i)->shownTitle();
        QVERIFY2(title.contains(QStringLiteral("r %1").arg(i + 1)), qPrintable(title));
    }
}

void TestBesideWindow::lengths_beside_haveOneScale()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    window.panes()->openBeside(window.document()->results()->newest(ScheduleKind::Sequential));
    window.panes()->setEqualStagesFolded(false);
    window.panes()->setLengthsLatencies(true);
    double perUs = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        const ScheduleView *view = window.panes()->pane(i)->view();
        for (const StageRow &row : view->page().rows) {
            const double us = view->schedule()->measured.stages[row.stage].latencyUs;
            if (view->schedule()->stages[row.stage].groups.size() > 1 || row.lanes.width() < 30)
                continue;
            if (perUs <= 0)
                perUs = row.lanes.width() / us;
            QVERIFY(qAbs(row.lanes.width() / us / perUs - 1) < 0.05);
        }
    }
}

void TestBesideWindow::panes_otherModel_comeBackWithTheirs()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    const ResultId sequential = window.document()->results()->newest(ScheduleKind::Sequential);
    const ResultId greedy = window.document()->results()->newest(ScheduleKind::Greedy);
    window.document()->results()->setCurrent(sequential);
    window.panes()->openBeside(greedy);
    window.panes()->focus(0);
    openAndWait(window, QStringLiteral("sample"));
    QCOMPARE(window.panes()->count(), std::size_t{2}); // open panes stay
    window.panes()->close(1);
    openAndWait(window, QStringLiteral("squeezenet"));
    QCOMPARE(window.panes()->count(), std::size_t{2});
    QCOMPARE(window.panes()->pane(0)->result(), sequential);
    QCOMPARE(window.panes()->pane(1)->result(), greedy);
    QCOMPARE(window.document()->results()->current(), sequential);
    openAndWait(window, QStringLiteral("sample"));
    QCOMPARE(window.panes()->count(), std::size_t{1});
}

STAGECRAFT_SUITE(TestBesideWindow)

} // namespace tst_beside_window
#include "tst_beside_window.moc"
