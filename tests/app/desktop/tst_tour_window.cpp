// The guided first tour: each step by its button or by hand, in this order.

#include "app/desktop/window_test.h"
#include "desktop/dialogs/tour_card.h"
#include "desktop/frame/menu_entries.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/schedule/schedule_edit_tool.h"
#include "widgets/schedule/schedule_view.h"

#include <QLabel>
#include <QMenuBar>
#include <QPushButton>

#include <memory>

using namespace stagecraft;

namespace tst_tour_window {
namespace {

void begin(const TestedWindow &window)
{
    for (const MenuEntry &entry : entriesOf(*window.menuBar())) {
        if (entry.text == QStringLiteral("First tour"))
            entry.action->trigger();
    }
}

// "2 of 7: Search"; empty: there is no tour.
QString step(const TestedWindow &window)
{
    const auto *card = window.findChild<TourCard *>();
    return card && card->isVisible() ? card->findChild<QLabel *>()->text() : QString();
}

void press(const TestedWindow &window, const QString &button)
{
    for (QPushButton *each : window.findChild<TourCard *>()->findChildren<QPushButton *>()) {
        if (each->text() == button && each->isVisible())
            each->click();
    }
}

} // namespace

class TestTourWindow : public WindowTest {
    Q_OBJECT

private slots:
    void emptyWindow_offersTheTour();
    void tour_eachStep_endsWithASavedSession();
    void tour_stepsDoneBefore_areLeftOut();
    void card_windowIsSized_staysInSight();
    void tour_windowCloses_endsWithIt();
    void tour_escape_ends();
};

void TestTourWindow::emptyWindow_offersTheTour()
{
    TestedWindow window(installedServices());
    window.show();
    for (QPushButton *button : window.findChildren<QPushButton *>()) {
        if (button->text().startsWith(QStringLiteral("First tour")) && button->isVisible())
            button->click();
    }
    QCOMPARE(step(window), QStringLiteral("1 of 7: Open a network"));
}

void TestTourWindow::tour_eachStep_endsWithASavedSession()
{
    TestedWindow window(installedServices());
    window.resize(1400, 900);
    window.show();
    begin(window);
    press(window, QStringLiteral("Open the sample"));
    QTRY_COMPARE(step(window), QStringLiteral("2 of 7: Search"));
    QTRY_VERIFY(isIdle(window));
    press(window, QStringLiteral("Search"));
    QTRY_COMPARE(step(window), QStringLiteral("3 of 7: Look"));
    QTRY_VERIFY(isIdle(window));
    press(window, QStringLiteral("Select a stage"));
    QCOMPARE(step(window), QStringLiteral("4 of 7: Change it by hand"));
    const SchedulePtr found = window.document()->results()->front().schedule;
    const auto several =
        std::ranges::find_if(found->stages, [](const Stage &stage) { return stage.operatorCount() > 1; });
    QVERIFY(several != found->stages.end()); // as the card says
    ScheduleView *view = window.schedulePane()->view();
    window.schedulePane()->editTool()->choose({{several->groups.back().back()}, {}});
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    view->setFocus();
    QTRY_VERIFY(view->hasFocus());
    QTest::keyClick(view, Qt::Key_X);
    QTRY_VERIFY2(step(window) == QStringLiteral("5 of 7: Compare"),
                 qPrintable(window.schedulePane()->editTool()->saidText()));
    QTRY_VERIFY(isIdle(window));
    press(window, QStringLiteral("Next"));
    QCOMPARE(step(window), QStringLiteral("6 of 7: Keep it"));
    const QString path = m_folder.filePath(QStringLiteral("tour.stagecraft"));
    answerFileDialog(path);
    press(window, QStringLiteral("Save"));
    QTRY_COMPARE(step(window), QStringLiteral("7 of 7: That was all"));
    QVERIFY(QFile::exists(path));
    const ScheduleResult *edited = window.document()->results()->shelf().find(window.document()->results()->current());
    QVERIFY(edited && edited->origin == Origin::Edited && window.document()->results()->front().latency);
    press(window, QStringLiteral("Close"));
    QTRY_VERIFY(!window.findChild<TourCard *>());
}

void TestTourWindow::tour_stepsDoneBefore_areLeftOut()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    begin(window);
    QCOMPARE(step(window), QStringLiteral("2 of 7: Search"));
    press(window, QStringLiteral("Next"));
    QCOMPARE(step(window), QStringLiteral("3 of 7: Look"));
}

void TestTourWindow::card_windowIsSized_staysInSight()
{
    TestedWindow window(installedServices());
    window.resize(1400, 900);
    window.show();
    begin(window);
    const auto *card = window.findChild<TourCard *>();
    for (const QSize size : {QSize(900, 500), QSize(1600, 1000)}) {
        window.resize(size);
        QTRY_VERIFY(window.rect().contains(card->geometry()));
        for (const QLabel *label : card->findChildren<QLabel *>())
            QVERIFY(label->height() >= label->heightForWidth(label->width()));
    }
}

void TestTourWindow::tour_windowCloses_endsWithIt()
{
    for (const bool isDestroyed : {false, true}) {
        auto window = std::make_unique<TestedWindow>(installedServices());
        window->show();
        begin(*window);
        QVERIFY(!step(*window).isEmpty());
        if (!isDestroyed)
            window->close();
        window.reset();
    }
}

void TestTourWindow::tour_escape_ends()
{
    TestedWindow window(installedServices());
    window.show();
    begin(window);
    QTest::keyClick(window.findChild<TourCard *>(), Qt::Key_Escape);
    QTRY_VERIFY(!window.findChild<TourCard *>());
}

STAGECRAFT_SUITE(TestTourWindow)

} // namespace tst_tour_window
#include "tst_tour_window.moc"
