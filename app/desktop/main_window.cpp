#include "desktop/main_window.h"

#include "desktop/own_devices.h"
#include "desktop/pane_row.h"
#include "desktop/recent_files.h"
#include "desktop/schedule_pane.h"
#include "desktop/what_if_window.h"
#include "services/error_text.h"
#include "widgets/blocks/blocks_table.h"
#include "widgets/charts/latency_chart.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/elided_label.h"
#include "widgets/format.h"
#include "widgets/graph/graph_view.h"
#include "widgets/inspector/inspector.h"
#include "widgets/schedule/schedule_layout.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/search/search_panel.h"
#include "widgets/selection.h"
#include "widgets/shelf/shelf_view.h"
#include "widgets/theme.h"
#include "widgets/timeline/timeline_view.h"

#include <QAction>
#include <QFileInfo>
#include <QLabel>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

// What a schedule was made for, as far as it is measured on something else.
QString originText(const Schedule &file, const Schedule &measured)
{
    QStringList parts;
    if (!file.device.empty() && file.device != measured.device)
        parts.push_back(QString::fromStdString(file.device));
    if (file.batch != measured.batch)
        parts.push_back(QStringLiteral("batch %1, not %2").arg(file.batch).arg(measured.batch));
    if (!file.device.empty() && file.precision != measured.precision)
        parts.push_back(QStringLiteral("%1, not %2")
                            .arg(QString::fromStdString(file.precision), QString::fromStdString(measured.precision)));
    return parts.join(QStringLiteral(", "));
}

QString nameOf(const Document &document, ResultId id)
{
    const ScheduleResult *result = document.shelf().find(id);
    return result ? QString::fromStdString(result->shownName()) : QString();
}

ScheduleKind kindFor(StrategySet strategies)
{
    switch (strategies) {
    case StrategySet::Parallel: return ScheduleKind::IosParallel;
    case StrategySet::Merge: return ScheduleKind::IosMerge;
    case StrategySet::Both: break;
    }
    return ScheduleKind::IosBoth;
}

bool isScheduleFile(const QString &path)
{
    return path.endsWith(QStringLiteral(".schedule.json"), Qt::CaseInsensitive);
}

} // namespace

MainWindow::MainWindow(Services services, QWidget *parent)
    : QMainWindow(parent), m_document(new Document(this)), m_jobs(new Jobs(std::move(services), this)),
      m_selection(new Selection(this))
{
    setObjectName(QStringLiteral("MainWindow"));
    setAcceptDrops(true);
    setMinimumSize(880, 480);
    m_devices = m_jobs->services().listDevices();
    addOwnDevices();
    createViews();
    createActions();
    createToolBar();
    createDocks();
    createMenus();
    applyIcons();
    connectDocument();
    connectJobs();
    connectControls();
    connectShelf();
    connectPanes();
    showDevices();
    chooseDevice(QString::fromStdString(m_jobs->services().defaultDevice));
    showModel();
    showFront();
    showTimeline();
    refreshActions();
    restoreLayout();
}

// The jobs go first: they end their threads while everything they report to is still there.
MainWindow::~MainWindow()
{
    disconnect(m_jobs, nullptr, this, nullptr);
    delete m_jobs;
}

void MainWindow::openModel(const QString &spec)
{
    statusBar()->showMessage(QStringLiteral("Opening %1 ...").arg(QFileInfo(spec).fileName()));
    m_jobs->open(spec, {});
}

void MainWindow::openPath(const QString &path)
{
    if (const QString device = deviceIn(path); !device.isEmpty()) {
        switchDevice(device);
        return;
    }
    if (!isScheduleFile(path)) {
        openModel(path);
        return;
    }
    if (!m_document->model()) {
        m_messages->show(
            MessageBar::Kind::Warning,
            QStringLiteral("%1 is a schedule. Open the model it belongs to first.").arg(QFileInfo(path).fileName()));
        return;
    }
    m_openingScheduleFor = m_document->settings();
    m_jobs->openSchedule(m_document->target(), path);
}

