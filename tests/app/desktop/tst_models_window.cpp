// Several models in the window: added, taken away again, kept in a session, and told apart in the views.

#include "app/desktop/window_test.h"
#include "desktop/dialogs/chooser.h"
#include "desktop/dialogs/generator_dialog.h"
#include "desktop/kept/recent_files.h"
#include "model/built_in.h"
#include "support/picture.h"
#include "support/places.h"
#include "support/suite.h"
#include "widgets/base/model_marks.h"
#include "widgets/graph/graph_view.h"
#include "widgets/graph/overlay/graph_legend.h"
#include "widgets/schedule/schedule_view.h"

#include <QAction>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QImage>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_models_window {

namespace {

QAction *byKeys(const TestedWindow &window, const QString &keys)
{
    for (QAction *each : window.findChildren<QAction *>()) {
        if (each->shortcut() == QKeySequence(keys))
            return each;
    }
    return nullptr;
}

const std::vector<UnionPart> &partsOf(const TestedWindow &window)
{
    return window.document()->next()->model()->parts;
}

} // namespace

class TestModelsWindow : public WindowTest {
    Q_OBJECT

private:
    static void add(TestedWindow &window, const QString &network)
    {
        byKeys(window, QStringLiteral("Ctrl+Alt+A"))->trigger();
        auto *dialog = window.findChild<GeneratorDialog *>();
        QVERIFY(dialog && dialog->isVisible());
        auto *choice = dialog->findChild<QComboBox *>(QStringLiteral("network"));
        choice->setCurrentIndex(choice->findData(network));
        QSignalSpy opened(&window, &MainWindow::opened);
        QTest::mouseClick(dialog->findChild<QDialogButtonBox *>()->button(QDialogButtonBox::Open), Qt::LeftButton);
        QTRY_VERIFY(!opened.isEmpty());
        QTRY_VERIFY(isIdle(window));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }

private slots:
    void add_noModel_isDisabledWithTheReason();
    void add_network_isOpenBeside();
    void add_networkWithSizes_isOpenBeside();
    void add_file_isOpenBeside();
    void takeAway_one_leavesTheOther();
    void session_ofBoth_opensThemAgain();
    void recent_both_areNamedWithoutFolders();
    void views_ofBoth_tellThemApart();
    void colouring_oneModel_saysHowToAddAnother();
};

void TestModelsWindow::add_noModel_isDisabledWithTheReason()
{
    TestedWindow window(installedServices());
    QTRY_VERIFY(isIdle(window));
    const QAction *action = byKeys(window, QStringLiteral("Ctrl+Alt+A"));
    QVERIFY(action && !action->isEnabled());
    QVERIFY(action->toolTip().contains(QStringLiteral("no model is open")));
    openAndWait(window, QStringLiteral("sample"));
    QVERIFY(action->isEnabled());
    const QAction *away = byKeys(window, QStringLiteral("Ctrl+Alt+X"));
    QVERIFY(away && !away->isEnabled() && away->toolTip().contains(QStringLiteral("one model is open at most")));
}

void TestModelsWindow::add_network_isOpenBeside()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    add(window, QStringLiteral("squeezenet"));
    QCOMPARE(window.document()->next()->spec(), QStringLiteral("sample+squeezenet"));
    QCOMPARE(partsOf(window).size(), std::size_t{2});
    QCOMPARE(partsOf(window)[1].name, std::string("squeezenet"));
    QVERIFY(scheduleOf(window, ScheduleKind::Sequential));
    add(window, QStringLiteral("sample")); // a third one, of the same name
    QCOMPARE(partsOf(window).size(), std::size_t{3});
    QCOMPARE(partsOf(window)[2].name, std::string("sample#2"));
}

void TestModelsWindow::add_networkWithSizes_isOpenBeside()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    byKeys(window, QStringLiteral("Ctrl+Alt+A"))->trigger();
    auto *dialog = window.findChild<GeneratorDialog *>();
    auto *choice = dialog->findChild<QComboBox *>(QStringLiteral("network"));
    QCOMPARE(choice->count(), static_cast<int>(builtInNetworks().size() + generators().size()));
    choice->setCurrentIndex(choice->findData(QStringLiteral("moe")));
    dialog->findChild<QSpinBox *>(QStringLiteral("tokens"))->setValue(8);
    QCOMPARE(dialog->spec(), QStringLiteral("moe:tokens=8"));
    QTest::mouseClick(dialog->findChild<QDialogButtonBox *>()->button(QDialogButtonBox::Open), Qt::LeftButton);
    QTRY_COMPARE(window.document()->next()->spec(), QStringLiteral("sample+moe:tokens=8"));
    QTRY_VERIFY(isIdle(window));
}

