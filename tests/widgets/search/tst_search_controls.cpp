// The search panel and the comparison table: their requests and their display.

#include "support/suite.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/search/elided_combo_box.h"
#include "widgets/search/search_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QProxyStyle>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStyleOptionComboBox>
#include <QTableView>
#include <QTest>

#include <algorithm>

using namespace stagecraft;

namespace tst_search_controls {

namespace {

// Records the text that a combo box passes to its style, and the space for it.
class LabelRecorder : public QProxyStyle {
public:
    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override
    {
        if (const auto *box = qstyleoption_cast<const QStyleOptionComboBox *>(option);
            box && element == CE_ComboBoxLabel) {
            text = box->currentText;
            textWidth = box->fontMetrics.horizontalAdvance(text);
            room = subControlRect(CC_ComboBox, box, SC_ComboBoxEditField, widget).width() - box->iconSize.width();
        }
        QProxyStyle::drawControl(element, option, painter, widget);
    }

    mutable QString text;
    mutable int textWidth = 0;
    mutable int room = 0;
};

} // namespace

class TestSearchControls : public QObject {
    Q_OBJECT

private slots:
    void options_default_areThePapers();
    void options_roundTrip();
    void button_searchThenStop_asksForBoth();
    void button_withoutModel_isDisabled();
    void devices_choice_isReported();
    void devices_set_isSilent();
    void devices_anyKind_sayWhatTheirNumbersAre();
    void device_narrowBox_endsInAnEllipsis();
    void device_narrowBox_keepsWhatItsNumbersAre();
    void number_outOfRange_isRefusedWithWords_data();
    void number_outOfRange_isRefusedWithWords();
    void batch_ofAModel_isShownWhateverItIs();
    void progress_shows_everyNumber();
    void result_shows_latencyWithProvenance();
    void comparison_shows_numbersWithUnits();
    void comparison_selectedNote_isReadable();
    void comparison_narrow_leavesOutWhatMattersLeast();
    void comparison_click_asksForThatSchedule();
    void comparison_button_comparesAndStops();

private:
    static QPushButton *button(const QWidget &widget) { return widget.findChild<QPushButton *>(); }
};

void TestSearchControls::options_default_areThePapers()
{
    const SearchPanel panel;
    QCOMPARE(panel.options().r, 3);
    QCOMPARE(panel.options().s, 8);
    QVERIFY(panel.options().strategies == StrategySet::Both);
    QVERIFY(!panel.options().singleSource);
}

void TestSearchControls::options_roundTrip()
{
    SearchPanel panel;
    SearchOptions options;
    options.strategies = StrategySet::Merge;
    options.r = 2;
    options.s = 5;
    options.singleSource = true;
    panel.setOptions(options);
    QVERIFY(panel.options().strategies == StrategySet::Merge);
    QCOMPARE(panel.options().r, 2);
    QCOMPARE(panel.options().s, 5);
    QVERIFY(panel.options().singleSource);
    options.r = std::nullopt;
    panel.setOptions(options);
    QVERIFY(!panel.options().r && panel.options().s == 5);
}

void TestSearchControls::button_searchThenStop_asksForBoth()
{
    SearchPanel panel;
    panel.setReady(true);
    QSignalSpy search(&panel, &SearchPanel::searchRequested);
    QSignalSpy stop(&panel, &SearchPanel::stopRequested);
    QTest::mouseClick(button(panel), Qt::LeftButton);
    QCOMPARE(search.count(), 1);
    panel.setRunning(true);
    QCOMPARE(button(panel)->text(), QStringLiteral("Stop"));
    QTest::mouseClick(button(panel), Qt::LeftButton);
    QCOMPARE(stop.count(), 1);
    QCOMPARE(search.count(), 1);
}

void TestSearchControls::button_withoutModel_isDisabled()
{
    SearchPanel panel;
    QVERIFY(!button(panel)->isEnabled());
    QSignalSpy search(&panel, &SearchPanel::searchRequested);
    QTest::mouseClick(button(panel), Qt::LeftButton);
    QCOMPARE(search.count(), 0);
}

void TestSearchControls::devices_choice_isReported()
{
    SearchPanel panel;
    panel.setDevices({{QStringLiteral("sim:a"), QStringLiteral("A"), {}, true},
                      {QStringLiteral("sim:b"), QStringLiteral("B"), {}, true}},
                     QStringLiteral("sim:b"));
    QCOMPARE(panel.deviceId(), QStringLiteral("sim:b"));
    QSignalSpy changed(&panel, &SearchPanel::deviceChanged);
    panel.findChild<QComboBox *>()->setCurrentIndex(0);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(changed.front().front().toString(), QStringLiteral("sim:a"));
}

void TestSearchControls::devices_anyKind_sayWhatTheirNumbersAre()
{
    SearchPanel panel;
    panel.setDevices({{QStringLiteral("sim:a"), QStringLiteral("A (simulated)"), {}, true, Provenance::Simulated},
                      {QStringLiteral("cpu"), QStringLiteral("C"), {}, true, Provenance::Measured},
                      {QStringLiteral("gpu:0"),
                       QStringLiteral("G"),
                       {},
                       false,
                       Provenance::Measured,
                       QStringLiteral("no driver: install one")}},
                     QStringLiteral("cpu"));
    for (const auto *box : panel.findChildren<QComboBox *>()) {
        if (box->findData(QStringLiteral("gpu:0")) < 0)
            continue;
        QCOMPARE(box->itemText(0), QStringLiteral("A (simulated)"));
        QCOMPARE(box->itemText(1), QStringLiteral("C (measured)"));
        QCOMPARE(box->itemText(2), QStringLiteral("G: no driver"));
        const auto colour = [&](int row) { return box->itemIcon(row).pixmap(32, 32).toImage().pixelColor(16, 16); };
        QVERIFY(colour(0) != colour(1));
        QCOMPARE(colour(2).alpha(), 0); // no numbers, so no colour
        return;
    }
    QFAIL("there is no list of devices");
}

void TestSearchControls::devices_set_isSilent()
{
    SearchPanel panel;
    QSignalSpy changed(&panel, &SearchPanel::deviceChanged);
    QSignalSpy batch(&panel, &SearchPanel::batchChanged);
    panel.setDevices({{QStringLiteral("sim:a"), QStringLiteral("A"), {}, true}}, QStringLiteral("sim:a"));
    panel.setDeviceId(QStringLiteral("sim:a"));
    panel.setBatch(32);
    QCOMPARE(changed.count(), 0);
    QCOMPARE(batch.count(), 0);
    QCOMPARE(panel.batch(), std::int64_t{32});
}

void TestSearchControls::device_narrowBox_endsInAnEllipsis()
{
    LabelRecorder recorder;
    SearchPanel panel;
    const QString name = QStringLiteral("The simulated device with a name much longer than the box");
    panel.setDevices({{"sim:short", "simulated", {}}, {"sim:long", name, "80 SMs"}}, "sim:long");
    auto *box = panel.findChild<QComboBox *>();
    box->setStyle(&recorder);
    box->resize(260, box->sizeHint().height());
    box->grab();
    QVERIFY2(recorder.text.endsWith(QChar(0x2026)), qPrintable(recorder.text));
    QVERIFY2(name.startsWith(recorder.text.chopped(1)) && recorder.text.size() > 5, qPrintable(recorder.text));
    QVERIFY(recorder.textWidth <= recorder.room);
    QVERIFY(box->toolTip().startsWith(name));
    QVERIFY(box->toolTip().contains("80 SMs"));
    panel.setDeviceId("sim:short");
    box->grab();
    QCOMPARE(recorder.text, QStringLiteral("simulated"));
}

void TestSearchControls::device_narrowBox_keepsWhatItsNumbersAre()
{
    LabelRecorder recorder;
    ElidedComboBox box;
    box.setStyle(&recorder);
    box.addItem(QPixmap(16, 16), QStringLiteral("A processor with a name longer than the box (32 cores) (measured)"));
    box.resize(240, box.sizeHint().height());
    box.grab();
    QVERIFY2(recorder.text.startsWith("A proc") && recorder.text.endsWith(QString::fromUtf8("… (measured)")),
             qPrintable(recorder.text));
    QVERIFY(recorder.textWidth <= recorder.room);
    box.resize(70, box.sizeHint().height()); // too narrow for both
    box.grab();
    QVERIFY2(recorder.text.endsWith(QChar(0x2026)), qPrintable(recorder.text));
}

void TestSearchControls::number_outOfRange_isRefusedWithWords_data()
{
    QTest::addColumn<QString>("box");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("said");
    const auto row = [](const char *name, const char *box, const char *typed, const char *said) {
        QTest::newRow(name) << QString::fromLatin1(box) << QString::fromLatin1(typed) << QString::fromLatin1(said);
    };
    row("batch_zero", "Batch", "0", "Batch: 0 is not a whole number from 1 to 65536. It stays 8.");
    row("batch_large", "Batch", "100000", "Batch: 100000 is not a whole number from 1 to 65536. It stays 8.");
    row("batch_words", "Batch", "four", "Batch: four is not a whole number from 1 to 65536. It stays 8.");
    row("batch_nothing", "Batch", "", "Batch: nothing is not a whole number from 1 to 65536. It stays 8.");
    row("r_large", "Operators per group", "65", "r: 65 is not a whole number from 0 to 64. It stays 3.");
    row("s_negative", "Groups per stage", "-1", "s: -1 is not a whole number from 0 to 64. It stays 8.");
    row("batch_fits", "Batch", "16", "");
}

void TestSearchControls::number_outOfRange_isRefusedWithWords()
{
    QFETCH(QString, box);
    QFETCH(QString, typed);
    QFETCH(QString, said);
    SearchPanel panel;
    panel.setBatch(8);
    panel.show();
    QSignalSpy refused(&panel, &SearchPanel::refused);
    QSignalSpy changed(&panel, &SearchPanel::batchChanged);
    for (QSpinBox *each : panel.findChildren<QSpinBox *>()) {
        if (each->accessibleName() != box)
            continue;
        each->setFocus();
        each->selectAll();
        QTest::keyClick(each, Qt::Key_Backspace);
        QTest::keyClicks(each, typed);
        QTest::keyClick(each, Qt::Key_Return);
    }
    QCOMPARE(refused.isEmpty() ? QString() : refused.front().front().toString(), said);
    QCOMPARE(changed.count(), said.isEmpty() ? 1 : 0);
    QCOMPARE(panel.batch(), std::int64_t(said.isEmpty() ? 16 : 8));
    QTRY_COMPARE(panel.options().r, 3);
}

void TestSearchControls::batch_ofAModel_isShownWhateverItIs()
{
    SearchPanel panel;
    panel.setBatch(100000); // a file may have it
    QCOMPARE(panel.batch(), std::int64_t{100000});
}

void TestSearchControls::progress_shows_everyNumber()
{
    SearchPanel panel;
    panel.setDevices({{"rec:x", "X", {}, true, Provenance::Recorded}}, "rec:x");
    SearchProgress progress;
    progress.block = 2;
    progress.blocks = 11;
    progress.statesDone = 1234;
    progress.transitions = 56789;
    progress.stageMeasurements = 432;
    progress.cacheHits = 99;
    progress.bestUs = 4030;
    progress.lowerBoundUs = 4000;
    progress.elapsedSeconds = 1.26;
    panel.setDevices({{"cpu", "Y", {}, true, Provenance::Measured}}, "cpu"); // looked at meanwhile
    panel.showProgress({QStringLiteral("IOS-Both of inception_v3"), Provenance::Recorded, false}, progress);
    const QString text = panel.progressText();
    for (const char *part :
         {"IOS-Both of inception_v3 block 3 of 11", "states 1,234", "transitions 56,789", "measurements 432",
          "cache hits 99", "best 4.03 ms recorded", "gap 0.8 %", "elapsed 1.3 s"})
        QVERIFY2(text.contains(QLatin1String(part)), qPrintable(text));
}

void TestSearchControls::result_shows_latencyWithProvenance()
{
    SearchPanel panel;
    TimedSchedule schedule;
    schedule.measured.whole = Timing::ofLatency(4030);
    schedule.measured.provenance = Provenance::Recorded;
    schedule.search.termination = Termination::Cancelled;
    schedule.search.gap = 0.12;
    panel.showResult(QStringLiteral("IOS-Both"), schedule);
    const QString text = panel.progressText();
    for (const char *part : {"IOS-Both stopped, within 12.0 %", "latency 4.03 ms recorded"})
        QVERIFY2(text.contains(QLatin1String(part)), qPrintable(text));
    schedule.measured.how = MeasuredHow::SumOfStages;
    schedule.stages.resize(3);
    schedule.measured.stages = {{99, 100, 1, 40}, {99, 100, 60, 40}, {99, 100, 1, 40, {900, 0, "power limit"}}};
    panel.showResult(QStringLiteral("IOS-Both"), schedule, QStringLiteral("Greedy, 3.9 ms"));
    const QString sum = panel.progressText();
    QVERIFY2(sum.contains("sum of stages 4.03 ms recorded") && !sum.contains("latency"), qPrintable(sum));
    QVERIFY2(sum.contains("disturbed 2 of 3 stages"), qPrintable(sum));
    QVERIFY2(sum.contains("faster Greedy, 3.9 ms") && !text.contains("faster"), qPrintable(sum));
}

void TestSearchControls::comparison_shows_numbersWithUnits()
{
    ComparisonTable table;
    ComparisonRow sequential{
        QStringLiteral("Sequential"), 6510.0, Provenance::Simulated, 1.0, 119, std::nullopt, 0, {}};
    ComparisonRow both{QStringLiteral("IOS-Both"), 4030.0, Provenance::Measured, 6510.0 / 4030.0, 46, 3880, 0.02, {}};
    sequential.leastUs = both.leastUs = 500;
    both.livePeakBytes = std::size_t{3} << 20U;
    ComparisonRow missing;
    missing.title = QStringLiteral("IOS-Merge");
    missing.note = QStringLiteral("not searched yet");
    missing.leastUs = 500;
    table.setRows({sequential, both, missing});
    const QAbstractItemModel *model = table.findChild<QTableView *>()->model();
    const auto cell = [&](int row, int column) { return model->index(row, column).data().toString(); };
    QCOMPARE(cell(0, 1), QStringLiteral("6.51 ms"));
    QCOMPARE(cell(1, 1), QStringLiteral("4.03 ms"));
    QCOMPARE(cell(1, 2), QStringLiteral("1.62×"));
    QCOMPARE(cell(0, 3), QStringLiteral("13×"));
    QCOMPARE(cell(1, 3), QStringLiteral("8.1×"));
    QVERIFY(model->index(1, 3).data(Qt::ToolTipRole).toString().contains(QStringLiteral("500 µs")));
    QCOMPARE(cell(2, 3), QString());
    QCOMPARE(cell(0, 4), QString());
    QCOMPARE(cell(1, 4), QStringLiteral("3.00 MiB"));
    QCOMPARE(cell(1, 5), QStringLiteral("46"));
    QCOMPARE(cell(1, 6), QStringLiteral("3,880"));
    QCOMPARE(cell(1, 7), QStringLiteral("2.0 %"));
    QCOMPARE(cell(0, 6), QString());
    QCOMPARE(cell(2, 1), QStringLiteral("not searched yet"));
    QVERIFY(model->index(1, 1).data(Qt::ToolTipRole).toString().contains(QStringLiteral("measured")));
    sequential.within = QStringLiteral("never judged by measured kernels");
    table.setRows({sequential, both, missing});
    const QString judged = model->index(0, 1).data(Qt::ToolTipRole).toString();
    QVERIFY2(judged.contains("6.51 ms simulated, never judged by measured kernels."), qPrintable(judged));
    sequential.within.clear();
    sequential.provenance = Provenance::Recorded;
    sequential.isSumOfStages = true;
    sequential.disturbedStages = 3;
    table.setRows({sequential, both, missing});
    const QString tip = model->index(0, 1).data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.contains("6.51 ms sum of stages, recorded.") && tip.contains("3 of 119 stages were disturbed"),
             qPrintable(tip));
    both.interval = {1.5, 1.75};
    table.setRows({sequential, both, missing});
    QCOMPARE(cell(1, 2), QStringLiteral("1.62× ± 0.13"));
    QVERIFY(model->index(1, 2).data(Qt::ToolTipRole).toString().contains(QStringLiteral("1.50× to 1.75×")));
}

