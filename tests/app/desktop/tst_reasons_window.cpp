// Why a schedule takes its time, as a person sees it: in the inspector and under the roof of the device.

#include "app/desktop/window_test.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "flow/explain/stage_trials.h"
#include "flow/find/order_launches.h"
#include "schedule/compare/critical_path.h"
#include "schedule/edit/edit.h"
#include "support/graph_making.h"
#include "support/suite.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/charts/roofline_chart.h"
#include "widgets/inspector/inspector.h"
#include "widgets/inspector/link_chip.h"
#include "wiring/device_catalog.h"

#include <QDockWidget>

#include <algorithm>
#include <array>
#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_reasons_window {

namespace {

RooflineChart *rooflineOf(TestedWindow &window)
{
    QTest::keyClick(&window, Qt::Key_Minus, Qt::AltModifier); // the panel's key
    return window.findChild<RooflineChart *>();
}

// The simulated device as one that measures: what it says is the same, but its work is not for nothing.
class MeasuringDevice : public Device {
public:
    explicit MeasuringDevice(std::unique_ptr<Device> device) : m_device(std::move(device)) {}

    [[nodiscard]] static DeviceInfo measuring(DeviceInfo info)
    {
        info.provenance = Provenance::Measured;
        return info;
    }
    [[nodiscard]] DeviceInfo info() const override { return measuring(m_device->info()); }
    [[nodiscard]] Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        return m_device->open(std::move(graph));
    }

private:
    std::unique_ptr<Device> m_device;
};

Services measuringServices()
{
    Services services = installedServices();
    services.listDevices = [list = services.listDevices] {
        std::vector<DeviceInfo> devices = list();
        std::ranges::transform(devices, devices.begin(), &MeasuringDevice::measuring);
        return devices;
    };
    services.findDevice = [find = services.findDevice](const std::string &id) -> Result<std::unique_ptr<Device>> {
        auto found = find(id);
        if (!found)
            return found;
        return std::make_unique<MeasuringDevice>(std::move(*found));
    };
    return services;
}

} // namespace

class TestReasonsWindow : public WindowTest {
    Q_OBJECT

private slots:
    void model_searched_saysPeakAndCriticalPaths();
    void stage_selected_saysWhatItReaches();
    void stage_ofSeveralGroups_saysWhatAnotherLaunchOrderGains();
    void runnersUp_simulated_sayWhatMakesThemDearer();
    void runnersUp_measured_sayWhatMakesThemDearerWhenAsked();
    void comparison_onceATimelineIsMade_saysHowFarFromTheBound();
    void operator_convolution_saysWhatItMergesWith();
    void roofline_click_selectsTheStage();
    void roofline_measuredDevice_saysThatThePeaksAreUnknown();
    void roofline_beforeAModel_saysWhatItShows();

private:
    // With stages of several operators.
    static void search(TestedWindow &window, const QString &spec)
    {
        openAndWait(window, spec);
        QTest::keyClick(&window, Qt::Key_F5);
        QTRY_VERIFY(scheduleOf(window, ScheduleKind::IosBoth) && window.isSettled());
        window.document()->results()->setCurrent(window.document()->results()->newest(ScheduleKind::IosBoth));
        QTRY_VERIFY(window.document()->results()->front().timeline != nullptr);
    }
};

void TestReasonsWindow::model_searched_saysPeakAndCriticalPaths()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    search(window, QStringLiteral("squeezenet"));
    window.selection()->clear();
    const auto text = [&] { return window.inspector()->plainText(); };
    QTRY_VERIFY2(text().contains(QStringLiteral("Why this latency")), qPrintable(text()));
    QVERIFY2(text().contains(QStringLiteral("At peak")), qPrintable(text()));
    // The numbers are those of the core, from the same schedules.
    const Graph &graph = *window.document()->next()->model()->graph;
    const TimedSchedule &sequential =
        *window.document()->results()->shown(window.document()->results()->newest(ScheduleKind::Sequential)).schedule;
    const std::vector<double> us = operatorLatenciesUs(graph, sequential);
    const CriticalPath ofGraph = criticalPath(graph, us);
    const CriticalPath ofStages = criticalPath(*window.document()->results()->front().schedule, us);
    QVERIFY(ofStages.us >= ofGraph.us);
    QVERIFY2(text().contains(latencyText(ofGraph.us)), qPrintable(text()));
    const bool isLonger = ofStages.us > ofGraph.us + 0.005;
    QVERIFY2(text().contains(isLonger ? latencyText(ofStages.us) : QStringLiteral("no longer")), qPrintable(text()));
}

