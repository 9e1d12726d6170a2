// The second row of the tool bar: numbers of the search that runs, or else of the result that is shown. It names result
// and model, and ends with its job.

#include "desktop/main_window.h"

#include "desktop/waiting_line.h"
#include "device/device_wait_words.h"
#include "flow/find_schedule.h"
#include "widgets/base/format.h"
#include "widgets/search/search_panel.h"

#include <QStatusBar>

#include <utility>

namespace stagecraft {
namespace {

// A baseline that is faster than the result; empty: none is.
QString fasterBaseline(const Document &document, ResultId id)
{
    const Shelf &shelf = document.shelf();
    auto least = shelf.latency(id);
    QString text;
    for (const ResultId other : document.fitting()) {
        const ScheduleResult &result = *shelf.find(other);
        const auto latency = shelf.latency(other);
        if (result.origin != Origin::Baseline || !result.schedule || !latency || !least || latency->us >= least->us ||
            latency->how != least->how)
            continue;
        least = latency;
        text = QStringLiteral("%1, %2").arg(QString::fromStdString(result.shownName()), latencyText(latency->us));
    }
    return text;
}

bool isSearched(const ScheduleResult *result)
{
    return result && result->schedule && result->isFound();
}

} // namespace

RunningSearch MainWindow::runningSearch(ResultId id) const
{
    const Target target = m_document->targetOf(id);
    const DeviceInfo &device = m_document->deviceOf(id);
    return {resultOfModel(*m_document, id), device.provenance,
            target.model && !latencyBasis(*target.model, device).isComplete()};
}

void MainWindow::showJobLine(std::function<void()> show)
{
    if (!m_jobs->isSearching() || !show)
        return;
    m_jobLine = std::move(show);
    if (const auto &wait = m_waiting->searchWait())
        m_searchPanel->showMessage(
            QStringLiteral("%1: %2. Stop ends the wait and keeps what was measured.")
                .arg(resultOfModel(*m_document, m_searched), QString::fromStdString(waitText(*wait))));
    else
        m_jobLine();
}

// Of the result shown, or else the newest search that fits.
void MainWindow::showSearchLine()
{
    if (m_jobs->isSearching())
        return;
    const ScheduleResult *searched = m_document->shelf().find(m_document->current());
    if (!m_document->model()) {
        m_searchPanel->showMessage(
            searched ? QStringLiteral("%1: its model is missing.").arg(resultOfModel(*m_document, searched->id))
                     : QStringLiteral("Open a model, then search for its fastest schedule."));
        return;
    }
    if (!isSearched(searched)) {
        searched = nullptr;
        for (const ResultId id : m_document->fitting()) {
            const ScheduleResult *result = m_document->shelf().find(id);
            if (isSearched(result) && result->origin == Origin::Searched)
                searched = result;
        }
    }
    if (!searched) {
        m_searchPanel->showMessage(QStringLiteral("%1 is not searched yet on this device: press Search to find a "
                                                  "faster schedule.")
                                       .arg(QString::fromStdString(m_document->model()->name)));
        return;
    }
    const QString name = resultOfModel(*m_document, searched->id);
    const auto latency = m_document->shelf().latency(searched->id);
    if (searched->origin == Origin::Layouts && latency)
        m_searchPanel->showMessage(QStringLiteral("%1: %2, %3, %4")
                                       .arg(name, QString::fromStdString(searched->source),
                                            latencyText(latency->us, searched->schedule->leavesOutWork()),
                                            provenanceText(latency->provenance)));
    else
        m_searchPanel->showResult(name, *m_document->shown(searched->id).schedule,
                                  fasterBaseline(*m_document, searched->id));
}

void MainWindow::tellEnded(ResultId id)
{
    const ScheduleResult *result = m_document->shelf().find(id);
    const auto latency = m_document->shelf().latency(id);
    if (!result || !latency || id == m_document->current())
        return;
    statusBar()->showMessage(
        QStringLiteral("%1 is found: %2, on the shelf").arg(resultOfModel(*m_document, id), latencyText(latency->us)),
        8000);
}

} // namespace stagecraft
