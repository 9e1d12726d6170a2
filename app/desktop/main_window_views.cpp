// The views other than the schedule: their actions, context menus, and the timelines of all panes.

#include "desktop/main_window.h"

#include "desktop/dialogs/result_chooser.h"
#include "desktop/pane_row.h"
#include "desktop/runner_up_times.h"
#include "desktop/schedule_pane.h"
#include "widgets/base/format.h"
#include "widgets/base/pane_badge.h"
#include "widgets/base/selection.h"
#include "widgets/blocks/blocks_table.h"
#include "widgets/charts/latency_chart.h"
#include "widgets/charts/memory_chart.h"
#include "widgets/charts/roofline_chart.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/comparison/difference_table.h"
#include "widgets/graph/graph_view.h"
#include "widgets/inspector/inspector.h"
#include "widgets/inspector/latency_reasons.h"
#include "widgets/passes/passes_panel.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/search/search_panel.h"
#include "widgets/shelf/shelf_view.h"
#include "widgets/timeline/timeline_view.h"

#include <QAction>
#include <QMenu>
#include <QSettings>
#include <QStatusBar>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

QString lengthsKey()
{
    return QStringLiteral("schedule/lengths_are_latencies");
}

} // namespace

void MainWindow::createViewActions()
{
    m_actions.add("lengths", QStringLiteral("Box &length by latency"), QStringLiteral("Ctrl+Shift+L"), [this](bool on) {
        QSettings().setValue(lengthsKey(), on);
        m_panes->setLengthsLatencies(on);
    });
    m_actions["lengths"]->setCheckable(true);
    m_actions.add("choose_beside", {}, QStringLiteral("Ctrl+Shift+Return"), [this] {
        const QToolButton *button = m_panes->focusedPane()->addButton();
        chooseBeside(button->mapToGlobal(button->rect().bottomLeft()));
    });
    m_actions.add("whole_timeline", QStringLiteral("Show &whole timeline"), QStringLiteral("Ctrl+Alt+W"),
                  [this] { m_timeline->showAll(); });
    m_actions.add("align", QStringLiteral("Align &timelines at selection"), QStringLiteral("Ctrl+Shift+A"),
                  [this](bool on) { m_timeline->setAligned(on); });
    m_actions["align"]->setCheckable(true);
    m_actions.add("copy_page", QStringLiteral("&Copy page of the inspector"), QStringLiteral("Ctrl+Shift+C"),
                  [this] { m_inspector->copyToClipboard(); });
    m_actions.add("measure_stage", {}, QStringLiteral("Ctrl+Shift+M"), [this] { measureStage(); });
    createResultActions();
}

void MainWindow::connectViews()
{
    const bool areLatencies = QSettings().value(lengthsKey()).toBool();
    m_actions["lengths"]->setChecked(areLatencies);
    m_panes->setLengthsLatencies(areLatencies);
    connect(m_timeline, &TimelineView::alignedChanged, m_actions["align"], &QAction::setChecked);
    connect(m_panes, &PaneRow::addPressed, this, &MainWindow::chooseBeside);
    connect(m_panes, &PaneRow::measureAgainPressed, this, &MainWindow::measureAgain);
    connect(m_panes, &PaneRow::panesChanged, this, [this] {
        showTimeline();
        requestTimeline();
        refreshViewActions();
    });
    connect(m_panes, &PaneRow::widthChanged, this, &MainWindow::refreshViewActions);
    connect(m_inspector, &Inspector::measureStageRequested, this, &MainWindow::measureStage);
    connect(m_selection, &Selection::changed, this, &MainWindow::refreshViewActions);
    connect(m_document, &Document::timelineChanged, this, &MainWindow::requestTimeline);
    connect(m_jobs, &Jobs::stageMeasuredAgain, m_document, &Document::setStageMeasured);
    connect(m_runnerUpTimes, &RunnerUpTimes::failed, this, &MainWindow::refuse);
    connect(m_runnerUpTimes, &RunnerUpTimes::busyChanged, this, &MainWindow::checkSettled);
    connect(m_runnerUpTimes, &RunnerUpTimes::changed, this, &MainWindow::showRunnerUpTimes);
    connect(m_selection, &Selection::changed, this, &MainWindow::showRunnerUpTimes);
    connect(m_inspector, &Inspector::whyRequested, this,
            [this] { m_runnerUpTimes->requestNow(m_selection->current()); });
    connectMenus();
}

