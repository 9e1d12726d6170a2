// What schedules keep in memory, as a person sees it: in the panel Memory, on the shelf, in the comparison, and in the
// trade-off study.

#include "app/desktop/window_test.h"
#include "plan/memory_use.h"
#include "schedule/edit/edit.h"
#include "support/suite.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/shelf/shelf_view.h"
#include "widgets/study/pruning_plot.h"
#include "widgets/study/pruning_view.h"

#include <QLabel>

#include <algorithm>

using namespace stagecraft;

namespace tst_memory_window {

namespace {

MemoryChart *chartOf(TestedWindow &window)
{
    QTest::keyClick(&window, Qt::Key_Equal, Qt::AltModifier); // the panel's key
    return window.findChild<MemoryChart *>();
}

plan::MemoryUse useOf(const TestedWindow &window, ResultId id)
{
    const Document &document = *window.document();
    constexpr std::int64_t kElementBytes = 4;
    return *plan::plannedMemory(*document.next()->model()->graph,
                                document.results()->shelf().find(id)->schedule->stages, kElementBytes);
}

QString bytes(std::size_t count)
{
    return bytesText(static_cast<double>(count));
}

} // namespace

class TestMemoryWindow : public WindowTest {
    Q_OBJECT

private slots:
    void panel_baseline_saysWhatTheCoreSays();
    void panel_clickOnABuffer_selectsTheOperatorThatWritesIt();
    void panel_clickBesideBuffers_selectsTheStage();
    void panel_anotherResult_showsItsMemory();
    void panel_beforeAModel_saysWhatItShows();
    void panel_edit_showsTheMemoryOfTheEdit();
    void panel_unknownShape_saysWhichTensor();
    void comparison_results_haveTheirPeaks();
    void shelf_row_hasThePeak();
    void shelf_rows_areMarkedVerified();
    void tradeoff_byMemory_plotsThePeak();

private:
    static void openPlanned(TestedWindow &window, const QString &spec)
    {
        window.resize(1600, 1000);
        window.show();
        openAndWait(window, spec);
        QTRY_VERIFY(window.document()->results()->memoryOf(window.document()->results()->current()));
        QTRY_VERIFY(window.isSettled());
    }
};

void TestMemoryWindow::panel_baseline_saysWhatTheCoreSays()
{
    TestedWindow window(installedServices());
    openPlanned(window, QStringLiteral("squeezenet"));
    const MemoryChart *chart = chartOf(window);
    const plan::MemoryUse use = useOf(window, window.document()->results()->current());
    const QString text = chart->plainSummary();
    QVERIFY2(text.contains(QStringLiteral("live peak ") + bytes(use.livePeakBytes())), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("arena ") + bytes(use.arenaBytes)), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("without reuse ") + bytes(use.noReuseBytes())), qPrintable(text));
    const Document &document = *window.document();
    for (const plan::MemoryTargetRow &row : plan::memoryTargets()) {
        const auto elsewhere =
            plan::targetMemory(row.target, *document.next()->model()->graph, *document.results()->front().schedule, 4);
        QVERIFY(elsewhere);
        const QString fact = QString::fromUtf8(row.name.data()) + ' ' + bytes(elsewhere->heldBytes);
        QVERIFY2(text.contains(fact), qPrintable(text));
    }
}

void TestMemoryWindow::panel_clickOnABuffer_selectsTheOperatorThatWritesIt()
{
    TestedWindow window(installedServices());
    openPlanned(window, QStringLiteral("squeezenet"));
    MemoryChart *chart = chartOf(window);
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    const plan::MemoryUse use = useOf(window, window.document()->results()->current());
    const Graph &graph = *window.document()->next()->model()->graph;
    // The largest that an operator writes has room for a click.
    const plan::MemoryBuffer *largest = nullptr;
    for (const plan::MemoryBuffer &buffer : use.buffers) {
        const bool isWritten = buffer.tensors.size() == 1 && graph.tensor(buffer.tensors.front()).producer.isValid();
        if (isWritten && (!largest || buffer.life.bytes > largest->life.bytes))
            largest = &buffer;
    }
    QVERIFY(largest);
    const auto index = static_cast<std::size_t>(largest - use.buffers.data());
    const Tensor &tensor = graph.tensor(largest->tensors.front());
    const QString tip = chart->tipOfBuffer(index);
    QVERIFY2(tip.contains(QString::fromStdString(tensor.name)), qPrintable(tip));
    QVERIFY2(tip.contains(bytes(largest->life.bytes)), qPrintable(tip));
    const QPoint place = chart->bufferCentre(index);
    QWidget *plot = chart->childAt(place);
    QVERIFY(plot);
    QTest::mouseClick(plot, Qt::LeftButton, {}, plot->mapFrom(chart, place));
    QVERIFY(window.selection()->current().op == tensor.producer);
}