void MainWindow::startSearch()
{
    startKinds({kindFor(m_searchPanel->options().strategies)}, false);
}

void MainWindow::compareAll()
{
    startKinds({kScheduleKinds.begin(), kScheduleKinds.end()}, true);
}

void MainWindow::startKinds(std::vector<ScheduleKind> kinds, bool comparing)
{
    const SearchOptions options = m_searchPanel->options();
    if (!m_document->model())
        return;
    if (!checkPruning(options)) {
        refuse(
            {ErrorCode::WrongUse,
             options.r.value_or(1) < 1 ? "r = 0 leaves no operator for a group" : "s = 0 leaves no group for a stage",
             "Choose a value from 1 to 64; 64 is no bound.",
             {"search"}});
        return;
    }
    PlannedSearch search{m_document->target(), {}, options, comparing};
    if (comparing) // those that are not there yet
        search.results = m_document->addBaselines();
    const std::vector<ResultToMake> searched = m_document->addSearches(kinds, options);
    search.results.insert(search.results.end(), searched.begin(), searched.end());
    m_plannedSearches.push_back(std::move(search));
    startNextSearch();
}

void MainWindow::startNextSearch()
{
    if (!m_jobs->isSearching() && !m_plannedSearches.empty()) {
        m_search = std::move(m_plannedSearches.front());
        m_plannedSearches.pop_front();
        m_jobs->search(m_search.target, m_search.results, m_search.options, m_document->beside(m_search.results));
    }
    refreshActions();
}

// Of what was not made nothing stays but baselines: those are measured without the search then.
void MainWindow::endSearch()
{
    const PlannedSearch ended = std::exchange(m_search, {});
    std::vector<ResultToMake> missing;
    for (const ResultToMake &made : ended.results) {
        const ScheduleResult *result = m_document->shelf().find(made.id);
        if (result && result->schedule)
            m_document->setDone(made.id);
        else if (result && result->origin == Origin::Searched)
            m_document->drop(made.id);
        else if (result)
            missing.push_back(made);
    }
    if (!missing.empty() && !m_jobs->isMeasuring())
        m_jobs->measureBaselines(ended.target, missing);
    statusBar()->clearMessage();
    startNextSearch();
    showStatus();
}

SchedulePane *MainWindow::schedulePane() const
{
    return m_panes->focusedPane();
}

bool MainWindow::isSettled() const
{
    return m_jobs->isIdle() && m_plannedSearches.empty() && !m_graph->isBusy();
}

void MainWindow::connectDocument()
{
    connect(m_document, &Document::modelChanged, this, &MainWindow::showModel);
    connect(m_document, &Document::deviceChanged, this, [this] {
        m_whatIf->setDevice(m_document->device());
        showStatus();
        refreshActions();
    });
    connect(m_document, &Document::shelfChanged, this, [this] {
        m_comparison->setRows(m_document->comparison());
        showChosenRow();
        refreshActions();
    });
    connect(m_document, &Document::frontChanged, this, &MainWindow::showFront);
    connect(m_document, &Document::timelineChanged, this, &MainWindow::showTimeline);
}

