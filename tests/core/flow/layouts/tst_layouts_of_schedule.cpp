// Layouts for the stages of a schedule, as the window chooses them: assumed on the simulated V100.

#include "flow/find_schedule.h"
#include "flow/layouts/assumed_layouts.h"
#include "flow/layouts/layouts_of_schedule.h"
#include "results/files/schedule_json.h"
#include "search/layouts/layout_search.h"
#include "search/stages/baselines.h"
#include "support/graph_making.h"
#include "support/opened_model.h"
#include "support/suite.h"
#include "wiring/device_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_layouts_of_schedule {

namespace {

struct OnV100 {
    explicit OnV100(const std::string &name)
        : model(take(openedModel(name))), device(take(findDevice("sim:v100"))), session(take(device->open(model.graph)))
    {
    }

    LayoutsOfSchedule layoutsOf(const TimedSchedule &schedule)
    {
        return take(
            layoutsOfSchedule(model, schedule, take(assumedLayouts(model, *device, {})), *session, device->info(), {}));
    }
    TimedSchedule made(ScheduleKind kind)
    {
        return take(findSchedule(model, *session, device->info(), {kind}, {}, {})).schedule;
    }

    Model model;
    std::unique_ptr<Device> device;
    std::unique_ptr<DeviceSession> session;
};

} // namespace

class TestLayoutsOfSchedule : public QObject {
    Q_OBJECT

private slots:
    void sequential_takesTheSumThatTheSearchFinds_data();
    void sequential_takesTheSumThatTheSearchFinds();
    void iosBoth_keepsItsStagesAndIsAssumed();
    void iosBoth_allInNchw_takesWhatIsSimulated();
    void devices_withoutLayouts_areRefusedByName_data();
    void devices_withoutLayouts_areRefusedByName();
};

void TestLayoutsOfSchedule::sequential_takesTheSumThatTheSearchFinds_data()
{
    QTest::addColumn<QString>("network");
    QTest::newRow("squeezenet") << "squeezenet";
    QTest::newRow("inception_v3") << "inception_v3";
    QTest::newRow("shufflenet_v2") << "shufflenet_v2";
}

void TestLayoutsOfSchedule::sequential_takesTheSumThatTheSearchFinds()
{
    QFETCH(QString, network);
    OnV100 on(network.toStdString());
    const LayoutsOfSchedule layouts = on.layoutsOf(on.made(ScheduleKind::Sequential));
    const auto found = searchLayouts(take(assumedLayouts(on.model, *on.device, {})).problem, {});
    QVERIFY(found.has_value());
    QVERIFY(std::abs(*layouts.schedule.latencyUs() / found->best.latencyUs - 1) < 1e-9);
    QVERIFY(*layouts.schedule.latencyUs() < *on.made(ScheduleKind::Sequential).latencyUs());
}

void TestLayoutsOfSchedule::iosBoth_keepsItsStagesAndIsAssumed()
{
    OnV100 on("squeezenet");
    const TimedSchedule ios = on.made(ScheduleKind::IosBoth);
    QVERIFY(std::ranges::any_of(ios.stages, [](const Stage &stage) { return stage.strategy == Strategy::Merge; }));
    const LayoutsOfSchedule layouts = on.layoutsOf(ios);
    const TimedSchedule &made = layouts.schedule;
    QVERIFY(made.stages == ios.stages);
    QVERIFY(made.measured.provenance == Provenance::Assumed);
    QVERIFY(!made.layouts.empty());
    QVERIFY2(layouts.text.starts_with("NCHW and NHWC, "), layouts.text.c_str());
    QVERIFY(made.search.termination == Termination::None); // the proof was of stages in NCHW
    QCOMPARE(made.measured.stages.size(), made.stages.size());
    QVERIFY(*made.latencyUs() < *ios.latencyUs());
    // A file has it as it is.
    const auto read = scheduleFromJson(toJson(*on.model.graph, made), *on.model.graph, on.model.blocks,
                                       {on.model.name, on.model.sha256});
    QVERIFY(read.has_value());
    QVERIFY(read->layouts == made.layouts);
    QVERIFY(read->measured.provenance == Provenance::Assumed);
    QCOMPARE(*read->latencyUs(), *made.latencyUs());
}

// Where no other layout is allowed, nothing changes.
void TestLayoutsOfSchedule::iosBoth_allInNchw_takesWhatIsSimulated()
{
    OnV100 on("inception_v3");
    const TimedSchedule greedy = on.made(ScheduleKind::Greedy);
    LayoutCosts costs = take(assumedLayouts(on.model, *on.device, {}));
    costs.problem = allIn(costs.problem, costs.problem.fixed);
    const LayoutsOfSchedule layouts =
        take(layoutsOfSchedule(on.model, greedy, std::move(costs), *on.session, on.device->info(), {}));
    QVERIFY(std::abs(*layouts.schedule.latencyUs() / *greedy.latencyUs() - 1) < 1e-9);
    QCOMPARE(layouts.text, std::string("NCHW, 0 conversions"));
}

void TestLayoutsOfSchedule::devices_withoutLayouts_areRefusedByName_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("message");
    QTest::newRow("sim:k80") << "sim:k80"
                             << "no published figures say what layouts take on sim:k80";
    QTest::newRow("rec:x") << "rec:x"
                           << "layouts cannot be chosen tensor by tensor on rec:x";
}

void TestLayoutsOfSchedule::devices_withoutLayouts_areRefusedByName()
{
    QFETCH(QString, id);
    QFETCH(QString, message);
    const auto can = canChooseLayouts(id.toStdString());
    QVERIFY(!can);
    QCOMPARE(can.error().code, ErrorCode::WrongUse);
    QCOMPARE(QString::fromStdString(can.error().message), message);
    QVERIFY(canChooseLayouts("cpu") && canChooseLayouts("gpu:0:fp16") && canChooseLayouts("sim:v100"));
}

STAGECRAFT_SUITE(TestLayoutsOfSchedule)

} // namespace tst_layouts_of_schedule
#include "tst_layouts_of_schedule.moc"
