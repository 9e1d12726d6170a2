// Operators split in the window: the dialog, the schedule that comes along, refusals, and the session.

#include "app/desktop/window_test.h"
#include "desktop/areas/session_area.h"
#include "desktop/dialogs/split_dialog.h"
#include "support/suite.h"
#include "widgets/base/selection.h"

#include <QAction>
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_split_window {
namespace {

QAction *splitAction(const TestedWindow &window)
{
    for (QAction *each : window.findChildren<QAction *>()) {
        if (each->shortcut() == QKeySequence(QStringLiteral("Ctrl+Alt+L")))
            return each;
    }
    return nullptr;
}

void select(const TestedWindow &window, const std::string &op)
{
    window.selection()->set({window.document()->next()->model()->graph->find(op), {}, {}});
}

// Its spin box; null: no dialog is open.
QSpinBox *parts(const TestedWindow &window)
{
    auto *dialog = window.findChild<SplitDialog *>();
    return dialog ? dialog->findChild<QSpinBox *>(QStringLiteral("parts")) : nullptr;
}

void accept(const TestedWindow &window)
{
    window.findChild<SplitDialog *>()->findChild<QDialogButtonBox *>()->button(QDialogButtonBox::Ok)->click();
}

QString frontName(const TestedWindow &window)
{
    const Results &results = *window.document()->results();
    const ScheduleResult *front = results.shelf().find(results.current());
    return front ? QString::fromStdString(front->title) : QString();
}

} // namespace

class TestSplitWindow : public WindowTest {
    Q_OBJECT

private slots:
    void split_selectedOperator_takesTheScheduleAlong();
    void split_part_canBeMadeWholeAgain();
    void split_byRows_runsSlicesBeforeTheParts();
    void split_whatCannotBe_isRefusedByName();
    void session_ofASplitModel_isOpenedAgain();
};

void TestSplitWindow::split_selectedOperator_takesTheScheduleAlong()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    QVERIFY(!splitAction(window)->isEnabled()); // nothing is selected
    select(window, "conv1");
    QVERIFY(splitAction(window)->isEnabled());
    splitAction(window)->trigger();
    QTRY_VERIFY(parts(window));
    QCOMPARE(parts(window)->accessibleName(), QStringLiteral("Parts"));
    QCOMPARE(parts(window)->value(), 2);
    parts(window)->setValue(3);
    const auto results = window.document()->results()->shelf().results().size();
    accept(window);
    QTRY_VERIFY(window.document()->next()->model()->graph->find("conv1.part3"));
    QTRY_COMPARE(frontName(window), QStringLiteral("conv1 in 3 parts"));
    QTRY_VERIFY(window.isSettled());
    QVERIFY(window.document()->results()->shelf().results().size() > results);
    const SchedulePtr schedule = window.document()->results()->front().schedule;
    QVERIFY(schedule && schedule->latencyUs());
    QVERIFY(schedule->stages[0].groups.size() >= 3);
}

void TestSplitWindow::split_part_canBeMadeWholeAgain()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    select(window, "conv1");
    splitAction(window)->trigger();
    accept(window);
    QTRY_VERIFY(window.document()->next()->model()->graph->find("conv1.part2"));
    QTRY_VERIFY(window.isSettled());
    select(window, "conv1.part2");
    splitAction(window)->trigger();
    QTRY_VERIFY(parts(window));
    QCOMPARE(parts(window)->value(), 2);
    QVERIFY(!window.findChild<SplitDialog *>()
                 ->findChild<QDialogButtonBox *>()
                 ->button(QDialogButtonBox::Ok)
                 ->isEnabled()); // as it is
    parts(window)->setValue(1);
    QCOMPARE(parts(window)->text(), QStringLiteral("whole"));
    accept(window);
    QTRY_VERIFY(window.document()->next()->model()->graph->find("conv1"));
    QVERIFY(window.document()->next()->model()->reading.isUsual());
    QTRY_VERIFY(window.isSettled());
}

void TestSplitWindow::split_byRows_runsSlicesBeforeTheParts()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    select(window, "conv3");
    splitAction(window)->trigger();
    window.findChild<SplitDialog *>()->findChild<QCheckBox *>()->setChecked(true);
    accept(window);
    QTRY_VERIFY(window.document()->next()->model()->graph->find("conv3.part2.rows"));
    QTRY_COMPARE(frontName(window), QStringLiteral("conv3 in 2 parts by rows"));
    QTRY_VERIFY(window.isSettled());
    select(window, "conv3.part2.rows");
    splitAction(window)->trigger();
    QTRY_VERIFY(parts(window));
    QVERIFY(window.findChild<SplitDialog *>()->findChild<QCheckBox *>()->isChecked());
}

void TestSplitWindow::split_whatCannotBe_isRefusedByName()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    select(window, "concat");
    splitAction(window)->trigger();
    QVERIFY(!parts(window));
    QVERIFY2(window.messages()->text().contains(QStringLiteral("only convolutions and matrix products with weights")),
             qPrintable(window.messages()->text()));
}

void TestSplitWindow::session_ofASplitModel_isOpenedAgain()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("split.stagecraft"));
    {
        TestedWindow window(installedServices());
        window.show();
        openAndWait(window, QStringLiteral("sample"));
        select(window, "conv3");
        splitAction(window)->trigger();
        accept(window);
        QTRY_COMPARE(frontName(window), QStringLiteral("conv3 in 2 parts"));
        QTRY_VERIFY(window.isSettled());
        answerFileDialog(file);
        QVERIFY(window.session()->saveAs());
    }
    TestedWindow window(installedServices());
    window.show();
    window.openPath(file);
    QTRY_VERIFY(window.document()->next()->model());
    QTRY_VERIFY(window.isSettled());
    QVERIFY(window.document()->next()->model()->graph->find("conv3.part2"));
    QTRY_COMPARE(frontName(window), QStringLiteral("conv3 in 2 parts"));
}

STAGECRAFT_SUITE(TestSplitWindow)

} // namespace tst_split_window
#include "tst_split_window.moc"
