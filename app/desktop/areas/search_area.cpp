#include "desktop/areas/search_area.h"

#include "desktop/areas/device_area.h"
#include "desktop/areas/search/search_line.h"
#include "desktop/areas/search/search_to_show.h"
#include "desktop/areas/search/space_counting.h"
#include "desktop/areas/search/waiting_line.h"
#include "desktop/dialogs/members_table.h"
#include "desktop/document/document.h"
#include "desktop/frame/icons.h"
#include "desktop/frame/message_bar.h"
#include "desktop/work/result_queue.h"
#include "desktop/work/services.h"
#include "device/device_wait_words.h"
#include "flow/find/stream_kind.h"
#include "support/error_text.h"
#include "widgets/base/format.h"
#include "widgets/blocks/blocks_table.h"
#include "widgets/schedule/schedule_page.h"
#include "widgets/search/search_panel.h"
#include "widgets/search/time_left.h"

#include <QActionGroup>
#include <QKeySequence>
#include <QMenu>

#include <algorithm>
#include <optional>
#include <utility>

namespace stagecraft {

// What the tool bar says of the search that runs.
struct SearchArea::UnderWay {
    RunningSearch facts;
    std::function<void()> line; // shows its row
    TimeLeft timeLeft;
};

SearchArea::SearchArea(const AreaContext &context, WaitingLine &waiting)
    : Area(context), m_panel(new SearchPanel(&window())), m_blocks(new BlocksTable(&selection(), &window())),
      m_waiting(waiting), m_line(new SearchLine(&document(), &queue(), &waiting, this)),
      m_counting(new SpaceCounting(this)), m_underWay(std::make_unique<UnderWay>())
{
    addActions();
    connectPanel();
    connectMeasuring();
    connectSearch();
    offerMenu(m_blocks, {"search", "fold_all", "unfold_all", "-", "measure_stage", "copy_page"});
    connect(&next(), &NextSearch::modelChanged, this, [this] {
        if (const ModelPtr &model = next().model()) {
            m_panel->setBatch(model->graph->batch());
            showSearchLine();
        }
    });
    connect(&next(), &NextSearch::deviceChanged, this, [this] {
        m_panel->setDeviceId(QString::fromStdString(next().device().id));
        showSearchLine();
    });
    connect(&results(), &Results::shelfChanged, this, &SearchArea::showSearchLine);
    connect(&results(), &Results::frontChanged, this, [this] {
        showFront();
        showSearchLine();
    });
    showFront();
    showSearchLine();
}

SearchArea::~SearchArea() = default;

void SearchArea::setTightness(int level)
{
    m_panel->setTightness(level);
}

bool SearchArea::isBusy() const
{
    return m_line->hasWaiting() || m_counting->isBusy();
}

std::vector<Dock> SearchArea::docks() const
{
    return {{8, QStringLiteral("Blocks"), "blocks", m_blocks}};
}

void SearchArea::addActions()
{
    m_panel->setIcons(icon(QStringLiteral("search"), Qt::white), icon(QStringLiteral("stop"), Qt::white));
    actions().add("search", QStringLiteral("&Search"), QStringLiteral("F5"), [this] { start(); });
    actions().add("stop", QStringLiteral("S&top"), QStringLiteral("Shift+F5"), [this] {
        emit stopOpeningWanted();
        m_line->stopAll();
    });
    actions().add("single_source", m_panel->singleSourceAction());
    actions().add("launch_order", m_panel->launchOrderAction());
    QAction *compare =
        actions().add("compare", QStringLiteral("&Compare all"), QStringLiteral("Ctrl+F5"), [this] { compareAll(); });
    compare->setIconText(QStringLiteral("Compare"));
    compare->setToolTip(QStringLiteral("Search with every strategy and compare the five schedules (Ctrl+F5)"));
    auto *group = new QActionGroup(this);
    for (std::size_t i = 0; i < kScheduleKinds.size(); ++i) {
        const std::string_view text = title(kScheduleKinds[i]);
        m_show.push_back(actions().add("show_" + std::to_string(i),
                                       QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size())),
                                       QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1)),
                                       [this, i] { results().setCurrent(results().newest(kScheduleKinds[i])); }));
        m_show.back()->setCheckable(true);
        group->addAction(m_show.back());
    }
    actions().addEntries("show", [this](QMenu *menu) {
        for (QAction *action : m_show)
            menu->addAction(action);
    });
}

