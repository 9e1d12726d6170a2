// Where the time goes, as bars and steps: their places, words, keys and clicks.

#include "support/suite.h"
#include "widgets/base/format.h"
#include "widgets/base/time_part_look.h"
#include "widgets/comparison/time_parts_chart.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QSignalSpy>
#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

using namespace stagecraft;

namespace tst_time_parts_chart {

namespace {

constexpr TimePartSources kSimulated{.arithmetic = true, .memory = true, .units = true};
constexpr TimeParts kOfA{{40, 10, 5, 25, 20, 0, 0}};
constexpr TimeParts kOfB{{40, 10, 4, 11, 8, 7, 0}};
constexpr TimeParts kOfC{{40, 10, 4, 30, 26, 15, -5}}; // its timeline took 5 us longer

ShownTimeParts shownOf(std::size_t bars)
{
    ShownTimeParts shown;
    const std::array parts{kOfA, kOfB, kOfC, kOfB};
    const QStringList names{QStringLiteral("Sequential"), QStringLiteral("IOS-Both"), QStringLiteral("Greedy"),
                            QStringLiteral("IOS-Merge")};
    for (std::size_t i = 0; i < bars; ++i)
        shown.bars.push_back({bars > 1 ? QString(QChar('A' + static_cast<char>(i))) : QString(),
                              names[static_cast<qsizetype>(i)], parts[i], kSimulated, Provenance::Simulated});
    return shown;
}

std::optional<std::size_t> markOf(const TimePartsDrawing &drawing, std::size_t bar, std::optional<TimePart> part,
                                  bool isStep)
{
    const auto &marks = drawing.marks();
    const auto found = std::ranges::find_if(marks, [&](const TimePartsDrawing::Mark &mark) {
        return mark.bar == bar && mark.part == part && mark.isStep == isStep;
    });
    return found == marks.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - marks.begin()));
}

} // namespace

class TestTimePartsChart : public QObject {
    Q_OBJECT

private slots:
    void drawing_barsOfParts_areAsLongAsTheirTimes_data();
    void drawing_barsOfParts_areAsLongAsTheirTimes();
    void drawing_steps_leadFromOneLatencyToTheOther();
    void drawing_negativeRest_endsTheBarBeforeItsTimeline();
    void drawing_everyWord_isWhole_data();
    void drawing_everyWord_isWhole();
    void drawing_table_hasEveryPart();
    void colours_areApart_data();
    void colours_areApart();
    void chart_keys_goFromPartToPartAndSayThem();
    void chart_otherParts_keysStayAtTheSameOne();
    void drawing_gpuBesideCpu_namesBoth();
    void drawing_perImage_isSaid();
    void chart_click_asksForTheStages();
    void chart_clickOnAnotherBar_leadsTheStepsThere();
    void chart_copy_isTableAndPicture();
    void chart_withoutBars_saysTheHint();
};

void TestTimePartsChart::drawing_barsOfParts_areAsLongAsTheirTimes_data()
{
    QTest::addColumn<std::size_t>("bars");
    QTest::addColumn<double>("width");
    for (const std::size_t bars : {1U, 2U, 3U, 4U}) {
        for (const double width : {180.0, 400.0, 1200.0})
            QTest::addRow("%zu bars in %g", bars, width) << bars << width;
    }
}

void TestTimePartsChart::drawing_barsOfParts_areAsLongAsTheirTimes()
{
    QFETCH(std::size_t, bars);
    QFETCH(double, width);
    const TimePartsDrawing drawing(shownOf(bars), QApplication::font(), width);
    double scale = 0;
    for (std::size_t bar = 0; bar < bars; ++bar) {
        double right = 0;
        for (const TimePartsDrawing::Mark &mark : drawing.marks()) {
            QVERIFY(mark.rect.left() >= 0 && mark.rect.right() <= width);
            QVERIFY(mark.rect.top() >= 0 && mark.rect.bottom() <= drawing.height());
            if (mark.isStep || mark.bar != bar)
                continue;
            const double us = drawing.shown().bars[bar].parts.of(*mark.part);
            if (scale == 0)
                scale = mark.rect.width() / us;
            QVERIFY(std::abs(mark.rect.width() - std::abs(us) * scale) < 1e-6);
            QVERIFY(us < 0 || right == 0 || std::abs(mark.rect.left() - right) < 1e-6);
            right = mark.rect.right();
        }
    }
    QCOMPARE(drawing.hasSteps(), bars > 1);
}