void TestMemoryWindow::panel_clickBesideBuffers_selectsTheStage()
{
    TestedWindow window(installedServices());
    openPlanned(window, QStringLiteral("squeezenet"));
    MemoryChart *chart = chartOf(window);
    const plan::MemoryUse use = useOf(window, window.document()->results()->current());
    const auto last =
        std::ranges::max_element(use.buffers, {}, [](const auto &buffer) { return buffer.life.lastStage; });
    const QPoint inLast = chart->bufferCentre(static_cast<std::size_t>(last - use.buffers.begin()));
    QWidget *plot = chart->childAt(inLast);
    QVERIFY(plot);
    // The end of the network needs little: above it nothing lies in the arena.
    QTest::mouseClick(plot, Qt::LeftButton, {}, QPoint(plot->mapFrom(chart, inLast).x(), plot->height() / 4));
    const Selected &selected = window.selection()->current();
    QVERIFY(!selected.op);
    QVERIFY(selected.stage && *selected.stage >= last->life.firstStage && *selected.stage <= last->life.lastStage);
}

void TestMemoryWindow::panel_anotherResult_showsItsMemory()
{
    TestedWindow window(installedServices());
    openPlanned(window, QStringLiteral("randwire"));
    const MemoryChart *chart = chartOf(window);
    const ResultId sequential = window.document()->results()->newest(ScheduleKind::Sequential);
    const ResultId greedy = window.document()->results()->newest(ScheduleKind::Greedy);
    const std::size_t sequentialPeak = useOf(window, sequential).livePeakBytes();
    const std::size_t greedyPeak = useOf(window, greedy).livePeakBytes();
    QVERIFY(greedyPeak > sequentialPeak); // more is live where more runs side by side
    for (const auto &[id, peak] : {std::pair{sequential, sequentialPeak}, std::pair{greedy, greedyPeak}}) {
        window.document()->results()->setCurrent(id);
        QTRY_VERIFY2(chart->plainSummary().contains(bytes(peak)), qPrintable(chart->plainSummary()));
    }
}

void TestMemoryWindow::panel_beforeAModel_saysWhatItShows()
{
    TestedWindow window(installedServices());
    window.show();
    const MemoryChart *chart = chartOf(window);
    const auto hints = chart->findChildren<QLabel *>(QStringLiteral("hint"));
    QVERIFY(!hints.isEmpty() && hints.front()->text().contains(QStringLiteral("memory")));
}

void TestMemoryWindow::panel_edit_showsTheMemoryOfTheEdit()
{
    TestedWindow window(installedServices());
    openPlanned(window, QStringLiteral("squeezenet"));
    Document &document = *window.document();
    document.results()->setCurrent(document.results()->newest(ScheduleKind::Greedy));
    const MemoryChart *chart = chartOf(window);
    const auto &stages = document.results()->front().schedule->stages;
    const auto wide = std::ranges::find_if(stages, [](const Stage &stage) { return stage.groups.size() > 1; });
    QVERIFY(wide != stages.end());
    const auto stage = static_cast<std::size_t>(wide - stages.begin());
    const auto edited = document.editor()->edit(document.results()->current(), SplitStage{stage, wide->groups.front()});
    QVERIFY2(edited, edited ? "" : edited.error().message.c_str());
    QTRY_VERIFY(document.results()->memoryOf(*edited));
    QTRY_VERIFY(window.isSettled());
    const plan::MemoryUse use = useOf(window, document.results()->current());
    QCOMPARE(use.stages, stages.size() + 1);
    QTRY_VERIFY2(chart->plainSummary().contains(bytes(use.livePeakBytes())), qPrintable(chart->plainSummary()));
}

