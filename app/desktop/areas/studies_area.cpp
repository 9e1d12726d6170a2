#include "desktop/areas/studies_area.h"

#include "desktop/areas/studies/pruning_studies.h"
#include "desktop/areas/studies/size_studies.h"
#include "desktop/areas/studies/specialization_studies.h"
#include "desktop/dialogs/export_dialog.h"
#include "desktop/document/document.h"
#include "desktop/frame/panels.h"
#include "desktop/work/services.h"
#include "widgets/study/pruning_view.h"
#include "widgets/study/size_view.h"
#include "widgets/study/specialization_view.h"

#include <type_traits>

namespace stagecraft {
namespace {

SpecialisationTable exportedTable(const CrossTable &table)
{
    SpecialisationTable exported;
    const auto size = static_cast<std::size_t>(table.places.size());
    for (std::size_t row = 0; row < size; ++row) {
        exported.places.push_back(table.places[static_cast<qsizetype>(row)].toStdString());
        SpecialisationTable::Row &made = exported.rows.emplace_back();
        for (std::size_t column = 0; column < size; ++column) {
            const auto &cell = table.cell(row, column);
            made.cells.push_back(cell ? std::optional(CrossLatency{cell->us, cell->isSumOfStages, cell->isAtLeast})
                                      : std::nullopt);
            if (cell)
                made.provenance = toString(cell->provenance);
        }
    }
    return exported;
}

} // namespace

StudiesArea::StudiesArea(const AreaContext &context)
    : Area(context), m_pruning(new PruningView(&window())),
      m_pruningStudies(new PruningStudies(&document(), services().measurers, m_pruning, this)),
      m_specialization(new SpecializationView(&window())),
      m_specializationStudies(new SpecializationStudies(&document(), services(), m_specialization, this)),
      m_sizes(new SizeView(&window())), m_sizeStudies(new SizeStudies(&document(), services(), m_sizes, this))
{
    const auto startOrStop = [this](QWidget *view, auto *studies) {
        panels().show(view);
        if (studies->isRunning())
            studies->stop();
        else
            studies->start();
    };
    actions().add("pruning", {}, QStringLiteral("Ctrl+Shift+F5"),
                  [this, startOrStop] { startOrStop(m_pruning, m_pruningStudies); });
    actions().add("specialization", {}, QStringLiteral("Ctrl+Shift+F7"),
                  [this, startOrStop] { startOrStop(m_specialization, m_specializationStudies); });
    actions().add("sizes", {}, QStringLiteral("Ctrl+Shift+F9"),
                  [this, startOrStop] { startOrStop(m_sizes, m_sizeStudies); });
    actions().add("copy_sizes", QStringLiteral("Copy &gains by size as CSV"), QStringLiteral("Ctrl+Alt+G"),
                  [this] { m_sizeStudies->copyCsv(); });
    actions().add("copy_sizes_picture", QStringLiteral("Copy &picture of gains by size"), {},
                  [this] { m_sizes->copyPicture(); });
    actions().add("copy_pruning", QStringLiteral("Copy points of the trade-off as CSV"), QStringLiteral("Ctrl+Alt+C"),
                  [this] { m_pruningStudies->copyCsv(); });
    actions().add("copy_specialization", QStringLiteral("Copy table of specialisation as CSV"),
                  QStringLiteral("Ctrl+Alt+T"), [this] { m_specialization->copyCsv(); });
    offerMenu(m_pruning, {"pruning", "copy_pruning"});
    offerMenu(m_specialization, {"specialization", "copy_specialization"});
    offerMenu(m_sizes, {"sizes", "copy_sizes", "copy_sizes_picture"});

    const auto connectOne = [this](auto *studies) {
        using Studies = std::remove_pointer_t<decltype(studies)>;
        connect(studies, &Studies::failed, this, &StudiesArea::refuse);
        connect(studies, &Studies::busyChanged, this, [this] {
            refresh();
            emit busyChanged();
        });
    };
    connectOne(m_pruningStudies);
    connectOne(m_specializationStudies);
    connectOne(m_sizeStudies);
    connect(m_sizeStudies, &SizeStudies::changed, this, &StudiesArea::refresh);
    connect(m_sizeStudies, &SizeStudies::modelWanted, this, [this](const QString &spec, qint64 batch) {
        if (spec.isEmpty())
            emit batchWanted(batch);
        else
            emit modelWanted(spec);
    });
    connect(m_specializationStudies, &SpecializationStudies::compareRequested, this,
            [this](ResultId own, ResultId other) {
                results().setCurrent(own);
                emit besideWanted(other);
            });
    connect(m_pruningStudies, &PruningStudies::changed, this, &StudiesArea::viewChanged);
    connect(m_pruningStudies, &PruningStudies::changed, this, &StudiesArea::refresh);
    connect(m_pruning, &PruningView::gridChanged, this, &StudiesArea::viewChanged);
    connect(m_specialization, &SpecializationView::placesChanged, this, [this] {
        refresh();
        emit viewChanged();
    });
}

// Their work ends while what it uses is there.
StudiesArea::~StudiesArea()
{
    delete m_pruningStudies;
    delete m_specializationStudies;
    delete m_sizeStudies;
}

std::vector<Dock> StudiesArea::docks() const
{
    return {{9, QStringLiteral("Trade-off: r, s"), "pruning", m_pruning},
            {10, QStringLiteral("Specialisation"), "specialization", m_specialization},
            {16, QStringLiteral("Gain by size"), "sizes", m_sizes, QStringLiteral("Alt+Shift+G")}};
}

void StudiesArea::refresh()
{
    const auto show = [this](const char *name, const auto *studies, const QString &start, const QString &stop) {
        QAction *action = actions()[name];
        action->setText(studies->isRunning() ? stop : start);
        action->setEnabled(studies->isRunning() || studies->whyNotStart().isEmpty());
    };
    show("pruning", m_pruningStudies, QStringLiteral("St&udy r and s"), QStringLiteral("Stop the st&udy of r and s"));
    show("specialization", m_specializationStudies, QStringLiteral("Study speci&alisation"),
         QStringLiteral("Stop the study of speci&alisation"));
    show("sizes", m_sizeStudies, QStringLiteral("Study &gain by size"),
         QStringLiteral("Stop the study of &gain by size"));
    for (const char *copy : {"copy_sizes", "copy_sizes_picture"})
        actions()[copy]->setEnabled(m_sizeStudies->hasPoints());
    actions()["copy_pruning"]->setEnabled(m_pruningStudies->hasPoints());
    actions()["copy_specialization"]->setEnabled(m_specialization->hasCells());
}

void StudiesArea::cancel()
{
    m_pruningStudies->stop();
    m_specializationStudies->stop();
    m_sizeStudies->stop();
}

bool StudiesArea::isBusy() const
{
    return m_pruningStudies->isRunning() || m_specializationStudies->isRunning() || m_sizeStudies->isRunning();
}

void StudiesArea::showOthersFirst(bool othersGoFirst)
{
    m_pruningStudies->showOthersFirst(othersGoFirst);
    m_specializationStudies->showOthersFirst(othersGoFirst);
    m_sizeStudies->showOthersFirst(othersGoFirst);
}

void StudiesArea::offerDevices(const std::vector<DeviceInfo> &devices)
{
    std::vector<OfferedDevice> offered;
    for (const DeviceInfo &info : devices) {
        if (info.available)
            offered.push_back({info.id, QString::fromStdString(info.title)});
    }
    m_specialization->offerDevices(offered);
}

void StudiesArea::store(Session &session) const
{
    session.studies = m_pruningStudies->stored();
    if (const auto grid = m_pruning->grid())
        session.view.pruning = *grid;
    if (const auto batches = m_specialization->batches())
        session.view.batches = *batches;
    session.view.devices = m_specialization->devices();
}

void StudiesArea::restore(const Session &session)
{
    const SessionView &view = session.view;
    if (view.pruning)
        m_pruning->setGrid(*view.pruning);
    if (!view.batches.empty() || !view.devices.empty())
        m_specialization->setBatches(view.batches);
    m_specialization->setDevices(view.devices);
    m_pruningStudies->restore(session.studies);
}

void StudiesArea::addTo(ExportSubject &subject) const
{
    subject.views[ExportView::Tradeoff] = m_pruning;
    subject.views[ExportView::Specialisation] = m_specialization;
    if (subject.model != next().model()) // studies are shown of that of the next search
        return;
    subject.tradeoff = m_pruningStudies->points();
    if (m_specialization->hasCells())
        subject.specialisation = exportedTable(m_specialization->table());
}

} // namespace stagecraft
