// Moving in the timeline, its selected range, marks, finding and counters: by mouse and keys.

#include "support/picture.h"
#include "support/schedule_making.h"
#include "support/suite.h"
#include "timing/timeline/timeline_index.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/timeline_text.h"
#include "widgets/timeline/timeline_view.h"

#include <qcustomplot.h>

#include <QAction>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QWheelEvent>

using namespace stagecraft;

namespace tst_timeline_view {

class TestTimelineView : public QObject {
    Q_OBJECT

private slots:
    void drag_selectsARange_withStatistics();
    void drag_atAnEdge_movesIt();
    void escape_clearsTheRangeFirst();
    void keys_zoomPanAndBack();
    void z_zoomsToRangeThenToSelection();
    void middleButton_pans();
    void wheel_withShift_pans();
    void comma_and_dot_stepThroughOperators();
    void m_marksAndUnmarks();
    void find_marksAllAndEnterSelects();
    void find_typedLetters_areNoKeysOfTheTimeline();
    void counters_several_areStackedWithVisibleMeans();
    void rows_thatDoNotFit_keepAHeightAndScroll();
    void rows_thatFit_doNotScroll();
    void range_keptFromResultToResult();
    void block_ofTheSelection_isOutlined();
    void gapTips_sayWhy();
    void names_operatorsFirst();

private:
    static QCustomPlot *plotOf(const QWidget &view) { return view.findChild<QCustomPlot *>(); }
    void show(TimelineView &view)
    {
        view.setTimeline(m_sample.graph, test::indexed(m_sample.timeline), m_sample.schedule);
        view.resize(900, 360);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        plotOf(view)->replot();
        plotOf(view)->setFocus();
    }
    static double xOf(const TimelineView &view, double us)
    {
        return plotOf(view)->axisRect(0)->axis(QCPAxis::atBottom)->coordToPixel(us);
    }
    static void drag(TimelineView &view, double fromUs, double toUs, Qt::MouseButton button = Qt::LeftButton)
    {
        QCustomPlot *plot = plotOf(view);
        const int y = plot->axisRect(0)->center().y();
        const QPoint from(static_cast<int>(std::lround(xOf(view, fromUs))), y);
        const QPoint to(static_cast<int>(std::lround(xOf(view, toUs))), y);
        QTest::mousePress(plot, button, {}, from);
        for (const QPoint at : {(from + to) / 2, to}) { // QTest::mouseMove sends no buttons
            QMouseEvent move(QEvent::MouseMove, at, plot->mapToGlobal(at), Qt::NoButton, button, Qt::NoModifier);
            QCoreApplication::sendEvent(plot, &move);
        }
        QTest::mouseRelease(plot, button, {}, to);
    }

