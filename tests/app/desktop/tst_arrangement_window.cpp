// The window at all sizes: panels that share a tab, tools that move into a menu, the path of the focus, and a key for
// each action.

#include "app/desktop/window_test.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/frame/area_cycle.h"
#include "desktop/frame/panels.h"
#include "desktop/frame/tool_overflow.h"
#include "support/picture.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/schedule/overview_strip.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/search/search_panel.h"
#include "widgets/shelf/shelf_view.h"
#include "widgets/timeline/timeline_view.h"

#include <QAction>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QScrollBar>
#include <QToolButton>

#include <algorithm>
#include <map>

using namespace stagecraft;

namespace tst_arrangement_window {

namespace {

QDockWidget *dockNamed(const TestedWindow &window, const char *name)
{
    return window.findChild<QDockWidget *>(QLatin1String(name));
}

bool shareTab(const TestedWindow &window, const char *one, const char *other)
{
    return window.tabifiedDockWidgets(dockNamed(window, one)).contains(dockNamed(window, other));
}

// Shows the window with its parts in place: docks are placed in a later turn of the event loop.
void showAt(TestedWindow &window, QSize size)
{
    window.resize(size);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QTRY_COMPARE(window.size(), size);
}

// Why an entry has no key.
QString whyNoKey(const QString &menu, const QString &text)
{
    if (menu == QStringLiteral("Samples") || menu == QStringLiteral("Open recent"))
        return QStringLiteral("as many as there are files; the arrow keys choose");
    if (text == QStringLiteral("About Stagecraft"))
        return QStringLiteral("read once");
    if (text.contains(QLatin1Char('\t')))
        return QStringLiteral("a key of the list it is about, which the menu says");
    return {};
}

QString mnemonicOf(const QString &text)
{
    const qsizetype at = text.indexOf(QLatin1Char('&'));
    return at >= 0 && at + 1 < text.size() ? text.mid(at + 1, 1).toLower() : QString();
}

void collect(const QMenu &menu, const QString &title, QStringList &troubles, std::map<QString, QString> &keys)
{
    std::map<QString, QString> mnemonics;
    for (const QAction *action : menu.actions()) {
        if (action->isSeparator())
            continue;
        const QString text = action->text().section(QStringLiteral(" ("), 0, 0);
        const QString plain = QString(text).remove(QLatin1Char('&'));
        if (const QString letter = mnemonicOf(text); !letter.isEmpty()) {
            if (mnemonics.contains(letter))
                troubles << QStringLiteral("%1: %2 and %3 share a letter").arg(title, plain, mnemonics[letter]);
            mnemonics[letter] = plain;
        }
        if (action->menu()) {
            collect(*action->menu(), plain, troubles, keys);
            continue;
        }
        const QString key = action->shortcut().toString();
        if (key.isEmpty() && whyNoKey(title, plain).isEmpty())
            troubles << QStringLiteral("%1 > %2 has no key").arg(title, plain);
        if (!key.isEmpty() && keys.contains(key) && keys[key] != plain)
            troubles << QStringLiteral("%1 is of %2 and of %3").arg(key, keys[key], plain);
        keys[key] = plain;
    }
}

} // namespace

class TestArrangementWindow : public WindowTest {
    Q_OBJECT

private slots:
    void panels_narrow_shareTabs_data();
    void panels_narrow_shareTabs();
    void panels_windowIsSized_followAndComeBack();
    void panels_ofEachRoom_areRemembered();
    void shelf_narrow_isFoldedToBadges();
    void panel_behindATab_comesToTheFrontByItsKey();
    void panel_graphClosed_givesItsRoomToTheSchedule();
    void panel_enlarged_hasAllTheRoomAndGivesItBack_data();
    void panel_enlarged_hasAllTheRoomAndGivesItBack();
    void panel_enlarged_isNotWhatIsRemembered();
    void panel_enlarged_otherPanelIsShown_allComeBack();
    void panel_enlarged_windowIsSized_staysAlone();
    void find_graphBehindATab_bringsItToTheFront();
    void toolBar_narrow_hasTheRestInAMenu();
    void toolBar_tight_isInSight();
    void areas_f6_goesRoundWithAFrame();
    void areas_click_takesTheFrameAway();
    void menus_everyAction_hasAKeyOfItsOwn();
    void menus_rightButton_isAnsweredEverywhere();
    void lengths_byLatency_areInProportion();
    void lengths_byLatency_areRemembered();
    void overview_press_scrollsThere();
    void toolBar_otherDevice_doesNotTellOfTheLastSearch();
};

void TestArrangementWindow::panels_narrow_shareTabs_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("isNarrow");
    QTest::newRow("panels_1600x1000_standApart") << QSize(1600, 1000) << false;
    QTest::newRow("panels_1201x800_standApart") << QSize(1201, 800) << false;
    QTest::newRow("panels_1200x800_shareTabs") << QSize(1200, 800) << true;
    QTest::newRow("panels_1040x700_shareTabs") << QSize(1040, 700) << true;
    QTest::newRow("panels_880x480_shareTabs") << QSize(880, 480) << true;
}

