// Find anything: entries of menus, samples, results, operators and controls, by words and keys.

#include "app/desktop/window_test.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/dialogs/chooser.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/search/search_panel.h"

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>

using namespace stagecraft;

namespace tst_palette_window {

class TestPaletteWindow : public WindowTest {
    Q_OBJECT

private slots:
    void entry_isTriggered();
    void entry_thatCannotBe_staysGrey();
    void sample_isOpened();
    void result_isShown();
    void operator_isSelectedInItsStage();
    void setting_getsTheFocus();
    void words_fitBestFirst_andNothingIsSaid();
    void rows_ofManyOperators_areFew();

private:
    static Chooser *open(TestedWindow &window)
    {
        window.activateWindow();
        if (!QTest::qWaitForWindowActive(&window))
            return nullptr;
        QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        return qobject_cast<Chooser *>(QApplication::activePopupWidget());
    }

    // Types the words and takes the first row, whose text is returned.
    static QString take(TestedWindow &window, const QString &words)
    {
        Chooser *chooser = open(window);
        if (!chooser)
            return {};
        QTest::keyClicks(chooser->filter(), words);
        const QString text = chooser->list()->currentItem() ? chooser->list()->currentItem()->text() : QString();
        QTest::keyClick(chooser->filter(), Qt::Key_Return);
        return text;
    }
};

void TestPaletteWindow::entry_isTriggered()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const bool before = window.panes()->areLengthsLatencies();
    QCOMPARE(take(window, QStringLiteral("box length")), QStringLiteral("Box length by latency · View"));
    QCOMPARE(window.panes()->areLengthsLatencies(), !before);
}

void TestPaletteWindow::entry_thatCannotBe_staysGrey()
{
    TestedWindow window(installedServices());
    window.show();
    Chooser *chooser = open(window);
    QVERIFY(chooser);
    QTest::keyClicks(chooser->filter(), QStringLiteral("next difference"));
    QVERIFY(!chooser->list()->item(0)->flags().testFlag(Qt::ItemIsEnabled));
    QTest::keyClick(chooser->filter(), Qt::Key_Return);
    QVERIFY(chooser->isVisible());
}

void TestPaletteWindow::sample_isOpened()
{
    TestedWindow window(installedServices());
    window.show();
    QVERIFY(take(window, QStringLiteral("squeeze samples")).endsWith(QStringLiteral("File › Samples")));
    QTRY_VERIFY(window.document()->next()->model() && window.isSettled());
    QCOMPARE(window.document()->next()->model()->name, std::string("squeezenet"));
}

void TestPaletteWindow::result_isShown()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QTRY_VERIFY(window.document()->results()->newest(ScheduleKind::Greedy) !=
                window.document()->results()->newest(ScheduleKind::Sequential));
    const ResultId greedy = window.document()->results()->newest(ScheduleKind::Greedy);
    window.document()->results()->setCurrent(window.document()->results()->newest(ScheduleKind::Sequential));
    QVERIFY(take(window, QStringLiteral("greedy result")).startsWith(QStringLiteral("Greedy")));
    QCOMPARE(window.document()->results()->current(), greedy);
}

void TestPaletteWindow::operator_isSelectedInItsStage()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    const Operator &op = window.document()->next()->model()->graph->operators().back();
    QCOMPARE(take(window, QString::fromStdString(op.name)), QString::fromStdString(op.name));
    QCOMPARE(window.selection()->current().op, window.document()->next()->model()->graph->find(op.name));
    QCOMPARE(window.selection()->current().stage, window.document()->results()->front().schedule->stages.size() - 1);
}

void TestPaletteWindow::setting_getsTheFocus()
{
    TestedWindow window(installedServices());
    window.resize(1500, 900);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QCOMPARE(take(window, QStringLiteral("strategy setting")), QStringLiteral("Strategy"));
    QWidget *focused = nullptr;
    QTRY_VERIFY2((focused = QApplication::focusWidget()) && focused->accessibleName() == QStringLiteral("Strategy"),
                 focused ? qPrintable(focused->accessibleName()) : "none");
}

void TestPaletteWindow::words_fitBestFirst_andNothingIsSaid()
{
    TestedWindow window(installedServices());
    window.show();
    Chooser *chooser = open(window);
    QVERIFY(chooser);
    QTest::keyClicks(chooser->filter(), QStringLiteral("export"));
    QVERIFY(chooser->list()->count() > 1);
    QVERIFY(chooser->list()->item(0)->text().startsWith(QStringLiteral("Export")));
    chooser->filter()->setText(QStringLiteral("no such words anywhere"));
    QCOMPARE(chooser->list()->count(), 0);
    const QList<QLabel *> labels = chooser->findChildren<QLabel *>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel *label) {
        return label->isVisible() && label->text() == QStringLiteral("Nothing has these words.");
    }));
    QTest::keyClick(chooser->filter(), Qt::Key_Return); // nothing happens
    QTest::keyClick(chooser->filter(), Qt::Key_Escape);
    QTRY_VERIFY(!QApplication::activePopupWidget());
}

void TestPaletteWindow::rows_ofManyOperators_areFew()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("nasnet"));
    Chooser *chooser = open(window);
    QVERIFY(chooser);
    QCOMPARE(chooser->list()->count(), 200);
    QTest::keyClicks(chooser->filter(), QStringLiteral("operator"));
    QCOMPARE(chooser->list()->count(), 200);
    const QList<QLabel *> labels = chooser->findChildren<QLabel *>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel *label) {
        return label->isVisible() && label->text().endsWith(QStringLiteral("more: type more of it."));
    }));
}

STAGECRAFT_SUITE(TestPaletteWindow)

} // namespace tst_palette_window
#include "tst_palette_window.moc"