// White on blue, not the grey of notes in other rows.
void TestSearchControls::comparison_selectedNote_isReadable()
{
    ComparisonTable table;
    QPalette palette = table.palette();
    palette.setColor(QPalette::Window, Qt::white);
    palette.setColor(QPalette::Base, Qt::white);
    for (const QPalette::ColorGroup group : {QPalette::Active, QPalette::Inactive}) {
        palette.setColor(group, QPalette::Highlight, QColor(0, 0, 128));
        palette.setColor(group, QPalette::HighlightedText, Qt::white);
    }
    table.setPalette(palette);
    ComparisonRow missing;
    missing.title = QStringLiteral("IOS-Merge");
    missing.note = QStringLiteral("not searched yet");
    table.setRows({missing});
    table.resize(700, 200);
    table.setCurrent(0);
    table.show();
    auto *view = table.findChild<QTableView *>();
    const QImage note = view->viewport()->grab(view->visualRect(view->model()->index(0, 1))).toImage();
    int brightest = 0;
    for (int y = 3; y < note.height() - 3; ++y) {
        for (int x = 3; x < note.width() / 2; ++x)
            brightest = std::max(brightest, note.pixelColor(x, y).blue() == 128 ? 0 : qGray(note.pixel(x, y)));
    }
    QVERIFY2(brightest > 220, qPrintable(QString::number(brightest)));
}