    test::Sample m_sample = test::makeSample();
    Selection m_selection;
};

void TestTimelineView::drag_selectsARange_withStatistics()
{
    TimelineView view(&m_selection);
    show(view);
    QVERIFY(view.rangeText().isEmpty());
    drag(view, 10, 50);
    const auto range = view.selectedRange();
    QVERIFY(range && std::abs(range->first - 10) < 0.2 && std::abs(range->second - 50) < 0.2);
    view.selectRange(std::pair(10.0, 50.0));
    const QString text = view.rangeText();
    // Kernels a, b, c and d + e; busy but for 39 to 46 us; 30 us at 1,000 warps and 10 at 2,000.
    QVERIFY2(text.contains(QStringLiteral("selected 40.0 µs from 10.0 µs")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("busy 33.0 µs = 82.5 %")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("idle 7.00 µs = 17.5 %")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("mean active warps 1,250 warps (24.4 %)")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("kernels 4")), qPrintable(text));
    QVERIFY(!text.contains(QStringLiteral("read and written"))); // not known of these kernels
    QVERIFY(!m_selection.current().op && !m_selection.current().stage);
    drag(view, 5, 5); // a click selects, and leaves the range
    QVERIFY(view.selectedRange() && m_selection.current().op == m_sample.op("a"));
    m_selection.clear();
}

void TestTimelineView::drag_atAnEdge_movesIt()
{
    TimelineView view(&m_selection);
    show(view);
    view.selectRange(std::pair(20.0, 40.0));
    drag(view, 40, 60);
    QVERIFY(std::abs(view.selectedRange()->first - 20) < 0.2);
    QVERIFY(std::abs(view.selectedRange()->second - 60) < 0.3);
    drag(view, 20, 80); // across the other edge
    QVERIFY(std::abs(view.selectedRange()->first - 60) < 0.3);
    QVERIFY(std::abs(view.selectedRange()->second - 80) < 0.3);
    drag(view, 70, 300); // never beyond the schedule
    QCOMPARE(view.selectedRange()->second, 85.0);
}

void TestTimelineView::escape_clearsTheRangeFirst()
{
    TimelineView view(&m_selection);
    show(view);
    m_selection.set({m_sample.op("a"), 0});
    view.selectRange(std::pair(20.0, 40.0));
    QTest::keyClick(plotOf(view), Qt::Key_Escape);
    QVERIFY(!view.selectedRange() && view.rangeText().isEmpty());
    QVERIFY(m_selection.current().op);
    m_selection.clear();
}

void TestTimelineView::keys_zoomPanAndBack()
{
    TimelineView view(&m_selection);
    show(view);
    const auto size = [&] { return view.visibleToUs() - view.visibleFromUs(); };
    QTest::keyClick(plotOf(view), Qt::Key_W);
    const double closer = size();
    QVERIFY(closer < 85 * 0.75);
    const double from = view.visibleFromUs();
    QTest::keyClick(plotOf(view), Qt::Key_D);
    QVERIFY(view.visibleFromUs() > from);
    QVERIFY(std::abs(size() - closer) < 1e-9);
    QTest::keyClick(plotOf(view), Qt::Key_A);
    QVERIFY(std::abs(view.visibleFromUs() - from) < 1e-9);
    QTest::keyClick(plotOf(view), Qt::Key_S);
    QVERIFY(size() > closer);
    QTest::keyClick(plotOf(view), Qt::Key_W);
    QTest::keyClick(plotOf(view), Qt::Key_Backspace); // small steps go back at once
    QCOMPARE(view.visibleFromUs(), 0.0);
    QCOMPARE(view.visibleToUs(), 85.0);
    QTest::keyClick(plotOf(view), Qt::Key_Backspace); // nothing left
    QCOMPARE(view.visibleToUs(), 85.0);
}

void TestTimelineView::z_zoomsToRangeThenToSelection()
{
    TimelineView view(&m_selection);
    show(view);
    view.selectRange(std::pair(20.0, 40.0));
    QTest::keyClick(plotOf(view), Qt::Key_Z);
    QCOMPARE(view.visibleFromUs(), 20.0);
    QCOMPARE(view.visibleToUs(), 40.0);
    QTest::keyClick(plotOf(view), Qt::Key_Escape);
    m_selection.set({m_sample.op("f"), 3}); // 76 to 84 us
    QTest::keyClick(plotOf(view), Qt::Key_Z);
    QVERIFY(view.visibleFromUs() > 70 && view.visibleFromUs() < 76);
    QVERIFY(view.visibleToUs() >= 84 && view.visibleToUs() <= 85);
    QTest::keyClick(plotOf(view), Qt::Key_Backspace);
    QTest::keyClick(plotOf(view), Qt::Key_Backspace);
    QCOMPARE(view.visibleFromUs(), 0.0);
    m_selection.set({std::nullopt, std::nullopt, 1}); // the second block: 45 to 85 us
    QTest::keyClick(plotOf(view), Qt::Key_Z);
    QVERIFY(view.visibleFromUs() > 40 && view.visibleFromUs() < 45);
    m_selection.clear();
}

void TestTimelineView::middleButton_pans()
{
    TimelineView view(&m_selection);
    show(view);
    view.setVisibleTime(20, 40);
    plotOf(view)->replot();
    drag(view, 35, 30, Qt::MiddleButton);
    QVERIFY(std::abs(view.visibleFromUs() - 25) < 0.1);
    QVERIFY(!view.selectedRange());
}

void TestTimelineView::wheel_withShift_pans()
{
    TimelineView view(&m_selection);
    show(view);
    view.setVisibleTime(20, 40);
    QCustomPlot *plot = plotOf(view);
    const QPoint at = plot->axisRect(0)->center();
    QWheelEvent wheel(at, plot->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::ShiftModifier, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(plot, &wheel);
    QCOMPARE(view.visibleFromUs(), 22.0);
    QCOMPARE(view.visibleToUs(), 42.0);
}

void TestTimelineView::comma_and_dot_stepThroughOperators()
{
    TimelineView view(&m_selection);
    show(view);
    m_selection.clear();
    QStringList order;
    for (int i = 0; i < 7; ++i) {
        QTest::keyClick(plotOf(view), Qt::Key_Period);
        order << QString::fromStdString(m_sample.graph->op(*m_selection.current().op).name);
    }
    QCOMPARE(order.join(QLatin1Char(' ')), QStringLiteral("a b c d f f f")); // e runs in the kernel of d
    QTest::keyClick(plotOf(view), Qt::Key_Comma);
    QVERIFY(m_selection.current().op == m_sample.op("d"));
    QCOMPARE(*m_selection.current().stage, std::size_t{2});
    m_selection.clear();
}

void TestTimelineView::m_marksAndUnmarks()
{
    TimelineView view(&m_selection);
    show(view);
    view.setVisibleTime(20, 40);
    QTest::keyClick(plotOf(view), Qt::Key_M); // the middle, as the pointer is elsewhere
    QCOMPARE(view.marks(), std::vector<double>{30});
    view.setVisibleTime(0, 20);
    QTest::keyClick(plotOf(view), Qt::Key_M);
    QCOMPARE(view.marks(), (std::vector<double>{10, 30}));
    QTest::keyClick(plotOf(view), Qt::Key_M);
    QCOMPARE(view.marks(), std::vector<double>{30});
    QTest::keyClick(plotOf(view), Qt::Key_M, Qt::ShiftModifier);
    QVERIFY(view.marks().empty());
}

void TestTimelineView::find_marksAllAndEnterSelects()
{
    TimelineView view(&m_selection);
    show(view);
    m_selection.clear();
    QTest::keyClick(plotOf(view), Qt::Key_F);
    auto *line = view.findChild<QLineEdit *>();
    QVERIFY(line && line->isVisible());
    QTest::keyClicks(line, QStringLiteral("KERNEL"));
    QCOMPARE(view.matches(), (std::pair{0, 5}));
    QVERIFY(!m_selection.current().op); // typing selects nothing
    QTest::keyClick(line, Qt::Key_Return);
    QVERIFY(m_selection.current().op == m_sample.op("a"));
    QTest::keyClick(line, Qt::Key_Return);
    QVERIFY(m_selection.current().op == m_sample.op("b"));
    QTest::keyClick(line, Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(m_selection.current().op == m_sample.op("a"));
    line->clear();
    view.setVisibleTime(0, 10);
    QTest::keyClicks(line, QStringLiteral("e")); // an operator of a merged kernel; and every "kernel"
    QCOMPARE(view.matches().second, 5);
    line->clear();
    QTest::keyClicks(line, QStringLiteral("f"));
    QCOMPARE(view.matches(), (std::pair{0, 1}));
    QVERIFY(view.visibleToUs() > 76); // it comes into view
    QTest::keyClick(line, Qt::Key_Escape);
    QVERIFY(!line->isVisible());
    QCOMPARE(view.matches().second, 0);
    m_selection.clear();
}

void TestTimelineView::find_typedLetters_areNoKeysOfTheTimeline()
{
    TimelineView view(&m_selection);
    show(view);
    QTest::keyClick(plotOf(view), Qt::Key_F);
    auto *line = view.findChild<QLineEdit *>();
    QTest::keyClicks(line, QStringLiteral("wasdzm.,"));
    QCOMPARE(line->text(), QStringLiteral("wasdzm.,"));
    QCOMPARE(view.visibleToUs(), 85.0);
    QVERIFY(view.marks().empty());
}

void TestTimelineView::counters_several_areStackedWithVisibleMeans()
{
    TimelineView view(&m_selection);
    show(view);
    QCOMPARE(view.chosenCounters(), QStringList{QStringLiteral("active warps")});
    view.chooseCounters({QStringLiteral("active warps"), QStringLiteral("SM active")});
    plotOf(view)->replot();
    QCOMPARE(plotOf(view)->axisRectCount(), 3);
    QVERIFY(plotOf(view)->axisRect(2)->top() > plotOf(view)->axisRect(1)->bottom());
    QCOMPARE(view.counterTitles().value(0), QStringLiteral("active warps   mean 1,353 warps (26.4 %)"));
    QCOMPARE(view.counterTitles().value(1), QStringLiteral("SM active   mean 25.0 %"));
    view.setVisibleTime(75, 85);
    QCOMPARE(view.counterTitles().value(0), QStringLiteral("active warps   mean 500 warps (9.8 %)"));
    view.chooseCounters({}); // one stays
    QCOMPARE(view.chosenCounters().size(), qsizetype{2});
}

void TestTimelineView::rows_thatDoNotFit_keepAHeightAndScroll()
{
    auto wide = std::make_shared<Timeline>(*m_sample.timeline);
    wide->streams = 8;
    for (KernelSpan &kernel : wide->kernels) // the last one on the last stream
        kernel.stream = kernel.operators.front() == m_sample.op("f") ? 7 : kernel.stream;
    wide->counters.push_back({"DRAM", "%", "simulated", 100, {0}, {40}});
    TimelineView view(&m_selection);
    m_selection.clear();
    view.setTimeline(m_sample.graph, test::indexed(wide), m_sample.schedule);
    view.chooseCounters({QStringLiteral("active warps"), QStringLiteral("SM active"), QStringLiteral("DRAM")});
    view.resize(640, 240);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QCustomPlot *plot = plotOf(view);
    const auto *scroll = view.findChild<QScrollArea *>();
    QTRY_VERIFY(scroll->verticalScrollBar()->maximum() > 50);
    const auto heightOf = [&](int row) { return plot->axisRect(row)->height(); };
    QVERIFY2(heightOf(0) >= 8 * 12, qPrintable(QString::number(heightOf(0))));
    for (const int counter : {1, 2, 3})
        QVERIFY2(heightOf(counter) >= 40, qPrintable(QString::number(heightOf(counter))));
    QCOMPARE(plot->width(), scroll->viewport()->width());
    // The time axis stays below them.
    const QWidget *ruler = nullptr;
    for (const QWidget *each : scroll->parentWidget()->findChildren<QWidget *>(Qt::FindDirectChildrenOnly))
        ruler = each->isVisible() && each->y() >= scroll->geometry().bottom() ? each : ruler;
    QVERIFY(ruler && view.rect().contains(QRect(ruler->mapTo(&view, QPoint()), ruler->size())));
    QVERIFY(test::inkOf(const_cast<QWidget *>(ruler)->grab().toImage()) > 50);
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Down);
    QVERIFY(scroll->verticalScrollBar()->value() > 0);
    QTest::keyClick(plot, Qt::Key_Up);
    QCOMPARE(scroll->verticalScrollBar()->value(), 0);
    scroll->verticalScrollBar()->setValue(scroll->verticalScrollBar()->maximum());
    m_selection.set({m_sample.op("a"), 0}); // on the first stream, which is out of sight
    QVERIFY(scroll->viewport()->rect().contains(scroll->viewport()->mapFrom(&view, view.kernelCentre(0))));
    m_selection.clear();
}

void TestTimelineView::rows_thatFit_doNotScroll()
{
    TimelineView view(&m_selection);
    show(view);
    const auto *scroll = view.findChild<QScrollArea *>();
    QCOMPARE(scroll->verticalScrollBar()->maximum(), 0);
    QCOMPARE(plotOf(view)->size(), scroll->viewport()->size());
}

void TestTimelineView::range_keptFromResultToResult()
{
    TimelineView view(&m_selection);
    show(view);
    view.setVisibleTime(20, 40);
    view.selectRange(std::pair(25.0, 30.0));
    auto longer = std::make_shared<Timeline>(*m_sample.timeline);
    longer->durationNs += 15000;
    view.setTimeline(m_sample.graph, test::indexed(longer));
    QCOMPARE(view.visibleFromUs(), 20.0);
    QCOMPARE(view.visibleToUs(), 40.0);
    QVERIFY(view.selectedRange() == (std::pair(25.0, 30.0)));
    view.showAll();
    view.setTimeline(m_sample.graph, test::indexed(m_sample.timeline)); // all of it was visible, and is
    QCOMPARE(view.visibleToUs(), 85.0);
    const test::Sample other = test::makeSample();
    view.setVisibleTime(20, 40);
    view.setTimeline(other.graph, test::indexed(other.timeline)); // another model
    QCOMPARE(view.visibleToUs(), 85.0);
    QVERIFY(!view.selectedRange());
}

void TestTimelineView::block_ofTheSelection_isOutlined()
{
    TimelineView view(&m_selection);
    show(view);
    m_selection.clear();
    const QColor accent = themeFor(view.palette()).accent;
    const auto isEdge = [&](double us) {
        const QImage picture = plotOf(view)->toPixmap().toImage();
        const QCPAxisRect *rows = plotOf(view)->axisRect(0);
        return test::shows(picture.copy(static_cast<int>(xOf(view, us)) - 1, rows->top(), 3, 20), accent);
    };
    QVERIFY(!isEdge(45));
    m_selection.set({std::nullopt, std::nullopt, 1});
    QVERIFY(isEdge(45)); // the second block has stages 3 and 4
    QVERIFY(isEdge(85) && !isEdge(20));
    m_selection.set({std::nullopt, 0}); // its block is the first
    QVERIFY(isEdge(40) && isEdge(0));
    m_selection.clear();
}

void TestTimelineView::gapTips_sayWhy()
{
    const TimelineIndex index(m_sample.timeline);
    const auto tipAt = [&](std::size_t row, double us) {
        return gapTip(*index.gapAt(row, static_cast<std::int64_t>(us * 1000)), row, index, m_sample.graph.get());
    };
    QVERIFY2(tipAt(0, 0.5).startsWith(QStringLiteral("<b>Launch</b> 1.00 µs, Stage 1<br>a is being launched")),
             qPrintable(tipAt(0, 0.5)));
    QVERIFY2(tipAt(0, 35).startsWith(QStringLiteral("<b>Wait</b> 9.00 µs, Stage 1")), qPrintable(tipAt(0, 35)));
    QVERIFY2(tipAt(0, 39.5).startsWith(QStringLiteral("<b>Barrier</b> 1.00 µs, after Stage 1")),
             qPrintable(tipAt(0, 39.5)));
    QVERIFY2(tipAt(1, 60).contains(QStringLiteral("no group of it is on this stream")), qPrintable(tipAt(1, 60)));
}

void TestTimelineView::names_operatorsFirst()
{
    const QString tip = kernelTip(m_sample.timeline->kernels[3], *m_sample.timeline, m_sample.graph.get());
    QVERIFY2(tip.startsWith(QStringLiteral("<b>d + e</b><br>kernel_d<br>")), qPrintable(tip));
    const QString unknown = kernelTip(m_sample.timeline->kernels[3], *m_sample.timeline, nullptr);
    QVERIFY2(unknown.startsWith(QStringLiteral("<b>kernel_d</b><br>Stage 3")), qPrintable(unknown));
}

STAGECRAFT_SUITE(TestTimelineView)

} // namespace tst_timeline_view
#include "tst_timeline_view.moc"
