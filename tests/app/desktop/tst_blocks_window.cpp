// Blocks and units changed by hand in the window: cut, joined, taken apart and back, with the schedule that comes
// along, the dialog that takes changes back, sessions, and schedule files of another reading.

#include "desktop/areas/session_area.h"
#include "desktop/dialogs/reading_dialog.h"
#include "results/files/schedule_json.h"
#include "search/stages/baselines.h"
#include "support/opened_model.h"
#include "support/places.h"
#include "support/suite.h"
#include "support/text_file.h"
#include "widgets/base/selection.h"
#include "window_test.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QListWidget>
#include <QPushButton>
#include <QTemporaryDir>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_blocks_window {
namespace {

QAction *actionOf(const TestedWindow &window, const QString &keys)
{
    for (QAction *each : window.findChildren<QAction *>()) {
        if (each->shortcut() == QKeySequence(keys))
            return each;
    }
    return nullptr;
}

const QString kCut = QStringLiteral("Alt+Shift+B");
const QString kJoin = QStringLiteral("Alt+Shift+J");
const QString kApart = QStringLiteral("Alt+Shift+A");
const QString kReading = QStringLiteral("Ctrl+Alt+U");

void select(const TestedWindow &window, const std::string &op)
{
    window.selection()->set({window.document()->next()->model()->graph->find(op), {}, {}});
}

const Model &model(const TestedWindow &window)
{
    return *window.document()->next()->model();
}

std::string endOfBlock(const Model &model, std::size_t block)
{
    return model.graph->op(model.blocks[block].operators.back()).name;
}

QString frontName(const TestedWindow &window)
{
    const Results &results = *window.document()->results();
    const ScheduleResult *front = results.shelf().find(results.current());
    return front ? QString::fromStdString(front->title) : QString();
}

void takeBackFirst(const TestedWindow &window)
{
    actionOf(window, kReading)->trigger();
    auto *dialog = window.findChild<ReadingDialog *>();
    dialog->findChild<QListWidget *>(QStringLiteral("by hand"))->item(0)->setCheckState(Qt::Unchecked);
    dialog->findChild<QDialogButtonBox *>()->button(QDialogButtonBox::Ok)->click();
}

} // namespace

class TestBlocksWindow : public WindowTest {
    Q_OBJECT

private slots:
    void join_selectedBlock_takesTheScheduleAlong();
    void cut_behindAnOperator_isTakenBackByJoining();
    void cut_behindAll_isRefusedByName();
    void apart_unitOfAFile_isTakenApartAndBack();
    void session_withChosenBlocks_isOpenedAgain();
    void schedule_ofAnotherReading_isOfferedAndRead();
    void schedule_thatIsNone_isNotOffered();
};

void TestBlocksWindow::join_selectedBlock_takesTheScheduleAlong()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    QVERIFY(!actionOf(window, kJoin)->isEnabled()); // nothing is selected
    const std::size_t blocks = model(window).blocks.size();
    const auto latency = window.document()->results()->front().schedule->latencyUs();
    const std::string end = endOfBlock(model(window), 1);
    select(window, end);
    QVERIFY(actionOf(window, kJoin)->isEnabled());
    actionOf(window, kJoin)->trigger();
    QTRY_COMPARE(model(window).blocks.size(), blocks - 1);
    QTRY_COMPARE(frontName(window), QStringLiteral("joined after %1").arg(QString::fromStdString(end)));
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.document()->results()->front().schedule->latencyUs(), latency);

    takeBackFirst(window);
    QTRY_COMPARE(model(window).blocks.size(), blocks);
    QVERIFY(model(window).reading.isUsual());
    QTRY_VERIFY(window.isSettled());
}

void TestBlocksWindow::cut_behindAnOperator_isTakenBackByJoining()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    select(window, "conv3");
    actionOf(window, kCut)->trigger();
    QTRY_COMPARE(model(window).blocks.size(), std::size_t{2});
    QCOMPARE(endOfBlock(model(window), 0), std::string("conv3"));
    QTRY_VERIFY(window.isSettled());
    select(window, "conv3");
    actionOf(window, kJoin)->trigger();
    QTRY_COMPARE(model(window).blocks.size(), std::size_t{1});
    QVERIFY(model(window).reading.isUsual());
    QTRY_VERIFY(window.isSettled());
}

