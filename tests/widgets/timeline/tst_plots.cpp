// The latency chart and the timeline: selection both ways, the time axis, and texts.

#include "support/picture.h"
#include "support/schedule_making.h"
#include "support/suite.h"
#include "support/timing_making.h"
#include "widgets/base/plot_style.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/charts/latency_chart.h"
#include "widgets/timeline/counter_steps.h"
#include "widgets/timeline/timeline_text.h"
#include "widgets/timeline/timeline_view.h"

#include <qcustomplot.h>

#include <QLabel>
#include <QTest>
#include <QWheelEvent>

using namespace stagecraft;
using test::timingsOf;

namespace tst_plots {

class TestPlots : public QObject {
    Q_OBJECT

private slots:
    void keptWithin_data();
    void keptWithin();
    void chart_click_selectsTheStage();
    void chart_selection_isMarked();
    void chart_latencies_sayWhatTheyAre();
    void counter_between_isMeanAndPeak();
    void timeline_click_selectsTheOperator();
    void timeline_click_besideKernels_selectsTheStage();
    void timeline_selection_movesIntoView();
    void timeline_wheel_zoomsAboutTheCursor();
    void timeline_range_neverLeavesTheSchedule();
    void timeline_summary_saysWhatAndWhence();
    void timeline_sampledAndModelled_areToldApartAndKept();
    void timelines_several_haveRowsAndMeansOfTheirOwn();
    void timelines_aligned_areShiftedToTheSelection();
    void timeline_notes_areShownWhereThereAreAny();
    void timeline_ofACpu_hasARowPerThread();

private:
    static QCustomPlot *plotOf(const QWidget &view) { return view.findChild<QCustomPlot *>(); }

    // QCustomPlot computes its layout when it paints.
    static void show(QWidget &view)
    {
        view.resize(700, 300);
        view.show();
        plotOf(view)->replot();
    }

