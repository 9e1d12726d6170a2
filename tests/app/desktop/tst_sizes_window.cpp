// Gains by size in the window: the study, its keys, stopping and going on, copies, and the dialog that opens a network
// with sizes.

#include "app/desktop/window_test.h"
#include "desktop/areas/studies/size_studies.h"
#include "desktop/dialogs/generator_dialog.h"
#include "desktop/frame/panels.h"
#include "model/built_in.h"
#include "support/suite.h"
#include "widgets/study/size_plot.h"
#include "widgets/study/size_view.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_sizes_window {

namespace {

const QString kSmall = QStringLiteral("moe:width=64,hidden=64");

SizeView *sizes(const TestedWindow &window)
{
    return window.findChild<SizeView *>();
}

QPushButton *go(const TestedWindow &window)
{
    return sizes(window)->findChild<QPushButton *>(QStringLiteral("go"));
}

QAction *action(const TestedWindow &window, const QString &keys)
{
    for (QAction *each : window.findChildren<QAction *>()) {
        if (each->shortcut() == QKeySequence(keys))
            return each;
    }
    return nullptr;
}

} // namespace

class TestSizesWindow : public WindowTest {
    Q_OBJECT

private:
    static void show(TestedWindow &window, const QString &model, const QString &parameter, const QString &range)
    {
        window.resize(1600, 1000);
        window.show();
        openAndWait(window, model);
        window.panels()->show(sizes(window));
        sizes(window)->setOver(parameter, range);
    }

    static void studied(TestedWindow &window, const QString &model, const QString &parameter, const QString &range)
    {
        show(window, model, parameter, range);
        QVERIFY2(go(window)->isEnabled(), qPrintable(go(window)->toolTip()));
        QTest::mouseClick(go(window), Qt::LeftButton);
        QVERIFY(window.findChild<SizeStudies *>()->isRunning());
        QCOMPARE(go(window)->text(), QStringLiteral("Stop"));
        QTRY_VERIFY(window.isSettled());
        QTRY_VERIFY(sizes(window)->plot()->isVisible());
        QCoreApplication::processEvents();
    }

private slots:
    void study_ofTokens_drawsEverySizeAndSaysWhereItPays();
    void keys_goThroughTheSizesAndOpenOne();
    void batch_ofAnyModel_isStudiedAndOpened();
    void study_stopped_keepsItsSizesAndGoesOn();
    void model_changed_hasItsOwnParametersAndStudy();
    void range_thatCannotBeRead_saysWhy();
    void copies_areTableAndPicture();
    void themes_bothDrawThePlot();
    void dialog_sizesChosen_opensTheNetwork();
    void dialog_openNetwork_isShownWithItsSizes();
};

void TestSizesWindow::study_ofTokens_drawsEverySizeAndSaysWhereItPays()
{
    TestedWindow window(installedServices());
    studied(window, kSmall, QStringLiteral("tokens"), QStringLiteral("1..64:x8"));
    const SizePlot &plot = *sizes(window)->plot();
    QCOMPARE(plot.points().size(), std::size_t{3});
    for (std::size_t i = 0; i < plot.points().size(); ++i) {
        for (const std::size_t schedule : {kSizeIos, kSizeGreedy})
            QVERIFY(plot.rect().contains(plot.placeOf(i, schedule)));
        QVERIFY(i == 0 || plot.placeOf(i, kSizeIos).x() > plot.placeOf(i - 1, kSizeIos).x());
    }
    const QString summary = sizes(window)->plainSummary();
    QVERIFY2(summary.contains(QStringLiteral("IOS-Both: ")) && summary.contains(QStringLiteral("simulated")),
             qPrintable(summary));
    QVERIFY(sizes(window)->hint().isEmpty());
    QVERIFY2(go(window)->toolTip().contains(QStringLiteral("All sizes are known")), qPrintable(go(window)->toolTip()));
}

