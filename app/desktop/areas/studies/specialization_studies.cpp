#include "desktop/areas/studies/specialization_studies.h"

#include "device/device_wait_words.h"
#include "flow/open_model.h"
#include "results/pooled_latency.h"
#include "widgets/base/format.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <span>

namespace stagecraft {
namespace {

// Opens places; models once for each batch size. Called on several threads.
class PlaceOpener {
public:
    PlaceOpener(Services services, ModelPtr model, Device::Waiting waiting)
        : m_services(std::move(services)), m_waiting(std::move(waiting))
    {
        m_models[model->graph->batch()] = std::move(model);
    }

    Result<OpenedPlace> operator()(const RunPlace &place)
    {
        TRY_AS(auto model, modelAt(place.batch));
        TRY_AS(auto opened,
               m_services.measurers->open(model->graph, place.device, Urgency::Study, m_waiting, onnxFileOf(*model)));
        return OpenedPlace{std::move(model), std::move(opened.device), std::move(opened.session)};
    }

private:
    Result<ModelPtr> modelAt(std::int64_t batch)
    {
        const std::scoped_lock lock(*m_opening);
        if (const auto known = m_models.find(batch); known != m_models.end())
            return known->second;
        TRY_AS(auto opened, m_services.openModel(sameReading(*m_models.begin()->second, batch)));
        return m_models[batch] = std::make_shared<const Model>(std::move(opened.model));
    }