void TestArrangementWindow::panels_narrow_shareTabs()
{
    QFETCH(QSize, size);
    QFETCH(bool, isNarrow);
    TestedWindow window(installedServices());
    showAt(window, size);
    QCOMPARE(shareTab(window, "inspector", "graph"), isNarrow);
    QCOMPARE(shareTab(window, "timeline", "comparison"), isNarrow);
    QTRY_VERIFY2(window.panes()->width() >= (isNarrow ? 480 : 400),
                 qPrintable(QString::number(window.panes()->width())));
    QTRY_VERIFY2(3 * window.panes()->height() >= size.height(), qPrintable(QString::number(window.panes()->height())));
    QCOMPARE(window.size(), size);
}

void TestArrangementWindow::panels_windowIsSized_followAndComeBack()
{
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    dockNamed(window, "stage_latency")->hide();
    window.resize(1040, 700);
    QTRY_VERIFY(shareTab(window, "inspector", "graph"));
    QTRY_VERIFY(window.panes()->width() >= 480);
    QVERIFY(dockNamed(window, "stage_latency")->isHidden()); // panels closed by the user stay closed
    window.resize(1600, 1000);
    QTRY_VERIFY(!shareTab(window, "inspector", "graph"));
    QVERIFY(dockNamed(window, "stage_latency")->isHidden());
    QVERIFY(dockNamed(window, "graph")->isVisible());
}

void TestArrangementWindow::panels_ofEachRoom_areRemembered()
{
    {
        TestedWindow window(installedServices());
        showAt(window, {1600, 1000});
        dockNamed(window, "blocks")->hide();
        window.close();
    }
    TestedWindow window(installedServices());
    window.show();
    QTRY_COMPARE(window.size(), QSize(1600, 1000));
    QVERIFY(dockNamed(window, "blocks")->isHidden());
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier | Qt::AltModifier); // the default arrangement
    QVERIFY(!dockNamed(window, "blocks")->isHidden());
}

void TestArrangementWindow::shelf_narrow_isFoldedToBadges()
{
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    openAndWait(window, QStringLiteral("sample"));
    ShelfView *shelf = window.shelf();
    QVERIFY(!shelf->isFolded());
    const std::vector<ResultId> ids = window.document()->results()->fitting();
    window.document()->results()->setCurrent(ids.back());
    window.resize(1040, 700);
    QTRY_VERIFY(shelf->isFolded());
    QTRY_VERIFY2(dockNamed(window, "shelf")->width() < 100, qPrintable(QString::number(shelf->width())));
    QTRY_VERIFY(window.panes()->width() >= 480);
    const QRect badge = shelf->rowRect(ids.front());
    QVERIFY(shelf->list()->viewport()->rect().contains(badge));
    QTest::mouseClick(shelf->list()->viewport(), Qt::LeftButton, {}, badge.center());
    QVERIFY(window.document()->results()->current() == ids.front());
    QTest::mouseClick(shelf->unfoldButton(), Qt::LeftButton);
    QVERIFY(!shelf->isFolded());
    QTRY_VERIFY2(dockNamed(window, "shelf")->width() > 150, qPrintable(QString::number(shelf->width())));
    QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(shelf->isFolded());
    QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier); // the filter
    QVERIFY(!shelf->isFolded());
    window.resize(1600, 1000);
    QTRY_VERIFY(!shareTab(window, "inspector", "graph") && !shelf->isFolded());
    QTRY_VERIFY2(dockNamed(window, "shelf")->width() > 150, qPrintable(QString::number(shelf->width())));
    window.resize(1040, 700); // as it was left
    QTRY_VERIFY(shareTab(window, "inspector", "graph"));
    QVERIFY(!shelf->isFolded());
}