void TestReasonsWindow::stage_selected_saysWhatItReaches()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    search(window, QStringLiteral("squeezenet"));
    window.selection()->set({std::nullopt, 1});
    const auto text = [&] { return window.inspector()->plainText(); };
    QTRY_VERIFY2(text().contains(QStringLiteral("Of peak")), qPrintable(text()));
    for (const char *key :
         {"Bandwidth", "Warps", "Where the time goes", "Arithmetic", "Memory", "Waiting", "Idle SMs", "Launch"})
        QVERIFY2(text().contains(QLatin1String(key)), qPrintable(text()));
    QVERIFY2(text().contains(QStringLiteral("TFLOP/s")), qPrintable(text()));
}

// The number is that of the core, and "Try it" is a stage in that order.
void TestReasonsWindow::stage_ofSeveralGroups_saysWhatAnotherLaunchOrderGains()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    search(window, QStringLiteral("inception_v3"));
    const SchedulePtr schedule = window.document()->results()->front().schedule;
    const ModelPtr model = window.document()->next()->model();
    const auto device = findDevice(schedule->context.device);
    QVERIFY(device);
    const auto session = (*device)->open(model->graph);
    QVERIFY(session);
    int gains = 0;
    int none = 0;
    for (std::size_t i = 0; i < schedule->stages.size() && (gains == 0 || none == 0); ++i) {
        if (!hasLaunchOrders(schedule->stages[i]))
            continue;
        const auto asItIs = (*session)->stageLatency(schedule->stages[i], {});
        const auto fastest = fastestLaunchOrder(schedule->stages[i], *model->graph, **session, {});
        QVERIFY(asItIs && fastest);
        window.selection()->set({std::nullopt, i});
        const auto text = [&] { return window.inspector()->plainText(); };
        QTRY_VERIFY2(text().contains(QStringLiteral("were tried")), qPrintable(text()));
        const double moreUs = fastest->latencyUs - asItIs->timing.latencyUs;
        const bool isFaster = text().contains(QStringLiteral("Fastest order"));
        QVERIFY2(!isFaster || text().contains(signedLatencyText(moreUs)), qPrintable(text()));
        QVERIFY2(isFaster || text().contains(QStringLiteral("gains nothing")), qPrintable(text()));
        QCOMPARE(isFaster, moreUs < -0.05);
        ++(isFaster ? gains : none);
        window.selection()->clear();
        QTRY_VERIFY(!text().contains(QStringLiteral("were tried")));
    }
    QVERIFY(gains > 0);
}

void TestReasonsWindow::runnersUp_simulated_sayWhatMakesThemDearer()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    search(window, QStringLiteral("squeezenet"));
    const TimedSchedule &schedule = *window.document()->results()->front().schedule;
    const std::vector<BlockSearch> searched =
        window.document()->results()->searchOf(window.document()->results()->current());
    const auto block = std::ranges::find_if(searched, [](const BlockSearch &each) { return !each.runnersUp.empty(); });
    QVERIFY(block != searched.end());
    const auto stage = std::ranges::find(schedule.stages, block->block, &Stage::block);
    window.selection()->set({std::nullopt, static_cast<std::size_t>(stage - schedule.stages.begin())});
    const auto text = [&] { return window.inspector()->plainText(); };
    QTRY_VERIFY2(text().contains(QStringLiteral("tried here: ")), qPrintable(text()));
    // The sum of the parts is what the device says of both schedules.
    const RunnerUp &other = block->runnersUp.front();
    const Model &model = *window.document()->next()->model();
    const auto session = take(installedServices().findDevice("sim:v100"))->open(model.graph);
    QVERIFY(session);
    TimedSchedule tried = schedule;
    tried.stages = take(applyEdit(*model.graph, model.blocks, schedule.stages, TryStage{other.stage})).stages;
    const double more = static_cast<double>(take((*session)->timeline(tried, {})).durationNs -
                                            take((*session)->timeline(schedule, {})).durationNs) /
                        1000;
    const auto trials = take(tryStages(model, schedule, std::array{other.stage}, **session, {}));
    QVERIFY(trials.more[0]);
    QVERIFY2(std::abs(trials.more[0]->totalUs() - more) < 0.002, qPrintable(QString::number(more)));
    QVERIFY2(text().contains(QStringLiteral("tried here: %1").arg(signedLatencyText(more))), qPrintable(text()));
}