void TestSizesWindow::keys_goThroughTheSizesAndOpenOne()
{
    TestedWindow window(installedServices());
    studied(window, kSmall, QStringLiteral("tokens"), QStringLiteral("1..64:x8"));
    SizePlot *plot = sizes(window)->plot();
    plot->setFocus();
    QTRY_VERIFY(plot->hasFocus());
    QTest::keyClick(plot, Qt::Key_End);
    QCOMPARE(plot->current(), std::optional<std::size_t>(2));
    QTest::keyClick(plot, Qt::Key_Left);
    QCOMPARE(plot->current(), std::optional<std::size_t>(1));
    const QString spoken = plot->accessibleDescription();
    QVERIFY2(spoken.startsWith(QStringLiteral("tokens 8: Sequential ")) && spoken.contains(QStringLiteral("IOS-Both")),
             qPrintable(spoken));
    QTest::keyClick(plot, Qt::Key_Escape);
    QVERIFY(!plot->current());
    QTest::keyClick(plot, Qt::Key_Home);
    QTest::keyClick(plot, Qt::Key_Return);
    QTRY_COMPARE(window.document()->next()->spec(), QStringLiteral("moe:tokens=1,width=64,hidden=64"));
    QTRY_VERIFY(isIdle(window));
    QCOMPARE(sizes(window)->plot()->points().size(), std::size_t{3}); // the study of any of its sizes
}

void TestSizesWindow::batch_ofAnyModel_isStudiedAndOpened()
{
    TestedWindow window(installedServices());
    studied(window, QStringLiteral("sample"), QStringLiteral("batch"), QStringLiteral("1..4"));
    QCOMPARE(sizes(window)->parameter(), QStringLiteral("batch"));
    SizePlot *plot = sizes(window)->plot();
    QCOMPARE(plot->points().size(), std::size_t{3});
    QWidget *canvas = plot->findChild<QWidget *>(QStringLiteral("plot"));
    QTest::mouseClick(canvas, Qt::LeftButton, {}, plot->placeOf(2, kSizeIos));
    QTRY_COMPARE(window.document()->next()->settings().batch, std::int64_t{4});
}

void TestSizesWindow::study_stopped_keepsItsSizesAndGoesOn()
{
    TestedWindow window(installedServices());
    show(window, QStringLiteral("sample"), QStringLiteral("batch"), QStringLiteral("1..1000:1000"));
    auto *studies = window.findChild<SizeStudies *>();
    action(window, QStringLiteral("Ctrl+Shift+F9"))->trigger();
    QTRY_VERIFY(sizes(window)->plot()->points().size() >= 2);
    QVERIFY(studies->isRunning());
    action(window, QStringLiteral("Ctrl+Shift+F9"))->trigger();
    QTRY_VERIFY(!studies->isRunning());
    const std::size_t kept = sizes(window)->plot()->points().size();
    QVERIFY(kept >= 2 && kept < 1000);
    sizes(window)->setOver(QStringLiteral("batch"), QStringLiteral("1..%1:%1").arg(kept + 2));
    QTest::mouseClick(go(window), Qt::LeftButton);
    QTRY_VERIFY(!studies->isRunning());
    QCOMPARE(sizes(window)->plot()->points().size(), kept + 2);
}

void TestSizesWindow::model_changed_hasItsOwnParametersAndStudy()
{
    TestedWindow window(installedServices());
    studied(window, kSmall, QStringLiteral("tokens"), QStringLiteral("1..8:x8"));
    openAndWait(window, QStringLiteral("sample"));
    const auto *parameter = sizes(window)->findChild<QComboBox *>(QStringLiteral("parameter"));
    QCOMPARE(parameter->count(), 1);
    QVERIFY(sizes(window)->plot()->points().empty() && !sizes(window)->hint().isEmpty());
    openAndWait(window, kSmall);
    QCOMPARE(parameter->count(), 8); // those of moe, and the batch
    QCOMPARE(sizes(window)->parameter(), QStringLiteral("tokens"));
    QCOMPARE(sizes(window)->plot()->points().size(), std::size_t{2});
}

void TestSizesWindow::range_thatCannotBeRead_saysWhy()
{
    TestedWindow window(installedServices());
    show(window, kSmall, QStringLiteral("tokens"), QStringLiteral("8..1"));
    QVERIFY(!go(window)->isEnabled());
    QVERIFY2(go(window)->toolTip().contains(QStringLiteral("is no range of sizes")), qPrintable(go(window)->toolTip()));
    sizes(window)->setOver(QStringLiteral("experts"), QStringLiteral("8..4096"));
    QVERIFY2(sizes(window)->hint().contains(QStringLiteral("experts=4096 is out of range")),
             qPrintable(sizes(window)->hint()));
    sizes(window)->setOver(QStringLiteral("experts"), QStringLiteral("8..16"));
    QVERIFY(go(window)->isEnabled());
}