void MainWindow::connectJobs()
{
    connect(m_jobs, &Jobs::opened, this, [this](const QString &spec, const ModelPtr &model) {
        m_jobs->cancelMeasuring(); // searches go on: their results find their place
        m_document->dropMeasuring();
        statusBar()->clearMessage();
        m_messages->dismiss();
        addRecentFile(spec);
        m_document->setModel(spec, model);
        measureBaselines();
    });
    connect(m_jobs, &Jobs::openFailed, this, [this](const QString &spec, Error error) {
        statusBar()->clearMessage();
        if (error.context.empty() && !spec.isEmpty())
            error.context.push_back(spec.toStdString());
        if (m_document->model())
            m_searchPanel->setBatch(m_document->model()->graph->batch());
        refuse(error);
    });
    connect(m_jobs, &Jobs::scheduleOpened, this,
            [this](const QString &path, const SchedulePtr &schedule, const SchedulePtr &file) {
                QString name = QFileInfo(path).fileName();
                if (const QString differs = originText(*file, *schedule); !differs.isEmpty())
                    m_messages->show(MessageBar::Kind::Warning,
                                     QStringLiteral("%1 was made for %2.").arg(name, differs));
                name.chop(isScheduleFile(path) ? static_cast<int>(qstrlen(".schedule.json")) : 0);
                m_document->setCurrent(m_document->addOpened(name, path, m_openingScheduleFor, schedule));
            });
    connect(m_jobs, &Jobs::measuredAgain, this, [this](ResultId id, const SchedulePtr &schedule) {
        m_panes->showAwaited(id, m_document->setMeasuredAgain(id, schedule));
    });
    connect(m_jobs, &Jobs::measureAgainFailed, this, [this](ResultId id, const Error &error) {
        const ScheduleResult *result = m_document->shelf().find(id);
        if (result && result->schedule)
            m_document->setDone(id);
        else
            m_document->drop(id);
        refuse(error);
    });
    connect(m_jobs, &Jobs::scheduleRefused, this, [this](const QString &path, Error error) {
        error.context.insert(error.context.begin(), path.toStdString());
        refuse(error);
    });
    connect(m_jobs, &Jobs::made, this,
            [this](ResultId id, const SchedulePtr &schedule, const std::vector<BlockSearch> &blocks) {
                m_document->setMade(id, schedule, blocks);
                const ScheduleResult *result = m_document->shelf().find(id);
                if (result && !blocks.empty()) {
                    m_searchPanel->showResult(QString::fromStdString(result->title), *schedule);
                    if (result->settings == m_document->settings())
                        m_document->setCurrent(id);
                }
                showStatus();
            });
    connect(m_jobs, &Jobs::stagesLeftOut, this, [this](ResultId id, qint64 stages, const Error &example) {
        m_messages->show(
            MessageBar::Kind::Warning,
            QStringLiteral("%1 left out %2 that could not be measured, for example: %3")
                .arg(nameOf(*m_document, id), plural(stages, "stage"), QString::fromStdString(errorText(example))));
    });
    connect(m_jobs, &Jobs::measureFailed, this, &MainWindow::refuse);
    connect(m_jobs, &Jobs::measuringBroke, this, [this](const Error &error) {
        m_document->dropMeasuring();
        refuse(error);
    });
    connect(m_jobs, &Jobs::baselinesFailed, this, [this](const std::vector<ResultId> &ids, const Error &error) {
        for (const ResultId id : ids)
            m_document->setFailed(id, QStringLiteral("could not be measured"));
        refuse(error);
    });
    connect(m_jobs, &Jobs::searchStarted, this, [this](ResultId id) {
        m_document->setRunning(id);
        m_searchPanel->showMessage(QStringLiteral("%1: starting ...").arg(nameOf(*m_document, id)));
    });
    connect(m_jobs, &Jobs::searchProgress, this, [this](ResultId id, const SearchProgress &progress) {
        m_document->setProgress(id, progress);
        m_searchPanel->showProgress(nameOf(*m_document, id), progress);
    });
    connect(m_jobs, &Jobs::searchStopped, this,
            [this] { m_searchPanel->showMessage(QStringLiteral("Stopped before a first schedule was measured.")); });
    connect(m_jobs, &Jobs::timingInterleaved, this,
            [this] { statusBar()->showMessage(QStringLiteral("Timing the schedules in turn ...")); });
    connect(m_jobs, &Jobs::timedInterleaved, m_document, &Document::setTimedInRounds);
    connect(m_jobs, &Jobs::searchFinished, this, &MainWindow::endSearch);
    connect(m_jobs, &Jobs::counted, m_blocks, &BlocksTable::setCounts);
    connect(m_jobs, &Jobs::counted, m_inspector, &Inspector::setCounts);
    connect(m_jobs, &Jobs::timelineMade, m_document, &Document::setTimeline);
    connect(m_jobs, &Jobs::timelineFailed, this, [this](const Error &error) {
        m_timeline->setHint(QString::fromStdString(errorText(error)));
        m_timeline->setTimeline(nullptr, nullptr);
    });
    connect(m_jobs, &Jobs::storeFailed, this, [this](const Error &error) {
        const QString text = QString::fromStdString(errorText(error));
        if (std::exchange(m_storeError, text) != text) // every lane of jobs has a session of its own to tell it
            m_messages->show(MessageBar::Kind::Warning, text);
    });
    connect(m_jobs, &Jobs::busyChanged, this, [this] {
        refreshActions();
        checkSettled();
    });
    connect(m_graph, &GraphView::dotFailed, this, [this](const Error &why) {
        const QString text =
            QStringLiteral("Blocks of the graph are laid out by rows: %1").arg(QString::fromStdString(errorText(why)));
        if (m_dotError == text || !m_messages->text().isEmpty()) // other messages matter more; the next layout tells
            return;
        m_dotError = text;
        m_messages->show(MessageBar::Kind::Info, text);
    });
    connect(m_graph, &GraphView::layoutFinished, this, &MainWindow::checkSettled);
}