void TestArrangementWindow::panel_behindATab_comesToTheFrontByItsKey()
{
    TestedWindow window(installedServices());
    showAt(window, {1040, 700});
    const QDockWidget *blocks = dockNamed(window, "blocks");
    QTRY_VERIFY(shareTab(window, "timeline", "blocks"));
    QTRY_VERIFY(blocks->visibleRegion().isEmpty());
    QCoreApplication::processEvents();
    QTest::keyClick(&window, Qt::Key_8, Qt::AltModifier);
    QVERIFY(!blocks->isHidden());
    QTRY_VERIFY(!blocks->visibleRegion().isEmpty());
    QCoreApplication::processEvents();
    QTest::keyClick(&window, Qt::Key_8, Qt::AltModifier); // in front: closed
    QVERIFY(blocks->isHidden());
}

void TestArrangementWindow::panel_enlarged_hasAllTheRoomAndGivesItBack_data()
{
    QTest::addColumn<QString>("dock"); // empty: the panes
    QTest::addColumn<Qt::KeyboardModifiers>("keys");
    QTest::newRow("enlarge_timeline") << "timeline" << Qt::KeyboardModifiers(Qt::NoModifier);
    QTest::newRow("enlarge_graph") << "graph" << Qt::KeyboardModifiers(Qt::NoModifier);
    QTest::newRow("enlarge_behindATab") << "blocks" << Qt::KeyboardModifiers(Qt::NoModifier);
    QTest::newRow("enlarge_panes") << "" << Qt::KeyboardModifiers(Qt::NoModifier);
    QTest::newRow("comparisonOnly") << "" << Qt::KeyboardModifiers(Qt::ShiftModifier);
}

void TestArrangementWindow::panel_enlarged_hasAllTheRoomAndGivesItBack()
{
    QFETCH(QString, dock);
    QFETCH(Qt::KeyboardModifiers, keys);
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    openAndWait(window, QStringLiteral("sample"));
    QVERIFY(QTest::qWaitForWindowActive(&window));
    dockNamed(window, "memory")->hide(); // stays closed
    QDockWidget *panel = dock.isEmpty() ? nullptr : window.findChild<QDockWidget *>(dock);
    QWidget *area = panel ? static_cast<QWidget *>(panel) : window.panes();
    for (int i = 0; i < 20 && window.areas()->framed() != (panel ? area : window.panes()->pane(0)); ++i)
        QTest::keyClick(&window, Qt::Key_F6);
    std::map<const QWidget *, QRect> before;
    for (const QDockWidget *each : window.panels()->docks())
        before[each] = each->isHidden() ? QRect() : each->geometry();
    const QSize size = area->size();
    QTest::keyClick(&window, Qt::Key_F11, keys);
    QCOMPARE(window.panels()->only(), area);
    QTRY_VERIFY2(area->width() >= 1590 && area->height() > 800,
                 qPrintable(QStringLiteral("%1 x %2").arg(area->width()).arg(area->height())));
    for (const QDockWidget *each : window.panels()->docks())
        QCOMPARE(each->isVisible(), each == area);
    QCOMPARE(window.panes()->isVisible(), !panel);
    QVERIFY(QApplication::focusWidget() && QApplication::focusWidget()->isVisible());
    QTest::keyClick(&window, Qt::Key_F6); // there is no other area to go to
    QVERIFY(QApplication::focusWidget()->isVisible());
    QTest::keyClick(&window, Qt::Key_F11, keys);
    QVERIFY(!window.panels()->only());
    QTRY_COMPARE(area->size(), size);
    for (const QDockWidget *each : window.panels()->docks())
        QCOMPARE(each->isHidden() ? QRect() : each->geometry(), before[each]);
    QVERIFY(window.panes()->isVisible());
}