void TestSizesWindow::copies_areTableAndPicture()
{
    TestedWindow window(installedServices());
    QVERIFY(!action(window, QStringLiteral("Ctrl+Alt+G"))->isEnabled());
    studied(window, kSmall, QStringLiteral("tokens"), QStringLiteral("1..8:x8"));
    action(window, QStringLiteral("Ctrl+Alt+G"))->trigger();
    const QString csv = QApplication::clipboard()->text();
    QVERIFY2(csv.startsWith(QStringLiteral("tokens,sequential_us,")) && csv.count(QLatin1Char('\n')) == 3,
             qPrintable(csv));
    sizes(window)->copyPicture();
    const QImage picture = QApplication::clipboard()->image();
    QCOMPARE(picture.size(), sizes(window)->plot()->size() * 2);
}

void TestSizesWindow::themes_bothDrawThePlot()
{
    TestedWindow window(installedServices());
    studied(window, kSmall, QStringLiteral("tokens"), QStringLiteral("1..8:x8"));
    SizePlot *plot = sizes(window)->plot();
    const QColor light = plot->picture().pixelColor(2, 2);
    QPalette dark = plot->palette();
    dark.setColor(QPalette::Window, QColor(30, 30, 30));
    dark.setColor(QPalette::Base, QColor(30, 30, 30));
    dark.setColor(QPalette::WindowText, Qt::white);
    dark.setColor(QPalette::Text, Qt::white);
    plot->setPalette(dark);
    QCoreApplication::processEvents();
    const QColor darkPixel = plot->picture().pixelColor(2, 2);
    QVERIFY(light.lightness() > 200 && darkPixel.lightness() < 80);
}

void TestSizesWindow::dialog_sizesChosen_opensTheNetwork()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    action(window, QStringLiteral("Ctrl+Alt+N"))->trigger();
    auto *dialog = window.findChild<GeneratorDialog *>();
    QVERIFY(dialog && dialog->isVisible());
    auto *network = dialog->findChild<QComboBox *>(QStringLiteral("network"));
    QCOMPARE(network->count(), static_cast<int>(generators().size()));
    network->setCurrentIndex(network->findData(QStringLiteral("moe")));
    for (const GeneratorParameter &each : findGenerator("moe")->parameters) {
        const auto *field = dialog->findChild<QSpinBox *>(QString::fromUtf8(each.name.data()));
        QVERIFY(field && field->minimum() == each.least && field->maximum() == each.most);
        QCOMPARE(std::int64_t{field->value()}, each.usual);
        QVERIFY(field->accessibleName().contains(QString::fromUtf8(each.means.data())));
    }
    dialog->findChild<QSpinBox *>(QStringLiteral("tokens"))->setValue(8);
    QCOMPARE(dialog->findChild<QLabel *>(QStringLiteral("named"))->text(), QStringLiteral("moe:tokens=8"));
    QTest::mouseClick(dialog->findChild<QDialogButtonBox *>()->button(QDialogButtonBox::Open), Qt::LeftButton);
    QTRY_COMPARE(window.document()->next()->spec(), QStringLiteral("moe:tokens=8"));
    QTRY_VERIFY(isIdle(window));
}

void TestSizesWindow::dialog_openNetwork_isShownWithItsSizes()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("transformer:layers=1,tokens=16"));
    action(window, QStringLiteral("Ctrl+Alt+N"))->trigger();
    const auto *dialog = window.findChild<GeneratorDialog *>();
    QVERIFY(dialog);
    QCOMPARE(dialog->spec(), QStringLiteral("transformer:layers=1,tokens=16"));
    QCOMPARE(dialog->findChild<QSpinBox *>(QStringLiteral("tokens"))->value(), 16);
}

STAGECRAFT_SUITE(TestSizesWindow)

} // namespace tst_sizes_window
#include "tst_sizes_window.moc"