void MainWindow::connectControls()
{
    connect(m_searchPanel, &SearchPanel::searchRequested, this, &MainWindow::startSearch);
    connect(m_searchPanel, &SearchPanel::optionsChanged, this, &MainWindow::countSpaces);
    connect(m_searchPanel, &SearchPanel::optionsChanged, this, &MainWindow::refreshShelf);
    connect(m_searchPanel, &SearchPanel::stopRequested, m_jobs, &Jobs::stopSearch);
    connect(m_searchPanel, &SearchPanel::deviceChanged, this, &MainWindow::switchDevice);
    connect(m_searchPanel, &SearchPanel::batchChanged, this, [this](std::int64_t batch) {
        if (m_document->model())
            m_jobs->open(m_document->spec(), {batch});
    });
    connect(m_whatIf, &WhatIfWindow::deviceWanted, this, &MainWindow::compareOn);
    connect(m_comparison, &ComparisonTable::rowActivated, this, [this](std::size_t row) {
        const std::vector<ResultId> fitting = m_document->fitting();
        if (row < fitting.size())
            m_document->setCurrent(fitting[row]);
    });
    connect(m_document, &Document::progressed, m_shelf, &ShelfView::refreshRow);
    connect(m_comparison, &ComparisonTable::compareRequested, this, &MainWindow::compareAll);
    connect(m_comparison, &ComparisonTable::stopRequested, m_jobs, &Jobs::stopSearch);
    connect(m_graph, &GraphView::openRequested, this, &MainWindow::chooseModelFile);
    connect(m_graph, &GraphView::sampleRequested, this, &MainWindow::openModel);
    connect(m_graph, &GraphView::colouringChanged, this, [this](Colouring colouring) {
        m_actions.colouring[static_cast<std::size_t>(colouring)]->setChecked(true);
    });
    connect(m_messages, &MessageBar::shown, m_messageTools, &QWidget::show);
    connect(m_messages, &MessageBar::dismissed, m_messageTools, &QWidget::hide);
}

