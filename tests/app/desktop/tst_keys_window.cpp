// The keys of a pane, and entries of menus that have others than their own.

#include "app/desktop/window_test.h"
#include "desktop/dialogs/help_browser.h"
#include "desktop/dialogs/help_window.h"
#include "desktop/dialogs/keys_dialog.h"
#include "desktop/dialogs/pane_keys.h"
#include "desktop/frame/own_keys.h"
#include "support/suite.h"
#include "widgets/schedule/schedule_view.h"

#include <QAbstractButton>
#include <QDockWidget>
#include <QHelpEvent>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QMenuBar>
#include <QToolTip>
#include <QTreeWidget>

using namespace stagecraft;

namespace tst_keys_window {
namespace {

QAction *entryOf(const TestedWindow &window, const QString &text)
{
    for (const MenuEntry &entry : entriesOf(*window.menuBar())) {
        if (entry.text == text)
            return entry.action;
    }
    return nullptr;
}

KeysDialog *openDialog(TestedWindow &window)
{
    entryOf(window, QStringLiteral("Change keys..."))->trigger();
    return window.findChild<KeysDialog *>();
}

QTreeWidgetItem *choose(const KeysDialog &dialog, const QString &text)
{
    auto *table = dialog.findChild<QTreeWidget *>();
    const auto found = table->findItems(text, Qt::MatchExactly);
    if (found.size() == 1)
        table->setCurrentItem(found.front());
    return found.size() == 1 ? found.front() : nullptr;
}

void give(const KeysDialog &dialog, const QKeySequence &keys)
{
    auto *field = dialog.findChild<QKeySequenceEdit *>();
    field->setKeySequence(keys);
    emit field->editingFinished();
}

QString saidBy(const KeysDialog &dialog)
{
    return dialog.findChild<QLabel *>(QStringLiteral("trouble"))->text();
}

} // namespace

class TestKeysWindow : public WindowTest {
    Q_OBJECT

private slots:
    void cleanup() { OwnKeys::ofProgram().set({}); }

    void questionMark_everyPanel_showsItsKeys();
    void questionMark_link_opensTheHelpOfThePanel();
    void questionMark_inAField_isTyped();
    void entry_givenOtherKeys_hasThemInAllWindowsAndLater();
    void entry_givenOtherKeys_tipsNameThem();
    void entry_keysOfAnother_areRefusedByName();
    void entry_itsOwn_comeBack();
    void file_written_isReadByAnother();
    void file_wrong_changesNothing_data();
    void file_wrong_changesNothing();
};

void TestKeysWindow::questionMark_everyPanel_showsItsKeys()
{
    TestedWindow window(installedServices());
    window.show();
    for (QDockWidget *dock : window.panels()->docks()) {
        window.panels()->showOnly(dock);
        window.areas()->step(1);
        QTRY_COMPARE(window.areas()->framed(), dock);
        entryOf(window, QStringLiteral("Keys of this pane"))->trigger();
        auto *keys = window.findChild<PaneKeys *>();
        QVERIFY2(keys, qPrintable(dock->objectName()));
        QCOMPARE(keys->accessibleName(), QStringLiteral("Keys of %1").arg(dock->windowTitle()));
        const QString text = keys->findChild<HelpBrowser *>()->toPlainText();
        QVERIFY2(text.contains(dock->windowTitle()) && text.contains(QStringLiteral("About it")), qPrintable(text));
        QTest::keyClick(keys, Qt::Key_Escape);
        QTRY_VERIFY(!window.findChild<PaneKeys *>());
        window.panels()->showAll();
    }
}

void TestKeysWindow::questionMark_link_opensTheHelpOfThePanel()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    window.schedulePane()->view()->setFocus();
    entryOf(window, QStringLiteral("Keys of this pane"))->trigger();
    auto *browser = window.findChild<PaneKeys *>()->findChild<HelpBrowser *>();
    QVERIFY2(browser->toPlainText().contains(QStringLiteral("split off")), qPrintable(browser->toPlainText()));
    emit browser->anchorClicked(QUrl(QStringLiteral("#view-schedule")));
    const auto *help = window.findChild<HelpWindow *>();
    QTRY_VERIFY(help->isVisible());
    QCOMPARE(help->findChild<HelpBrowser *>()->source().fragment(), QStringLiteral("view-schedule"));
}

void TestKeysWindow::questionMark_inAField_isTyped()
{
    TestedWindow window(installedServices());
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    openAndWait(window, QStringLiteral("sample"));
    const QList<QLineEdit *> fields = window.shelf()->findChildren<QLineEdit *>();
    const auto inSight = std::ranges::find_if(fields, [](const QLineEdit *each) { return each->isVisible(); });
    QVERIFY(inSight != fields.end());
    QLineEdit *field = *inSight;
    field->setFocus();
    QTest::keyClicks(field, QStringLiteral("?"));
    QCOMPARE(field->text(), QStringLiteral("?"));
    QVERIFY(!window.findChild<PaneKeys *>());
}

void TestKeysWindow::entry_givenOtherKeys_hasThemInAllWindowsAndLater()
{
    TestedWindow window(installedServices()), other(installedServices());
    KeysDialog *dialog = openDialog(window);
    QVERIFY(choose(*dialog, QStringLiteral("Search")));
    const QKeySequence wanted(Qt::Key_F12);
    give(*dialog, wanted);
    QCOMPARE(saidBy(*dialog), QString());
    for (const TestedWindow *each : {&window, &other})
        QCOMPARE(entryOf(*each, QStringLiteral("Search"))->shortcut(), wanted);
    const TestedWindow later(installedServices());
    QCOMPARE(entryOf(later, QStringLiteral("Search"))->shortcut(), wanted);
    give(*dialog, {});
    QVERIFY(entryOf(other, QStringLiteral("Search"))->shortcut().isEmpty());
}

