// The window in light and dark colours: nothing keeps a colour of the appearance before, where it may be unreadable.

#include "app/desktop/window_test.h"
#include "desktop/dialogs/export_dialog.h"
#include "desktop/frame/appearance.h"
#include "desktop/frame/panels.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/timeline/timeline_view.h"

#include <QDockWidget>

#include <map>

using namespace stagecraft;

namespace tst_appearance_window {

namespace {

struct Role {
    QString name;
    int most; // pixels by chance, where greys mix at the edges of letters
};

std::map<QRgb, Role> coloursOf(const Theme &theme)
{
    constexpr int kLetters = 120;
    constexpr int kSurface = 500;
    return {{theme.panel.rgb(), {"panel", kSurface}},
            {theme.canvas.rgb(), {"canvas", kSurface}},
            {theme.text.rgb(), {"text", kLetters}},
            {theme.mutedText.rgb(), {"muted text", kLetters}},
            {theme.error.rgb(), {"error", 1}},
            {theme.faster.rgb(), {"faster", 1}},
            {theme.slower.rgb(), {"slower", 1}},
            {theme.accent.rgb(), {"accent", 1}},
            {theme.warning.rgb(), {"warning", 1}},
            {theme.provenance(Provenance::Measured).rgb(), {"measured", 1}},
            {theme.provenance(Provenance::Simulated).rgb(), {"simulated", 1}},
            {theme.line(1).rgb(), {"line 2", 1}},
            {theme.line(2).rgb(), {"line 3", 1}}};
}

// "simulated of before, 12 times, from 120, 30: ..."; empty: none is left.
QString leftOf(const Theme &before, QWidget &widget)
{
    const auto colours = coloursOf(before);
    const QImage seen = widget.grab().toImage();
    std::map<QRgb, std::pair<int, QPoint>> found;
    for (int y = 0; y < seen.height(); ++y) {
        for (int x = 0; x < seen.width(); ++x) {
            const QRgb colour = seen.pixel(x, y) | 0xff000000U;
            if (!colours.contains(colour))
                continue;
            auto &[count, at] = found[colour];
            if (count++ == 0)
                at = QPoint(x, y);
        }
    }
    for (const auto &[colour, where] : found) {
        const auto &[name, most] = colours.at(colour);
        if (where.first <= most)
            continue;
        const QWidget *part = widget.childAt(where.second);
        return QStringLiteral("%1 of before, %2 times, from %3, %4: %5 %6 in %7")
            .arg(name)
            .arg(where.first)
            .arg(where.second.x())
            .arg(where.second.y())
            .arg(part ? part->metaObject()->className() : "", part ? part->objectName() : QString(),
                 part && part->parentWidget() ? part->parentWidget()->metaObject()->className() : "");
    }
    return {};
}

} // namespace

class TestAppearanceWindow : public WindowTest {
    Q_OBJECT

private slots:
    void cleanup() { applyAppearance(*qApp, Appearance::Light); }
    void appearance_switched_leavesNoColourOfBefore_data();
    void appearance_switched_leavesNoColourOfBefore();
    void appearance_palette_isReadable_data();
    void appearance_palette_isReadable();
    void appearance_switchedWithADialog_recoloursItsTrouble();
};

void TestAppearanceWindow::appearance_switched_leavesNoColourOfBefore_data()
{
    QTest::addColumn<bool>("toDark");
    QTest::newRow("to dark") << true;
    QTest::newRow("to light") << false;
}

void TestAppearanceWindow::appearance_switched_leavesNoColourOfBefore()
{
    QFETCH(bool, toDark);
    applyAppearance(*qApp, toDark ? Appearance::Light : Appearance::Dark);
    const Theme before = themeFor(QApplication::palette());
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    openAndWait(window, QStringLiteral("squeezenet"));
    window.startSearch(); // the tool bar says what was found
    QTRY_VERIFY(resultOf(window, ScheduleKind::IosBoth) && window.isSettled());
    window.selection()->set({std::nullopt, 2});
    QTRY_VERIFY(window.document()->results()->front().timeline);
    window.timeline()->selectRange(std::pair(10.0, 60.0));
    for (QDockWidget *dock : window.panels()->docks()) { // what was in sight has its colours
        dock->raise();
        QTRY_VERIFY(!dock->visibleRegion().isEmpty());
        (void)dock->grab();
    }
    applyAppearance(*qApp, toDark ? Appearance::Dark : Appearance::Light);
    QCOMPARE(themeFor(window.palette()).dark, toDark);
    QTRY_VERIFY(window.isSettled());
    for (QDockWidget *dock : window.panels()->docks()) {
        dock->raise();
        QTRY_VERIFY(!dock->visibleRegion().isEmpty());
        QCoreApplication::processEvents();
        const QString left = leftOf(before, window);
        QVERIFY2(left.isEmpty(), qPrintable(left));
    }
}

void TestAppearanceWindow::appearance_palette_isReadable_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QPalette::ColorRole>("ink");
    QTest::addColumn<QPalette::ColorRole>("surface");
    using Role = QPalette::ColorRole;
    const std::vector<std::pair<Role, Role>> pairs{
        {QPalette::WindowText, QPalette::Window},         {QPalette::Text, QPalette::Base},
        {QPalette::Text, QPalette::AlternateBase},        {QPalette::PlaceholderText, QPalette::Base},
        {QPalette::ButtonText, QPalette::Button},         {QPalette::ToolTipText, QPalette::ToolTipBase},
        {QPalette::HighlightedText, QPalette::Highlight}, {QPalette::Link, QPalette::Base},
        {QPalette::LinkVisited, QPalette::Base},          {QPalette::BrightText, QPalette::Window}};
    const auto roles = QMetaEnum::fromType<QPalette::ColorRole>();
    for (const bool dark : {false, true}) {
        for (const auto &[ink, surface] : pairs)
            QTest::addRow("%s, %s on %s", dark ? "dark" : "light", roles.valueToKey(ink), roles.valueToKey(surface))
                << dark << ink << surface;
    }
}

void TestAppearanceWindow::appearance_palette_isReadable()
{
    QFETCH(bool, dark);
    QFETCH(QPalette::ColorRole, ink);
    QFETCH(QPalette::ColorRole, surface);
    applyAppearance(*qApp, dark ? Appearance::Dark : Appearance::Light);
    const QPalette palette = QApplication::palette();
    const double found = contrast(palette.color(ink), palette.color(surface));
    QVERIFY2(found >= kReadable, qPrintable(QString::number(found)));
}

void TestAppearanceWindow::appearance_switchedWithADialog_recoloursItsTrouble()
{
    applyAppearance(*qApp, Appearance::Light);
    const Theme light = themeFor(QApplication::palette());
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    ExportDialog *dialog = window.exportAs();
    QVERIFY(dialog);
    dialog->setPath({});
    dialog->write();
    QVERIFY(!dialog->trouble().isEmpty());
    (void)dialog->grab();
    applyAppearance(*qApp, Appearance::Dark);
    QCoreApplication::processEvents();
    const QString left = leftOf(light, *dialog);
    QVERIFY2(left.isEmpty(), qPrintable(left));
}

STAGECRAFT_SUITE(TestAppearanceWindow)

} // namespace tst_appearance_window
#include "tst_appearance_window.moc"