void TestTimePartsChart::drawing_steps_leadFromOneLatencyToTheOther()
{
    const TimePartsDrawing drawing(shownOf(2), QApplication::font(), 600);
    std::vector<TimePartsDrawing::Mark> steps;
    std::ranges::copy_if(drawing.marks(), std::back_inserter(steps), &TimePartsDrawing::Mark::isStep);
    QCOMPARE(steps.size(), std::size_t{2 + 6}); // both ends, and the parts that either has
    // The axis may leave out what is equal: ends are longer than drawn.
    const auto idle = std::ranges::find(steps, TimePart::IdleUnits, &TimePartsDrawing::Mark::part);
    QVERIFY(idle != steps.end());
    const double scale = idle->rect.width() / 14;
    double reached = steps.front().rect.right();
    for (std::size_t i = 1; i + 1 < steps.size(); ++i) {
        const double change = kOfB.of(*steps[i].part) - kOfA.of(*steps[i].part);
        if (change == 0)
            continue;
        QVERIFY(std::abs(steps[i].rect.width() - std::abs(change) * scale) < 1e-6);
        QVERIFY(std::abs((change < 0 ? steps[i].rect.right() : steps[i].rect.left()) - reached) < 1e-6);
        reached += change * scale;
    }
    QVERIFY(std::abs(steps.back().rect.right() - reached) < 1e-6);
}

void TestTimePartsChart::drawing_negativeRest_endsTheBarBeforeItsTimeline()
{
    const TimePartsDrawing drawing(shownOf(3), QApplication::font(), 600);
    const auto rest = markOf(drawing, 2, TimePart::NotExplained, false);
    const auto before = markOf(drawing, 2, TimePart::BetweenStages, false);
    QVERIFY(rest && before);
    const QRectF last = drawing.marks()[*before].rect;
    const QRectF over = drawing.marks()[*rest].rect;
    QVERIFY(std::abs(over.right() - last.right()) < 1e-6);
    QVERIFY(over.left() > last.left());
    QVERIFY2(drawing.markText(*rest).contains(signedLatencyText(-5)), qPrintable(drawing.markText(*rest)));
}

void TestTimePartsChart::drawing_everyWord_isWhole_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

// Painted within the page: nothing at its edges.
void TestTimePartsChart::drawing_everyWord_isWhole()
{
    QFETCH(bool, dark);
    QPalette palette;
    palette.setColor(QPalette::Window, dark ? QColor(30, 30, 30) : QColor(240, 240, 240));
    const Theme theme = themeFor(palette);
    QCOMPARE(theme.dark, dark);
    const TimePartsDrawing drawing(shownOf(4), QApplication::font(), 500);
    QImage image(500, static_cast<int>(std::ceil(drawing.height())), QImage::Format_RGB32);
    image.fill(theme.canvas);
    QPainter painter(&image);
    drawing.paint(painter, theme, std::size_t{0});
    painter.end();
    for (int y = 0; y < image.height(); ++y) {
        QCOMPARE(image.pixelColor(0, y), theme.canvas);
        QCOMPARE(image.pixelColor(image.width() - 1, y), theme.canvas);
    }
    const QPoint arithmetic = drawing.marks()[0].rect.topLeft().toPoint() + QPoint(3, 3);
    QCOMPARE(image.pixelColor(arithmetic), timePartColour(TimePart::Arithmetic, theme));
}

void TestTimePartsChart::drawing_table_hasEveryPart()
{
    const TimePartsDrawing drawing(shownOf(3), QApplication::font(), 500);
    const QStringList lines = drawing.table(QLatin1Char('\t')).split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), qsizetype{1 + 7 + 1});
    QVERIFY2(lines.front().startsWith(QStringLiteral("part\tA Sequential (simulated)\tB IOS-Both (simulated)\tB ")),
             qPrintable(lines.front()));
    QCOMPARE(lines[4],
             QStringLiteral("idle SMs\t%1\t%2\t%3\t%4\t%5")
                 .arg(latencyText(25), latencyText(11), signedLatencyText(-14), latencyText(30), signedLatencyText(5)));
    QVERIFY(lines.back().startsWith(QStringLiteral("latency\t") + latencyText(100)));
    for (const QString &line : lines)
        QCOMPARE(line.count(QLatin1Char('\t')), lines.front().count(QLatin1Char('\t')));
}

void TestTimePartsChart::colours_areApart_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

