// The pruning study in the window: live points, their preview, choice and selection, and stopping, resuming, extending.

#include "app/desktop/gated_device.h"
#include "app/desktop/window_test.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/areas/studies/pruning_studies.h"
#include "desktop/frame/panels.h"
#include "support/suite.h"
#include "widgets/search/search_panel.h"
#include "widgets/shelf/shelf_view.h"
#include "widgets/study/pruning_plot.h"
#include "widgets/study/pruning_view.h"
#include "widgets/study/schedule_preview.h"
#include "widgets/timeline/timeline_view.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_pruning_window {

namespace {

const PruningPoint kSmall{StrategySet::Both, 1, 3};
const PruningPoint kPaper{StrategySet::Both, 3, 8};

QPushButton *go(const TestedWindow &window)
{
    return window.pruning()->findChild<QPushButton *>(QStringLiteral("go"));
}

void type(const TestedWindow &window, const char *field, const QString &text)
{
    auto *edit = window.pruning()->findChild<QLineEdit *>(QLatin1String(field));
    edit->selectAll();
    QTest::keyClicks(edit, text);
}

QWidget *canvasOf(const TestedWindow &window)
{
    return window.pruning()->plot()->findChild<QWidget *>(QStringLiteral("plot"));
}

void click(QWidget *plot, const TestedWindow &window, const PruningPoint &point,
           Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QTest::mouseClick(plot, Qt::LeftButton, modifiers, window.pruning()->plot()->placeOf(point));
}

const ScheduleResult *shelved(const TestedWindow &window, const PruningPoint &point)
{
    for (const ScheduleResult &result : window.document()->results()->shelf().results()) {
        const SearchRecord &record = result.record();
        if (result.origin == Origin::Searched && record.r == point.r && record.s == point.s &&
            record.singleSource == point.singleSource)
            return &result;
    }
    return nullptr;
}

} // namespace

class TestPruningWindow : public WindowTest {
    Q_OBJECT

private:
    // A window with a finished study of the sample network.
    static void studied(TestedWindow &window, const QString &model = QStringLiteral("sample"))
    {
        window.resize(1600, 1000);
        window.show();
        openAndWait(window, model);
        window.panels()->show(window.pruning());
        QTest::mouseClick(go(window), Qt::LeftButton);
        QVERIFY(window.pruningStudies()->isRunning());
        QTRY_VERIFY(window.isSettled());
        QTRY_VERIFY(window.pruning()->plot()->isVisible());
        QCoreApplication::processEvents(); // the plot is drawn in the next turn
    }

private slots:
    void study_ofInception_drawsEveryPointAndSaysWhatSharingSaved();
    void point_hovered_previewsItsSchedule();
    void point_clicked_isOnTheShelfAsASearchWouldFindIt();
    void region_dragged_selectsAndGoesToTheShelf();
    void keys_goThroughThePoints();
    void study_stopped_goesOnWhereItWas();
    void study_ofMoreValues_keepsThoseItHas();
    void search_duringAStudy_goesFirst();
    void range_thatCannotBeRead_saysWhy();
    void published_pointsOfThePaper_areShownBySeconds();
    void model_changed_hasItsOwnStudy();
    void panel_narrowWindow_takesNoHeightFromTheSchedule();
};

void TestPruningWindow::study_ofInception_drawsEveryPointAndSaysWhatSharingSaved()
{
    TestedWindow window(installedServices());
    studied(window, QStringLiteral("inception_v3"));
    const PruningPlot &plot = *window.pruning()->plot();
    QCOMPARE(plot.points().size(), std::size_t{18});
    std::int64_t alone = 0;
    for (const PlottedPoint &point : plot.points()) {
        QVERIFY(plot.rect().contains(plot.placeOf(point.point)));
        alone += point.schedule->search.stageMeasurements;
    }
    const QString summary = window.pruning()->plainSummary();
    QVERIFY2(summary.contains(QStringLiteral("18 of 18")), qPrintable(summary));
    QVERIFY2(summary.contains(QStringLiteral("simulated")), qPrintable(summary));
    const QString saved =
        QStringLiteral("distinct stages measured; alone the searches would have asked for %L1").arg(alone);
    QVERIFY2(summary.contains(saved), qPrintable(summary));
    QTest::keyClick(&window, Qt::Key_C, Qt::ControlModifier | Qt::AltModifier);
    const QStringList lines = QApplication::clipboard()->text().trimmed().split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), 19);
    QVERIFY2(lines.front().startsWith(QStringLiteral("strategy,r,s,single_source,latency_us,")),
             qPrintable(lines.front()));
    QVERIFY(!go(window)->isEnabled());
    QVERIFY2(go(window)->toolTip().contains(QStringLiteral("widen the ranges")), qPrintable(go(window)->toolTip()));
}

