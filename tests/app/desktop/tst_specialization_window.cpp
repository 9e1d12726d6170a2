// The specialisation table in the window: live cells, opening and comparing schedules, stopping, extending, copying.

#include "app/desktop/gated_device.h"
#include "app/desktop/window_test.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/areas/studies/specialization_studies.h"
#include "desktop/frame/panels.h"
#include "support/cli_process.h"
#include "support/suite.h"
#include "widgets/study/specialization_view.h"

#include <QClipboard>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_specialization_window {

namespace {

QPushButton *go(const TestedWindow &window)
{
    return window.specialization()->findChild<QPushButton *>(QStringLiteral("go"));
}

QTableWidget *grid(const TestedWindow &window)
{
    return window.specialization()->findChild<QTableWidget *>();
}

QPoint cellAt(const TestedWindow &window, int row, int column)
{
    return grid(window)->visualItemRect(grid(window)->item(row, column)).center();
}

std::size_t known(const TestedWindow &window)
{
    const auto &cells = window.specialization()->table().cells;
    return static_cast<std::size_t>(
        std::count_if(cells.begin(), cells.end(), [](const auto &cell) { return cell.has_value(); }));
}

} // namespace

class TestSpecializationWindow : public WindowTest {
    Q_OBJECT

private:
    // The sample network at batch sizes 1 and 32, unless other batches are typed.
    static void studied(TestedWindow &window, const QString &batches = QStringLiteral("1, 32"))
    {
        window.resize(1600, 1000);
        window.show();
        openAndWait(window, QStringLiteral("sample"));
        window.panels()->show(window.specialization());
        auto *field = window.specialization()->findChild<QLineEdit *>(QStringLiteral("batches"));
        field->selectAll();
        QTest::keyClicks(field, batches);
        QTest::mouseClick(go(window), Qt::LeftButton);
        QVERIFY(window.specializationStudies()->isRunning());
        QTRY_VERIFY(window.isSettled());
    }

private slots:
    void batches_areWhatTheCommandLineSays();
    void cells_areMarkedAgainstTheBestOfTheirRow();
    void cell_clicked_opensItsSchedule();
    void cell_doubleClicked_comparesWithTheOneMadeForTheRow();
    void keys_openCompareAndCopy();
    void moreBatches_extendTheTable();
    void devices_crossWithBatches();
    void stopped_goesOn();
    void otherModel_opened_studyGoesOnAndComesBack();
    void oneBatch_saysWhyNot();
};

void TestSpecializationWindow::batches_areWhatTheCommandLineSays()
{
    TestedWindow window(installedServices());
    studied(window);
    const QJsonArray rows = cli({"specialize", "sample", "--batch", "1,32", "-d",
                                 QString::fromStdString(window.document()->next()->device().id), "--json"})
                                .json()["rows"]
                                .toArray();
    const CrossTable &table = window.specialization()->table();
    QCOMPARE(table.places, (QStringList{"batch 1", "batch 32"}));
    for (std::size_t row = 0; row < 2; ++row) {
        for (std::size_t column = 0; column < 2; ++column) {
            const QString madeFor = table.places[static_cast<qsizetype>(column)];
            QCOMPARE(table.cell(row, column)->us,
                     rows[static_cast<qsizetype>(row)].toObject()["latency_us"].toObject()[madeFor].toDouble());
        }
    }
    QVERIFY2(window.specialization()->plainSummary().contains(QStringLiteral("4 of 4")),
             qPrintable(window.specialization()->plainSummary()));
}

