// The panel Passes in the window: graphs before and after from the file, reading the model again without a pass, the
// selection in all views.

#include "app/desktop/window_test.h"
#include "support/places.h"
#include "support/suite.h"
#include "widgets/base/selection.h"
#include "widgets/graph/graph_view.h"
#include "widgets/passes/before_after.h"
#include "widgets/passes/change_list.h"
#include "widgets/passes/pass_list.h"
#include "widgets/passes/passes_panel.h"
#include "widgets/search/search_panel.h"

#include <QDockWidget>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_passes_window {

namespace {

const QString kData = sourcePath("tests/data/onnx/");

QModelIndex rowOf(const PassesPanel &panel, const QString &pass)
{
    PassListModel *rows = panel.passes()->rows();
    for (int i = 0; i < rows->rowCount(); ++i) {
        if (rows->row(i).name == pass)
            return rows->index(i);
    }
    return {};
}

} // namespace

class TestPassesWindow : public WindowTest {
    Q_OBJECT

private slots:
    void panel_key_bringsItUpWithItsGraphs();
    void panel_change_selectsTheUnitEverywhere();
    void panel_box_readsTheModelAgain();
    void panel_refusedReading_keepsTheTruth();
    void panel_folding_showsWhatTheFileHas();
    void panel_changedFile_saysSo();
    void panel_duringASearch_works();
    void panel_builtIn_saysWhyThereAreNone();
    void panel_small_clipsNothing();

private:
    static void showPasses(TestedWindow &window, const QString &spec)
    {
        window.resize(1600, 1000);
        window.show();
        openAndWait(window, spec);
        window.activateWindow();
        QTest::keyClick(&window, Qt::Key_P, Qt::AltModifier | Qt::ShiftModifier);
        const PassesPanel &panel = *window.passes();
        QTRY_VERIFY(panel.graphs()->shown().before.graph || !panel.emptyText().isEmpty());
        QTRY_VERIFY(window.isSettled());
    }
};

void TestPassesWindow::panel_key_bringsItUpWithItsGraphs()
{
    TestedWindow window(installedServices());
    showPasses(window, kData + "conv_norm_relu.onnx");
    const PassesPanel &panel = *window.passes();
    QVERIFY(panel.isVisible());
    QVERIFY2(panel.graphs()->text().isEmpty(), qPrintable(panel.graphs()->text()));
    const ShownStep &shown = panel.graphs()->shown();
    QCOMPARE(shown.before.graph->size(), std::size_t(3)); // convolution, batch norm, Relu
    QCOMPARE(shown.after.graph->size(), std::size_t(2));
    QCOMPARE(panel.graphs()->before()->graph(), shown.before.graph);
    // Not kept behind another tab.
    QTest::keyClick(&window, Qt::Key_4, Qt::AltModifier);
    QTRY_VERIFY(!panel.graphs()->before()->graph());
    QSignalSpy wanted(&panel, &PassesPanel::stepsWanted);
    openAndWait(window, kData + "gated.onnx");
    QVERIFY(wanted.isEmpty());
    QTest::keyClick(&window, Qt::Key_P, Qt::AltModifier | Qt::ShiftModifier);
    QTRY_COMPARE(wanted.count(), 1);
    QTRY_VERIFY(panel.graphs()->before()->graph());
}

void TestPassesWindow::panel_change_selectsTheUnitEverywhere()
{
    TestedWindow window(installedServices());
    showPasses(window, kData + "gated.onnx");
    PassesPanel &panel = *window.passes();
    panel.passes()->choose("fuse-hard-activations");
    QTRY_VERIFY(window.isSettled());
    panel.changes()->list()->setCurrentIndex(panel.changes()->rows()->index(0));
    const Graph &graph = *window.document()->next()->model()->graph;
    QVERIFY(window.selection()->current().op == graph.find("b"));
    QVERIFY(window.selection()->current().stage); // in the schedule, too
    window.selection()->set({graph.find("a"), {}});
    panel.passes()->choose("fuse-gated-activations");
    QTRY_VERIFY(window.isSettled());
    QVERIFY(panel.changes()->current() && panel.changes()->current()->unit == *graph.find("a"));
}

void TestPassesWindow::panel_box_readsTheModelAgain()
{
    TestedWindow window(installedServices());
    showPasses(window, kData + "conv_norm_relu.onnx");
    PassesPanel &panel = *window.passes();
    QSignalSpy opened(&window, &MainWindow::opened);
    panel.passes()->rows()->setData(rowOf(panel, "fold-batch-norms"), Qt::Unchecked, Qt::CheckStateRole);
    QVERIFY2(panel.statusText().contains("again without fold-batch-norms"), qPrintable(panel.statusText()));
    QCOMPARE(rowOf(panel, "fold-batch-norms").data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Checked));
    QTRY_VERIFY(!opened.isEmpty());
    QTRY_VERIFY(window.isSettled());
    QVERIFY(window.document()->next()->model()->reading.without.contains("fold-batch-norms"));
    QCOMPARE(window.document()->next()->model()->graph->size(), std::size_t(3));
    QCOMPARE(rowOf(panel, "fold-batch-norms").data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Unchecked));
    QVERIFY(!panel.statusText().startsWith("Reading"));
    panel.passes()->rows()->setData(rowOf(panel, "fold-batch-norms"), Qt::Checked, Qt::CheckStateRole);
    QTRY_COMPARE(opened.count(), 2);
    QVERIFY(window.document()->next()->model()->reading.without.empty());
    QTRY_VERIFY(window.isSettled());
}