// Neighbours in a bar differ in lightness or in hue, for those who see no red or no green as well.
void TestTimePartsChart::colours_areApart()
{
    QFETCH(bool, dark);
    QPalette palette;
    palette.setColor(QPalette::Window, dark ? QColor(30, 30, 30) : QColor(240, 240, 240));
    const Theme theme = themeFor(palette);
    for (std::size_t i = 0; i + 1 < kTimeParts; ++i) {
        const QColor a = timePartColour(static_cast<TimePart>(i), theme);
        const QColor b = timePartColour(static_cast<TimePart>(i + 1), theme);
        // Blue against yellow and lightness are what deuteranopes and protanopes tell apart.
        const double yellow =
            std::abs((a.redF() + a.greenF()) / 2 - a.blueF() - (b.redF() + b.greenF()) / 2 + b.blueF());
        QVERIFY2(yellow > 0.15 || contrast(a, b) > 1.25, qPrintable(QString::number(i)));
    }
}

void TestTimePartsChart::chart_keys_goFromPartToPartAndSayThem()
{
    TimePartsChart chart;
    chart.resize(500, 300);
    chart.setShown(shownOf(2));
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    chart.page()->setFocus();
    QVERIFY(!chart.current());
    QTest::keyClick(chart.page(), Qt::Key_Right);
    QCOMPARE(chart.current(), std::optional<std::size_t>(0));
    QCOMPARE(chart.page()->accessibleName(), chart.drawing().markText(0));
    QVERIFY2(chart.page()->accessibleName().startsWith(QStringLiteral("A Sequential, arithmetic ")),
             qPrintable(chart.page()->accessibleName()));
    QTest::keyClick(chart.page(), Qt::Key_Down);
    QCOMPARE(chart.current(), std::optional<std::size_t>(1));
    QTest::keyClick(chart.page(), Qt::Key_End);
    QCOMPARE(chart.current(), std::optional(chart.drawing().marks().size() - 1));
    QTest::keyClick(chart.page(), Qt::Key_Right);
    QCOMPARE(chart.current(), std::optional(chart.drawing().marks().size() - 1));
    QTest::keyClick(chart.page(), Qt::Key_Home);
    QTest::keyClick(chart.page(), Qt::Key_Left);
    QCOMPARE(chart.current(), std::optional<std::size_t>(0));
    QVERIFY(chart.page()->accessibleDescription().contains(QStringLiteral("idle SMs\t")));
    QSignalSpy chosen(&chart, &TimePartsChart::partChosen);
    QTest::keyClick(chart.page(), Qt::Key_Return);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][1].value<TimePart>(), TimePart::Arithmetic);
    QTest::keyClick(chart.page(), Qt::Key_Enter, Qt::KeypadModifier);
    QCOMPARE(chosen.size(), 2);
}

void TestTimePartsChart::chart_otherParts_keysStayAtTheSameOne()
{
    TimePartsChart chart;
    chart.resize(500, 300);
    chart.setShown(shownOf(2));
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    const auto launch = markOf(chart.drawing(), 1, TimePart::Launch, false);
    QVERIFY(launch);
    QTest::mouseClick(chart.page(), Qt::LeftButton, {}, chart.drawing().marks()[*launch].rect.center().toPoint());
    QCOMPARE(chart.current(), launch);
    ShownTimeParts fewer = shownOf(2);
    fewer.bars[0].parts.of(TimePart::Memory) = 0;
    chart.setShown(fewer);
    QCOMPARE(chart.current(), std::optional(*launch - 1));
    QCOMPARE(chart.page()->accessibleName(), chart.drawing().markText(*launch - 1));
    fewer.bars[1].parts.of(TimePart::Launch) = 0;
    chart.setShown(fewer);
    QVERIFY(!chart.current());
}

void TestTimePartsChart::drawing_gpuBesideCpu_namesBoth()
{
    ShownTimeParts shown = shownOf(3);
    shown.bars[1].sources.areCores = true;
    const TimePartsDrawing drawing(shown, QApplication::font(), 500);
    QVERIFY2(drawing.table(QLatin1Char('\t')).contains(QStringLiteral("\nidle SMs or idle cores\t")),
             qPrintable(drawing.table(QLatin1Char('\t'))));
    const auto step = markOf(drawing, 1, TimePart::IdleUnits, true);
    QVERIFY(step && drawing.markText(*step).startsWith(QStringLiteral("idle SMs or idle cores ")));
    const auto part = markOf(drawing, 1, TimePart::IdleUnits, false);
    QVERIFY(part && drawing.markText(*part).contains(QStringLiteral(", idle cores ")));
    shown.other = 2; // a GPU, too
    const TimePartsDrawing ofGpus(shown, QApplication::font(), 500);
    const auto ofGpu = markOf(ofGpus, 2, TimePart::IdleUnits, true);
    QVERIFY(ofGpu && ofGpus.markText(*ofGpu).startsWith(QStringLiteral("idle SMs ")));
    QVERIFY(!ofGpus.markText(*ofGpu).contains(QStringLiteral("cores")));
}