void TestPruningWindow::point_hovered_previewsItsSchedule()
{
    TestedWindow window(installedServices());
    studied(window);
    QWidget *canvas = canvasOf(window);
    QTest::mouseMove(canvas, window.pruning()->plot()->placeOf(kPaper));
    const SchedulePreview *preview = window.pruning()->plot()->preview();
    QTRY_VERIFY(preview->isVisible());
    for (const char *word : {"r 3, s 8", "simulated", "stages", "asks for"})
        QVERIFY2(preview->spoken().contains(QLatin1String(word)), qPrintable(preview->spoken()));
    QTest::mouseMove(canvas, QPoint(2, 2));
    QTRY_VERIFY(!preview->isVisible());
}

void TestPruningWindow::point_clicked_isOnTheShelfAsASearchWouldFindIt()
{
    TestedWindow window(installedServices());
    studied(window, QStringLiteral("squeezenet"));
    QVERIFY(!shelved(window, kPaper));
    const auto places = window.pruning()->plot()->points();
    click(canvasOf(window), window, kSmall);
    const ScheduleResult *result = shelved(window, window.pruning()->plot()->points().front().point);
    result = window.document()->results()->shelf().find(window.document()->results()->current());
    QVERIFY(result && result->origin == Origin::Searched);
    const SchedulePtr shown = result->schedule;
    const std::size_t results = window.document()->results()->shelf().results().size();
    SearchOptions options = window.searchPanel()->options();
    options.strategies = *strategySetFromString(shown->search.strategy.substr(4));
    options.r = shown->search.r;
    options.s = shown->search.s;
    window.searchPanel()->setOptions(options);
    window.startSearch();
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.document()->results()->shelf().results().size(),
             results); // the same search, merged with the studied one
    const ScheduleResult *own = window.document()->results()->shelf().find(window.document()->results()->current());
    QVERIFY(own->schedule->stages == shown->stages);
    QCOMPARE(own->schedule->search.stageMeasurements, shown->search.stageMeasurements);
}

void TestPruningWindow::region_dragged_selectsAndGoesToTheShelf()
{
    TestedWindow window(installedServices());
    studied(window);
    const PruningPlot &plot = *window.pruning()->plot();
    QWidget *canvas = canvasOf(window);
    const std::size_t before = window.document()->results()->shelf().results().size();
    // The whole plot, corner to corner.
    QTest::mousePress(canvas, Qt::LeftButton, {}, QPoint(3, 3));
    QTest::mouseMove(canvas, canvas->rect().center());
    QTest::mouseMove(canvas, canvas->rect().bottomRight() - QPoint(3, 3));
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, canvas->rect().bottomRight() - QPoint(3, 3));
    QCOMPARE(plot.selected().size(), plot.points().size());
    const QString summary = window.pruning()->plainSummary();
    QVERIFY2(summary.contains(QStringLiteral("18 points")), qPrintable(summary));
    QPushButton *shelve = nullptr;
    for (QPushButton *button : window.pruning()->findChildren<QPushButton *>()) {
        if (button->text() == QStringLiteral("Put on the shelf"))
            shelve = button;
    }
    QVERIFY(shelve && shelve->isVisible());
    QTest::mouseClick(shelve, Qt::LeftButton);
    QCOMPARE(window.document()->results()->shelf().results().size(), before + 18);
    QTest::mouseClick(shelve, Qt::LeftButton); // they are there already
    QCOMPARE(window.document()->results()->shelf().results().size(), before + 18);
}

void TestPruningWindow::keys_goThroughThePoints()
{
    TestedWindow window(installedServices());
    studied(window);
    PruningPlot *plot = window.pruning()->plot();
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Right);
    const SchedulePreview *preview = plot->preview();
    QVERIFY(preview->isVisible());
    const QString cheapest = preview->spoken();
    QTest::keyClick(plot, Qt::Key_Right);
    QVERIFY(preview->spoken() != cheapest);
    QTest::keyClick(plot, Qt::Key_Left);
    QCOMPARE(preview->spoken(), cheapest);
    QCOMPARE(plot->accessibleDescription(), cheapest);
    QTest::keyClick(plot, Qt::Key_Space);
    QCOMPARE(plot->selected().size(), std::size_t{1});
    QTest::keyClick(plot, Qt::Key_Return);
    QVERIFY(shelved(window, plot->selected().front()));
    QTest::keyClick(plot, Qt::Key_Escape);
    QVERIFY(plot->selected().empty() && !preview->isVisible());
}

void TestPruningWindow::study_stopped_goesOnWhereItWas()
{
    const auto gate = std::make_shared<Gate>();
    TestedWindow window(gatedEngine(gate));
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    window.panels()->show(window.pruning());
    QTest::mouseClick(go(window), Qt::LeftButton);
    QTRY_VERIFY((gate->allow(10), !window.pruning()->plot()->points().empty()));
    QCOMPARE(go(window)->text(), QStringLiteral("Stop"));
    QTest::mouseClick(go(window), Qt::LeftButton);
    QTRY_VERIFY(!window.pruningStudies()->isRunning());
    const auto first = window.pruning()->plot()->points();
    QVERIFY(first.size() < 18);
    QCOMPARE(go(window)->text(), QStringLiteral("Continue"));
    gate->open();
    QTest::mouseClick(go(window), Qt::LeftButton);
    QTRY_VERIFY(window.isSettled());
    const auto &all = window.pruning()->plot()->points();
    QCOMPARE(all.size(), std::size_t{18});
    for (std::size_t i = 0; i < first.size(); ++i)
        QCOMPARE(all[i].schedule, first[i].schedule); // the same object: not searched again
}