void SearchArea::connectPanel()
{
    std::vector<SearchPanel::Other> others;
    for (const StreamKind kind : kStreamKinds)
        others.push_back({QString::fromStdString(std::string(title(kind))),
                          QString::fromStdString(std::string(toString(kind))),
                          kind == StreamKind::IosRelaxed || kind == StreamKind::Searched});
    m_panel->addStrategies(others, QStringLiteral("Streams without barriers"));
    std::vector<SearchPanel::Other> fusing;
    for (const ScheduleKind kind : kFusingKinds)
        fusing.push_back({QString::fromStdString(std::string(title(kind))),
                          QString::fromStdString(std::string(toString(kind))), kind == ScheduleKind::IosAll});
    m_panel->addStrategies(fusing, QStringLiteral("Fused stages of rTasks, on simulated devices and cpu"));
    connect(m_panel, &SearchPanel::searchRequested, this, &SearchArea::start);
    connect(m_panel, &SearchPanel::optionsChanged, this, [this] {
        countSpaces();
        emit optionsChanged(m_panel->options());
        emit viewChanged();
    });
    connect(m_panel, &SearchPanel::stopRequested, &queue(), &ResultQueue::stopSearch);
    connect(m_panel, &SearchPanel::refused, this,
            [this](const QString &why) { messages().show(MessageBar::Kind::Warning, why); });
    connect(m_panel, &SearchPanel::deviceChanged, this, &SearchArea::deviceWanted);
    connect(m_panel, &SearchPanel::batchChanged, this, &SearchArea::batchWanted);
}

void SearchArea::connectMeasuring()
{
    connect(&queue(), &ResultQueue::searchFailed, this, &SearchArea::refuse);
    connect(&queue(), &ResultQueue::measuringBroke, this, [this](const Error &error) {
        results().dropMeasuring();
        refuse(error);
    });
    connect(services().storeErrors.get(), &StoreErrors::reported, this, [this](const Error &error) {
        const QString text = QString::fromStdString(errorText(error));
        if (std::exchange(m_storeError, text) != text) // the session of every lane reports the same error
            messages().show(MessageBar::Kind::Warning, text);
    });
}

void SearchArea::connectSearch()
{
    connect(m_line, &SearchLine::stagesLeftOut, this, [this](ResultId id, qint64 stages, const Error &example) {
        messages().show(MessageBar::Kind::Warning,
                        QStringLiteral("%1 left out %2 that could not be measured, for example: %3")
                            .arg(nameOf(id), plural(stages, "stage"), QString::fromStdString(errorText(example))));
    });
    connect(m_line, &SearchLine::started, this, [this](ResultId id) {
        m_underWay->facts = runningSearch(id);
        m_underWay->timeLeft.start();
        showJobLine([this, id] {
            m_panel->showMessage(QStringLiteral("%1: starting ...").arg(resultOfModel(document(), id)));
        });
    });
    connect(m_line, &SearchLine::progressed, this, [this](ResultId id, const SearchProgress &progress) {
        m_underWay->timeLeft.add(progress);
        m_waiting.setTimeLeft(m_underWay->timeLeft.text());
        emit timeLeftChanged(id, m_underWay->timeLeft.text());
        showJobLine([this, progress, timeLeft = m_underWay->timeLeft.text()] {
            m_panel->showProgress(m_underWay->facts, progress, timeLeft);
        });
    });
    connect(m_line, &SearchLine::membersChanged, this,
            [this](const std::vector<MemberCounts> &members) { m_underWay->facts.members = membersText(members); });
    connect(&queue(), &ResultQueue::searchStopped, this, [this] {
        tell(QStringLiteral("%1: stopped before a first schedule was measured.")
                 .arg(resultOfModel(document(), m_line->searched())),
             8000);
    });
    connect(m_line, &SearchLine::timedSchedules, this, [this](ResultId, qint64 schedules, double bestUs) {
        showJobLine([this, schedules, bestUs] { m_panel->showTimed(m_underWay->facts, schedules, bestUs); });
    });
    connect(m_line, &SearchLine::choosingLaunchOrders, this, [this](qint64 stage, qint64 stages) {
        showJobLine([this, stage, stages] {
            m_panel->showSteps(
                QStringLiteral("%1: choosing launch orders, stage").arg(resultOfModel(document(), m_line->searched())),
                stage + 1, stages);
        });
    });
    connect(m_line, &SearchLine::timingInRounds, this, [this](const RoundsProgress &progress) {
        const QString timeLeft = secondsLeftText(progress.secondsLeft);
        m_waiting.setTimeLeft(timeLeft);
        showJobLine([this, progress, timeLeft] {
            m_panel->showRounds(resultOfModel(document(), m_line->searched()), progress.done, progress.rounds,
                                timeLeft);
        });
    });
    connect(m_line, &SearchLine::ended, this, [this](ResultId last) {
        m_underWay->line = nullptr;
        tellEnded(last);
    });
    connect(m_line, &SearchLine::changed, this, [this] {
        refresh();
        emit comparingChanged(m_line->isComparing());
        showSearchLine();
    });
    connect(m_counting, &SpaceCounting::counted, m_blocks, &BlocksTable::setCounts);
    connect(m_counting, &SpaceCounting::busyChanged, this, &SearchArea::busyChanged);
    connect(&m_waiting, &WaitingLine::searchWaitChanged, this, [this] { showJobLine(m_underWay->line); });
}

