// What a screen reader reads: every control that takes the keys has a name, in the window and in every dialog.

#include "app/desktop/window_test.h"
#include "desktop/frame/menu_entries.h"
#include "support/suite.h"

#include <QAccessible>
#include <QDockWidget>
#include <QMenuBar>
#include <QScrollBar>

using namespace stagecraft;

namespace tst_accessible_window {
namespace {

// Takes the keys, by Tab or by a press; not the inner part of a control that has a name itself.
bool isControl(const QWidget &widget)
{
    const QWidget *parent = widget.parentWidget();
    const bool isPart = parent && (parent->focusProxy() == &widget || widget.focusProxy() == parent ||
                                   parent->inherits("QAbstractSpinBox") || parent->inherits("QComboBox") ||
                                   parent->inherits("QKeySequenceEdit"));
    return widget.focusPolicy() != Qt::NoFocus && widget.isVisible() && !widget.isWindow() && !isPart &&
           !widget.inherits("QDockWidget") && !widget.inherits("QMenuBar") && !widget.inherits("QTabBar") &&
           !qobject_cast<const QScrollBar *>(&widget);
}

QString placeOf(const QWidget &widget)
{
    QStringList places;
    for (const QWidget *each = &widget; each; each = each->parentWidget())
        places.prepend(QString::fromLatin1(each->metaObject()->className()) +
                       (each->objectName().isEmpty() ? QString() : QLatin1Char(' ') + each->objectName()));
    return places.join(QStringLiteral(" > "));
}

QStringList withoutName(const QWidget &root)
{
    QStringList found;
    for (const QWidget *widget : root.findChildren<QWidget *>()) {
        if (!isControl(*widget))
            continue;
        QAccessibleInterface *read = QAccessible::queryAccessibleInterface(const_cast<QWidget *>(widget));
        if (!read || read->text(QAccessible::Name).isEmpty())
            found << placeOf(*widget);
    }
    found.removeDuplicates();
    return found;
}

} // namespace

class TestAccessibleWindow : public WindowTest {
    Q_OBJECT

private slots:
    void window_everyPanel_namesItsControls();
    void dialogs_each_namesItsControls_data();
    void dialogs_each_namesItsControls();
};

void TestAccessibleWindow::window_everyPanel_namesItsControls()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    QStringList found = withoutName(window); // empty: samples, recent work
    openAndWait(window, QStringLiteral("sample"));
    window.startSearch();
    QTRY_VERIFY(isIdle(window));
    for (QDockWidget *dock : window.panels()->docks()) {
        dock->show();
        dock->raise();
        QTRY_VERIFY(dock->isVisible());
        found << withoutName(window);
    }
    found.removeDuplicates();
    QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
}

void TestAccessibleWindow::dialogs_each_namesItsControls_data()
{
    QTest::addColumn<QString>("entry");
    for (const char *entry : {"Devices elsewhere...", "Export...", "What I run today...", "What if", "Change keys...",
                              "Keys of this pane", "Find anything...", "Help", "First tour", "About Stagecraft"})
        QTest::newRow(entry) << QString::fromLatin1(entry);
}

void TestAccessibleWindow::dialogs_each_namesItsControls()
{
    QFETCH(const QString, entry);
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QStringList texts;
    for (const MenuEntry &each : entriesOf(*window.menuBar())) {
        texts << each.text;
        if (each.text.startsWith(entry))
            each.action->trigger();
    }
    QVERIFY2(std::ranges::any_of(texts, [&](const QString &text) { return text.startsWith(entry); }),
             qPrintable(texts.join(QLatin1Char('\n'))));
    QTest::qWait(50);
    QStringList found;
    int windows = 0;
    for (const QWidget *top : QApplication::topLevelWidgets()) {
        if (top->isVisible() && top != &window) {
            found << withoutName(*top);
            ++windows;
        }
    }
    QVERIFY(windows > 0 || entry == QStringLiteral("First tour"));
    found << withoutName(window);
    QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
    for (QWidget *top : QApplication::topLevelWidgets()) {
        if (top != &window)
            top->close();
    }
}

STAGECRAFT_SUITE(TestAccessibleWindow)

} // namespace tst_accessible_window
#include "tst_accessible_window.moc"