void TestSearchControls::comparison_narrow_leavesOutWhatMattersLeast()
{
    ComparisonTable table;
    ComparisonRow row{QStringLiteral("IOS-Parallel"), 4030.0, Provenance::Measured, 1.62, 46, 3880, 0.02, {}};
    table.setRows({row});
    table.resize(900, 200);
    table.show();
    const auto *view = table.findChild<QTableView *>();
    const auto hidden = [&] {
        int count = 0;
        for (int column = 0; column < view->model()->columnCount(); ++column)
            count += view->isColumnHidden(column) ? 1 : 0;
        return count;
    };
    QCOMPARE(hidden(), 2); // how far from the bound it is and its memory, which are not known
    row.leastUs = 500;
    row.livePeakBytes = std::size_t{3} << 20U;
    table.setRows({row});
    QTRY_COMPARE(hidden(), 0);
    for (const int width : {420, 360, 330}) {
        table.resize(width, 200);
        QTRY_VERIFY(hidden() > 0);
        QTRY_COMPARE(view->horizontalScrollBar()->maximum(), 0);
        QVERIFY(!view->isColumnHidden(0) && !view->isColumnHidden(1) && !view->isColumnHidden(2));
        const QList<QLabel *> labels = table.findChildren<QLabel *>();
        QVERIFY(std::ranges::any_of(labels, [&](const QLabel *label) {
            return label->isVisible() && label->text().startsWith(QStringLiteral("+ %1 column").arg(hidden()));
        }));
    }
    table.resize(900, 200);
    QTRY_COMPARE(hidden(), 0);
}

void TestSearchControls::comparison_click_asksForThatSchedule()
{
    ComparisonTable table;
    ComparisonRow row;
    row.title = QStringLiteral("A");
    table.setRows({row, row, row});
    table.resize(600, 300);
    table.show();
    QSignalSpy activated(&table, &ComparisonTable::rowActivated);
    auto *view = table.findChild<QTableView *>();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(view->model()->index(2, 0)).center());
    QVERIFY(!activated.isEmpty());
    QCOMPARE(activated.front().front().value<std::size_t>(), std::size_t{2});
}

void TestSearchControls::comparison_button_comparesAndStops()
{
    ComparisonTable table;
    QSignalSpy compare(&table, &ComparisonTable::compareRequested);
    QSignalSpy stop(&table, &ComparisonTable::stopRequested);
    QTest::mouseClick(button(table), Qt::LeftButton);
    table.setComparing(true);
    QTest::mouseClick(button(table), Qt::LeftButton);
    QCOMPARE(compare.count(), 1);
    QCOMPARE(stop.count(), 1);
}

STAGECRAFT_SUITE(TestSearchControls)

} // namespace tst_search_controls
#include "tst_search_controls.moc"