void TestMemoryWindow::panel_unknownShape_saysWhichTensor()
{
    Services services = installedServices();
    services.openModel = [open = services.openModel](const OpenRequest &request) -> Result<OpenedModel> {
        auto opened = open(request);
        if (!opened)
            return opened;
        Model &model = opened->model;
        Graph::Parts parts = Graph(*model.graph).take();
        parts.tensors[parts.operators.front().outputs.front().index()].shape.known = false;
        model.graph = std::make_shared<const Graph>(Graph::fromParts(std::move(parts)));
        return opened;
    };
    TestedWindow window(services);
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const MemoryChart *chart = chartOf(window);
    const Graph &graph = *window.document()->next()->model()->graph;
    const std::string &tensor = graph.tensor(graph.operators().front().outputs.front()).name;
    const auto hint = [&] { return chart->findChildren<QLabel *>(QStringLiteral("hint")).front()->text(); };
    QTRY_VERIFY2(hint().contains(QString::fromStdString(tensor)), qPrintable(hint()));
}

void TestMemoryWindow::comparison_results_haveTheirPeaks()
{
    TestedWindow window(installedServices());
    openPlanned(window, QStringLiteral("squeezenet"));
    const Document &document = *window.document();
    const auto &rows = window.findChild<ComparisonTable *>()->rows();
    const std::vector<ResultId> ids = document.results()->fitting();
    QCOMPARE(rows.size(), ids.size());
    QVERIFY(rows.size() >= 2);
    for (std::size_t i = 0; i < rows.size(); ++i)
        QVERIFY(rows[i].livePeakBytes == useOf(window, ids[i]).livePeakBytes());
}

void TestMemoryWindow::shelf_row_hasThePeak()
{
    TestedWindow window(installedServices());
    openPlanned(window, QStringLiteral("squeezenet"));
    const ResultId id = window.document()->results()->newest(ScheduleKind::Sequential);
    for (const ShelfRowGroup &group : window.findChild<ShelfView *>()->allRows()) {
        for (const ShelfRow &row : group.rows) {
            if (row.id == id) {
                QVERIFY2(row.detail.contains(bytes(useOf(window, id).livePeakBytes())), qPrintable(row.detail));
                return;
            }
        }
    }
    QFAIL("Sequential is not on the shelf");
}

void TestMemoryWindow::shelf_rows_areMarkedVerified()
{
    TestedWindow window(installedServices());
    openPlanned(window, QStringLiteral("squeezenet"));
    std::size_t marked = 0;
    for (const ShelfRowGroup &group : window.findChild<ShelfView *>()->allRows()) {
        for (const ShelfRow &row : group.rows) {
            QVERIFY(row.isVerified);
            QVERIFY2(row.spoken.contains(QStringLiteral("verified")), qPrintable(row.spoken));
            ++marked;
        }
    }
    QCOMPARE(marked, std::size_t{2});
    // A race is no mark, and its reason is said.
    VerifiedPlan racing;
    racing.faults.push_back({"tensor race", "conv1 and conv2 race on x", ""});
    QVERIFY(verifiedText(racing).contains(QStringLiteral("Not safe: conv1 and conv2 race on x")));
}

void TestMemoryWindow::tradeoff_byMemory_plotsThePeak()
{
    TestedWindow window(installedServices());
    openPlanned(window, QStringLiteral("sample"));
    window.pruning()->setCost(PointCost::Memory);
    emit window.pruning()->startRequested();
    QTRY_VERIFY(window.isSettled() && !window.pruning()->plot()->points().empty());
    constexpr double kMebi = 1024 * 1024;
    constexpr std::int64_t kElementBytes = 4;
    for (const PlottedPoint &point : window.pruning()->plot()->points()) {
        const auto use =
            plan::plannedMemory(*window.document()->next()->model()->graph, point.schedule->stages, kElementBytes);
        QCOMPARE(point.cost(PointCost::Memory), static_cast<double>(use->livePeakBytes()) / kMebi);
    }
}

STAGECRAFT_SUITE(TestMemoryWindow)

} // namespace tst_memory_window
#include "tst_memory_window.moc"