void MainWindow::showModel()
{
    const ModelPtr &model = m_document->model();
    setWindowTitle(model ? QStringLiteral("%1 - Stagecraft").arg(QString::fromStdString(model->name))
                         : QStringLiteral("Stagecraft"));
    if (model) {
        m_searchPanel->setBatch(model->graph->batch());
        m_searchPanel->showMessage(QStringLiteral("Not searched yet: press Search to find a faster schedule."));
        const auto warnings =
            std::count_if(model->report.notes.begin(), model->report.notes.end(),
                          [](const ImportNote &note) { return note.severity == ImportNote::Severity::Warning; });
        if (!model->costs.isComplete())
            m_messages->show(
                MessageBar::Kind::Warning,
                QStringLiteral("%1: %2. Simulated latencies are at least what they say.")
                    .arg(QString::fromStdString(model->name), QString::fromStdString(missingCostText(model->costs))));
        else if (warnings > 0)
            m_messages->show(MessageBar::Kind::Info,
                             QStringLiteral("%1 was imported with %2: see the Inspector.")
                                 .arg(QString::fromStdString(model->name), plural(warnings, "warning")));
    }
    showStatus();
    refreshActions();
}

// The model of the result in front, which need not be the one that the next search is for.
void MainWindow::showModelInViews()
{
    const ModelPtr &model = m_document->shownModel();
    if (m_modelInViews && m_modelInViews == model)
        return;
    m_modelInViews = model;
    m_selection->clear();
    m_graph->setModel(model ? model->graph : nullptr, model ? model->blocks : Blocks{});
    m_inspector->setModel(model);
    m_blocks->setModel(model);
    countSpaces();
}

void MainWindow::showFront()
{
    showModelInViews();
    const ShownResult &front = m_document->front();
    m_graph->setSchedule(front.schedule);
    m_inspector->setSchedule(front.schedule);
    m_inspector->setSearch(front.search);
    m_blocks->setSearch(front.title, front.search, front.schedule ? front.schedule->provenance : std::nullopt,
                        front.schedule && front.schedule->leavesOutWork());
    m_chart->setHint(front.note.isEmpty() ? QStringLiteral("The latency of each stage appears here.")
                                          : QStringLiteral("%1: %2.").arg(front.title, front.note));
    m_chart->setSchedule(front.schedule);
    showChosenRow();
    keepSelectionInStep();
    requestTimeline();
    showStatus();
    refreshActions();
}

// On the shelf and in the comparison.
void MainWindow::showChosenRow()
{
    const std::vector<ResultId> fitting = m_document->fitting();
    m_comparison->setCurrent(
        static_cast<std::size_t>(std::ranges::find(fitting, m_document->current()) - fitting.begin()));
    refreshShelf();
}

// The stage of a selection belongs to the schedule in front; the operator stays selected, in its new stage.
void MainWindow::keepSelectionInStep()
{
    const ShownResult &front = m_document->front();
    Selected selected = m_selection->current();
    if (selected.block && m_document->shownModel())
        return;
    if (!selected.op || !front.schedule || !m_document->shownModel()) {
        m_selection->clear();
        return;
    }
    const std::vector<std::size_t> stageOf = stageOfOperator(*m_document->shownModel()->graph, *front.schedule);
    const std::size_t stage = stageOf[selected.op->index()];
    selected.stage = stage < front.schedule->stages.size() ? std::optional(stage) : std::nullopt;
    m_selection->set(selected);
}

// Numbers of the whole space are there before any search, and follow the options of the tool bar.
void MainWindow::countSpaces()
{
    const ModelPtr &model = m_document->shownModel();
    SpaceCounts spaces{m_searchPanel->options(), {}};
    const bool possible = model && checkPruning(spaces.options);
    if (possible)
        spaces.blocks.resize(model->blocks.size());
    m_blocks->setSpaces(spaces);
    m_inspector->setSpaces(spaces);
    if (possible)
        m_jobs->countSpaces(model, spaces.options);
    else
        m_jobs->stopCounting();
}

void MainWindow::requestTimeline()
{
    const ShownResult &front = m_document->front();
    if (front.schedule && !front.timeline)
        m_jobs->makeTimeline(m_document->benchOf(front.id), front.id, front.schedule);
}