void TestPassesWindow::panel_refusedReading_keepsTheTruth()
{
    const QString path = m_folder.filePath("gone.onnx");
    QVERIFY(QFile::copy(kData + "conv_norm_relu.onnx", path));
    TestedWindow window(installedServices());
    showPasses(window, path);
    QVERIFY(QFile::remove(path));
    PassesPanel &panel = *window.passes();
    QSignalSpy failed(window.open(), &OpenArea::failed);
    panel.passes()->rows()->setData(rowOf(panel, "fuse-activations"), Qt::Unchecked, Qt::CheckStateRole);
    QTRY_VERIFY(!failed.isEmpty());
    QTRY_VERIFY(!panel.statusText().startsWith("Reading"));
    QCOMPARE(rowOf(panel, "fuse-activations").data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Checked));
    QVERIFY(panel.passes()->rows()->flags(rowOf(panel, "fuse-activations")) & Qt::ItemIsUserCheckable);
}

void TestPassesWindow::panel_folding_showsWhatTheFileHas()
{
    TestedWindow window(installedServices());
    showPasses(window, kData + "computed_reshape.onnx");
    PassesPanel &panel = *window.passes();
    panel.passes()->choose("fold-constants");
    QTRY_VERIFY(window.isSettled());
    const ShownStep &shown = panel.graphs()->shown();
    QVERIFY(shown.before.graph && shown.before.graph->find("target"));
    QVERIFY(!shown.after.graph->find("target"));
    // What read the folded target reads on.
    const auto reader = shown.after.graph->find("r");
    QVERIFY(reader && shown.after.marks[reader->index()] == OperatorMark::TakesOver);
    panel.changes()->list()->setCurrentIndex(panel.changes()->rows()->index(0)); // by way of others that are folded
    QCOMPARE(shown.before.graph->op(shown.before.change.front()).name, std::string("s"));
    QVERIFY(shown.after.change == std::vector{*reader});
}

void TestPassesWindow::panel_changedFile_saysSo()
{
    const QString path = m_folder.filePath("changed.onnx");
    QVERIFY(QFile::copy(kData + "conv_norm_relu.onnx", path));
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, path);
    QVERIFY(QFile::remove(path) && QFile::copy(kData + "gated.onnx", path));
    QTest::keyClick(&window, Qt::Key_P, Qt::AltModifier | Qt::ShiftModifier);
    QTRY_VERIFY2_WITH_TIMEOUT(window.passes()->graphs()->text().contains("has changed since it was opened"),
                              qPrintable(window.passes()->graphs()->text()), 30000);
}

void TestPassesWindow::panel_duringASearch_works()
{
    TestedWindow window(installedServices());
    showPasses(window, kData + "residual.onnx");
    window.startSearch();
    PassesPanel &panel = *window.passes();
    panel.passes()->choose("fuse-activations");
    panel.passes()->rows()->setData(rowOf(panel, "fuse-activations"), Qt::Unchecked, Qt::CheckStateRole);
    QTRY_VERIFY(window.isSettled());
    QVERIFY(window.document()->next()->model()->reading.without.contains("fuse-activations"));
    // The search went on, for the reading that it was started for.
    const auto &results = window.document()->results()->shelf().results();
    QVERIFY(std::ranges::any_of(results, [](const ScheduleResult &result) { return result.isFound(); }));
}

void TestPassesWindow::panel_builtIn_saysWhyThereAreNone()
{
    TestedWindow window(installedServices());
    showPasses(window, QStringLiteral("sample"));
    QVERIFY(window.passes()->emptyText().contains("consists of schedule units already"));
}

void TestPassesWindow::panel_small_clipsNothing()
{
    for (const QSize size : {QSize(1280, 800), QSize(1000, 700), QSize(900, 500)}) {
        TestedWindow window(installedServices());
        window.resize(size);
        window.show();
        openAndWait(window, kData + "gated.onnx");
        QTest::keyClick(&window, Qt::Key_P, Qt::AltModifier | Qt::ShiftModifier);
        const PassesPanel *panel = window.passes();
        QTRY_VERIFY(panel->graphs()->shown().before.graph);
        for (const QWidget *part :
             {static_cast<const QWidget *>(panel->passes()), static_cast<const QWidget *>(panel->changes()),
              static_cast<const QWidget *>(panel->graphs()->before()),
              static_cast<const QWidget *>(panel->graphs()->after())}) {
            const QRect inPanel(part->mapTo(panel, QPoint(0, 0)), part->size());
            QVERIFY2(panel->rect().contains(inPanel) && part->width() >= 80 && part->height() >= 40,
                     qPrintable(part->accessibleName()));
        }
    }
}

STAGECRAFT_SUITE(TestPassesWindow)

} // namespace tst_passes_window
#include "tst_passes_window.moc"
