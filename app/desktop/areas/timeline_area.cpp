#include "desktop/areas/timeline_area.h"

#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/dialogs/export_dialog.h"
#include "desktop/document/document.h"
#include "desktop/work/services.h"
#include "flow/open_model.h"
#include "flow/profiled_timeline.h"
#include "support/error_text.h"
#include "timing/simulator_version.h"
#include "widgets/base/pane_badge.h"
#include "widgets/timeline/timeline_view.h"

#include <QKeySequence>
#include <QMenu>

#include <algorithm>
#include <utility>

namespace stagecraft {

TimelineArea::TimelineArea(const AreaContext &context, const PaneRow &panes)
    : Area(context), m_panes(panes), m_timeline(new TimelineView(&selection(), &window()))
{
    actions().add("whole_timeline", QStringLiteral("Show &whole timeline"), QStringLiteral("Ctrl+Alt+W"),
                  [this] { m_timeline->showAll(); });
    actions()
        .add("align", QStringLiteral("Align &timelines at selection"), QStringLiteral("Ctrl+Shift+A"),
             [this](bool on) { m_timeline->setAligned(on); })
        ->setCheckable(true);
    actions().addEntries("timeline_view", [this](QMenu *menu) { menu->addActions(m_timeline->viewActions()); });
    actions().addEntries("timeline", [this](QMenu *menu) {
        actions().fill(menu->addMenu(QStringLiteral("&Timeline")), {"whole_timeline", "align", "-", "timeline_view"});
    });
    offerMenu(m_timeline, {"whole_timeline", "align", "-", "timeline_view", "-", "measure_stage", "copy_page"});
    connect(m_timeline, &TimelineView::alignedChanged, actions()["align"], &QAction::setChecked);
    connect(&results(), &Results::frontChanged, this, [this] {
        m_troubles.clear();
        showSoon();
        request();
    });
    connect(&results(), &Results::timelineChanged, this, [this] {
        showSoon();
        request();
    });
    connect(&m_panes, &PaneRow::panesChanged, this, [this] {
        showSoon();
        request();
        refresh();
    });
    connect(&m_making, &JobLane::busyChanged, this, &TimelineArea::busyChanged);
    connect(&m_making, &JobLane::workFailed, this, [this](const QString &reason) {
        setTrouble({ErrorCode::DeviceFailed, reason.toStdString(), {}, {}});
    });
    show();
}

std::vector<Dock> TimelineArea::docks() const
{
    return {{4, QStringLiteral("Timeline"), "timeline", m_timeline}};
}

void TimelineArea::refresh()
{
    actions()["whole_timeline"]->setEnabled(results().front().timeline != nullptr);
    actions()["align"]->setEnabled(m_panes.count() > 1);
}

void TimelineArea::request()
{
    std::vector<ResultId> wanted{results().current()};
    for (std::size_t i = 0; i < m_panes.count(); ++i)
        wanted.push_back(m_panes.pane(i)->result());
    const auto isMissing = [this](ResultId id) {
        const ScheduleResult *result = results().shelf().find(id);
        return result && result->schedule && results().targetOf(id).model && !results().timelineOf(id) &&
               !m_troubles.contains(id) && !isOfOlderSimulator(result->settings);
    };
    const auto next = std::ranges::find_if(wanted, isMissing);
    const bool isOneUnderWay =
        m_making.isBusy() && std::ranges::find(wanted, m_underWay) != wanted.end() && isMissing(m_underWay);
    if (next == wanted.end() || (isOneUnderWay && (m_underWay == *next || next != wanted.begin())))
        return;
    make(*next);
}

void TimelineArea::make(ResultId id)
{
    m_underWay = id;
    m_making.start([this, id, target = results().targetOf(id), schedule = results().shown(id).schedule,
                    measurers = services().measurers](const JobLane::Context &context) -> JobLane::Delivery {
        const auto made =
            schedule->isOfProfile()
                ? timelineOfProfile(*target.model, *schedule, context.stop)
                : measurers->open(target.model->graph, target.deviceId, Urgency::User, {}, onnxFileOf(*target.model))
                      .and_then([&](const Measurers::Opened &device) {
                          return device.session->timeline(*schedule, context.stop);
                      });
        if (!made)
            return [this, error = made.error()] { setTrouble(error); };
        const auto index = std::make_shared<const TimelineIndex>(std::make_shared<const Timeline>(*made));
        return [this, id, index] { results().setTimeline(id, index); };
    });
}

void TimelineArea::setTrouble(const Error &error)
{
    m_troubles[m_underWay] = QString::fromStdString(errorText(error));
    showSoon();
    request();
}

void TimelineArea::showSoon()
{
    if (!std::exchange(m_isDue, true))
        QMetaObject::invokeMethod(this, &TimelineArea::show, Qt::QueuedConnection);
}

void TimelineArea::show()
{
    m_isDue = false;
    const RatedResult &front = results().front();
    const ScheduleResult *result = results().shelf().find(front.id);
    if (const auto trouble = m_troubles.find(front.id); trouble != m_troubles.end())
        m_timeline->setHint(trouble->second);
    else if (!result && front.whyNot.empty())
        m_timeline->setHint(QStringLiteral("When kernels run, and how busy the device is, appears here."));
    else if (const QString why = result && front.schedule ? whyNoTimeline(front, result->settings) : QString();
             !why.isEmpty())
        m_timeline->setHint(why);
    else
        m_timeline->setHint(
            front.schedule
                ? QStringLiteral("The timeline of %1 is being made ...").arg(QString::fromStdString(front.name))
                : whyNotText(front));
    if (m_panes.count() == 1) {
        m_timeline->setTimeline(next().model() ? next().model()->graph : nullptr, front.timeline, front.schedule);
    } else {
        std::vector<TimelineOf> timelines;
        for (std::size_t i = 0; i < m_panes.count(); ++i) {
            const SchedulePane *pane = m_panes.pane(i);
            const ModelPtr model = pane->model();
            timelines.push_back({paneLetter(i), model ? model->graph : nullptr, results().timelineOf(pane->result()),
                                 pane->selection(), pane->schedule()});
        }
        m_timeline->setTimelines(std::move(timelines));
    }
    emit shown();
}

void TimelineArea::addTo(ExportSubject &subject) const
{
    subject.views[ExportView::Timeline] = m_timeline;
}

} // namespace stagecraft
