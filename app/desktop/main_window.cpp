#include "desktop/main_window.h"

#include "desktop/areas/device_area.h"
#include "desktop/areas/help_area.h"
#include "desktop/areas/layouts_area.h"
#include "desktop/areas/studies_area.h"
#include "desktop/document/document.h"
#include "desktop/frame/panels.h"
#include "desktop/kept/kept_readings.h"
#include "desktop/pane_row.h"
#include "desktop/runner_up_times.h"
#include "desktop/schedule_pane.h"
#include "desktop/stage_previews.h"
#include "desktop/waiting_line.h"
#include "desktop/work/known_latencies.h"
#include "flow/open/model_reading.h"
#include "support/error_text.h"
#include "widgets/base/elided_label.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/blocks/blocks_table.h"
#include "widgets/charts/latency_chart.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/graph/graph_view.h"
#include "widgets/inspector/inspector.h"
#include "widgets/passes/passes_panel.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/search/search_panel.h"

#include <QAction>
#include <QFileInfo>
#include <QLabel>
#include <QStatusBar>

#include <algorithm>
#include <utility>

namespace stagecraft {
MainWindow::MainWindow(Services services, QWidget *parent)
    : QMainWindow(parent), m_document(new Document(this)), m_jobs(new Jobs(std::move(services), this)),
      m_selection(new Selection(this))
{
    setObjectName(QStringLiteral("MainWindow"));
    setAcceptDrops(true);
    auto *previews = new StagePreviews(m_jobs->services().findDevice, this);
    connect(previews, &StagePreviews::changed, m_document, &Document::latenciesLearnt);
    auto *stored = new KnownLatencies(m_jobs->services().latencyStore, this);
    connect(stored, &KnownLatencies::changed, m_document, &Document::latenciesLearnt);
    m_document->setStoredLatencies([stored, previews](const auto &graph, const auto &device, const auto &stage) {
        const auto us = stored->us(graph, device, stage);
        return us ? us : previews->us(graph, device, stage);
    });
    m_panels = new Panels(this);
    m_waiting = new WaitingLine(m_document, m_jobs, this);
    createViews();
    createActions();
    createAreas();
    createToolBar();
    createDocks();
    createMenus();
    applyIcons();
    connectDocument();
    connectJobs();
    connectControls();
    connectShelf();
    connectPanes();
    connectEditing();
    connectSession();
    connectViews();
    connectPasses();
    chooseDevice(QString::fromStdString(m_jobs->services().defaultDevice));
    showModel();
    showFront();
    fillTimeline();
    refreshActions();
    restoreArrangement();
}

// Jobs are destroyed first: their threads end while the receivers of their reports exist.
MainWindow::~MainWindow()
{
    delete m_runnerUpTimes;
    delete m_studiesArea;
    disconnect(m_jobs, nullptr, this, nullptr);
    delete m_jobs;
}

AreaContext MainWindow::context()
{
    return {*this, *m_document, *m_jobs, *m_selection, m_actions, *m_messages, *m_panels};
}

void MainWindow::createAreas()
{
    m_deviceArea = new DeviceArea(context());
    m_layoutsArea = new LayoutsArea(context());
    m_studiesArea = new StudiesArea(context());
    m_areaList = {m_deviceArea, m_layoutsArea, m_studiesArea, new HelpArea(context())};
    for (Area *area : m_areaList) {
        connect(area, &Area::busyChanged, this, &MainWindow::checkSettled);
        connect(area, &Area::viewChanged, this, &MainWindow::touchSession);
    }
    connect(m_deviceArea, &DeviceArea::devicesChanged, m_studiesArea, &StudiesArea::offerDevices);
    connect(m_deviceArea, &DeviceArea::devicesChanged, this, &MainWindow::showDevices);
    connect(m_deviceArea, &DeviceArea::leaving, this, &MainWindow::dropBaselinesInLine);
    connect(m_deviceArea, &DeviceArea::switched, this, &MainWindow::measureBaselines);
    connect(m_deviceArea, &DeviceArea::comparisonWanted, this, &MainWindow::compareOnDevice);
    connect(m_layoutsArea, &LayoutsArea::choiceChanged, m_graph, &GraphView::setLayoutCosts);
    connect(m_layoutsArea, &LayoutsArea::choiceChanged, this,
            [this](const auto & /*costs*/, const LayoutFacts &facts) { m_inspector->setLayouts(facts); });
    connect(m_layoutsArea, &LayoutsArea::wanted, this, &MainWindow::lineUp);
    connect(m_layoutsArea, &LayoutsArea::progressed, this, [this](const QString &what, qint64 done, qint64 all) {
        showJobLine([this, what, done, all] {
            m_searchPanel->showSteps(QStringLiteral("%1: %2").arg(resultOfModel(*m_document, m_searched), what), done,
                                     all);
        });
    });
    connect(m_studiesArea, &StudiesArea::besideWanted, this, &MainWindow::openBeside);
}

void MainWindow::openModel(const QString &spec)
{
    statusBar()->showMessage(QStringLiteral("Opening %1 ...").arg(QFileInfo(spec).fileName()));
    m_jobs->open(spec, readOptions(keptReading(spec), 0));
}

void MainWindow::openPath(const QString &path)
{
    if (const QString device = deviceIn(path); !device.isEmpty()) {
        m_deviceArea->switchTo(device);
        return;
    }
    if (isSessionFile(path)) {
        openSession(path);
        return;
    }
    if (!path.endsWith(kScheduleEnding, Qt::CaseInsensitive)) {
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

// A schedule belongs to the model that is open by then.
void MainWindow::openPaths(QStringList paths)
{
    std::ranges::stable_sort(paths, {},
                             [](const QString &path) { return path.endsWith(kScheduleEnding, Qt::CaseInsensitive); });
    if (paths.size() > 1) {
        m_messages->dismiss();
        m_areSeveralOpened = true;
    }
    m_pathsToOpen << paths;
    openNextPath();
}

void MainWindow::openNextPath()
{
    while (!m_pathsToOpen.isEmpty() && !m_jobs->isOpening() && !m_session.lane->isBusy())
        openPath(m_pathsToOpen.takeFirst());
    m_areSeveralOpened = m_areSeveralOpened && (m_jobs->isOpening() || m_session.lane->isBusy());
}

void MainWindow::openEmbeddedSchedule(const SchedulePtr &schedule)
{
    if (!schedule)
        return;
    const ModelPtr &model = m_document->model();
    const bool isOnShelf = std::ranges::any_of(m_document->shelf().results(), [&](const ScheduleResult &result) {
        return result.origin == Origin::OpenedFile && result.source == model->source &&
               result.settings == m_document->settings();
    });
    if (isOnShelf)
        return;
    m_openingScheduleFor = m_document->settings();
    m_jobs->openSchedule(m_document->target(), QFile::decodeName(model->source.c_str()), schedule);
}

void MainWindow::startSearch()
{
    startKinds({kindOf(m_searchPanel->options().strategies)}, false);
}

void MainWindow::compareAll()
{
    startKinds({kScheduleKinds.begin(), kScheduleKinds.end()}, true);
}

void MainWindow::startKinds(const std::vector<ScheduleKind> &kinds, bool comparing)
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
    if (comparing) // the missing ones only
        search.results = m_document->addBaselines();
    const std::vector<ResultToMake> searched = m_document->addSearches(kinds, options);
    search.results.insert(search.results.end(), searched.begin(), searched.end());
    m_plannedSearches.push_back(std::move(search));
    startNextSearch();
}

// Waits in line with searches.
void MainWindow::lineUp(const LayoutsToChoose &what)
{
    m_plannedSearches.push_back({what.target, std::vector{ResultToMake{what.id}}, {}, false, what});
    startNextSearch();
}

void MainWindow::compareOnDevice()
{
    const std::size_t planned = m_plannedSearches.size();
    compareAll();
    if (!m_jobs->isSearching() && m_plannedSearches.size() == planned) // refused, with a message
        measureBaselines();
}

// Measures the missing baselines of the model on the device.
void MainWindow::measureBaselines()
{
    if (!m_document->model())
        return;
    if (const std::vector<ResultToMake> missing = m_document->addBaselines(); !missing.empty())
        m_jobs->measureBaselines(m_document->target(), missing);
}

bool MainWindow::chooseDevice(const QString &id)
{
    return m_deviceArea->choose(id);
}

void MainWindow::showWhatIf()
{
    m_deviceArea->showWhatIf();
}

void MainWindow::chooseLayouts()
{
    m_layoutsArea->choose();
}

void MainWindow::showDevices(const std::vector<DeviceInfo> &devices)
{
    m_devices = devices;
    std::vector<DeviceChoice> choices;
    for (const DeviceInfo &info : devices)
        choices.push_back({QString::fromStdString(info.id), QString::fromStdString(info.title), deviceDetail(info),
                           info.available, info.provenance, QString::fromStdString(info.unavailableReason)});
    m_searchPanel->setDevices(choices, QString::fromStdString(m_document->device().id));
}

void MainWindow::startNextSearch()
{
    if (!m_jobs->isSearching() && !m_plannedSearches.empty()) {
        m_search = std::move(m_plannedSearches.front());
        m_plannedSearches.pop_front();
        if (m_search.layouts)
            m_jobs->chooseLayouts(*m_search.layouts);
        else
            m_jobs->search(m_search.target, m_search.results, m_search.options, m_document->beside(m_search.results));
    }
    refreshActions();
}

// Removes unfinished results, except baselines, which are then measured without the search.
void MainWindow::endSearch()
{
    const PlannedSearch ended = std::exchange(m_search, {});
    m_searched = {};
    m_jobLine = nullptr;
    m_waiting->setSearched({});
    const std::vector<ResultId> inLine = m_jobs->measuringInLine();
    std::vector<ResultToMake> missing;
    ResultId done;
    for (const ResultToMake &made : ended.results) {
        const ScheduleResult *result = m_document->shelf().find(made.id);
        if (result && result->schedule)
            done = m_document->setDone(made.id);
        else if (result && result->isFound())
            m_document->drop(made.id);
        else if (result && made.id != m_jobs->measured() && std::ranges::find(inLine, made.id) == inLine.end())
            missing.push_back(made);
    }
    if (!missing.empty())
        m_jobs->measureBaselines(ended.target, missing);
    tellEnded(done);
    startNextSearch();
    showSearchLine();
    showStatus();
}

void MainWindow::stopWork()
{
    m_jobs->stopOpening();
    if (m_jobs->isSearching()) {
        m_jobs->stopSearch();
        return;
    }
    for (const ResultId id : m_jobs->measuringInLine())
        stopResult(id);
    stopResult(m_jobs->measured());
}

SchedulePane *MainWindow::schedulePane() const
{
    return m_panes->focusedPane();
}

bool MainWindow::isSettled() const
{
    return m_jobs->isIdle() && std::ranges::none_of(m_areaList, &Area::isBusy) && !m_runnerUpTimes->isBusy() &&
           m_plannedSearches.empty() && !m_graph->isBusy() && !m_passes->isBusy() && !m_session.lane->isBusy() &&
           m_pathsToOpen.isEmpty();
}

void MainWindow::showModel()
{
    const ModelPtr &model = m_document->model();
    showTitle();
    if (model) {
        m_searchPanel->setBatch(model->graph->batch());
        showSearchLine();
    }
    showStatus();
    refreshActions();
}

void MainWindow::tellModel()
{
    if (const ModelPtr &model = m_document->model()) {
        const auto warnings =
            std::count_if(model->report.notes.begin(), model->report.notes.end(),
                          [](const ImportNote &note) { return note.severity == ImportNote::Severity::Warning; });
        const bool isGuessed = tellOpenSizes(); // what follows from a guess matters less
        if (!model->costs.isComplete() && !isGuessed)
            m_messages->show(
                MessageBar::Kind::Warning,
                QStringLiteral("%1: %2. Simulated latencies are lower bounds.")
                    .arg(QString::fromStdString(model->name), QString::fromStdString(missingCostText(model->costs))));
        else if (warnings > 0 && !isGuessed)
            m_messages->show(MessageBar::Kind::Info,
                             QStringLiteral("%1 was imported with %2: see the Inspector.")
                                 .arg(QString::fromStdString(model->name), plural(warnings, "warning")));
    }
}

void MainWindow::showModelInViews()
{
    const ModelPtr &model = m_document->model();
    if (m_modelInViews && m_modelInViews == model)
        return;
    m_modelInViews = model;
    m_selection->clear();
    m_graph->setModel(model ? model->graph : nullptr, model ? model->blocks : Blocks{});
    m_inspector->setModel(model);
    m_blocks->setModel(model);
    m_passes->setModel(model);
    countSpaces();
}

void MainWindow::showFront()
{
    showModelInViews();
    const ShownResult &front = m_document->front();
    m_graph->setSchedule(front.schedule);
    m_inspector->setSchedule(front.schedule);
    m_inspector->setSearch(m_document->searchOf(front.id));
    showRunnerUpTimes();
    m_blocks->setSearch(front.title, front.search, front.schedule ? front.schedule->provenance : std::nullopt,
                        front.schedule && front.schedule->leavesOutWork());
    m_blocks->setTimes(front.schedule ? blockParts(*front.schedule) : std::vector<LatencyParts>());
    m_chart->setHint(front.note.isEmpty() ? QStringLiteral("The latency of each stage appears here.")
                                          : QStringLiteral("%1: %2.").arg(front.title, front.note));
    m_chart->setSchedule(front.schedule);
    showMemory();
    showChosenRow();
    showSearchLine();
    const bool hasSameStages =
        m_scheduleInViews && front.schedule && m_scheduleInViews->stages == front.schedule->stages;
    m_scheduleInViews = front.schedule;
    if (!hasSameStages)
        keepSelectionInStep();
    m_noTimeline.clear();
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

// A selected stage belongs to the current schedule; a selected operator stays selected, in its new stage.
void MainWindow::keepSelectionInStep()
{
    const ShownResult &front = m_document->front();
    Selected selected = m_selection->current();
    const SchedulePtr before = std::exchange(m_scheduleInViews, front.schedule);
    const bool areSame = before && front.schedule && before->stages == front.schedule->stages;
    if ((selected.block || (selected.stage && !selected.op && areSame)) && m_document->model())
        return;
    if (!selected.op || !front.schedule || !m_document->model()) {
        m_selection->clear();
        return;
    }
    const std::vector<std::size_t> stageOf = stageOfOperator(*m_document->model()->graph, *front.schedule);
    const std::size_t stage = stageOf[selected.op->index()];
    selected.stage = stage < front.schedule->stages.size() ? std::optional(stage) : std::nullopt;
    m_selection->set(selected);
}

// The size of the whole space is known before any search and follows the options of the tool bar.
void MainWindow::countSpaces()
{
    const ModelPtr &model = m_document->model();
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
    m_actions["search"]->setEnabled(open);
    m_actions["compare"]->setEnabled(open);
    m_actions["stop"]->setEnabled(searching || m_jobs->isOpening() || m_jobs->isMeasuring());
    m_actions["open_schedule"]->setEnabled(open);
    m_actions["find"]->setEnabled(open);
    m_searchPanel->setReady(open);
    m_searchPanel->setRunning(searching);
    m_comparison->setComparing(searching && m_search.isComparison);
    m_comparison->setCompareEnabled(open);
    for (const ScheduleKind kind : kScheduleKinds) {
        QAction *show = m_showKind[static_cast<std::size_t>(kind)];
        const ResultId newest = m_document->newest(kind);
        show->setEnabled(newest.isValid());
        show->setChecked(newest.isValid() && newest == m_document->current());
    }
    refreshShelfActions();
    refreshPaneActions();
    refreshViewActions();
    for (Area *area : m_areaList)
        area->refresh();
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
