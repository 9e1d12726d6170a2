// The timeline in the window, by mouse and keys: ranges, finding, stepping, and what stays from result to result.

#include "app/desktop/window_test.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/timeline/timeline_view.h"

#include <qcustomplot.h>

#include <QAction>
#include <QLineEdit>
#include <QMenuBar>

using namespace stagecraft;

namespace tst_timeline_window {

class TestTimelineWindow : public WindowTest {
    Q_OBJECT

private slots:
    void range_dragged_hasStatisticsUntilEscape();
    void range_ofTwoResults_hasStatisticsOfEach();
    void zoom_otherResult_isKept();
    void find_enter_selectsEverywhere();
    void dot_stepsAndSelectsEverywhere();
    void keys_elsewhere_leaveTheTimelineAlone();
    void menu_timeline_movesIt();

private:
    struct Opened {
        std::unique_ptr<TestedWindow> window;
        TimelineView *timeline;
        QCustomPlot *plot;
    };
    static Opened open(const QString &model)
    {
        auto window = std::make_unique<TestedWindow>(installedServices());
        window->resize(1600, 1000);
        window->show();
        openAndWait(*window, model);
        TimelineView *timeline = window->timeline();
        auto *plot = timeline->findChild<QCustomPlot *>();
        [&] { QTRY_VERIFY(plot->isVisible() && timeline->visibleToUs() > 2); }();
        plot->replot();
        plot->setFocus();
        return {std::move(window), timeline, plot};
    }
    static void drag(QCustomPlot *plot, double fromShare, double toShare)
    {
        const QCPAxisRect *rows = plot->axisRect(0);
        const auto at = [&](double share) {
            return QPoint(rows->left() + static_cast<int>(share * rows->width()), rows->center().y());
        };
        QTest::mousePress(plot, Qt::LeftButton, {}, at(fromShare));
        for (const double share : {(fromShare + toShare) / 2, toShare}) { // QTest::mouseMove sends no buttons
            QMouseEvent move(QEvent::MouseMove, at(share), plot->mapToGlobal(at(share)), Qt::NoButton, Qt::LeftButton,
                             Qt::NoModifier);
            QCoreApplication::sendEvent(plot, &move);
        }
        QTest::mouseRelease(plot, Qt::LeftButton, {}, at(toShare));
    }
};

void TestTimelineWindow::range_dragged_hasStatisticsUntilEscape()
{
    const Opened opened = open(QStringLiteral("squeezenet"));
    const double whole = opened.timeline->visibleToUs();
    drag(opened.plot, 0.25, 0.5);
    const auto range = opened.timeline->selectedRange();
    QVERIFY(range && std::abs(range->first - whole / 4) < whole / 100 &&
            std::abs(range->second - whole / 2) < whole / 100);
    const QString text = opened.timeline->rangeText();
    for (const char *fact : {"selected ", "busy ", "idle ", "mean active warps ", "kernels ", "read and written "})
        QVERIFY2(text.contains(QLatin1String(fact)), qPrintable(text));
    QTest::keyClick(opened.plot, Qt::Key_Z);
    QVERIFY(std::abs(opened.timeline->visibleFromUs() - range->first) < 1e-6);
    QTest::keyClick(opened.plot, Qt::Key_Backspace);
    QCOMPARE(opened.timeline->visibleToUs(), whole);
    opened.window->selection()->set({std::nullopt, 0});
    QTest::keyClick(opened.plot, Qt::Key_Escape); // the range first, then the selection
    QVERIFY(!opened.timeline->selectedRange() && opened.timeline->rangeText().isEmpty());
    QVERIFY(opened.window->selection()->current().stage);
    QTest::keyClick(opened.plot, Qt::Key_Escape);
    QVERIFY(!opened.window->selection()->current().stage);
}

void TestTimelineWindow::range_ofTwoResults_hasStatisticsOfEach()
{
    const Opened opened = open(QStringLiteral("squeezenet"));
    opened.window->panes()->openBeside(opened.window->document()->results()->newest(ScheduleKind::Sequential));
    QTRY_VERIFY(opened.window->isSettled());
    QTRY_COMPARE(opened.timeline->plainSummary().count(QStringLiteral("mean")), qsizetype{2});
    opened.plot->replot();
    drag(opened.plot, 0.1, 0.4);
    const QStringList lines = opened.timeline->rangeText().split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), qsizetype{2});
    QVERIFY2(lines[0].startsWith(QStringLiteral("A ")) && lines[1].startsWith(QStringLiteral("B ")),
             qPrintable(opened.timeline->rangeText()));
    QVERIFY(lines[0].mid(2) != lines[1].mid(2));
    // One axis: both rows show the same time.
    QTest::keyClick(opened.plot, Qt::Key_Z);
    opened.plot->replot();
    QCOMPARE(opened.plot->axisRect(0)->axis(QCPAxis::atBottom)->range(),
             opened.plot->axisRect(1)->axis(QCPAxis::atBottom)->range());
    QVERIFY(opened.timeline->visibleFromUs() > 0);
    opened.window->panes()->close(1);
    QTRY_COMPARE(opened.timeline->laneCount(), std::size_t{1});
    QVERIFY(opened.timeline->visibleFromUs() > 0); // what was visible stays visible
}