// The right button or the menu key opens the actions of the item under the pointer.
void MainWindow::connectMenus()
{
    const auto on = [this](QWidget *view, auto &&fill) {
        std::vector<QWidget *> asked{view};
        for (QWidget *part : view->findChildren<QWidget *>()) {
            if (part->testAttribute(Qt::WA_NoMousePropagation)) // plots
                asked.push_back(part);
        }
        for (QWidget *part : asked) {
            part->setContextMenuPolicy(Qt::CustomContextMenu);
            connect(part, &QWidget::customContextMenuRequested, this, [this, part, fill](const QPoint &at) {
                auto *menu = new QMenu(this);
                menu->setAttribute(Qt::WA_DeleteOnClose);
                fill(menu, part->mapToGlobal(at));
                menu->popup(part->mapToGlobal(at));
            });
        }
    };
    const auto offer = [&](QWidget *view, std::initializer_list<std::string_view> names) {
        on(view, [this, entries = std::vector(names)](QMenu *menu, const QPoint &) { m_actions.fill(menu, entries); });
    };
    offer(m_graph, {"find", "fit_graph", "fold_all", "unfold_all", "colouring", "graph_view", "-", "measure_stage",
                    "copy_page"});
    offer(m_inspector, {"copy_page", "measure_stage", "measure_again"});
    offer(m_timeline, {"whole_timeline", "align", "-", "timeline_view", "-", "measure_stage", "copy_page"});
    offer(m_chart, {"fit_schedule", "lengths", "-", "measure_stage", "copy_page"});
    offer(m_roofline, {"fit_schedule", "-", "measure_stage", "copy_page"});
    offer(m_memory, {"fit_schedule", "-", "measure_stage", "copy_page"});
    offer(m_passes, {"reading", "-", "measure_stage", "copy_page"});
    offer(m_blocks, {"search", "fold_all", "unfold_all", "-", "measure_stage", "copy_page"});
    offer(m_difference, {"panes"});
    on(m_comparison, [this](QMenu *menu, const QPoint &at) {
        const auto *table = m_comparison->findChild<QTableView *>();
        const QModelIndex index = table->indexAt(table->viewport()->mapFromGlobal(at));
        const std::vector<ResultId> fitting = m_document->fitting();
        if (index.isValid() && static_cast<std::size_t>(index.row()) < fitting.size())
            m_shelf->choose(fitting[static_cast<std::size_t>(index.row())]);
        m_actions.fill(menu, {"shelf", "-", "compare"});
    });
}

void MainWindow::refreshViewActions()
{
    const QString why = whyNoPaneMore();
    m_actions["choose_beside"]->setText(why.isEmpty() ? QStringLiteral("C&hoose what to open beside...")
                                                      : QStringLiteral("C&hoose what to open beside (%1)").arg(why));
    m_actions["choose_beside"]->setEnabled(why.isEmpty() && !m_document->shelf().results().empty());
    for (std::size_t i = 0; i < m_panes->count(); ++i)
        m_panes->pane(i)->addButton()->setEnabled(m_actions["choose_beside"]->isEnabled());
    m_actions["copy_page"]->setEnabled(m_document->model() != nullptr);
    const bool isTimeline = m_document->front().timeline != nullptr;
    m_actions["whole_timeline"]->setEnabled(isTimeline);
    m_actions["align"]->setEnabled(m_panes->count() > 1);
    const auto &stage = m_selection->current().stage;
    const SchedulePtr &schedule = m_document->front().schedule;
    const ScheduleResult *result = m_document->shelf().find(m_document->current());
    const bool isKnown = stage && schedule && *stage < schedule->stageTimings.size() && result;
    const bool statesLayouts = schedule && !schedule->layouts.empty(); // a stage alone runs in those of the device
    const bool can = isKnown && !statesLayouts && !result->isUnderWay();
    m_actions["measure_stage"]->setEnabled(can);
    m_actions["measure_stage"]->setText(
        can             ? QStringLiteral("Measure s&tage %1 again").arg(*stage + 1)
        : statesLayouts ? QStringLiteral("Measure s&tage again (layouts are stated: measure the result)")
                        : QStringLiteral("Measure s&tage again (none is selected)"));
    refreshResultActions();
}