    test::Sample m_sample = test::makeSample();
};

void TestPlots::keptWithin_data()
{
    QTest::addColumn<double>("lower");
    QTest::addColumn<double>("upper");
    QTest::addColumn<double>("keptLower");
    QTest::addColumn<double>("keptUpper");
    QTest::newRow("keptWithin_inside_isUnchanged") << 10.0 << 20.0 << 10.0 << 20.0;
    QTest::newRow("keptWithin_left_moves") << -5.0 << 5.0 << 0.0 << 10.0;
    QTest::newRow("keptWithin_right_moves") << 95.0 << 105.0 << 90.0 << 100.0;
    QTest::newRow("keptWithin_larger_isAll") << -50.0 << 500.0 << 0.0 << 100.0;
    QTest::newRow("keptWithin_tooSmall_growsAboutItsCentre") << 50.0 << 50.2 << 49.6 << 50.6;
}

void TestPlots::keptWithin()
{
    QFETCH(double, lower);
    QFETCH(double, upper);
    QFETCH(double, keptLower);
    QFETCH(double, keptUpper);
    const QCPRange kept = stagecraft::keptWithin({lower, upper}, 0, 100, 1);
    QCOMPARE(kept.lower, keptLower);
    QCOMPARE(kept.upper, keptUpper);
}

void TestPlots::chart_click_selectsTheStage()
{
    Selection selection;
    LatencyChart chart(&selection);
    chart.setSchedule(m_sample.schedule);
    show(chart);
    for (std::size_t stage = 0; stage < 4; ++stage) {
        QTest::mouseClick(plotOf(chart), Qt::LeftButton, {}, plotOf(chart)->mapFrom(&chart, chart.barCentre(stage)));
        QVERIFY(!selection.current().op);
        QCOMPARE(*selection.current().stage, stage);
    }
}

void TestPlots::chart_selection_isMarked()
{
    Selection selection;
    LatencyChart chart(&selection);
    chart.setSchedule(m_sample.schedule);
    show(chart);
    const QColor accent = themeFor(chart.palette()).accent;
    const auto isMarked = [&](std::size_t stage) { // at its bar
        const QPoint bar = plotOf(chart)->mapFrom(&chart, chart.barCentre(stage));
        const QImage picture = plotOf(chart)->toPixmap().toImage();
        return test::shows(picture.copy(bar.x() - 3, 0, 7, picture.height()), accent);
    };
    const QImage before = plotOf(chart)->toPixmap().toImage();
    for (std::size_t stage = 0; stage < 4; ++stage)
        QVERIFY(!isMarked(stage));
    selection.set({m_sample.op("d"), 2});
    for (std::size_t stage = 0; stage < 4; ++stage)
        QCOMPARE(isMarked(stage), stage == 2);
    selection.clear();
    QCOMPARE(plotOf(chart)->toPixmap().toImage(), before);
}

void TestPlots::chart_latencies_sayWhatTheyAre()
{
    Selection selection;
    LatencyChart chart(&selection);
    chart.setHint(QStringLiteral("not yet"));
    TimedSchedule unmeasured = *m_sample.schedule;
    unmeasured.measured.stages.clear();
    chart.setSchedule(std::make_shared<const TimedSchedule>(unmeasured));
    chart.show();
    QVERIFY(!plotOf(chart)->isVisible());
    chart.setSchedule(m_sample.schedule);
    QVERIFY(plotOf(chart)->isVisible());
    TimedSchedule recorded = *m_sample.schedule;
    recorded.measured.stages = test::timingsOf({100, 20, 3});
    recorded.measured.provenance = Provenance::Recorded;
    chart.setSchedule(std::make_shared<const TimedSchedule>(recorded));
    QCOMPARE(chart.plainSummary(), QString::fromUtf8("sum 123 µs recorded"));
}

void TestPlots::counter_between_isMeanAndPeak()
{
    QCustomPlot plot;
    auto *steps = new CounterSteps(plot.xAxis, plot.yAxis);
    const CounterSeries series{"active warps", "warps", "simulated", 100, {0, 10, 20, 30}, {4, 8, 0, 2}};
    steps->setSeries(std::make_shared<const CounterSeries>(series), 40);
    QCOMPARE(steps->between(0, 40).mean, 3.5);
    QCOMPARE(steps->between(0, 40).peak, 8.0);
    QCOMPARE(steps->between(5, 15).mean, 6.0);
    QCOMPARE(steps->between(10, 20).mean, 8.0); // the end of a step is exclusive
    QCOMPARE(steps->between(12, 13).peak, 8.0);
    QCOMPARE(steps->between(25, 40).mean, 20.0 / 15);
    QCOMPARE(steps->between(35, 40).peak, 2.0);
}

void TestPlots::timeline_click_selectsTheOperator()
{
    Selection selection;
    TimelineView view(&selection);
    view.setTimeline(m_sample.graph, test::indexed(m_sample.timeline));
    show(view);
    const auto click = [&](std::size_t kernel) {
        QTest::mouseClick(plotOf(view), Qt::LeftButton, {}, plotOf(view)->mapFrom(&view, view.kernelCentre(kernel)));
    };
    click(2);
    QVERIFY(selection.current().op == m_sample.op("c"));
    QCOMPARE(*selection.current().stage, std::size_t{0});
    click(3);
    QVERIFY(selection.current().op == m_sample.op("d"));
    QCOMPARE(*selection.current().stage, std::size_t{2});
}

void TestPlots::timeline_click_besideKernels_selectsTheStage()
{
    Selection selection;
    TimelineView view(&selection);
    view.setTimeline(m_sample.graph, test::indexed(m_sample.timeline));
    show(view);
    // Stage 2 has a kernel on the first stream only: below it is the empty band.
    const QPoint kernel = plotOf(view)->mapFrom(&view, view.kernelCentre(3));
    const QPoint other = plotOf(view)->mapFrom(&view, view.kernelCentre(1));
    QTest::mouseClick(plotOf(view), Qt::LeftButton, {}, {kernel.x(), other.y()});
    QVERIFY(!selection.current().op);
    QCOMPARE(*selection.current().stage, std::size_t{2});
}

void TestPlots::timeline_selection_movesIntoView()
{
    Selection selection;
    TimelineView view(&selection);
    view.setTimeline(m_sample.graph, test::indexed(m_sample.timeline));
    show(view);
    view.setVisibleTime(0, 10);
    selection.set({m_sample.op("e"), 2}); // runs in the kernel of d: 46 to 74 us
    QVERIFY(view.visibleFromUs() < 74 && view.visibleToUs() > 46);
    QCOMPARE(view.visibleToUs() - view.visibleFromUs(), 10.0); // moved, not zoomed
}

void TestPlots::timeline_wheel_zoomsAboutTheCursor()
{
    Selection selection;
    TimelineView view(&selection);
    view.setTimeline(m_sample.graph, test::indexed(m_sample.timeline));
    show(view);
    QCustomPlot *plot = plotOf(view);
    const QPoint at = plot->mapFrom(&view, view.kernelCentre(3));
    QWheelEvent wheel(at, plot->mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(plot, &wheel);
    QVERIFY(view.visibleToUs() - view.visibleFromUs() < 85);
    plot->replot();
    const QPoint after = plot->mapFrom(&view, view.kernelCentre(3));
    QVERIFY(std::abs(after.x() - at.x()) <= 2);
    view.showAll();
    QCOMPARE(view.visibleFromUs(), 0.0);
    QCOMPARE(view.visibleToUs(), 85.0);
}

void TestPlots::timeline_range_neverLeavesTheSchedule()
{
    Selection selection;
    TimelineView view(&selection);
    view.setTimeline(m_sample.graph, test::indexed(m_sample.timeline));
    show(view);
    view.setVisibleTime(-40, 20);
    QCOMPARE(view.visibleFromUs(), 0.0);
    QCOMPARE(view.visibleToUs(), 60.0);
    view.setVisibleTime(80, 200);
    QCOMPARE(view.visibleToUs(), 85.0);
    view.setVisibleTime(40, 40);
    QVERIFY(view.visibleToUs() > view.visibleFromUs());
}

void TestPlots::timeline_summary_saysWhatAndWhence()
{
    Selection selection;
    TimelineView view(&selection);
    view.setTimeline(m_sample.graph, test::indexed(m_sample.timeline));
    const QString text = view.plainSummary();
    QVERIFY2(text.contains(QStringLiteral("simulated")), qPrintable(text));
    QVERIFY(text.contains(QStringLiteral("sim:test")));
    // 40 us at 1000, 35 at 2000, 10 at 500: 115,000 / 85 = 1,353 of 5,120.
    QVERIFY2(text.contains(QStringLiteral("1,353 warps")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("26.4 %")), qPrintable(text));
}

void TestPlots::timeline_sampledAndModelled_areToldApartAndKept()
{
    auto both = std::make_shared<Timeline>(*m_sample.timeline);
    CounterSeries sampled = both->counters.front();
    sampled.kind = "sampled";
    both->counters.front().kind = "modelled";
    both->provenance = Provenance::Measured;
    both->counters.insert(both->counters.begin(), sampled);
    Selection selection;
    TimelineView view(&selection);
    view.setTimeline(m_sample.graph, test::indexed(both));
    QCOMPARE(view.chosenCounters(), QStringList{"active warps (sampled)"});
    QVERIFY(view.plainSummary().contains("(sampled)"));
    view.chooseCounters({"active warps (modelled)"});
    QVERIFY(view.plainSummary().contains("(modelled)"));
    view.setTimeline(m_sample.graph,
                     test::indexed(std::make_shared<Timeline>(*both))); // another run: the choice is kept
    QCOMPARE(view.chosenCounters(), QStringList{"active warps (modelled)"});
    view.setTimeline(m_sample.graph, test::indexed(m_sample.timeline)); // here the counter exists once
    QCOMPARE(view.chosenCounters(), QStringList{"active warps"});
}

void TestPlots::timelines_several_haveRowsAndMeansOfTheirOwn()
{
    Selection a;
    Selection b;
    TimelineView view(&a);
    view.resize(800, 400);
    auto longer = std::make_shared<Timeline>(*m_sample.timeline);
    longer->durationNs *= 2;
    view.setTimelines({{QStringLiteral("A"), m_sample.graph, test::indexed(m_sample.timeline), &a},
                       {QStringLiteral("B"), m_sample.graph, test::indexed(longer), &b}});
    view.show();
    QCOMPARE(view.laneCount(), std::size_t{2});
    QCOMPARE(view.visibleToUs(), static_cast<double>(longer->durationNs) / 1e3);
    QVERIFY2(view.plainSummary().contains(QStringLiteral("mean 26.4 %")), qPrintable(view.plainSummary()));
    QCOMPARE(view.plainSummary().count(QStringLiteral("mean")), qsizetype{2});
    QTRY_VERIFY(view.kernelCentre(0, 1).y() > view.kernelCentre(0, 0).y());
    QCOMPARE(view.kernelCentre(0, 1).x(), view.kernelCentre(0, 0).x()); // a common axis
    view.setTimeline(m_sample.graph, test::indexed(m_sample.timeline)); // a single timeline again
    QCOMPARE(view.laneCount(), std::size_t{1});
    QCOMPARE(view.visibleToUs(), static_cast<double>(m_sample.timeline->durationNs) / 1e3);
}

void TestPlots::timelines_aligned_areShiftedToTheSelection()
{
    Selection a;
    Selection b;
    TimelineView view(&a);
    view.resize(800, 400);
    auto later = std::make_shared<Timeline>(*m_sample.timeline);
    for (StageSpan &span : later->stages) {
        span.startNs += 7000;
        span.endNs += 7000;
    }
    later->durationNs += 7000;
    view.setTimelines({{QStringLiteral("A"), m_sample.graph, test::indexed(m_sample.timeline), &a},
                       {QStringLiteral("B"), m_sample.graph, test::indexed(later), &b}});
    view.setAligned(true);
    QCOMPARE(view.shiftUs(1), 0.0); // no selection
    b.set({std::nullopt, 1});
    a.set({std::nullopt, 1});
    QCOMPARE(view.shiftUs(0), 0.0);
    QCOMPARE(view.shiftUs(1), 7.0);
    view.setAligned(false);
    QCOMPARE(view.shiftUs(1), 0.0);
}

void TestPlots::timeline_notes_areShownWhereThereAreAny()
{
    auto noted = std::make_shared<Timeline>(*m_sample.timeline);
    noted->notes = {"sampling active warps failed: run as root"};
    Selection selection;
    TimelineView view(&selection);
    view.setTimeline(m_sample.graph, test::indexed(noted));
    const auto *notes = view.findChild<QLabel *>(QStringLiteral("notes"));
    QVERIFY(notes && !notes->isHidden());
    QCOMPARE(notes->text(), QString("sampling active warps failed: run as root"));
    view.setTimeline(m_sample.graph, test::indexed(m_sample.timeline));
    QVERIFY(notes->isHidden());
}

void TestPlots::timeline_ofACpu_hasARowPerThread()
{
    auto onThreads = std::make_shared<Timeline>(*m_sample.timeline);
    for (KernelSpan &kernel : onThreads->kernels) {
        kernel.threadsPerBlock = 0;
        kernel.grid = {kernel.stage == 0 ? 1 : 2, 1, 1};
    }
    onThreads->counters = {{"threads given to operators", "threads", "derived", 2, {0}, {2}}};
    Selection selection;
    TimelineView view(&selection);
    view.setTimeline(m_sample.graph, test::indexed(onThreads));
    show(view);
    QCOMPARE(plotOf(view)->axisRect(0)->axis(QCPAxis::atLeft)->label(), QStringLiteral("thread"));
    // The kernel of d and e has both threads: it is also on the second row.
    const QPoint first = plotOf(view)->mapFrom(&view, view.kernelCentre(3));
    const QPoint second = plotOf(view)->mapFrom(&view, view.kernelCentre(1));
    QTest::mouseClick(plotOf(view), Qt::LeftButton, {}, {first.x(), second.y()});
    QVERIFY(selection.current().op == m_sample.op("d"));
    const QString summary = view.plainSummary();
    QVERIFY2(summary.contains(QStringLiteral("operators 6")) && summary.contains(QStringLiteral("(derived)")),
             qPrintable(summary));
    const QString tip = kernelTip(onThreads->kernels[3], *onThreads, m_sample.graph.get());
    QVERIFY2(tip.contains(QStringLiteral("threads 1 to 2")) && !tip.contains(QStringLiteral("block")), qPrintable(tip));
    view.setTimeline(m_sample.graph, test::indexed(m_sample.timeline));
    QCOMPARE(plotOf(view)->axisRect(0)->axis(QCPAxis::atLeft)->label(), QStringLiteral("stream"));
}

STAGECRAFT_SUITE(TestPlots)

} // namespace tst_plots
#include "tst_plots.moc"
