// File > Export: the chosen results for other programs.

#include "desktop/main_window.h"

#include "desktop/areas/area.h"
#include "desktop/dialogs/export_dialog.h"
#include "desktop/pane_row.h"
#include "widgets/base/format.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/graph/graph_view.h"
#include "widgets/timeline/timeline_view.h"

#include <QStatusBar>

#include <algorithm>

namespace stagecraft {
namespace {

// With its latency where it is not exported, too.
std::string baselineText(const Shelf &shelf, ResultId id, const QString &title, const std::vector<ResultId> &exported)
{
    const ResultId baseline = shelf.baseline(shelf.find(id)->settings);
    const auto latency = shelf.latency(baseline);
    const bool isThere = std::ranges::find(exported, baseline) != exported.end();
    return (isThere || !latency ? title : QStringLiteral("%1, %2").arg(title, latencyText(latency->us))).toStdString();
}

} // namespace

ExportDialog *MainWindow::exportAs()
{
    const std::vector<ResultId> ids = chosenResults();
    ExportSubject subject;
    for (const ResultId id : ids) {
        const ModelPtr model = m_document->targetOf(id).model;
        const ShownResult shown = m_document->shown(id);
        if (!model || !shown.schedule || (subject.model && subject.model != model))
            continue; // a file has the results of one model
        subject.model = model;
        const ComparisonRow row = m_document->comparisonRow(id);
        if (subject.baseline.empty() && row.speedup)
            subject.baseline = baselineText(m_document->shelf(), id, row.baselineTitle, ids);
        const auto timeline = m_document->timelineOf(id);
        subject.results.push_back({shown.title.toStdString(), *shown.schedule,
                                   timeline ? std::optional(timeline->timeline()) : std::nullopt, row.speedup});
    }
    if (subject.results.empty()) {
        statusBar()->showMessage(QStringLiteral("There is no schedule to export yet: search first (F5)"), 8000);
        return nullptr;
    }
    subject.views = {{ExportView::Graph, m_graph},
                     {ExportView::Timeline, m_timeline},
                     {ExportView::Comparison, m_comparison},
                     {ExportView::Schedule, m_panes}};
    subject.shelf = std::make_shared<const OpenedSession>(m_document->opened(sessionNow()));
    for (const Area *area : m_areaList)
        area->addTo(subject);
    auto *dialog = new ExportDialog(std::move(subject), m_jobs->services().findDevice, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ExportDialog::written, this, [this, ids](const QString &path) {
        for (const ResultId id : ids)
            m_document->freeze(id);
        statusBar()->showMessage(QStringLiteral("Exported %1").arg(path), 8000);
    });
    dialog->show();
    return dialog;
}

} // namespace stagecraft