// Measures the selected stage of the current result.
void MainWindow::measureStage()
{
    const ResultId id = m_document->current();
    const ScheduleResult *result = m_document->shelf().find(id);
    const auto &stage = m_selection->current().stage;
    if (!m_actions["measure_stage"]->isEnabled() || !result || !stage)
        return;
    const SchedulePtr schedule = result->schedule;
    statusBar()->showMessage(
        QStringLiteral("Measuring %1 of %2 again ...").arg(stageTitle(*stage), m_document->front().title), 4000);
    m_document->setWaiting(id);
    m_jobs->measureStage(m_document->targetOf(id), id, schedule, *stage);
}

// Results that fit the next search come first; those already in a pane are left out.
void MainWindow::chooseBeside(const QPoint &at)
{
    if (!m_actions["choose_beside"]->isEnabled())
        return;
    std::vector<ResultChoice> fitting;
    std::vector<ResultChoice> others;
    for (const ShelfRowGroup &group : m_shelf->allRows()) {
        for (const ShelfRow &row : group.rows) {
            const ScheduleResult *result = m_document->shelf().find(row.id);
            if (!result || !result->schedule || !row.letters.isEmpty() || row.isShown)
                continue;
            QStringList parts{row.name, row.detail, row.latency};
            if (!row.reason.isEmpty())
                parts << row.reason;
            parts.removeAll(QString());
            (group.fits ? fitting : others).push_back({row.id, parts.join(QStringLiteral(" · "))});
        }
    }
    fitting.insert(fitting.end(), others.begin(), others.end());
    if (fitting.empty()) {
        statusBar()->showMessage(QStringLiteral("The shelf has nothing else to open beside."), 8000);
        return;
    }
    auto *chooser = new ResultChooser(QStringLiteral("Open beside"), fitting, this);
    connect(chooser, &ResultChooser::chosen, this, &MainWindow::openBeside);
    chooser->showAt(at);
}

// One at a time, the current result's first.
void MainWindow::requestTimeline()
{
    std::vector<ResultId> wanted{m_document->current()};
    for (std::size_t i = 0; i < m_panes->count(); ++i)
        wanted.push_back(m_panes->pane(i)->result());
    const auto isMissing = [this](ResultId id) {
        const ScheduleResult *result = m_document->shelf().find(id);
        return result && result->schedule && m_document->targetOf(id).model && !m_document->timelineOf(id) &&
               !m_noTimeline.contains(id);
    };
    const auto next = std::ranges::find_if(wanted, isMissing);
    const bool isOneUnderWay = m_jobs->isMakingTimeline() && std::ranges::find(wanted, m_timelineOf) != wanted.end() &&
                               isMissing(m_timelineOf);
    if (next == wanted.end() || (isOneUnderWay && (m_timelineOf == *next || next != wanted.begin())))
        return;
    m_timelineOf = *next;
    m_jobs->makeTimeline(m_document->targetOf(*next), *next, m_document->shown(*next).schedule);
}

void MainWindow::showTimeline()
{
    if (!std::exchange(m_isTimelineDue, true))
        QMetaObject::invokeMethod(this, &MainWindow::fillTimeline, Qt::QueuedConnection);
}

void MainWindow::fillTimeline()
{
    m_isTimelineDue = false;
    const ShownResult &front = m_document->front();
    m_graph->setTimeline(front.timeline);
    compareInGraph();
    if (const auto trouble = m_noTimeline.find(front.id); trouble != m_noTimeline.end())
        m_timeline->setHint(trouble->second);
    else if (!front.id.isValid())
        m_timeline->setHint(QStringLiteral("When kernels run, and how busy the device is, appears here."));
    else
        m_timeline->setHint(front.schedule ? QStringLiteral("The timeline of %1 is being made ...").arg(front.title)
                                           : QStringLiteral("%1: %2.").arg(front.title, front.note));
    if (m_panes->count() == 1) {
        m_timeline->setTimeline(m_document->model() ? m_document->model()->graph : nullptr, front.timeline,
                                front.schedule);
        showReasons();
        return;
    }
    std::vector<TimelineOf> timelines;
    for (std::size_t i = 0; i < m_panes->count(); ++i) {
        const SchedulePane *pane = m_panes->pane(i);
        const ModelPtr model = pane->model();
        timelines.push_back({paneLetter(i), model ? model->graph : nullptr, m_document->timelineOf(pane->result()),
                             pane->selection(), pane->schedule()});
    }
    m_timeline->setTimelines(std::move(timelines));
    showReasons();
}