void TestTimePartsChart::drawing_perImage_isSaid()
{
    ShownTimeParts shown = shownOf(2);
    shown.isPerImage = true;
    const TimePartsDrawing drawing(shown, QApplication::font(), 900);
    QVERIFY2(drawing.stepsHeading().contains(QStringLiteral(" per image, ")), qPrintable(drawing.stepsHeading()));
    shown.isPerImage = false;
    QVERIFY(!TimePartsDrawing(shown, QApplication::font(), 900).stepsHeading().contains(QStringLiteral("per image")));
}

void TestTimePartsChart::chart_click_asksForTheStages()
{
    TimePartsChart chart;
    chart.resize(500, 300);
    chart.setShown(shownOf(2));
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    QSignalSpy chosen(&chart, &TimePartsChart::partChosen);
    const auto idle = markOf(chart.drawing(), 0, TimePart::IdleUnits, false);
    QVERIFY(idle);
    QTest::mouseClick(chart.page(), Qt::LeftButton, {}, chart.drawing().marks()[*idle].rect.center().toPoint());
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].value<std::size_t>(), std::size_t{0});
    QCOMPARE(chosen[0][1].value<TimePart>(), TimePart::IdleUnits);
    QVERIFY(!chosen[0][2].toBool());
    const auto step = markOf(chart.drawing(), 1, TimePart::Launch, true);
    QVERIFY(step);
    QTest::mouseClick(chart.page(), Qt::LeftButton, {}, chart.drawing().marks()[*step].rect.center().toPoint());
    QCOMPARE(chosen.size(), 2);
    QVERIFY(chosen[1][2].toBool());
}

void TestTimePartsChart::chart_clickOnAnotherBar_leadsTheStepsThere()
{
    TimePartsChart chart;
    chart.resize(500, 300);
    chart.setShown(shownOf(4));
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    QCOMPARE(chart.drawing().shown().other, std::size_t{1});
    const auto part = markOf(chart.drawing(), 2, TimePart::Launch, false);
    QTest::mouseClick(chart.page(), Qt::LeftButton, {}, chart.drawing().marks()[*part].rect.center().toPoint());
    QCOMPARE(chart.drawing().shown().other, std::size_t{2});
    QVERIFY(markOf(chart.drawing(), 2, TimePart::Launch, true));
    chart.setShown(shownOf(4)); // measured again: the steps stay
    QCOMPARE(chart.drawing().shown().other, std::size_t{2});
    chart.setShown(shownOf(2));
    QCOMPARE(chart.drawing().shown().other, std::size_t{1});
}

void TestTimePartsChart::chart_copy_isTableAndPicture()
{
    TimePartsChart chart;
    chart.resize(500, 300);
    chart.setShown(shownOf(2));
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    chart.page()->setFocus();
    QTest::keyClick(chart.page(), Qt::Key_C, Qt::ControlModifier);
    const QMimeData *copied = QApplication::clipboard()->mimeData();
    QCOMPARE(copied->text(), chart.drawing().table(QLatin1Char('\t')) + QLatin1Char('\n'));
    QVERIFY(copied->hasImage());
}

void TestTimePartsChart::chart_withoutBars_saysTheHint()
{
    TimePartsChart chart;
    chart.setHint(QStringLiteral("nothing yet"));
    chart.setShown({});
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    const auto *hint = chart.findChild<QLabel *>(QStringLiteral("hint"));
    QVERIFY(hint->isVisible());
    QCOMPARE(hint->text(), QStringLiteral("nothing yet"));
    QVERIFY(!chart.page()->isVisible());
    chart.setShown(shownOf(1));
    QVERIFY(!hint->isVisible() && chart.page()->isVisible());
}

STAGECRAFT_SUITE(TestTimePartsChart)

} // namespace tst_time_parts_chart
#include "tst_time_parts_chart.moc"