void TestTimelineWindow::zoom_otherResult_isKept()
{
    const Opened opened = open(QStringLiteral("squeezenet"));
    for (int i = 0; i < 4; ++i)
        QTest::keyClick(opened.plot, Qt::Key_W);
    const double from = opened.timeline->visibleFromUs();
    const double to = opened.timeline->visibleToUs();
    const QString before = opened.timeline->plainSummary();
    opened.window->document()->results()->setCurrent(
        opened.window->document()->results()->newest(ScheduleKind::Sequential));
    QTRY_VERIFY(opened.window->isSettled());
    QTRY_VERIFY(opened.timeline->plainSummary() != before && !opened.timeline->plainSummary().isEmpty());
    QCOMPARE(opened.timeline->visibleFromUs(), from);
    QCOMPARE(opened.timeline->visibleToUs(), to);
}

void TestTimelineWindow::find_enter_selectsEverywhere()
{
    const Opened opened = open(QStringLiteral("squeezenet"));
    QTest::keyClick(opened.plot, Qt::Key_F);
    auto *line = opened.timeline->findChild<QLineEdit *>();
    QVERIFY(line && line->isVisible());
    QTest::keyClicks(line, QStringLiteral("fire5 expand3x3"));
    QVERIFY(opened.timeline->matches().second >= 1);
    QTest::keyClick(line, Qt::Key_Return);
    const Selected selected = opened.window->selection()->current();
    QVERIFY(selected.op && selected.stage);
    const auto &graph = *opened.window->document()->next()->model()->graph;
    QCOMPARE(QString::fromStdString(graph.op(*selected.op).name), QStringLiteral("fire5/expand3x3"));
    QTest::keyClick(line, Qt::Key_Escape);
    QVERIFY(!line->isVisible());
}

void TestTimelineWindow::dot_stepsAndSelectsEverywhere()
{
    const Opened opened = open(QStringLiteral("squeezenet"));
    opened.window->selection()->clear();
    QTest::keyClick(opened.plot, Qt::Key_Period);
    const Selected first = opened.window->selection()->current();
    QVERIFY(first.op && first.stage == std::size_t{0});
    QTest::keyClick(opened.plot, Qt::Key_Period);
    QVERIFY(opened.window->selection()->current() != first);
    QTest::keyClick(opened.plot, Qt::Key_Comma);
    QVERIFY(opened.window->selection()->current() == first);
}

void TestTimelineWindow::keys_elsewhere_leaveTheTimelineAlone()
{
    const Opened opened = open(QStringLiteral("squeezenet"));
    const double whole = opened.timeline->visibleToUs();
    QWidget *schedule = opened.window->panes()->pane(0);
    schedule->setFocus();
    for (const Qt::Key key : {Qt::Key_W, Qt::Key_M, Qt::Key_Backspace})
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : schedule, key);
    QCOMPARE(opened.timeline->visibleToUs(), whole);
    QVERIFY(opened.timeline->marks().empty());
}

void TestTimelineWindow::menu_timeline_movesIt()
{
    const Opened opened = open(QStringLiteral("squeezenet"));
    const double whole = opened.timeline->visibleToUs();
    const auto actions = opened.timeline->viewActions();
    const auto trigger = [&](const QString &text) {
        const auto action = std::ranges::find_if(
            actions, [&](const QAction *each) { return QString(each->text()).remove(QLatin1Char('&')) == text; });
        QVERIFY2(action != actions.end(), qPrintable(text));
        (*action)->trigger();
    };
    trigger(QStringLiteral("Zoom in"));
    QVERIFY(opened.timeline->visibleToUs() - opened.timeline->visibleFromUs() < whole);
    trigger(QStringLiteral("Back to what was visible before"));
    QCOMPARE(opened.timeline->visibleToUs(), whole);
    trigger(QStringLiteral("Mark the time at the pointer"));
    QCOMPARE(opened.timeline->marks().size(), std::size_t{1});
}

STAGECRAFT_SUITE(TestTimelineWindow)

} // namespace tst_timeline_window
#include "tst_timeline_window.moc"