void TestBlocksWindow::cut_behindAll_isRefusedByName()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    select(window, "concat");
    actionOf(window, kCut)->trigger();
    QTRY_VERIFY2(window.messages()->text().contains(QStringLiteral("nothing is left to cut off")),
                 qPrintable(window.messages()->text()));
    QVERIFY(model(window).reading.isUsual());
}

void TestBlocksWindow::apart_unitOfAFile_isTakenApartAndBack()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, sourcePath("tests/data/onnx/conv_norm_relu.onnx"));
    const std::size_t units = model(window).graph->size();
    std::string unit;
    for (const PassReport &pass : model(window).report.passes) {
        for (const PassChange &change : pass.changes) {
            if (change.before.isValid() && change.unit.isValid())
                unit = model(window).graph->op(change.unit).name;
        }
    }
    select(window, unit);
    QAction *apart = actionOf(window, kApart);
    QVERIFY(apart->isEnabled() && !apart->isChecked());
    apart->trigger();
    QTRY_VERIFY(model(window).graph->size() > units);
    QTRY_VERIFY(window.isSettled());
    const std::string part = *model(window).reading.apart.begin();
    select(window, part);
    QVERIFY(apart->isEnabled() && apart->isChecked());
    while (!model(window).reading.apart.empty()) {
        const std::size_t left = model(window).reading.apart.size();
        select(window, *model(window).reading.apart.begin());
        apart->trigger();
        QTRY_COMPARE(model(window).reading.apart.size(), left - 1);
        QTRY_VERIFY(window.isSettled());
    }
    QCOMPARE(model(window).graph->size(), units);
}

void TestBlocksWindow::session_withChosenBlocks_isOpenedAgain()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("blocks.stagecraft"));
    {
        TestedWindow window(installedServices());
        window.show();
        openAndWait(window, QStringLiteral("sample"));
        select(window, "conv3");
        actionOf(window, kCut)->trigger();
        QTRY_COMPARE(model(window).blocks.size(), std::size_t{2});
        QTRY_VERIFY(window.isSettled());
        answerFileDialog(file);
        QVERIFY(window.saveSessionAs());
    }
    TestedWindow window(installedServices());
    window.show();
    window.openPath(file);
    QTRY_VERIFY(window.document()->next()->model() && window.isSettled());
    QCOMPARE(model(window).reading.cutAfter, (std::set<std::string>{"conv3"}));
    QCOMPARE(model(window).blocks.size(), std::size_t{2});
}

// The file was made for other operators: the model can be read like that, and then it is shown.
void TestBlocksWindow::schedule_ofAnotherReading_isOfferedAndRead()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("split.schedule.json"));
    {
        const Model split = *openedModel("sample", {.reading = {.splits = {{"conv3", 2}}}});
        TimedSchedule schedule = sequentialSchedule(*split.graph, split.blocks);
        schedule.context.model = split.reference();
        schedule.context.batch = split.graph->batch();
        QVERIFY(writeTextFile(file.toStdString(), toJson(*split.graph, schedule)));
    }
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    window.openPath(file);
    QTRY_VERIFY2(window.messages()->text().contains(QStringLiteral("conv3 split into 2")),
                 qPrintable(window.messages()->text()));
    QCOMPARE(window.messages()->actionButton()->text(), QStringLiteral("Read it like that"));
    window.messages()->actionButton()->click();
    QTRY_VERIFY(model(window).graph->find("conv3.part2"));
    QTRY_VERIFY(frontName(window).contains(QStringLiteral("split")));
    QTRY_VERIFY(window.isSettled());
    QVERIFY(window.document()->results()->front().schedule->latencyUs());
}

// What is no schedule was read in no way.
void TestBlocksWindow::schedule_thatIsNone_isNotOffered()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    select(window, "conv3");
    actionOf(window, kCut)->trigger();
    QTRY_COMPARE(model(window).blocks.size(), std::size_t{2});
    QTRY_VERIFY(window.isSettled());
    window.messages()->dismiss();
    window.openPath(write(QStringLiteral("broken.schedule.json"), "{\"stages\": [], \"model\": 5}"));
    QTRY_VERIFY(!window.messages()->text().isEmpty());
    QVERIFY2(window.messages()->actionButton()->text() != QStringLiteral("Read it like that"),
             qPrintable(window.messages()->text()));
}

STAGECRAFT_SUITE(TestBlocksWindow)

} // namespace tst_blocks_window
#include "tst_blocks_window.moc"
