// Why one schedule is faster than another, as a person sees it: the panel Where time goes, the column Why of the
// differences, and the words of the gutter.

#include "app/desktop/window_test.h"
#include "schedule/compare/schedule_time_parts.h"
#include "support/suite.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/base/time_part_look.h"
#include "widgets/comparison/time_parts_chart.h"
#include "widgets/schedule/span_change.h"

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QStatusBar>
#include <QTreeWidget>

#include <algorithm>
#include <cmath>
#include <optional>

using namespace stagecraft;

namespace tst_time_parts_window {

namespace {

TimePartsChart *chartOf(TestedWindow &window)
{
    auto *chart = window.findChild<TimePartsChart *>();
    window.panels()->show(chart);
    return chart;
}

ResultId resultNamed(const TestedWindow &window, const char *name)
{
    for (const ScheduleResult &result : window.document()->results()->shelf().results()) {
        if (result.shownName() == name)
            return result.id;
    }
    return {};
}

std::size_t markOf(const TimePartsDrawing &drawing, std::size_t bar, TimePart part, bool isStep)
{
    const auto found = std::ranges::find_if(drawing.marks(), [&](const TimePartsDrawing::Mark &mark) {
        return mark.bar == bar && mark.part == part && mark.isStep == isStep;
    });
    return static_cast<std::size_t>(found - drawing.marks().begin());
}

} // namespace

class TestTimePartsWindow : public WindowTest {
    Q_OBJECT

private slots:
    void panel_onePane_hasOneBar();
    void panel_twoPanes_addUpToTheirLatencies();
    void panel_block_isWhatItsStagesTake();
    void panel_partChosen_goesFromStageToStage();
    void renamed_inAnotherPane_isCalledSo();
    void batches_differ_allIsPerImage();
    void panel_stepChosen_showsTheSpan();
    void panel_beforeAModel_saysWhatItShows();
    void difference_rows_sayWhy();
    void gutterAndF8_sayWhy();
    void session_keepsPanelAndPanes();

private:
    static void openTwo(TestedWindow &window)
    {
        window.resize(1600, 1000);
        window.show();
        openAndWait(window, QStringLiteral("squeezenet"));
        window.panes()->show({resultNamed(window, "Sequential"), resultNamed(window, "Greedy")}, 0);
        QTRY_VERIFY(window.panes()->compared() && window.panes()->compared()->timeParts(0) &&
                    window.panes()->compared()->timeParts(1));
        QTRY_VERIFY(window.isSettled());
    }
};

void TestTimePartsWindow::panel_onePane_hasOneBar()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const TimePartsChart *chart = chartOf(window);
    QTRY_COMPARE(chart->drawing().shown().bars.size(), std::size_t{1});
    const TimePartsBar &bar = chart->drawing().shown().bars.front();
    QCOMPARE(bar.name, QString::fromStdString(window.document()->results()->front().name));
    QCOMPARE(bar.parts.totalUs(), *window.document()->results()->front().schedule->latencyUs());
    QVERIFY(!chart->drawing().hasSteps());
}

void TestTimePartsWindow::panel_twoPanes_addUpToTheirLatencies()
{
    TestedWindow window(installedServices());
    openTwo(window);
    const TimePartsChart *chart = chartOf(window);
    const ShownTimeParts &shown = chart->drawing().shown();
    QCOMPARE(shown.bars.size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) {
        QCOMPARE(shown.bars[i].parts.totalUs(), *window.panes()->compared()->schedule(i).latencyUs());
        QVERIFY(shown.bars[i].provenance == Provenance::Simulated);
    }
    QCOMPARE(shown.bars[0].letter, QStringLiteral("A"));
    QVERIFY(shown.bars[1].name.startsWith(QStringLiteral("Greedy")));
    QVERIFY(chart->drawing().hasSteps());
    window.panes()->close(1);
    QTRY_COMPARE(chart->drawing().shown().bars.size(), std::size_t{1});
}

void TestTimePartsWindow::panel_block_isWhatItsStagesTake()
{
    TestedWindow window(installedServices());
    openTwo(window);
    TimePartsChart *chart = chartOf(window);
    auto *scopes = chart->findChild<QComboBox *>(QStringLiteral("time_parts_scope"));
    QCOMPARE(scopes->itemText(0), QStringLiteral("Whole schedule"));
    chart->setScope(scopes->findText(blockTitle(1)));
    const ComparedSchedules &compared = *window.panes()->compared();
    for (std::size_t side = 0; side < 2; ++side) {
        const TimeParts expected = compared.timeParts(side)->of(compared.rangeOfBlock(side, 1));
        QCOMPARE(chart->drawing().shown().bars[side].parts.totalUs(), expected.totalUs());
    }
    QVERIFY(scopes->itemText(chart->scope() + 1).startsWith(blockTitle(1) + QLatin1Char(':'))); // a span of it
}

