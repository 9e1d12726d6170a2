#include "desktop/areas/export_area.h"

#include "desktop/areas/shelf_area.h"
#include "desktop/dialogs/dialog_folder.h"
#include "desktop/dialogs/export_dialog.h"
#include "desktop/dialogs/write_picture.h"
#include "desktop/document/document.h"
#include "desktop/work/services.h"
#include "flow/open_model.h"
#include "widgets/base/format.h"

#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QKeySequence>

#include <algorithm>
#include <utility>

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

ExportArea::ExportArea(const AreaContext &context, const ShelfArea &shelf, const std::vector<Area *> &areas)
    : Area(context), m_shelf(shelf), m_areas(areas)
{
    actions().add("export_as", QStringLiteral("Expor&t..."), QStringLiteral("Ctrl+Alt+E"), [this] { exportAs(); });
    actions().add("picture", QStringLiteral("Save &picture of the window..."), QStringLiteral("Ctrl+Alt+P"),
                  [this] { choosePicture(); });
    connect(&m_saving, &JobLane::busyChanged, this, [this] {
        actions()["picture"]->setEnabled(!m_saving.isBusy());
        emit busyChanged();
    });
    connect(&m_saving, &JobLane::workFailed, this, [this](const QString &reason) {
        refuse({ErrorCode::InvalidInput, reason.toStdString(), {}, {}});
    });
}

ExportDialog *ExportArea::exportAs()
{
    const std::vector<ResultId> ids = m_shelf.chosen();
    ExportSubject subject;
    for (const ResultId id : ids) {
        const ModelPtr model = results().targetOf(id).model;
        RatedResult shown = results().shown(id);
        if (!model || !shown.schedule || (subject.model && subject.model != model))
            continue; // a file has the results of one model
        subject.model = model;
        const ComparisonRow row = results().comparisonRow(id);
        if (subject.baseline.empty() && row.speedup)
            subject.baseline = baselineText(results().shelf(), id, row.baselineTitle, ids);
        shown.speedup = row.speedup; // in rounds with the baseline, if it was timed so
        subject.results.push_back(std::move(shown));
    }
    if (subject.results.empty()) {
        tell(QStringLiteral("There is no schedule to export yet: search first (F5)"), 8000);
        return nullptr;
    }
    for (const Area *area : m_areas)
        area->addTo(subject);
    auto *dialog = new ExportDialog(std::move(subject), services().findDevice, &window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ExportDialog::written, this, [this, ids](const QString &path) {
        for (const ResultId id : ids)
            editor().freeze(id);
        tell(QStringLiteral("Exported %1").arg(path), 8000);
    });
    dialog->show();
    return dialog;
}

void ExportArea::choosePicture()
{
    const QString path = QFileDialog::getSaveFileName(&window(), QStringLiteral("Save a picture of the window"),
                                                      dialogFolder() + QStringLiteral("/stagecraft.png"),
                                                      QStringLiteral("Pictures (*.png)"));
    if (!path.isEmpty())
        savePicture(path);
}

void ExportArea::savePicture(const QString &path)
{
    if (m_saving.isBusy()) // another would drop the outcome of the first
        return;
    const QImage picture = window().grab().toImage();
    m_saving.start([this, path, picture, model = next().model()](const JobLane::Context &) -> JobLane::Delivery {
        const auto saved =
            (model ? refuseOverwritingModel(QFile::encodeName(path).toStdString(), *model) : Result<void>{})
                .and_then([&] { return writePicture(picture, path); });
        if (!saved)
            return [this, error = saved.error()] { refuse(error); };
        return [this, path] { tell(QStringLiteral("Saved %1").arg(path), 8000); };
    });
}

} // namespace stagecraft