void TestArrangementWindow::panel_enlarged_isNotWhatIsRemembered()
{
    {
        TestedWindow window(installedServices());
        showAt(window, {1600, 1000});
        window.panels()->showOnly(dockNamed(window, "timeline"));
        window.close();
    }
    TestedWindow window(installedServices());
    window.show();
    QTRY_COMPARE(window.size(), QSize(1600, 1000));
    for (const QDockWidget *each : window.panels()->docks())
        QVERIFY2(!each->isHidden(), qPrintable(each->objectName()));
    QVERIFY(window.panes()->isVisible());
}

void TestArrangementWindow::panel_enlarged_otherPanelIsShown_allComeBack()
{
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    window.panels()->showOnly(window.panes());
    QTest::keyClick(&window, Qt::Key_4, Qt::AltModifier); // the timeline
    QVERIFY(!window.panels()->only());
    QTRY_VERIFY(dockNamed(window, "timeline")->isVisible() && dockNamed(window, "graph")->isVisible());
    window.panels()->showOnly(dockNamed(window, "timeline"));
    dockNamed(window, "timeline")->close();
    QTRY_VERIFY(!window.panels()->only());
    QVERIFY(window.panes()->isVisible());
}

void TestArrangementWindow::panel_enlarged_windowIsSized_staysAlone()
{
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    QDockWidget *timeline = dockNamed(window, "timeline");
    window.panels()->showOnly(timeline);
    window.resize(1100, 800);
    QTRY_VERIFY(timeline->width() <= 1100 && timeline->width() >= 1090);
    QCoreApplication::processEvents(); // panels are placed in a later turn of the event loop
    QCOMPARE(window.panels()->only(), timeline);
    QVERIFY(!window.panes()->isVisible());
    QTRY_VERIFY(timeline->width() >= 1090);
    window.panels()->showAll();
    QTRY_VERIFY(shareTab(window, "inspector", "graph")); // the arrangement of narrow windows
    QVERIFY(window.panes()->isVisible());
}

void TestArrangementWindow::find_graphBehindATab_bringsItToTheFront()
{
    TestedWindow window(installedServices());
    showAt(window, {1100, 800});
    openAndWait(window, QStringLiteral("sample"));
    QVERIFY(QTest::qWaitForWindowActive(&window));
    dockNamed(window, "inspector")->raise();
    QTRY_VERIFY(dockNamed(window, "graph")->visibleRegion().isEmpty());
    QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(!dockNamed(window, "graph")->visibleRegion().isEmpty());
    QVERIFY(dockNamed(window, "graph")->isAncestorOf(QApplication::focusWidget()));
}

void TestArrangementWindow::panel_graphClosed_givesItsRoomToTheSchedule()
{
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    QTRY_VERIFY(dockNamed(window, "graph")->width() > 200);
    const int shelf = dockNamed(window, "shelf")->width();
    const int panes = window.panes()->width();
    const int graph = dockNamed(window, "graph")->width();
    QTest::keyClick(&window, Qt::Key_2, Qt::AltModifier);
    QVERIFY(dockNamed(window, "graph")->isHidden());
    QTRY_VERIFY2(window.panes()->width() >= panes + graph - 10, qPrintable(QString::number(window.panes()->width())));
    QVERIFY(qAbs(dockNamed(window, "shelf")->width() - shelf) <= 4);
    QTest::keyClick(&window, Qt::Key_2, Qt::AltModifier); // takes its space back
    QTRY_VERIFY2(qAbs(window.panes()->width() - panes) <= 20,
                 qPrintable(QStringLiteral("%1 %2 %3")
                                .arg(window.panes()->width())
                                .arg(dockNamed(window, "graph")->width())
                                .arg(dockNamed(window, "shelf")->width())));
    QVERIFY(qAbs(dockNamed(window, "shelf")->width() - shelf) <= 20);
}