void MainWindow::showRunnerUpTimes()
{
    m_inspector->setRunnerUpTimes(m_runnerUpTimes->timesFor(m_selection->current()));
    m_runnerUpTimes->request(m_selection->current());
}

void MainWindow::showReasons()
{
    const ShownResult &front = m_document->front();
    const ModelPtr &model = m_document->model();
    m_roofline->setHint(front.note.isEmpty()
                            ? QStringLiteral("How near each stage comes to the device's peaks appears here.")
                            : QStringLiteral("%1: %2.").arg(front.title, front.note));
    if (!model || !front.schedule || !front.timeline) {
        m_inspector->setReasons(nullptr);
        m_roofline->setLoads(nullptr, {}, {});
        return;
    }
    const SchedulePtr sequential = m_document->shown(m_document->newest(ScheduleKind::Sequential)).schedule;
    const bool isLike = sequential && sequential->device == front.schedule->device &&
                        sequential->batch == front.schedule->batch && sequential->model == front.schedule->model;
    const auto reasons = std::make_shared<const LatencyReasons>(
        latencyReasons(*model->graph, *front.schedule, *front.timeline, isLike ? sequential.get() : nullptr));
    std::vector<StageLoad> loads;
    for (const auto &load : reasons->loads) {
        if (load)
            loads.push_back(*load);
    }
    m_inspector->setReasons(reasons);
    m_roofline->setLoads(front.schedule, std::move(loads), reasons->roof);
}

void MainWindow::requestMemory()
{
    if (m_jobs->isPlanningMemory()) // what is missing then is asked for when the answer comes
        return;
    if (std::vector<MemoryToPlan> wanted = m_document->memoryToPlan(); !wanted.empty())
        m_jobs->planMemory(std::move(wanted));
}

void MainWindow::showMemory()
{
    const ShownResult &front = m_document->front();
    const ModelPtr &model = m_document->model();
    const PlannedMemory *planned = m_document->memoryOf(front.id);
    if (!planned || !planned->memory || !model || !front.schedule) {
        m_memory->setHint(!front.note.isEmpty() ? QStringLiteral("%1: %2.").arg(front.title, front.note)
                          : planned             ? planned->whyNot
                                    : QStringLiteral("What a schedule keeps in memory, stage by stage, appears here."));
        m_memory->setMemory(std::nullopt);
        return;
    }
    const ScheduleMemory &memory = *planned->memory;
    m_memory->setMemory(ShownMemory{model->graph, planned->of.schedule, memory.use, memory.referenceCountedBytes,
                                    memory.weightsBytes, QString::fromStdString(memory.basis)});
}

void MainWindow::compareInGraph()
{
    for (std::size_t i = 0; i < m_panes->count(); ++i) {
        const SchedulePane *pane = m_panes->pane(i);
        const ModelPtr model = pane->model();
        if (i == m_panes->focused() || !pane->schedule() || !model || model->graph != m_graph->graph())
            continue;
        m_graph->setComparedSchedule(
            pane->schedule(), QStringLiteral("%1 %2").arg(paneLetter(i), m_document->shown(pane->result()).title));
        return;
    }
    m_graph->setComparedSchedule(nullptr, {});
}

// The panes are restored when their model is opened again.
void MainWindow::keepPanes()
{
    if (!m_document->model())
        return;
    std::erase_if(m_keptPanes, [&](const KeptPanes &kept) { return kept.model == m_document->settings().model; });
    KeptPanes kept{m_document->settings().model, {}, m_panes->focused()};
    for (std::size_t i = 0; i < m_panes->count(); ++i)
        kept.results.push_back(m_panes->pane(i)->result());
    m_keptPanes.push_back(std::move(kept));
}

void MainWindow::bringPanesBack(const ModelReference &before)
{
    const ModelReference &now = m_document->settings().model;
    const auto kept = std::ranges::find(m_keptPanes, now, &KeptPanes::model);
    if (now != before && kept != m_keptPanes.end())
        m_panes->show(kept->results, kept->focused);
}

} // namespace stagecraft