void SearchArea::refresh()
{
    const bool isOpen = next().model() != nullptr;
    const bool isSearching = queue().isSearching();
    actions()["search"]->setEnabled(isOpen);
    actions()["compare"]->setEnabled(isOpen);
    actions()["stop"]->setEnabled(queue().isBusy() || m_isOpening);
    m_panel->setReady(isOpen);
    m_panel->setRunning(isSearching);
    for (const ScheduleKind kind : kScheduleKinds) {
        QAction *show = m_show[static_cast<std::size_t>(kind)];
        const ResultId newest = results().newest(kind);
        show->setEnabled(newest.isValid());
        show->setChecked(newest.isValid() && newest == results().current());
    }
}

void SearchArea::store(Session &session) const
{
    const SearchOptions options = m_panel->options();
    SessionView &view = session.view;
    view.strategies = options.strategies;
    view.streams = m_panel->other().toStdString();
    view.r = options.r;
    view.s = options.s;
    view.singleSource = options.singleSource;
    view.launchOrder = options.ordersLaunches;
}

void SearchArea::restore(const Session &session)
{
    const SessionView &view = session.view;
    SearchOptions options = m_panel->options();
    options.strategies = view.strategies;
    options.r = view.r;
    options.s = view.s;
    options.singleSource = view.singleSource;
    options.ordersLaunches = view.launchOrder;
    m_panel->setOptions(options);
    m_panel->setOther(QString::fromStdString(view.streams));
}

void SearchArea::start()
{
    const std::string other = m_panel->other().toStdString();
    if (const auto streams = streamKindFromString(other))
        startStreams(*streams);
    else if (const auto fusing = scheduleKindFromString(other))
        startKinds({*fusing}, false);
    else
        startKinds({kindOf(m_panel->options().strategies)}, false);
}

bool SearchArea::compareAll()
{
    return startKinds({kScheduleKinds.begin(), kScheduleKinds.end()}, true);
}

void SearchArea::compareAllOrMeasure()
{
    if (!compareAll())
        m_line->measureBaselines();
}

bool SearchArea::mayPrune(const SearchOptions &options)
{
    if (checkPruning(options))
        return true;
    refuse({ErrorCode::WrongUse,
            options.r.value_or(1) < 1 ? "r = 0 leaves no operator for a group" : "s = 0 leaves no group for a stage",
            "Choose a value from 1 to 64; 64 is no bound.",
            {"search"}});
    return false;
}

bool SearchArea::startKinds(const std::vector<ScheduleKind> &kinds, bool comparing)
{
    const SearchOptions options = m_panel->options();
    if (!next().model() || !mayPrune(options))
        return false;
    PlannedSearch search{next().target(), {}, options, comparing};
    if (comparing) // the missing ones only
        search.results = added().addBaselines();
    const std::vector<ResultToMake> searched = added().addSearches(kinds, options);
    search.results.insert(search.results.end(), searched.begin(), searched.end());
    m_line->add(std::move(search));
    return true;
}

void SearchArea::startStreams(StreamKind kind)
{
    const SearchOptions options = m_panel->options();
    if (!next().model() || !mayPrune(options))
        return;
    PlannedSearch search{next().target(), {}, options};
    search.results = {added().addStreams(kind, options)};
    m_line->add(std::move(search));
}

// Searches on the result's device with r and s of the tool bar.
void SearchArea::improve(ResultId from)
{
    if (const auto can = editor().checkMeasurable(from); !can) {
        refuse(can.error());
        return;
    }
    PlannedSearch search{results().targetOf(from), {}, m_panel->options()};
    search.options.pinned = editor().pinnedStages(from);
    if (results().shelf().find(from)->schedule->streams) {
        search.results = {added().addStreamsFrom(from, search.options)};
        m_line->add(std::move(search));
        return;
    }
    if (!checkPruning(search.options))
        return;
    search.results = {added().addPinnedSearch(from, kindOf(search.options.strategies), search.options)};
    m_line->add(std::move(search));
}

void SearchArea::cancel()
{
    m_line->cancel();
}

void SearchArea::showBatch()
{
    if (const ModelPtr &model = next().model())
        m_panel->setBatch(model->graph->batch());
}