void TestArrangementWindow::toolBar_narrow_hasTheRestInAMenu()
{
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    QToolButton *more = window.overflow()->button();
    QVERIFY(!more->isVisible());
    window.overflow()->fit(60); // the width left in a narrow window
    QTRY_VERIFY(more->isVisible());
    QVERIFY(more->mapTo(&window, more->rect().topRight()).x() < window.width());
    emit more->menu()->aboutToShow();
    QStringList texts;
    for (const QAction *action : more->menu()->actions())
        texts << action->text().remove('&');
    QVERIFY2(texts.contains(QStringLiteral("Help")), qPrintable(texts.join(", ")));
    window.overflow()->fit(600);
    QTRY_VERIFY(!more->isVisible());
}

void TestArrangementWindow::toolBar_tight_isInSight()
{
    TestedWindow window(installedServices());
    window.setMinimumSize(0, 0);
    window.show();
    // Like a small screen at scale 2.
    QTRY_VERIFY(window.isVisible());
    window.searchPanel()->setTightness(2);
    QVERIFY2(window.searchPanel()->minimumSizeHint().width() <= 590,
             qPrintable(QString::number(window.searchPanel()->minimumSizeHint().width())));
    QAction *single = window.searchPanel()->singleSourceAction();
    single->trigger(); // hidden tools stay in the menu
    QVERIFY(window.searchPanel()->options().singleSource);
}

void TestArrangementWindow::areas_f6_goesRoundWithAFrame()
{
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    openAndWait(window, QStringLiteral("sample"));
    window.activateWindow();
    QStringList names;
    for (int i = 0; i < 18; ++i) {
        QTest::keyClick(&window, Qt::Key_F6);
        QWidget *area = window.areas()->framed();
        QVERIFY(area);
        names << (area == window.panes()->pane(0) ? QStringLiteral("pane") : area->objectName());
        QVERIFY2(area->isAncestorOf(QApplication::focusWidget()), qPrintable(names.back()));
        const QRect place(area->mapTo(&window, QPoint(0, 0)), area->size());
        const QImage seen = window.grab().toImage();
        QVERIFY2(seen.pixelColor(place.left() + 1, place.center().y()) == themeFor(window.palette()).accent,
                 qPrintable(names.back()));
    }
    std::rotate(names.begin(), std::find(names.begin(), names.end(), QStringLiteral("shelf")), names.end());
    QCOMPARE(names.join(' '), QStringLiteral("shelf pane graph inspector timeline stage_latency comparison difference "
                                             "blocks pruning specialization roofline memory passes time_parts "
                                             "virtual_units sizes together"));
    const QWidget *last = window.areas()->framed();
    QTest::keyClick(&window, Qt::Key_F6);
    QVERIFY(window.areas()->framed() != last);
    QTest::keyClick(&window, Qt::Key_F6, Qt::ShiftModifier);
    QCOMPARE(window.areas()->framed(), last);
}

void TestArrangementWindow::areas_click_takesTheFrameAway()
{
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    openAndWait(window, QStringLiteral("sample"));
    QTest::keyClick(&window, Qt::Key_F6);
    QVERIFY(window.areas()->framed());
    window.schedulePane()->view()->setFocus(Qt::MouseFocusReason);
    QVERIFY(!window.areas()->framed());
}

void TestArrangementWindow::menus_everyAction_hasAKeyOfItsOwn()
{
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    openAndWait(window, QStringLiteral("sample"));
    QStringList troubles;
    std::map<QString, QString> keys;
    std::map<QString, QString> titles;
    for (const QAction *top : window.menuBar()->actions()) {
        const QString title = top->text().remove('&');
        QVERIFY2(!titles.contains(mnemonicOf(top->text())), qPrintable(title));
        titles[mnemonicOf(top->text())] = title;
        collect(*top->menu(), title, troubles, keys);
    }
    QVERIFY2(troubles.isEmpty(), qPrintable(troubles.join('\n')));
    QVERIFY(keys.size() > 50);
}