void TestTimePartsWindow::panel_partChosen_goesFromStageToStage()
{
    TestedWindow window(installedServices());
    openTwo(window);
    TimePartsChart *chart = chartOf(window);
    const ScheduleTimeParts &parts = *window.panes()->compared()->timeParts(1);
    const auto usOf = [&](std::size_t stage) {
        return parts.stages[stage].of(TimePart::IdleUnits) + parts.beforeStages[stage].of(TimePart::IdleUnits);
    };
    std::size_t most = 0;
    for (std::size_t stage = 0; stage < parts.stages.size(); ++stage)
        most = usOf(stage) > usOf(most) ? stage : most;
    emit chart->partChosen(1, TimePart::IdleUnits, false);
    QCOMPARE(window.panes()->focused(), std::size_t{1});
    QCOMPARE(window.findChild<Selection *>()->current().stage, std::optional(most));
    QVERIFY2(window.statusBar()->currentMessage().startsWith(
                 QStringLiteral("Idle SMs: %1 has %2, 1 of ").arg(stageTitle(most).toLower(), latencyText(usOf(most)))),
             qPrintable(window.statusBar()->currentMessage()));
    const auto settle = [&] {
        QTRY_VERIFY(window.isSettled());
        QTest::qWait(1); // what is queued
    };
    settle();
    emit chart->partChosen(1, TimePart::IdleUnits, false);
    const auto second = window.findChild<Selection *>()->current().stage;
    QVERIFY(second && *second != most && usOf(*second) <= usOf(most));
    settle();
    emit chart->partChosen(1, TimePart::IdleUnits, false);
    const auto third = window.findChild<Selection *>()->current().stage;
    QVERIFY(third && *third != most && third != second);
    // Of a block, what lies before its first stage is no part of its bar; another scope starts at its largest again.
    chart->setScope(chart->findChild<QComboBox *>(QStringLiteral("time_parts_scope"))->findText(blockTitle(1)));
    settle();
    const StageRange block = window.panes()->compared()->rangeOfBlock(1, 1);
    const auto usInBlock = [&](std::size_t stage) {
        return stage > block.first ? usOf(stage) : parts.stages[stage].of(TimePart::IdleUnits);
    };
    most = block.first;
    for (std::size_t stage = block.first; stage < block.end(); ++stage)
        most = usInBlock(stage) > usInBlock(most) ? stage : most;
    emit chart->partChosen(1, TimePart::IdleUnits, false);
    QCOMPARE(window.findChild<Selection *>()->current().stage, std::optional(most));
    emit chart->partChosen(1, TimePart::BetweenStages, false);
    const QString told = window.statusBar()->currentMessage();
    QVERIFY2(!told.contains(stageTitle(block.first).toLower() + QStringLiteral(" has")), qPrintable(told));
}

void TestTimePartsWindow::renamed_inAnotherPane_isCalledSo()
{
    TestedWindow window(installedServices());
    openTwo(window);
    const TimePartsChart *chart = chartOf(window);
    window.panels()->show(window.difference());
    window.document()->results()->rename(window.panes()->pane(1)->result(), QStringLiteral("Mine"));
    QVERIFY2(chart->drawing().shown().bars[1].name.startsWith(QStringLiteral("Mine")),
             qPrintable(chart->drawing().shown().bars[1].name));
    const QString tip = window.difference()->tree()->headerItem()->toolTip(2);
    QVERIFY2(tip.startsWith(QStringLiteral("Mine")), qPrintable(tip));
}

void TestTimePartsWindow::batches_differ_allIsPerImage()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    const ResultId one = resultNamed(window, "Greedy");
    emit window.searchPanel()->batchChanged(32);
    QTRY_VERIFY(window.isSettled() && window.document()->results()->newest(ScheduleKind::Sequential).isValid());
    window.panes()->show({one, window.document()->results()->newest(ScheduleKind::Sequential)}, 0);
    QTRY_VERIFY(window.panes()->compared() && window.panes()->compared()->timeParts(0) &&
                window.panes()->compared()->timeParts(1));
    QTRY_VERIFY(window.isSettled());
    const ComparedSchedules &compared = *window.panes()->compared();
    QCOMPARE(compared.schedule(1).context.batch, 32);
    TimePartsChart *chart = chartOf(window);
    QVERIFY(chart->drawing().shown().isPerImage);
    QCOMPARE(chart->drawing().shown().bars[1].parts.totalUs(), perImage(compared.timeParts(1)->whole, 32).totalUs());
    emit chart->partChosen(1, TimePart::Arithmetic, true);
    const auto shown = window.panes()->currentSpan();
    QVERIFY(shown);
    const auto changeOf = [&](std::size_t span) {
        const auto &sides = compared.spans()[span].sides;
        return perImage(compared.timeParts(1)->of(sides[1]), 32).of(TimePart::Arithmetic) -
               compared.timeParts(0)->of(sides[0]).of(TimePart::Arithmetic);
    };
    for (std::size_t span = 0; span < compared.spans().size(); ++span)
        QVERIFY(std::abs(changeOf(span)) <= std::abs(changeOf(*shown)));
    const QString told = window.statusBar()->currentMessage();
    QVERIFY2(told.contains(signedLatencyText(changeOf(*shown)) + QStringLiteral(" per image")), qPrintable(told));
}