void SearchArea::setOpening(bool isOpening)
{
    m_isOpening = isOpening;
    refresh();
}

void SearchArea::showDevices(const std::vector<DeviceInfo> &devices)
{
    std::vector<DeviceChoice> choices;
    for (const DeviceInfo &info : devices)
        choices.push_back({QString::fromStdString(info.id), QString::fromStdString(info.title), deviceDetail(info),
                           info.available, info.provenance, QString::fromStdString(info.unavailableReason)});
    m_panel->setDevices(choices, QString::fromStdString(next().device().id));
}

void SearchArea::showFront()
{
    const ModelPtr &model = next().model();
    if (!m_modelInBlocks || m_modelInBlocks != model) {
        m_modelInBlocks = model;
        m_blocks->setModel(model);
        countSpaces();
    }
    const RatedResult &front = results().front();
    const ScheduleResult *result = results().shelf().find(front.id);
    m_blocks->setSearch(QString::fromStdString(front.name), result ? result->blocks : std::vector<BlockSearch>(),
                        front.schedule ? front.schedule->measured.provenance : std::nullopt,
                        front.schedule && front.schedule->leavesOutWork());
    m_blocks->setTimes(front.schedule ? blockParts(*front.schedule) : std::vector<LatencyParts>());
}

// The size of the whole space is known before any search and follows the options of the tool bar.
void SearchArea::countSpaces()
{
    const ModelPtr &model = next().model();
    SpaceCounts spaces{m_panel->options(), {}};
    const bool possible = model && checkPruning(spaces.options);
    if (possible)
        spaces.blocks.resize(model->blocks.size());
    m_blocks->setSpaces(spaces);
    emit spacesChanged(spaces);
    if (possible)
        m_counting->start(model, spaces.options);
    else
        m_counting->stop();
}

RunningSearch SearchArea::runningSearch(ResultId id) const
{
    const Target target = results().targetOf(id);
    const DeviceInfo &device = results().deviceOf(id);
    return {resultOfModel(document(), id), device.provenance,
            target.model && !latencyBasis(*target.model, device).isComplete()};
}

void SearchArea::showJobLine(std::function<void()> show)
{
    if (!queue().isSearching() || !show)
        return;
    m_underWay->line = std::move(show);
    if (const auto &wait = m_waiting.searchWait())
        m_panel->showMessage(
            QStringLiteral("%1: %2. Stop ends the wait and keeps what was measured.")
                .arg(resultOfModel(document(), m_line->searched()), QString::fromStdString(waitText(*wait))));
    else
        m_underWay->line();
}

void SearchArea::showSteps(const QString &what, qint64 done, qint64 all)
{
    showJobLine([this, what, done, all] {
        m_panel->showSteps(QStringLiteral("%1: %2").arg(resultOfModel(document(), m_line->searched()), what), done,
                           all);
    });
}

void SearchArea::showSearchLine()
{
    if (queue().isSearching())
        return;
    if (!next().model()) {
        const ScheduleResult *current = results().shelf().find(results().current());
        m_panel->showMessage(
            current ? QStringLiteral("%1: its model is missing.").arg(resultOfModel(document(), current->id))
                    : QStringLiteral("Open a model, then search for its fastest schedule."));
        return;
    }
    const ScheduleResult *searched = searchToShow(document());
    if (!searched) {
        m_panel->showMessage(QStringLiteral("%1 is not searched yet on this device: press Search to find a "
                                            "faster schedule.")
                                 .arg(QString::fromStdString(next().model()->name)));
        return;
    }
    const QString name = resultOfModel(document(), searched->id);
    const auto latency = results().shelf().latency(searched->id);
    if (searched->origin == Origin::Layouts && latency)
        m_panel->showMessage(QStringLiteral("%1: %2, %3, %4")
                                 .arg(name, QString::fromStdString(searched->source),
                                      latencyText(latency->us, searched->schedule->leavesOutWork()),
                                      provenanceText(latency->provenance)));
    else
        m_panel->showResult(name, *results().shown(searched->id).schedule, fasterBaseline(document(), searched->id));
}

void SearchArea::tellEnded(ResultId id)
{
    const ScheduleResult *result = results().shelf().find(id);
    const auto latency = results().shelf().latency(id);
    if (!result || !latency || id == results().current())
        return;
    tell(QStringLiteral("%1 is found: %2, on the shelf").arg(resultOfModel(document(), id), latencyText(latency->us)),
         8000);
}

QString SearchArea::nameOf(ResultId id) const
{
    const ScheduleResult *result = results().shelf().find(id);
    return result ? QString::fromStdString(result->shownName()) : QString();
}

} // namespace stagecraft