void TestSpecializationWindow::cells_areMarkedAgainstTheBestOfTheirRow()
{
    TestedWindow window(installedServices());
    studied(window, QStringLiteral("1, 16, 128"));
    const CrossTable &table = window.specialization()->table();
    for (int row = 0; row < 3; ++row) {
        const double best = *table.bestOf(static_cast<std::size_t>(row));
        for (int column = 0; column < 3; ++column) {
            const QTableWidgetItem *item = grid(window)->item(row, column);
            const bool isBest = table.cell(static_cast<std::size_t>(row), static_cast<std::size_t>(column))->us == best;
            QCOMPARE(item->text().contains(QStringLiteral("best of the row")), isBest);
            QVERIFY2(isBest || item->text().contains(QLatin1Char('%')), qPrintable(item->text()));
            QVERIFY(item->toolTip().contains(QStringLiteral("simulated")));
            QVERIFY(item->background().style() != Qt::NoBrush);
        }
    }
}

void TestSpecializationWindow::cell_clicked_opensItsSchedule()
{
    TestedWindow window(installedServices());
    studied(window);
    QTest::mouseClick(grid(window)->viewport(), Qt::LeftButton, {}, cellAt(window, 0, 1));
    const ScheduleResult *shown = window.document()->results()->shelf().find(window.document()->results()->current());
    QVERIFY(shown);
    QCOMPARE(shown->title, std::string("IOS-Both made for batch 32"));
    QCOMPARE(shown->settings.batch, 1);
    QCOMPARE(*shown->schedule->latencyUs(), window.specialization()->table().cell(0, 1)->us);
    QTest::mouseClick(grid(window)->viewport(), Qt::LeftButton, {}, cellAt(window, 1, 1));
    shown = window.document()->results()->shelf().find(window.document()->results()->current());
    QCOMPARE(shown->settings.batch, 32);
    QCOMPARE(shown->title, std::string("IOS-Both"));
    QCOMPARE(window.document()->next()->model()->graph->batch(), 32);
    const std::size_t results = window.document()->results()->shelf().results().size();
    QTest::mouseClick(grid(window)->viewport(), Qt::LeftButton, {}, cellAt(window, 0, 1)); // again
    QCOMPARE(window.document()->results()->shelf().results().size(), results);
}

void TestSpecializationWindow::cell_doubleClicked_comparesWithTheOneMadeForTheRow()
{
    TestedWindow window(installedServices());
    studied(window);
    QTest::mouseClick(grid(window)->viewport(), Qt::LeftButton, {}, cellAt(window, 1, 0));
    QTest::mouseDClick(grid(window)->viewport(), Qt::LeftButton, {}, cellAt(window, 1, 0));
    QCOMPARE(window.panes()->count(), std::size_t{2});
    const Shelf &shelf = window.document()->results()->shelf();
    QCOMPARE(shelf.find(window.panes()->pane(0)->result())->title, std::string("IOS-Both"));
    QCOMPARE(shelf.find(window.panes()->pane(1)->result())->title, std::string("IOS-Both made for batch 1"));
    QCOMPARE(shelf.find(window.panes()->pane(1)->result())->settings.batch, 32);
    QVERIFY(window.panes()->compared());
}