    Services m_services;
    Device::Waiting m_waiting;
    std::shared_ptr<std::mutex> m_opening = std::make_shared<std::mutex>(); // protects m_models
    std::map<std::int64_t, ModelPtr> m_models;
};

QString labelOf(const RunPlace &place, bool hasSeveralDevices, bool hasSeveralBatches)
{
    QString batch = QStringLiteral("batch %1").arg(place.batch);
    const QString device = QString::fromStdString(place.device);
    if (!hasSeveralDevices)
        return batch;
    return hasSeveralBatches ? QStringLiteral("%1, %2").arg(device, batch) : device;
}

QStringList labelsOf(const std::vector<RunPlace> &places)
{
    const auto differ = [&](auto member) {
        return std::ranges::any_of(places,
                                   [&](const RunPlace &each) { return each.*member != places.front().*member; });
    };
    QStringList labels;
    for (const RunPlace &place : places)
        labels << labelOf(place, differ(&RunPlace::device), differ(&RunPlace::batch));
    return labels;
}

} // namespace

SpecializationStudies::SpecializationStudies(Document *document, Services services, SpecializationView *view,
                                             QObject *parent)
    : QObject(parent), m_document(document), m_services(std::move(services)), m_view(view)
{
    connect(view, &SpecializationView::startRequested, this, &SpecializationStudies::start);
    connect(view, &SpecializationView::stopRequested, this, &SpecializationStudies::stop);
    connect(view, &SpecializationView::placesChanged, this, &SpecializationStudies::showTable);
    connect(view, &SpecializationView::opened, this, [this](std::size_t row, std::size_t column) {
        if (const ResultId id = shelve(row, column); id.isValid())
            m_document->results()->setCurrent(id);
    });
    connect(view, &SpecializationView::compared, this, [this](std::size_t row, std::size_t column) {
        const ResultId own = shelve(row, row);
        const ResultId other = shelve(row, column);
        if (own.isValid() && other.isValid() && own != other)
            emit compareRequested(own, other);
    });
    connect(document->next(), &NextSearch::modelChanged, this, [this] {
        m_view->showProgress({});
        showTable();
        showWhetherItWaits();
    });
    connect(document->next(), &NextSearch::deviceChanged, this, &SpecializationStudies::showTable);
    connect(&m_lane, &JobLane::busyChanged, this, [this](bool busy) {
        if (!busy)
            m_view->showProgress({});
        showTable();
        emit busyChanged();
    });
    connect(&m_lane, &JobLane::workFailed, this, [this](const QString &reason) {
        emit failed({ErrorCode::DeviceFailed, reason.toStdString(), {}, {}});
    });
    showTable();
}

SpecializationStudies::Study &SpecializationStudies::studyOf(const ModelReference &model)
{
    const auto known = std::ranges::find(m_studies, model, &Study::model);
    return known != m_studies.end() ? *known : m_studies.emplace_back(Study{model});
}

const SpecializationStudies::Study &SpecializationStudies::shownStudy() const
{
    static const Study kNone;
    const auto known = std::ranges::find(m_studies, m_document->next()->settings().model, &Study::model);
    return known != m_studies.end() ? *known : kNone;
}

bool SpecializationStudies::isShownRunning() const
{
    return m_lane.isBusy() && m_running == m_document->next()->settings().model;
}

std::vector<RunPlace> SpecializationStudies::places() const
{
    const auto batches = m_view->batches();
    if (!m_document->next()->model() || !batches)
        return {};
    std::vector<std::string> devices = m_view->devices();
    if (devices.empty())
        devices.push_back(m_document->next()->device().id);
    const std::vector<std::int64_t> own{m_document->next()->model()->graph->batch()};
    return placesOf(devices, batches->empty() ? own : *batches);
}

QString SpecializationStudies::whyNotStart() const
{
    if (!m_document->next()->model())
        return QStringLiteral("Open a model to see how schedules for one batch size or device do on others.");
    if (m_lane.isBusy() && !isShownRunning())
        return QStringLiteral("A study of %1 is running: stop it or wait.").arg(QString::fromStdString(m_running.name));
    const std::vector<RunPlace> chosen = places();
    if (chosen.size() < 2)
        return QStringLiteral("Choose at least two batch sizes or two devices.");
    const bool isAllKnown = std::ranges::all_of(chosen, [&](const RunPlace &on) {
        return std::ranges::all_of(chosen, [&](const RunPlace &madeFor) {
            return shownStudy().cells.contains({on, madeFor});
        });
    });
    return isAllKnown && !m_lane.isBusy()
               ? QStringLiteral("All cells are known: choose more batch sizes or devices to extend the table.")
               : QString();
}

void SpecializationStudies::start()
{
    if (m_lane.isBusy() || !whyNotStart().isEmpty())
        return;
    m_running = m_document->next()->settings().model;
    Study &study = studyOf(m_running);
    if (!study.work)
        study.work = std::make_shared<Specialization>(
            PlaceOpener(m_services, m_document->next()->model(), [this](const std::optional<DeviceWait> &wait) {
                QMetaObject::invokeMethod(
                    this, [this, wait] { showWait(wait); }, Qt::QueuedConnection);
            }));
    m_lane.start(workOn(study, places()));
    showTable();
    showWhetherItWaits();
}

void SpecializationStudies::stop()
{
    m_lane.stop();
}

JobLane::Work SpecializationStudies::workOn(Study &of, std::vector<RunPlace> places)
{
    return
        [this, &of, places = std::move(places), study = of.work](const JobLane::Context &context) -> JobLane::Delivery {
            std::map<RunPlace, QString> labels;
            const QStringList texts = labelsOf(places);
            for (std::size_t i = 0; i < places.size(); ++i)
                labels[places[i]] = texts[static_cast<qsizetype>(i)];
            SpecializationCallbacks told;
            told.opened = [&](const RunPlace &place, const StudiedPlace &at) {
                context.report([&of, place, at] { of.rows.insert_or_assign(place, Row{at.model, at.device}); });
            };
            told.searching = [&](const RunPlace &place, const SearchProgress &now) {
                context.report([this, label = labels.at(place), measurements = now.stageMeasurements] {
                    showProgress(QStringLiteral("search for %1, %2").arg(label, plural(measurements, "measurement")));
                });
            };
            told.made = [&](const RunPlace &place, const FoundSchedule &found) {
                context.report([this, &of, place,
                                result = Made{std::make_shared<const TimedSchedule>(found.schedule), found.blocks}] {
                    of.made.insert_or_assign(place, result);
                    showTable();
                });
            };
            told.measured = [&](const RunPlace &on, const RunPlace &madeFor, const TimedSchedule &measured) {
                context.report(
                    [this, &of, cell = Cell(on, madeFor), schedule = std::make_shared<const TimedSchedule>(measured)] {
                        of.cells.insert_or_assign(cell, schedule);
                        showTable();
                    });
            };
            const auto done = study->study(places, told, context.stop);
            if (done || done.error().code == ErrorCode::Cancelled)
                return {};
            return [this, error = done.error()] { emit failed(error); };
        };
}

void SpecializationStudies::showTable()
{
    const std::vector<RunPlace> chosen = places();
    const Study &study = shownStudy();
    CrossTable table;
    const bool isBegun = isShownRunning() ||
                         std::ranges::any_of(chosen, [&](const RunPlace &place) { return study.made.contains(place); });
    if (isBegun && chosen.size() > 1) {
        table.places = labelsOf(chosen);
        for (const RunPlace &on : chosen) {
            table.isMade.push_back(study.made.contains(on));
            for (const RunPlace &madeFor : chosen) {
                const auto known = study.cells.find({on, madeFor});
                auto &cell = table.cells.emplace_back();
                if (known == study.cells.end())
                    continue;
                const TimedSchedule &schedule = *known->second;
                cell = CrossCell{*schedule.latencyUs(), 0, schedule.measured.provenance.value_or(Provenance::Simulated),
                                 schedule.measured.isSumOfStages(), schedule.leavesOutWork()};
                if (const auto measurement = measurementOf(schedule, 0))
                    cell->halfWidthUs = pooled(std::span(&*measurement, 1))->halfWidthUs;
            }
        }
    }
    m_view->setRunning(isShownRunning());
    m_view->setReady(whyNotStart());
    m_view->setTable(table);
}

void SpecializationStudies::showOthersFirst(bool othersGoFirst)
{
    m_othersGoFirst = othersGoFirst;
    showWhetherItWaits();
}

void SpecializationStudies::showWhetherItWaits()
{
    showProgress(m_othersGoFirst ? QStringLiteral("waits: other searches and measurements go first") : QString());
}

void SpecializationStudies::showProgress(const QString &text)
{
    if (isShownRunning())
        m_view->showProgress(text);
}

void SpecializationStudies::showWait(const std::optional<DeviceWait> &wait)
{
    showProgress(wait ? QString::fromStdString(waitText(*wait)) : QString());
}

ResultId SpecializationStudies::shelve(std::size_t row, std::size_t column)
{
    const std::vector<RunPlace> chosen = places();
    if (std::max(row, column) >= chosen.size())
        return {};
    const RunPlace &on = chosen[row];
    const RunPlace &madeFor = chosen[column];
    const Study &study = shownStudy();
    const auto cell = study.cells.find({on, madeFor});
    const auto place = study.rows.find(on);
    if (cell == study.cells.end() || place == study.rows.end())
        return {};
    const auto &[model, device] = place->second;
    if (row == column)
        return m_document->added().addStudied(model, device, cell->second, study.made.at(on).blocks);
    return m_document->added().addStudied(model, device, cell->second, {},
                                          labelsOf(chosen)[static_cast<qsizetype>(column)]);
}

} // namespace stagecraft
