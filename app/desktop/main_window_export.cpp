// File > Export: the chosen results for other programs.

#include "desktop/main_window.h"

#include "desktop/export_dialog.h"

#include <QStatusBar>

namespace stagecraft {

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
        const auto timeline = m_document->timelineOf(id);
        subject.results.push_back({shown.title.toStdString(), *shown.schedule,
                                   timeline ? std::optional(timeline->timeline()) : std::nullopt});
    }
    if (subject.results.empty()) {
        statusBar()->showMessage(QStringLiteral("There is no schedule to export yet: search first (F5)"), 8000);
        return nullptr;
    }
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