void MainWindow::showTimeline()
{
    const ShownResult &front = m_document->front();
    if (!front.id.isValid())
        m_timeline->setHint(QStringLiteral("When kernels run, and how busy the device is, appears here."));
    else
        m_timeline->setHint(front.schedule ? QStringLiteral("The timeline of %1 is being made ...").arg(front.title)
                                           : QStringLiteral("%1: %2.").arg(front.title, front.note));
    m_timeline->setTimeline(m_document->shownModel() ? m_document->shownModel()->graph : nullptr, front.timeline);
}

void MainWindow::showStatus()
{
    const Theme theme = themeFor(palette());
    const DeviceInfo &device = m_document->device();
    m_statusProvenance->setText(
        device.available ? QStringLiteral("<span style='color:%1'>● %2</span>")
                               .arg(theme.provenance(device.provenance).name(), provenanceText(device.provenance))
                         : QStringLiteral("<span style='color:%1'>○ %2</span>")
                               .arg(theme.mutedText.name(), QStringLiteral("not available")));
    m_statusProvenance->setToolTip(deviceDetail(device));
    m_statusDevice->setText(QString::fromStdString(device.title));
    m_statusDevice->setDetail(deviceDetail(device));
    const ModelPtr &model = m_document->model();
    m_statusModel->setText(model ? QStringLiteral("%1: %2 in %3, batch %4")
                                       .arg(QString::fromStdString(model->name),
                                            plural(static_cast<std::int64_t>(model->graph->size()), "operator"),
                                            plural(static_cast<std::int64_t>(model->blocks.size()), "block"))
                                       .arg(model->graph->batch())
                                 : QStringLiteral("No model is open"));
    const ShownResult &front = m_document->front();
    QString search;
    if (front.schedule && !front.search.empty()) {
        const SearchRecord &record = front.schedule->search;
        search = QStringLiteral("%1: %2, %3, %4, %5 s")
                     .arg(front.title, plural(record.states, "state"), plural(record.transitions, "transition"),
                          plural(record.stageMeasurements, "measurement"))
                     .arg(record.searchSeconds + record.measureSeconds, 0, 'f', 1);
    }
    m_statusSearch->setText(search);
}

void MainWindow::refreshActions()
{
    const bool open = m_document->model() != nullptr;
    const bool searching = m_jobs->isSearching();
    m_actions.search->setEnabled(open);
    m_actions.compare->setEnabled(open);
    m_actions.stop->setEnabled(searching);
    const QString noWhatIf = whyNoWhatIf(m_document->device());
    m_actions.whatIf->setEnabled(noWhatIf.isEmpty());
    m_actions.whatIf->setText(noWhatIf.isEmpty() ? QStringLiteral("What &if... change the device")
                                                 : QStringLiteral("What &if... (%1)").arg(noWhatIf));
    m_actions.save->setEnabled(m_document->front().schedule != nullptr);
    m_actions.openSchedule->setEnabled(open);
    m_actions.find->setEnabled(open);
    m_searchPanel->setReady(open);
    m_searchPanel->setLeavesOutWork(open && !latencyBasis(*m_document->model(), m_document->device()).isComplete());
    m_searchPanel->setRunning(searching);
    m_comparison->setComparing(searching && m_search.isComparison);
    m_comparison->setCompareEnabled(open);
    for (const ScheduleKind kind : kScheduleKinds) {
        QAction *show = m_actions.show[static_cast<std::size_t>(kind)];
        const ResultId newest = m_document->newest(kind);
        show->setEnabled(newest.isValid());
        show->setChecked(newest.isValid() && newest == m_document->current());
    }
    refreshShelfActions();
    refreshPaneActions();
}

void MainWindow::checkSettled()
{
    if (isSettled())
        QMetaObject::invokeMethod(
            this,
            [this] {
                if (isSettled())
                    emit settled();
            },
            Qt::QueuedConnection);
}

void MainWindow::refuse(const Error &error)
{
    m_messages->show(MessageBar::Kind::Error, QString::fromStdString(errorText(error)));
}

} // namespace stagecraft