void TestTimePartsWindow::panel_stepChosen_showsTheSpan()
{
    TestedWindow window(installedServices());
    openTwo(window);
    TimePartsChart *chart = chartOf(window);
    const std::size_t step = markOf(chart->drawing(), 1, TimePart::Launch, true);
    QVERIFY(step < chart->drawing().marks().size());
    emit chart->partChosen(1, TimePart::Launch, true);
    const ComparedSchedules &compared = *window.panes()->compared();
    const auto shown = window.panes()->currentSpan();
    QVERIFY(shown && !compared.spans()[*shown].isEqual);
    const auto changeOf = [&](std::size_t span) {
        const auto &sides = compared.spans()[span].sides;
        return std::abs(compared.timeParts(1)->of(sides[1]).of(TimePart::Launch) -
                        compared.timeParts(0)->of(sides[0]).of(TimePart::Launch));
    };
    for (std::size_t span = 0; span < compared.spans().size(); ++span)
        QVERIFY(changeOf(span) <= changeOf(*shown));
}

void TestTimePartsWindow::panel_beforeAModel_saysWhatItShows()
{
    TestedWindow window(installedServices());
    window.show();
    TimePartsChart *chart = chartOf(window);
    const auto *hint = chart->findChild<QLabel *>(QStringLiteral("hint"));
    QTRY_VERIFY(hint->isVisible());
    QVERIFY2(hint->text().startsWith(QStringLiteral("Where the time of a schedule goes")), qPrintable(hint->text()));
}

void TestTimePartsWindow::difference_rows_sayWhy()
{
    TestedWindow window(installedServices());
    openTwo(window);
    const QTreeWidget *tree = window.difference()->tree();
    const int why = tree->columnCount() - 1;
    QCOMPARE(tree->headerItem()->text(why), QStringLiteral("Why"));
    const ComparedSchedules &compared = *window.panes()->compared();
    const ScheduleTimeParts &a = *compared.timeParts(0);
    const ScheduleTimeParts &b = *compared.timeParts(1);
    QCOMPARE(tree->topLevelItem(0)->text(why), timePartChanges(a.whole, b.whole, b.sources, 2));
    QVERIFY(tree->topLevelItem(0)->toolTip(why).contains(QStringLiteral("idle SMs ")));
    int blocks = 0;
    for (int i = 1; i < tree->topLevelItemCount(); ++i) {
        const QTreeWidgetItem *item = tree->topLevelItem(i);
        for (const BlockDifference &block : compared.difference().blocks) {
            if (item->text(0) != blockTitle(block.block))
                continue;
            ++blocks;
            QCOMPARE(item->text(why), timePartChanges(a.of(block.sides[0]), b.of(block.sides[1]), b.sources, 2));
        }
    }
    QVERIFY(blocks > 0);
}

void TestTimePartsWindow::gutterAndF8_sayWhy()
{
    TestedWindow window(installedServices());
    openTwo(window);
    const ComparedSchedules &compared = *window.panes()->compared();
    const auto span = compared.nextDifference({}, 1);
    QVERIFY(span);
    const QString reasons = spanReasons(compared, *span, 0, 1);
    QVERIFY2(reasons.contains(QStringLiteral("between stages +")) || reasons.contains(QStringLiteral("launch ")),
             qPrintable(reasons));
    QVERIFY(spanText(compared, *span, {QStringLiteral("A"), QStringLiteral("B")}).endsWith(reasons));
}

void TestTimePartsWindow::session_keepsPanelAndPanes()
{
    const QString path = m_folder.filePath(QStringLiteral("why.stagecraft"));
    {
        TestedWindow window(installedServices());
        openTwo(window);
        chartOf(window);
        answerFileDialog(path);
        QVERIFY(window.saveSessionAs());
    }
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    window.openSession(path);
    QTRY_COMPARE(window.panes()->count(), std::size_t{2});
    const TimePartsChart *chart = chartOf(window);
    QTRY_COMPARE(chart->drawing().shown().bars.size(), std::size_t{2});
    QVERIFY(chart->drawing().shown().bars[1].name.startsWith(QStringLiteral("Greedy")));
}

STAGECRAFT_SUITE(TestTimePartsWindow)

} // namespace tst_time_parts_window
#include "tst_time_parts_window.moc"
