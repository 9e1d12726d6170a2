// How the model file is read: sizes that it leaves open are proposed, said and chosen; units, passes and sizes are kept
// in sessions and for the file.

#include "desktop/dialogs/reading_dialog.h"
#include "operators/values/tensor.h"
#include "support/places.h"
#include "support/suite.h"
#include "window_test.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_reading_window {

namespace {

const QString kOpenSizes = sourcePath("tests/data/onnx/open_sizes.onnx");

QString inputOf(const TestedWindow &window)
{
    const Graph &graph = *window.document()->next()->model()->graph;
    return QString::fromStdString(toString(graph.tensor(graph.inputs().front()).shape));
}

ReadingDialog *dialogOf(TestedWindow &window)
{
    window.messages()->actionButton()->click();
    return window.findChild<ReadingDialog *>();
}

void accept(const ReadingDialog *dialog)
{
    dialog->findChild<QDialogButtonBox *>()->button(QDialogButtonBox::Ok)->click();
}

} // namespace

class TestReadingWindow : public WindowTest {
    Q_OBJECT

private slots:
    void open_openSizes_areToldWithAnAction();
    void chooseSizes_wrongText_staysOpen();
    void chooseSizes_thatDoNotFit_keepsTheModel();
    void chooseReading_isKeptInSessionAndSettings();
    void open_sizesThatFitNothing_offersToChooseThem();
};

void TestReadingWindow::open_openSizes_areToldWithAnAction()
{
    TestedWindow window(installedServices());
    openAndWait(window, kOpenSizes);
    QCOMPARE(inputOf(window), QStringLiteral("1x3x224x224"));
    QVERIFY2(window.messages()->text().contains(QStringLiteral("x as 1x3x224x224")),
             qPrintable(window.messages()->text()));
    const ReadingDialog *dialog = dialogOf(window);
    QVERIFY(dialog && !dialog->isModal());
    QCOMPARE(dialog->findChild<QLineEdit *>()->text(), QStringLiteral("1x3x224x224"));
}

void TestReadingWindow::chooseSizes_wrongText_staysOpen()
{
    TestedWindow window(installedServices());
    openAndWait(window, kOpenSizes);
    ReadingDialog *dialog = dialogOf(window);
    dialog->findChild<QLineEdit *>()->setText(QStringLiteral("64 by 64"));
    QSignalSpy wanted(dialog, &ReadingDialog::wanted);
    accept(dialog);
    QVERIFY(wanted.isEmpty() && dialog->isVisible());
    QVERIFY(dialog->findChild<QLabel *>(QStringLiteral("trouble"))->text().contains(QStringLiteral("1x3x224x224")));
}

void TestReadingWindow::chooseSizes_thatDoNotFit_keepsTheModel()
{
    TestedWindow window(installedServices());
    openAndWait(window, kOpenSizes);
    ReadingDialog *dialog = dialogOf(window);
    dialog->findChild<QLineEdit *>()->setText(QStringLiteral("1x4x64x64"));
    QSignalSpy failed(window.open(), &OpenArea::failed);
    accept(dialog);
    QTRY_VERIFY(!failed.isEmpty());
    QCOMPARE(inputOf(window), QStringLiteral("1x3x224x224"));
    QVERIFY2(window.messages()->text().contains(QStringLiteral("do not fit")), qPrintable(window.messages()->text()));
}

void TestReadingWindow::chooseReading_isKeptInSessionAndSettings()
{
    const QString path = m_folder.filePath(QStringLiteral("read.stagecraft"));
    const auto check = [](const TestedWindow &window) {
        const Model &model = *window.document()->next()->model();
        QCOMPARE(inputOf(window), QStringLiteral("2x3x64x48"));
        QVERIFY(model.reading.units == Units::None);
        QVERIFY(model.reading.without.contains("remove-dead"));
    };
    {
        TestedWindow window(installedServices());
        openAndWait(window, kOpenSizes);
        const std::size_t before = window.document()->results()->fitting().size();
        ReadingDialog *dialog = dialogOf(window);
        dialog->findChild<QLineEdit *>()->setText(QStringLiteral("2x3x64x48"));
        auto *units = dialog->findChild<QComboBox *>();
        units->setCurrentIndex(units->findData(QStringLiteral("none")));
        auto *passes = dialog->findChild<QListWidget *>();
        passes->findItems(QStringLiteral("remove-dead"), Qt::MatchStartsWith).front()->setCheckState(Qt::Unchecked);
        QSignalSpy opened(&window, &MainWindow::opened);
        accept(dialog);
        QTRY_VERIFY(!opened.isEmpty());
        QTRY_VERIFY(window.isSettled());
        check(window);
        QVERIFY(window.messages()->text().isEmpty()); // chosen: nothing is guessed
        QCOMPARE(window.document()->results()->fitting().size(),
                 before); // its own results, not those of the other graph
        QCOMPARE(window.document()->results()->shelf().results().size(), 2 * before);
        answerFileDialog(path);
        QVERIFY(window.saveSessionAs());
    }
    {
        TestedWindow window(installedServices());
        window.openPath(path);
        QTRY_VERIFY(window.document()->next()->model() && window.isSettled());
        check(window);
        QVERIFY(window.document()->places().missing().empty());
    }
    TestedWindow window(installedServices());
    openAndWait(window, kOpenSizes); // as the last time
    check(window);
}

void TestReadingWindow::open_sizesThatFitNothing_offersToChooseThem()
{
    TestedWindow window(installedServices());
    QSignalSpy failed(window.open(), &OpenArea::failed);
    window.openModel(sourcePath("tests/data/onnx/open_sizes_rare.onnx"));
    QTRY_VERIFY(!failed.isEmpty());
    QVERIFY(!window.document()->next()->model());
    QVERIFY2(window.messages()->text().contains(QStringLiteral("dimension 3 (height)")),
             qPrintable(window.messages()->text()));
    ReadingDialog *dialog = dialogOf(window);
    QVERIFY(dialog);
    auto *sizes = dialog->findChild<QLineEdit *>();
    QCOMPARE(sizes->text(), QStringLiteral("1x1x224x224"));
    QVERIFY(sizes->toolTip().contains(QStringLiteral("1 x 1 x height x ?")));
    sizes->setText(QStringLiteral("1x1x30x20"));
    QSignalSpy opened(&window, &MainWindow::opened);
    accept(dialog);
    QTRY_VERIFY(!opened.isEmpty());
    QCOMPARE(inputOf(window), QStringLiteral("1x1x30x20"));
}

STAGECRAFT_SUITE(TestReadingWindow)

} // namespace tst_reading_window
#include "tst_reading_window.moc"