void TestModelsWindow::add_file_isOpenBeside()
{
    const QString path = sourcePath(QStringLiteral("tests/data/onnx/residual.onnx"));
    QVERIFY(QFile::exists(path));
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    byKeys(window, QStringLiteral("Ctrl+Alt+A"))->trigger();
    const auto *buttons = window.findChild<GeneratorDialog *>()->findChild<QDialogButtonBox *>();
    for (QAbstractButton *button : buttons->buttons()) {
        if (!button->text().contains(QStringLiteral("file")))
            continue;
        answerFileDialog(path);
        button->click();
    }
    QTRY_COMPARE(window.document()->next()->spec(), QStringLiteral("sample+") + path);
    QTRY_VERIFY(isIdle(window));
}

void TestModelsWindow::takeAway_one_leavesTheOther()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample+squeezenet"));
    byKeys(window, QStringLiteral("Ctrl+Alt+X"))->trigger();
    const auto choosers = window.findChildren<Chooser *>();
    QCOMPARE(choosers.size(), 1);
    QCOMPARE(choosers.front()->list()->count(), 2);
    QSignalSpy opened(&window, &MainWindow::opened);
    choosers.front()->list()->setCurrentRow(0);
    QTest::keyClick(choosers.front()->filter(), Qt::Key_Return);
    QTRY_VERIFY(!opened.isEmpty());
    QTRY_VERIFY(isIdle(window));
    QCOMPARE(window.document()->next()->spec(), QStringLiteral("squeezenet"));
    QVERIFY(partsOf(window).empty());
}

void TestModelsWindow::session_ofBoth_opensThemAgain()
{
    const QString model = m_folder.filePath(QStringLiteral("net.onnx"));
    QVERIFY(QFile::copy(sourcePath(QStringLiteral("tests/data/onnx/residual.onnx")), model));
    const QString session = m_folder.filePath(QStringLiteral("both.stagecraft"));
    const QString before = QDir::currentPath();
    {
        TestedWindow window(installedServices());
        QVERIFY(QDir::setCurrent(m_folder.path()));
        openAndWait(window, QStringLiteral("squeezenet+net.onnx"));
        answerFileDialog(session);
        QVERIFY(window.saveSessionAs());
    }
    QVERIFY(QDir::setCurrent(before));
    TestedWindow window(installedServices());
    window.openSession(session);
    QTRY_VERIFY(window.document()->next()->model() != nullptr);
    QTRY_VERIFY(isIdle(window));
    QCOMPARE(window.document()->next()->spec(), QStringLiteral("squeezenet+") + model);
    QVERIFY(scheduleOf(window, ScheduleKind::Sequential));
}

void TestModelsWindow::recent_both_areNamedWithoutFolders()
{
    QCOMPARE(shortSpec(QStringLiteral("/nets/a.onnx+squeezenet")), QStringLiteral("a.onnx + squeezenet"));
    QCOMPARE(shortSpec(QStringLiteral("/nets/a.onnx")), QStringLiteral("a.onnx"));
}

void TestModelsWindow::views_ofBoth_tellThemApart()
{
    TestedWindow window(installedServices());
    window.resize(1500, 900);
    window.show();
    openAndWait(window, QStringLiteral("sample+squeezenet"));
    auto *graph = window.findChild<GraphView *>();
    QTRY_VERIFY(!graph->isBusy());
    const QStringList key = graph->findChild<GraphLegend *>()->texts();
    QVERIFY(key.contains(QStringLiteral("sample")) && key.contains(QStringLiteral("squeezenet")));
    const Theme theme = themeFor(graph->palette());
    QVERIFY(shows(graph->grab().toImage(), modelColour(theme, 0)));
    byKeys(window, QStringLiteral("Ctrl+Alt+I"))->trigger();
    QVERIFY(graph->colouring() == Colouring::Model);
    QVERIFY(shows(graph->grab().toImage(), modelFill(theme, 0)));
    const auto *page = window.findChild<ScheduleView *>();
    QVERIFY(shows(const_cast<ScheduleView *>(page)->grab().toImage(), modelColour(theme, 0)));
    openAndWait(window, QStringLiteral("squeezenet"));
    QTRY_VERIFY(!graph->isBusy());
    QVERIFY(!shows(graph->grab().toImage(), modelFill(theme, 0)));
}

void TestModelsWindow::colouring_oneModel_saysHowToAddAnother()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    auto *graph = window.findChild<GraphView *>();
    QTRY_VERIFY(!graph->isBusy());
    graph->setColouring(Colouring::Model);
    QVERIFY(graph->findChild<GraphLegend *>()->texts().join(QString()).contains(QStringLiteral("Add model")));
}

STAGECRAFT_SUITE(TestModelsWindow)

} // namespace tst_models_window
#include "tst_models_window.moc"
