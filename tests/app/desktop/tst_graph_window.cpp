// The graph in the window, by mouse and keys: finding, colours that show numbers, two results compared.

#include "app/desktop/window_test.h"
#include "desktop/areas/panes/pane_row.h"
#include "support/picture.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/graph/graph_view.h"
#include "widgets/graph/paint/graph_scene.h"
#include "widgets/timeline/timeline_view.h"

#include <QComboBox>
#include <QLineEdit>

using namespace stagecraft;

namespace tst_graph_window {

class TestGraphWindow : public WindowTest {
    Q_OBJECT

private slots:
    void find_enter_selectsEverywhere();
    void colours_chosenInTheLegend_areThoseOfTheMenu();
    void utilisation_isOfTheShownResult();
    void moved_twoResults_areCompared();
    void ancestors_keys_leaveTheSelection();

private:
    static std::unique_ptr<TestedWindow> open(const QString &model)
    {
        auto window = std::make_unique<TestedWindow>(installedServices());
        window->resize(1600, 1000);
        window->show();
        openAndWait(*window, model);
        [&] { QTRY_VERIFY(window->isSettled()); }();
        return window;
    }
    static GraphView *graphOf(const TestedWindow &window) { return window.findChild<GraphView *>(); }
    // The legend has the same colours.
    static QImage picture(const TestedWindow &window)
    {
        const QImage whole = graphOf(window)->grab().toImage();
        return whole.copy(0, 60, whole.width(), whole.height() / 2);
    }
};

void TestGraphWindow::find_enter_selectsEverywhere()
{
    const auto window = open(QStringLiteral("squeezenet"));
    GraphView *graph = graphOf(*window);
    QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
    auto *line = graph->findChild<QLineEdit *>();
    QVERIFY(line && line->isVisible());
    QTest::keyClicks(line, QStringLiteral("conv 1x1 fire5"));
    QVERIFY(graph->matchCount() >= 2); // squeeze and expand
    QVERIFY(!window->selection()->current().op);
    QTest::keyClick(line, Qt::Key_Return);
    const Selected first = window->selection()->current();
    QVERIFY(first.op && first.stage); // also its stage, in the schedule and the timeline
    QTest::keyClick(line, Qt::Key_Return);
    QVERIFY(window->selection()->current().op != first.op);
    line->clear();
    QTest::keyClicks(line, QStringLiteral("/^fire[34]/squeeze$/"));
    QCOMPARE(graph->matchCount(), 2);
    line->clear();
    QTest::keyClicks(line, QStringLiteral("type:maxpool"));
    QVERIFY(graph->matchCount() >= 2);
}

void TestGraphWindow::colours_chosenInTheLegend_areThoseOfTheMenu()
{
    const auto window = open(QStringLiteral("squeezenet"));
    GraphView *graph = graphOf(*window);
    auto *choice = graph->findChild<QComboBox *>();
    QVERIFY(choice && choice->count() == static_cast<int>(kColourings));
    choice->setFocus();
    QTest::keyClick(choice, Qt::Key_Down); // Latency
    QVERIFY(graph->colouring() == Colouring::Heat);
    QVERIFY(test::shows(picture(*window), themeFor(graph->palette()).heat(1)) ||
            graph->zoom() > 0.3); // the hottest operator may be out of sight
    QTest::keyClick(window.get(), Qt::Key_4, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(graph->colouring() == Colouring::Flops);
    QCOMPARE(choice->currentText(), QStringLiteral("FLOPs"));
}

void TestGraphWindow::utilisation_isOfTheShownResult()
{
    const auto window = open(QStringLiteral("squeezenet"));
    QTRY_VERIFY(!window->timeline()->plainSummary().isEmpty());
    GraphView *graph = graphOf(*window);
    graph->fitAll();
    QTRY_VERIFY(!graph->isMoving());
    const QImage plain = picture(*window);
    QTest::keyClick(window.get(), Qt::Key_0, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(graph->colouring() == Colouring::Lost);
    const QImage greedy = picture(*window);
    QVERIFY(greedy != plain);
    window->document()->results()->setCurrent(window->document()->results()->newest(ScheduleKind::Sequential));
    QTRY_VERIFY(window->isSettled());
    QTRY_VERIFY(picture(*window) != greedy); // another schedule loses other time
}

void TestGraphWindow::moved_twoResults_areCompared()
{
    const auto window = open(QStringLiteral("squeezenet"));
    GraphView *graph = graphOf(*window);
    graph->fitAll();
    QTRY_VERIFY(!graph->isMoving());
    QTest::keyClick(window.get(), Qt::Key_V, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(graph->colouring() == Colouring::Moved);
    const QColor moved = changeFill(themeFor(graph->palette()), StageChange::Moved);
    QVERIFY(!test::shows(picture(*window), moved));
    window->panes()->openBeside(window->document()->results()->newest(ScheduleKind::Sequential));
    QTRY_VERIFY(window->isSettled());
    QTRY_VERIFY(test::shows(picture(*window), moved));
    window->panes()->close(1);
    QTRY_VERIFY(!test::shows(picture(*window), moved));
}

void TestGraphWindow::ancestors_keys_leaveTheSelection()
{
    const auto window = open(QStringLiteral("squeezenet"));
    GraphView *graph = graphOf(*window);
    const auto op = window->document()->next()->model()->graph->find("fire2/concat");
    QVERIFY(op);
    window->selection()->set({*op, std::nullopt});
    graph->setFocus();
    QTest::keyClick(graph, Qt::Key_Up, Qt::ShiftModifier);
    QVERIFY(graph->chosen().size() >= 4);
    QVERIFY(window->selection()->current().op == *op);
    QTest::keyClick(graph, Qt::Key_I);
    QVERIFY(graph->isIsolated());
    QTest::keyClick(graph, Qt::Key_Escape);
    QVERIFY(!graph->isIsolated() && window->selection()->current().op == *op);
}

STAGECRAFT_SUITE(TestGraphWindow)

} // namespace tst_graph_window
#include "tst_graph_window.moc"