void TestSpecializationWindow::keys_openCompareAndCopy()
{
    TestedWindow window(installedServices());
    studied(window);
    grid(window)->setCurrentCell(0, 1);
    QTest::keyClick(grid(window), Qt::Key_Return);
    QCOMPARE(window.document()->results()->shelf().find(window.document()->results()->current())->title,
             std::string("IOS-Both made for batch 32"));
    QTest::keyClick(grid(window), Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(window.panes()->count(), std::size_t{2});
    QTest::keyClick(grid(window), Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QApplication::clipboard()->text().trimmed().split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[0], QStringLiteral("\"run on / made for, us\",\"batch 1\",\"batch 32\",provenance"));
    const QStringList cells = lines[1].split(QLatin1Char(','));
    QCOMPARE(cells[2].toDouble(), window.specialization()->table().cell(0, 1)->us);
    QCOMPARE(cells[3], QStringLiteral("simulated"));
}

void TestSpecializationWindow::moreBatches_extendTheTable()
{
    TestedWindow window(installedServices());
    studied(window);
    QVERIFY(!go(window)->isEnabled());
    auto *field = window.specialization()->findChild<QLineEdit *>(QStringLiteral("batches"));
    QTest::keyClicks(field, QStringLiteral(", 128"));
    QCOMPARE(go(window)->text(), QStringLiteral("Continue"));
    QCOMPARE(window.specialization()->table().cells.size(), std::size_t{9});
    QCOMPARE(known(window), std::size_t{4});
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(known(window), std::size_t{9});
}

void TestSpecializationWindow::devices_crossWithBatches()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    window.specialization()->setBatches({1, 8});
    window.specialization()->setDevices({"sim:k80", "sim:v100"});
    QTest::keyClick(&window, Qt::Key_F7, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(window.isSettled());
    const CrossTable &table = window.specialization()->table();
    QCOMPARE(table.places.size(), 4);
    QVERIFY(table.places.contains(QStringLiteral("sim:k80, batch 8")));
    QCOMPARE(known(window), std::size_t{16});
}

void TestSpecializationWindow::stopped_goesOn()
{
    const auto gate = std::make_shared<Gate>();
    TestedWindow window(gatedEngine(gate));
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    window.panels()->show(window.specialization());
    window.specialization()->setBatches({1, 32});
    QTest::mouseClick(go(window), Qt::LeftButton);
    QTRY_VERIFY((gate->allow(1),
                 !window.specialization()->table().isMade.empty() && window.specialization()->table().isMade.front()));
    QCOMPARE(go(window)->text(), QStringLiteral("Stop"));
    QTest::mouseClick(go(window), Qt::LeftButton);
    QTRY_VERIFY(!window.specializationStudies()->isRunning());
    QVERIFY(known(window) < 4);
    gate->open();
    QTest::mouseClick(go(window), Qt::LeftButton);
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(known(window), std::size_t{4});
}

void TestSpecializationWindow::otherModel_opened_studyGoesOnAndComesBack()
{
    const auto gate = std::make_shared<Gate>();
    TestedWindow window(gatedEngine(gate));
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const ResultId ofSample = window.document()->results()->current();
    window.panels()->show(window.specialization());
    window.specialization()->setBatches({1, 32});
    QTest::mouseClick(go(window), Qt::LeftButton);
    QTRY_VERIFY((gate->allow(1),
                 !window.specialization()->table().isMade.empty() && window.specialization()->table().isMade.front()));
    openAndWait(window, QStringLiteral("squeezenet"));
    QVERIFY(window.specializationStudies()->isRunning());
    QVERIFY(window.specialization()->table().cells.empty()); // squeezenet has none
    QVERIFY(!go(window)->isEnabled());
    QCOMPARE(window.specializationStudies()->whyNotStart(),
             QStringLiteral("A study of sample is running: stop it or wait."));
    gate->open();
    QTRY_VERIFY(window.isSettled());
    QVERIFY(window.specializationStudies()->whyNotStart().isEmpty());
    window.document()->results()->setCurrent(ofSample);
    QCOMPARE(known(window), std::size_t{4});
    QTest::mouseClick(grid(window)->viewport(), Qt::LeftButton, {}, cellAt(window, 0, 1));
    const ScheduleResult *shown = window.document()->results()->shelf().find(window.document()->results()->current());
    QCOMPARE(shown->title, std::string("IOS-Both made for batch 32"));
    QCOMPARE(shown->settings.model.name, std::string("sample"));
}

void TestSpecializationWindow::oneBatch_saysWhyNot()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    window.specialization()->setBatches({1});
    QVERIFY(!go(window)->isEnabled());
    QVERIFY2(window.specialization()->hint().contains(QStringLiteral("at least two")),
             qPrintable(window.specialization()->hint()));
    window.specialization()->findChild<QLineEdit *>(QStringLiteral("batches"))->setText(QStringLiteral("0"));
    QCOMPARE(window.specialization()->plainSummary(), QStringLiteral("batch: 0 is not a whole number from 1 to 65536"));
}

STAGECRAFT_SUITE(TestSpecializationWindow)

} // namespace tst_specialization_window
#include "tst_specialization_window.moc"