void TestArrangementWindow::menus_rightButton_isAnsweredEverywhere()
{
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    openAndWait(window, QStringLiteral("sample"));
    std::vector<QWidget *> views{window.schedulePane()->view()->viewport()};
    for (const QDockWidget *dock : window.panels()->docks())
        views.push_back(dock->widget());
    for (QWidget *view : views) {
        window.panels()->show(view);
        QTRY_VERIFY(view->isVisible());
        QWidget *under = view->childAt(view->rect().center());
        QWidget *target = under ? under : view;
        const QPoint at = target->rect().center();
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, target->mapToGlobal(at));
        QApplication::sendEvent(target, &event);
        auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
        QVERIFY2(menu && menu->actions().size() >= 2, view->metaObject()->className());
        menu->close();
        QTRY_VERIFY(!QApplication::activePopupWidget());
    }
}

void TestArrangementWindow::lengths_byLatency_areInProportion()
{
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    openAndWait(window, QStringLiteral("squeezenet"));
    const ScheduleView *view = window.schedulePane()->view();
    const auto widthOf = [view](std::size_t stage) { return view->page().rows[stage].lanes.width(); };
    const double whole = widthOf(0);
    for (std::size_t i = 0; i < view->page().rows.size(); ++i)
        QVERIFY(widthOf(i) >= whole - 1); // rows use the width of the pane
    QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    const TimedSchedule &schedule = *view->schedule();
    const double slowest = view->page().slowestStageUs;
    int told = 0;
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const double expected = whole * schedule.measured.stages[i].latencyUs / slowest;
        if (schedule.stages[i].groups.size() > 1 || expected < 20)
            continue;
        QVERIFY(qAbs(widthOf(i) - expected) < 1.5);
        ++told;
    }
    QVERIFY(told > 3);
    QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(qAbs(widthOf(0) - whole) < 1);
}

void TestArrangementWindow::lengths_byLatency_areRemembered()
{
    {
        TestedWindow window(installedServices());
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    }
    const TestedWindow window(installedServices());
    QVERIFY(window.panes()->areLengthsLatencies());
}

void TestArrangementWindow::overview_press_scrollsThere()
{
    TestedWindow window(installedServices());
    showAt(window, {1600, 1000});
    openAndWait(window, QStringLiteral("inception_v3"));
    const SchedulePane *pane = window.schedulePane();
    OverviewStrip *strip = pane->overview();
    const std::size_t last = pane->schedule()->stages.size() - 1;
    QVERIFY(!strip->stageRect(last).isEmpty());
    QVERIFY(!strip->sightRect().contains(strip->stageRect(last)));
    QTest::mouseClick(strip, Qt::LeftButton, {}, strip->stageRect(last).center());
    QVERIFY(strip->sightRect().intersects(strip->stageRect(last)));
    QVERIFY(pane->view()->viewport()->rect().intersects(pane->view()->stageRect(last)));
    // The hottest stage has the hottest colour.
    const Theme theme = themeFor(window.palette());
    QVERIFY(test::shows(strip->grab().toImage(), theme.heat(1)));
}

void TestArrangementWindow::toolBar_otherDevice_doesNotTellOfTheLastSearch()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    window.startSearch();
    QTRY_VERIFY(window.isSettled());
    const QString told = window.searchPanel()->progressText();
    QVERIFY(told.contains(QStringLiteral("IOS-Both")));
    emit window.searchPanel()->deviceChanged(QStringLiteral("sim:k80"));
    QTRY_VERIFY(window.isSettled());
    QVERIFY2(window.searchPanel()->progressText().startsWith(QStringLiteral("sample is not searched yet")),
             qPrintable(window.searchPanel()->progressText()));
    emit window.searchPanel()->deviceChanged(QStringLiteral("sim:v100"));
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.searchPanel()->progressText(), told);
}

STAGECRAFT_SUITE(TestArrangementWindow)

} // namespace tst_arrangement_window
#include "tst_arrangement_window.moc"