void TestKeysWindow::entry_givenOtherKeys_tipsNameThem()
{
    TestedWindow window(installedServices());
    window.show();
    const auto buttons = window.findChildren<QAbstractButton *>();
    const auto named = [](const QAbstractButton *each) {
        return each->isVisible() && each->toolTip().endsWith(QStringLiteral(" (Ctrl+O)"));
    };
    const auto open = std::ranges::find_if(buttons, named);
    QVERIFY(open != buttons.end());
    const auto tip = [&] {
        QHelpEvent event(QEvent::ToolTip, {1, 1}, (*open)->mapToGlobal(QPoint(1, 1)));
        QApplication::sendEvent(*open, &event);
        return QToolTip::text();
    };
    const QString own = (*open)->toolTip();
    QCOMPARE(tip(), own);
    KeysDialog *dialog = openDialog(window);
    const QString name = QString(entryOf(window, QStringLiteral("Open..."))->text()).remove(QLatin1Char('&'));
    QVERIFY2(choose(*dialog, name), qPrintable(name));
    give(*dialog, QKeySequence(Qt::Key_F12));
    QCOMPARE(tip(), QString(own).replace(QStringLiteral("Ctrl+O"), QStringLiteral("F12")));
    give(*dialog, {});
    QCOMPARE(tip(), QString(own).remove(QStringLiteral(" (Ctrl+O)")));
}

void TestKeysWindow::entry_keysOfAnother_areRefusedByName()
{
    TestedWindow window(installedServices());
    KeysDialog *dialog = openDialog(window);
    QVERIFY(choose(*dialog, QStringLiteral("Search")));
    give(*dialog, QKeySequence(QStringLiteral("Ctrl+O")));
    QVERIFY2(saidBy(*dialog).contains(entryOf(window, QStringLiteral("Search"))->text()) ||
                 saidBy(*dialog).startsWith(QStringLiteral("Ctrl+O is Open")),
             qPrintable(saidBy(*dialog)));
    give(*dialog, QKeySequence(Qt::Key_J)); // a pane's
    QVERIFY2(saidBy(*dialog).startsWith(QStringLiteral("J alone")), qPrintable(saidBy(*dialog)));
    QCOMPARE(entryOf(window, QStringLiteral("Search"))->shortcut(), QKeySequence(Qt::Key_F5));
}

void TestKeysWindow::entry_itsOwn_comeBack()
{
    TestedWindow window(installedServices());
    KeysDialog *dialog = openDialog(window);
    const QTreeWidgetItem *row = choose(*dialog, QStringLiteral("Search"));
    QVERIFY(row);
    give(*dialog, QKeySequence(Qt::Key_F12));
    QCOMPARE(row->text(2), QStringLiteral("F12"));
    QVERIFY(row->toolTip(2).contains(QStringLiteral("F5")));
    give(*dialog, QKeySequence(Qt::Key_F5));
    QVERIFY(row->toolTip(2).isEmpty());
    QVERIFY(OwnKeys::ofProgram().all().isEmpty());
}

void TestKeysWindow::file_written_isReadByAnother()
{
    TestedWindow window(installedServices());
    KeysDialog *dialog = openDialog(window);
    QVERIFY(choose(*dialog, QStringLiteral("Search")));
    give(*dialog, QKeySequence(Qt::Key_F12));
    const QString path = m_folder.filePath(QStringLiteral("keys.json"));
    dialog->writeFile(path);
    QVERIFY2(saidBy(*dialog).startsWith(QStringLiteral("Written to ")), qPrintable(saidBy(*dialog)));
    OwnKeys::ofProgram().set({});
    QCOMPARE(entryOf(window, QStringLiteral("Search"))->shortcut(), QKeySequence(Qt::Key_F5));
    dialog->readFile(path);
    QVERIFY2(saidBy(*dialog).startsWith(QStringLiteral("Read from ")), qPrintable(saidBy(*dialog)));
    QCOMPARE(entryOf(window, QStringLiteral("Search"))->shortcut(), QKeySequence(Qt::Key_F12));
    QCOMPARE(OwnKeys::ofProgram().all().size(), 1); // what is as it came is not kept
}

void TestKeysWindow::file_wrong_changesNothing_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("said");
    QTest::newRow("no JSON") << QByteArray("keys") << "it is not JSON";
    QTest::newRow("another file") << QByteArray("{}") << "these are not the keys of Stagecraft";
    QTest::newRow("no keys") << QByteArray(R"({"stagecraft_keys": 1, "keys": {"search": "Hyper+Nothing"}})")
                             << "search";
    QTest::newRow("keys of another") << QByteArray(
                                            R"({"stagecraft_keys": 1, "keys": {"search": "F12", "open": "F12"}})")
                                     << "F12 is ";
    QTest::newRow("keys of panes") << QByteArray(R"({"stagecraft_keys": 1, "keys": {"search": "X"}})") << "X alone";
}

void TestKeysWindow::file_wrong_changesNothing()
{
    QFETCH(const QByteArray, content);
    QFETCH(const QString, said);
    TestedWindow window(installedServices());
    KeysDialog *dialog = openDialog(window);
    const QString path = write(QStringLiteral("wrong.json"), content);
    dialog->readFile(path);
    QVERIFY2(saidBy(*dialog).contains(path) && saidBy(*dialog).contains(said), qPrintable(saidBy(*dialog)));
    QVERIFY(OwnKeys::ofProgram().all().isEmpty());
}

STAGECRAFT_SUITE(TestKeysWindow)

} // namespace tst_keys_window
#include "tst_keys_window.moc"
