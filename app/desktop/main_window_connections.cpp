// The window's reactions to the document, jobs and controls.

#include "desktop/main_window.h"

#include "desktop/areas/device_area.h"
#include "desktop/kept/kept_readings.h"
#include "desktop/kept/recent_files.h"
#include "desktop/pane_row.h"
#include "desktop/waiting_line.h"
#include "flow/open/model_reading.h"
#include "support/error_text.h"
#include "widgets/base/format.h"
#include "widgets/blocks/blocks_table.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/graph/graph_view.h"
#include "widgets/inspector/inspector.h"
#include "widgets/search/search_panel.h"
#include "widgets/shelf/shelf_view.h"
#include "widgets/timeline/timeline_view.h"

#include <QAction>
#include <QFileInfo>
#include <QStatusBar>
#include <QToolBar>

#include <utility>

namespace stagecraft {
namespace {

// The settings a schedule was made for, if they differ from those it is measured with.
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

} // namespace

void MainWindow::connectDocument()
{
    connect(m_document, &Document::modelChanged, this, &MainWindow::showModel);
    connect(m_document, &Document::deviceChanged, this, [this] {
        m_searchPanel->setDeviceId(QString::fromStdString(m_document->device().id));
        showSearchLine();
        showStatus();
        refreshActions();
    });
    connect(m_document, &Document::shelfChanged, this, [this] {
        m_comparison->setRows(m_document->comparison());
        showChosenRow();
        showSearchLine();
        refreshActions();
        requestMemory();
        showMemory();
    });
    connect(m_document, &Document::frontChanged, this, &MainWindow::showFront);
    connect(m_document, &Document::timelineChanged, this, &MainWindow::showTimeline);
    connect(m_document, &Document::memoryChanged, this, [this] {
        m_comparison->setRows(m_document->comparison());
        showChosenRow();
        showMemory();
    });
}

void MainWindow::connectJobs()
{
    connect(m_jobs, &Jobs::opened, this,
            [this](const QString &spec, const ModelPtr &model, const SchedulePtr &embedded) {
                dropBaselinesInLine(); // what was asked for goes on: its results keep their place
                statusBar()->clearMessage();
                if (!m_areSeveralOpened)
                    m_messages->dismiss();
                addRecentFile(spec);
                keepReading(spec, readingOf(*model));
                keepPanes();
                const ModelReference before = m_document->settings().model;
                m_document->setModel(model);
                tellModel();
                bringPanesBack(before);
                measureBaselines();
                openEmbeddedSchedule(embedded);
            });
    connect(m_jobs, &Jobs::openFailed, this,
            [this](const QString &spec, Error error, const std::vector<OpenInput> &open) {
                statusBar()->clearMessage();
                if (error.context.empty() && !spec.isEmpty())
                    error.context.push_back(spec.toStdString());
                if (spec != m_document->spec()) // as it was read the last time: next, without that
                    keepReading(spec, {});
                if (m_document->model())
                    m_searchPanel->setBatch(m_document->model()->graph->batch());
                if (open.empty())
                    refuse(error);
                else
                    offerSizes(spec, error, open);
            });
    connect(m_jobs, &Jobs::openingStopped, this, [this](const QString &spec) {
        statusBar()->showMessage(QStringLiteral("Opening %1 was stopped").arg(QFileInfo(spec).fileName()));
    });
    connect(m_jobs, &Jobs::scheduleOpened, this,
            [this](const QString &path, const SchedulePtr &schedule, const SchedulePtr &file) {
                QString name = QFileInfo(path).fileName();
                if (const QString differs = originText(*file, *schedule); !differs.isEmpty())
                    m_messages->show(MessageBar::Kind::Warning,
                                     QStringLiteral("%1 was made for %2.").arg(name, differs));
                name.chop(path.endsWith(kScheduleEnding, Qt::CaseInsensitive) ? kScheduleEnding.size() : 0);
                m_document->setCurrent(m_document->addOpened(name, path, m_openingScheduleFor, schedule));
            });
    connect(m_jobs, &Jobs::measuredAgain, this,
            [this](ResultId id, const SchedulePtr &schedule) { m_document->setMeasuredAgain(id, schedule); });
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
                if (result && !blocks.empty() && result->settings == m_document->settings())
                    m_document->setCurrent(id);
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
    connect(m_jobs, &Jobs::baselineFailed, this, [this](ResultId id, const Error &error) {
        m_document->setFailed(id, QStringLiteral("could not be measured"));
        refuse(error);
    });
    connect(m_jobs, &Jobs::measuringStarted, m_document, &Document::setRunning);
    connect(m_jobs, &Jobs::searchStarted, this, [this](ResultId id) {
        m_searched = id;
        m_runningSearch = runningSearch(id);
        m_waiting->setSearched(id);
        m_document->setRunning(id);
        m_timeLeft.start();
        showJobLine([this, id] {
            m_searchPanel->showMessage(QStringLiteral("%1: starting ...").arg(resultOfModel(*m_document, id)));
        });
    });
    connect(m_jobs, &Jobs::searchProgress, this, [this](ResultId id, const SearchProgress &progress) {
        m_document->setProgress(id, progress);
        m_timeLeft.add(progress);
        m_waiting->setTimeLeft(m_timeLeft.text());
        m_shelf->showTimeLeft(id, m_timeLeft.text());
        showJobLine([this, progress, timeLeft = m_timeLeft.text()] {
            m_searchPanel->showProgress(m_runningSearch, progress, timeLeft);
        });
    });
    connect(m_jobs, &Jobs::searchStopped, this, [this] {
        statusBar()->showMessage(QStringLiteral("%1: stopped before a first schedule was measured.")
                                     .arg(resultOfModel(*m_document, m_searched)),
                                 8000);
    });
    connect(m_jobs, &Jobs::timingInRounds, this, [this](const RoundsProgress &progress) {
        const QString timeLeft = secondsLeftText(progress.secondsLeft);
        m_waiting->setTimeLeft(timeLeft);
        showJobLine([this, progress, timeLeft] {
            m_searchPanel->showRounds(resultOfModel(*m_document, m_searched), progress.done, progress.rounds, timeLeft);
        });
    });
    connect(m_waiting, &WaitingLine::searchWaitChanged, this, [this] { showJobLine(m_jobLine); });
    connect(m_waiting, &WaitingLine::changed, this, [this] { m_shelf->showWaits(m_waiting->texts()); });
    connect(m_jobs, &Jobs::timedInRounds, m_document, &Document::setTimedInRounds);
    connect(m_jobs, &Jobs::searchFinished, this, &MainWindow::endSearch);
    connect(m_jobs, &Jobs::counted, m_blocks, &BlocksTable::setCounts);
    connect(m_jobs, &Jobs::counted, m_inspector, &Inspector::setCounts);
    connect(m_jobs, &Jobs::timelineMade, m_document, &Document::setTimeline);
    connect(m_jobs, &Jobs::memoryPlanned, m_document, &Document::setMemory);
    connect(m_jobs, &Jobs::timelineFailed, this, [this](const Error &error) {
        m_noTimeline[m_timelineOf] = QString::fromStdString(errorText(error));
        showTimeline();
        requestTimeline();
    });
    connect(m_jobs, &Jobs::storeFailed, this, [this](const Error &error) {
        const QString text = QString::fromStdString(errorText(error));
        if (std::exchange(m_storeError, text) != text) // the session of every lane reports the same error
            m_messages->show(MessageBar::Kind::Warning, text);
    });
    // Queued: the answer is delivered after the lane is free.
    connect(m_jobs, &Jobs::busyChanged, this, &MainWindow::openNextPath, Qt::QueuedConnection);
    connect(m_jobs, &Jobs::busyChanged, this, [this] {
        refreshActions();
        requestMemory();
        checkSettled();
    });
    connect(m_graph, &GraphView::dotFailed, this, [this](const Error &why) {
        const QString text =
            QStringLiteral("Blocks of the graph are laid out by rows: %1").arg(QString::fromStdString(errorText(why)));
        if (m_dotError == text || !m_messages->text().isEmpty()) // others matter more; the next layout reports it again
            return;
        m_dotError = text;
        m_messages->show(MessageBar::Kind::Info, text);
    });
    connect(m_graph, &GraphView::drawingFinished, this, &MainWindow::checkSettled);
}

void MainWindow::connectControls()
{
    connect(m_searchPanel, &SearchPanel::searchRequested, this, &MainWindow::startSearch);
    connect(m_searchPanel, &SearchPanel::optionsChanged, this, &MainWindow::countSpaces);
    connect(m_searchPanel, &SearchPanel::optionsChanged, this, &MainWindow::refreshShelf);
    connect(m_searchPanel, &SearchPanel::stopRequested, m_jobs, &Jobs::stopSearch);
    connect(m_searchPanel, &SearchPanel::refused, this,
            [this](const QString &why) { m_messages->show(MessageBar::Kind::Warning, why); });
    connect(m_searchPanel, &SearchPanel::deviceChanged, m_deviceArea, &DeviceArea::switchTo);
    connect(m_searchPanel, &SearchPanel::batchChanged, this, [this](std::int64_t batch) {
        if (m_document->model())
            m_jobs->open(m_document->spec(), sameReading(*m_document->model(), batch));
    });
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
    connect(m_graph, &GraphView::colouringChanged, this,
            [this](Colouring colouring) { m_colouring[static_cast<std::size_t>(colouring)]->setChecked(true); });
    connect(m_messages, &MessageBar::shown, m_messageTools, &QWidget::show);
    connect(m_messages, &MessageBar::dismissed, m_messageTools, &QWidget::hide);
}

} // namespace stagecraft
