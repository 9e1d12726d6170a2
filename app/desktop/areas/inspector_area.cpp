#include "desktop/areas/inspector_area.h"

#include "desktop/areas/inspector/launch_order_gains.h"
#include "desktop/areas/inspector/profiled_times.h"
#include "desktop/areas/inspector/runner_up_times.h"
#include "desktop/document/document.h"
#include "desktop/work/result_queue.h"
#include "desktop/work/services.h"
#include "timing/simulator_version.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/inspector/inspector.h"
#include "widgets/inspector/latency_reasons.h"

#include <QKeySequence>

namespace stagecraft {

InspectorArea::InspectorArea(const AreaContext &context)
    : Area(context), m_inspector(new Inspector(&selection(), &window())),
      m_runnerUpTimes(new RunnerUpTimes(&document(), services().measurers, this)),
      m_launchOrders(new LaunchOrderGains(&document(), services().measurers, this))
{
    actions().add("copy_page", QStringLiteral("&Copy page of the inspector"), QStringLiteral("Ctrl+Shift+C"),
                  [this] { m_inspector->copyToClipboard(); });
    actions().add("measure_stage", {}, QStringLiteral("Ctrl+Shift+M"), [this] { measureStage(); });
    offerMenu(m_inspector, {"copy_page", "measure_stage", "measure_again"});
    connect(&results(), &Results::frontChanged, this, &InspectorArea::showFront);
    connect(&selection(), &Selection::changed, this, [this] {
        showProfiledTimes();
        showRunnerUpTimes();
        showLaunchOrder();
        refresh();
    });
    connect(&results(), &Results::timelineChanged, this, &InspectorArea::showProfiledTimes);
    connect(&results(), &Results::shelfChanged, this, &InspectorArea::showProfiledTimes);
    connect(m_inspector, &Inspector::measureStageRequested, this, &InspectorArea::measureStage);
    connect(m_inspector, &Inspector::whyRequested, this,
            [this] { m_runnerUpTimes->requestNow(selection().current()); });
    connect(m_runnerUpTimes, &RunnerUpTimes::failed, this, &InspectorArea::refuse);
    connect(m_runnerUpTimes, &RunnerUpTimes::busyChanged, this, &InspectorArea::busyChanged);
    connect(m_runnerUpTimes, &RunnerUpTimes::changed, this, &InspectorArea::showRunnerUpTimes);
    connect(m_launchOrders, &LaunchOrderGains::failed, this, &InspectorArea::refuse);
    connect(m_launchOrders, &LaunchOrderGains::busyChanged, this, &InspectorArea::busyChanged);
    connect(m_launchOrders, &LaunchOrderGains::changed, this, &InspectorArea::showLaunchOrder);
    showFront();
}

// Its work ends while what it uses is there.
InspectorArea::~InspectorArea()
{
    delete m_runnerUpTimes;
    delete m_launchOrders;
}

std::vector<Dock> InspectorArea::docks() const
{
    return {{3, QStringLiteral("Inspector"), "inspector", m_inspector}};
}

void InspectorArea::refresh()
{
    actions()["copy_page"]->setEnabled(next().model() != nullptr);
    const auto &stage = selection().current().stage;
    const SchedulePtr &schedule = results().front().schedule;
    const ScheduleResult *result = results().shelf().find(results().current());
    const bool isKnown = stage && schedule && *stage < schedule->measured.stages.size() && result;
    const bool statesLayouts = schedule && !schedule->layouts.empty(); // a stage alone runs in those of the device
    const bool isRecorded = schedule && schedule->isOfProfile();
    const bool isOfOlder = isKnown && isOfOlderSimulator(result->settings);
    const bool can = isKnown && !statesLayouts && !isRecorded && !isOfOlder && !result->isUnderWay();
    actions()["measure_stage"]->setEnabled(can);
    actions()["measure_stage"]->setText(
        can             ? QStringLiteral("Measure s&tage %1 again").arg(*stage + 1)
        : statesLayouts ? QStringLiteral("Measure s&tage again (layouts are stated: measure the result)")
        : isRecorded    ? QStringLiteral("Measure s&tage again (a profile recorded it)")
        : isOfOlder     ? QStringLiteral("Measure s&tage again (an older simulator simulated it)")
                        : QStringLiteral("Measure s&tage again (none is selected)"));
}

bool InspectorArea::isBusy() const
{
    return m_runnerUpTimes->isBusy() || m_launchOrders->isBusy();
}

void InspectorArea::showFront()
{
    const ModelPtr &model = next().model();
    if (!m_model || m_model != model) {
        m_model = model;
        m_inspector->setModel(model);
    }
    const RatedResult &front = results().front();
    m_inspector->setSchedule(front.schedule);
    m_inspector->setSearch(results().searchOf(front.id));
    showProfiledTimes();
    showRunnerUpTimes();
    showLaunchOrder();
}

void InspectorArea::showProfiledTimes()
{
    const auto &stage = selection().current().stage;
    const SchedulePtr &schedule = results().front().schedule;
    const bool isShown = stage && schedule && *stage < schedule->stages.size();
    m_inspector->setProfiledTimes(isShown ? profiledTimes(results(), schedule->stages[*stage])
                                          : std::vector<ProfiledTime>{});
}

void InspectorArea::showRunnerUpTimes()
{
    m_inspector->setRunnerUpTimes(m_runnerUpTimes->timesFor(selection().current()));
    m_runnerUpTimes->request(selection().current());
}

void InspectorArea::showLaunchOrder()
{
    m_inspector->setLaunchOrder(m_launchOrders->gainFor(selection().current()));
    m_launchOrders->request(selection().current());
}

void InspectorArea::showReasons()
{
    const RatedResult &front = results().front();
    const ModelPtr &model = next().model();
    std::shared_ptr<const LatencyReasons> reasons;
    const bool saysWhy = front.timeline && !front.timeline->timeline().isOfProfile();
    if (model && front.schedule && saysWhy) {
        const SchedulePtr sequential = results().shown(results().newest(ScheduleKind::Sequential)).schedule;
        const bool isLike = sequential && sequential->context.isOnSameDevice(front.schedule->context) &&
                            sequential->context.batch == front.schedule->context.batch &&
                            sequential->context.model == front.schedule->context.model;
        reasons = std::make_shared<const LatencyReasons>(
            latencyReasons(*model->graph, *front.schedule, *front.timeline, isLike ? sequential.get() : nullptr));
    }
    m_inspector->setReasons(reasons);
    emit reasonsChanged(reasons);
}

void InspectorArea::measureStage()
{
    const ResultId id = results().current();
    const ScheduleResult *result = results().shelf().find(id);
    const auto &stage = selection().current().stage;
    if (!actions()["measure_stage"]->isEnabled() || !result || !stage)
        return;
    const SchedulePtr schedule = result->schedule;
    tell(QStringLiteral("Measuring %1 of %2 again ...")
             .arg(stageTitle(*stage), QString::fromStdString(results().front().name)),
         4000);
    results().setWaiting(id);
    const auto work = [this, id, schedule, at = *stage](const ResultQueue::Open &open,
                                                        const JobLane::Context &context) -> Result<JobLane::Delivery> {
        TRY_AS(auto opened, open());
        TRY_AS(const auto latency, opened.session->measureStage(schedule->stages[at], context.stop));
        return [this, id, at, timing = latency.timing] { results().setStageMeasured(id, at, timing); };
    };
    queue().measure(id, ResultQueue::Turn::Other, results().targetOf(id), work);
}

} // namespace stagecraft