void TestPruningWindow::study_ofMoreValues_keepsThoseItHas()
{
    TestedWindow window(installedServices());
    studied(window);
    const SchedulePtr before = window.pruning()->plot()->points().front().schedule;
    type(window, "r", QStringLiteral("1..4"));
    QCOMPARE(go(window)->text(), QStringLiteral("Continue"));
    QTest::keyClick(window.pruning()->findChild<QLineEdit *>(QStringLiteral("r")), Qt::Key_Return);
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.pruning()->plot()->points().size(), std::size_t{24});
    QCOMPARE(window.pruning()->plot()->points().front().schedule, before);
}

void TestPruningWindow::search_duringAStudy_goesFirst()
{
    const auto gate = std::make_shared<Gate>();
    TestedWindow window(gatedEngine(gate));
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    window.panels()->show(window.pruning());
    window.startSearch(); // held by the gate
    QTRY_VERIFY(window.queue()->isSearching());
    QTest::mouseClick(go(window), Qt::LeftButton);
    QVERIFY(window.pruningStudies()->isRunning());
    QVERIFY2(window.pruning()->plainSummary().contains(QStringLiteral("go first")),
             qPrintable(window.pruning()->plainSummary()));
    QSignalSpy searched(window.queue(), &ResultQueue::searchFinished);
    std::size_t points = ~std::size_t{0};
    connect(window.queue(), &ResultQueue::searchFinished, &window,
            [&] { points = window.pruning()->plot()->points().size(); });
    gate->open();
    QTRY_VERIFY(!searched.isEmpty());
    QCOMPARE(points, std::size_t{0}); // none was made before the search ended
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.pruning()->plot()->points().size(), std::size_t{18});
}

void TestPruningWindow::range_thatCannotBeRead_saysWhy()
{
    TestedWindow window(installedServices());
    window.show();
    QVERIFY(!go(window)->isEnabled());
    QVERIFY2(window.pruning()->hint().contains(QStringLiteral("Open a model")), qPrintable(window.pruning()->hint()));
    openAndWait(window, QStringLiteral("sample"));
    type(window, "r", QStringLiteral("3..1"));
    QVERIFY(!go(window)->isEnabled());
    QCOMPARE(window.pruning()->plainSummary(), QStringLiteral("r: 3..1 ends before it begins"));
    type(window, "r", QStringLiteral("2"));
    QVERIFY(go(window)->isEnabled());
}

void TestPruningWindow::published_pointsOfThePaper_areShownBySeconds()
{
    QCOMPARE(publishedPoints("inception_v3", 1).size(), std::size_t{6});
    QCOMPARE(publishedPoints("squeezenet", 1).front().seconds, 1.0);
    QVERIFY(publishedPoints("inception_v3", 32).empty() && publishedPoints("sample", 1).empty());
    TestedWindow window(installedServices());
    studied(window, QStringLiteral("squeezenet"));
    QToolButton *published = nullptr;
    for (QToolButton *button : window.pruning()->findChildren<QToolButton *>()) {
        if (button->text() == QStringLiteral("published"))
            published = button;
    }
    QVERIFY(published && published->isVisible() && !published->isEnabled());
    QVERIFY2(published->toolTip().contains(QStringLiteral("Tesla V100")), qPrintable(published->toolTip()));
    const QPoint before = window.pruning()->plot()->placeOf(kPaper);
    window.pruning()->setCost(PointCost::Seconds);
    QVERIFY(published->isEnabled());
    const QPoint with = window.pruning()->plot()->placeOf(kPaper);
    QVERIFY(with != before);
    QTest::mouseClick(published, Qt::LeftButton);
    QVERIFY(window.pruning()->plot()->placeOf(kPaper) != with); // the range no longer has the paper's second
}

void TestPruningWindow::model_changed_hasItsOwnStudy()
{
    TestedWindow window(installedServices());
    studied(window);
    openAndWait(window, QStringLiteral("squeezenet"));
    QVERIFY(window.pruning()->plot()->points().empty());
    QVERIFY(!window.pruning()->hint().isEmpty());
    openAndWait(window, QStringLiteral("sample"));
    QCOMPARE(window.pruning()->plot()->points().size(), std::size_t{18});
}

void TestPruningWindow::panel_narrowWindow_takesNoHeightFromTheSchedule()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    window.resize(1040, 700);
    QCoreApplication::processEvents();
    window.panels()->show(window.timeline());
    QTRY_VERIFY(window.timeline()->isVisible());
    const int before = window.schedulePane()->height();
    window.panels()->show(window.pruning());
    QTRY_VERIFY(window.pruning()->isVisible());
    QCoreApplication::processEvents();
    QVERIFY2(window.schedulePane()->height() >= before - 10,
             qPrintable(QString::number(window.schedulePane()->height())));
}

STAGECRAFT_SUITE(TestPruningWindow)

} // namespace tst_pruning_window
#include "tst_pruning_window.moc"