void TestReasonsWindow::runnersUp_measured_sayWhatMakesThemDearerWhenAsked()
{
    TestedWindow window(measuringServices());
    window.resize(1600, 1000);
    window.show();
    search(window, QStringLiteral("squeezenet"));
    window.selection()->set({std::nullopt, std::nullopt, std::size_t{1}});
    const auto button = [&]() -> LinkChip * {
        for (LinkChip *chip : window.inspector()->findChildren<LinkChip *>()) {
            if (chip->text() == QStringLiteral("What makes them dearer?"))
                return chip;
        }
        return nullptr;
    };
    QTRY_VERIFY2(button(), qPrintable(window.inspector()->plainText()));
    const auto text = [&] { return window.inspector()->plainText(); };
    QVERIFY(!text().contains(QStringLiteral("tried here"))); // it would disturb what is being measured
    button()->click();
    QTRY_VERIFY(text().contains(QStringLiteral("tried here: ")));
    QTRY_VERIFY(!button());
}

void TestReasonsWindow::comparison_onceATimelineIsMade_saysHowFarFromTheBound()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    search(window, QStringLiteral("squeezenet"));
    const Model &model = *window.document()->next()->model();
    const double least = leastUs(*model.graph, roofOf(window.document()->results()->front().timeline->timeline()));
    QVERIFY(least > 0);
    const std::vector<ComparisonRow> rows = window.document()->results()->comparison();
    QVERIFY(rows.size() >= 3); // Sequential and Greedy, too
    for (const ComparisonRow &row : rows)
        QCOMPARE(row.leastUs, least);
}

void TestReasonsWindow::operator_convolution_saysWhatItMergesWith()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    openAndWait(window, QStringLiteral("squeezenet"));
    const Graph &graph = *window.document()->next()->model()->graph;
    // The two expands of a fire module read the same: kernels of one and three.
    const auto expand = std::ranges::find_if(
        graph.operators(), [](const Operator &op) { return op.name.find("expand1x1") != std::string::npos; });
    QVERIFY(expand != graph.operators().end());
    const auto place = static_cast<std::size_t>(expand - graph.operators().begin());
    window.selection()->set({OperatorId::fromIndex(place), std::nullopt});
    const auto text = [&] { return window.inspector()->plainText(); };
    QTRY_VERIFY2(text().contains(QStringLiteral("Could merge with")), qPrintable(text()));
    QVERIFY2(text().contains(QStringLiteral("yes")), qPrintable(text()));
}

void TestReasonsWindow::roofline_click_selectsTheStage()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    search(window, QStringLiteral("squeezenet"));
    RooflineChart *chart = rooflineOf(window);
    QVERIFY(chart);
    QTRY_VERIFY(chart->isVisible());
    QTRY_VERIFY2(chart->plainSummary().contains(QStringLiteral("simulated")), qPrintable(chart->plainSummary()));
    QVERIFY2(chart->plainSummary().contains(QStringLiteral("TFLOP/s")), qPrintable(chart->plainSummary()));
    // Once the plot that came to the front is laid out.
    QTRY_VERIFY(!chart->markCentre(2).isNull() && chart->rect().contains(chart->markCentre(2)));
    const QPoint mark = chart->markCentre(2);
    QWidget *plot = chart->childAt(mark);
    QTest::mouseClick(plot, Qt::LeftButton, {}, plot->mapFrom(chart, mark));
    QVERIFY(window.selection()->current().stage.has_value());
    const std::size_t chosen = *window.selection()->current().stage;
    QVERIFY((chart->markCentre(chosen) - mark).manhattanLength() <= 9);                           // marks may overlap
    QTest::mouseClick(plot, Qt::LeftButton, {}, QPoint(plot->width() - 20, plot->height() - 60)); // nothing there
    QVERIFY(!window.selection()->current().stage);
}

void TestReasonsWindow::roofline_measuredDevice_saysThatThePeaksAreUnknown()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    QVERIFY(chooseAndWait(window, QStringLiteral("cpu")));
    openAndWait(window, QStringLiteral("sample"));
    QTRY_VERIFY(window.document()->results()->front().timeline != nullptr);
    RooflineChart *chart = rooflineOf(window);
    QTRY_VERIFY2(chart->plainSummary().contains(QStringLiteral("does not tell its peaks")),
                 qPrintable(chart->plainSummary()));
    QVERIFY2(chart->plainSummary().contains(QStringLiteral("measured")), qPrintable(chart->plainSummary()));
}

void TestReasonsWindow::roofline_beforeAModel_saysWhatItShows()
{
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    RooflineChart *chart = rooflineOf(window);
    QTRY_VERIFY(chart->isVisible());
    const auto *hint = chart->findChild<QLabel *>(QStringLiteral("hint"));
    QTRY_VERIFY2(hint->text().contains(QStringLiteral("peaks")), qPrintable(hint->text()));
}

STAGECRAFT_SUITE(TestReasonsWindow)

} // namespace tst_reasons_window
#include "tst_reasons_window.moc"
