#include "desktop/areas/studies/size_studies.h"

#include "device/device_wait_words.h"
#include "export/study_tables.h"
#include "flow/open_model.h"
#include "support/error_text.h"
#include "widgets/base/format.h"

#include <QApplication>
#include <QClipboard>

#include <algorithm>
#include <utility>

namespace stagecraft {

SizeStudies::SizeStudies(Document *document, Services services, SizeView *view, QObject *parent)
    : QObject(parent), m_document(document), m_services(std::move(services)), m_view(view)
{
    connect(view, &SizeView::startRequested, this, &SizeStudies::start);
    connect(view, &SizeView::stopRequested, this, &SizeStudies::stop);
    connect(view, &SizeView::rangeChanged, this, &SizeStudies::show);
    connect(view, &SizeView::chosen, this, &SizeStudies::open);
    connect(document->next(), &NextSearch::modelChanged, this, &SizeStudies::showModel);
    connect(document->next(), &NextSearch::deviceChanged, this, &SizeStudies::show);
    connect(&m_lane, &JobLane::busyChanged, this, [this](bool busy) {
        if (!busy)
            m_view->showProgress({});
        show();
        emit busyChanged();
    });
    connect(&m_lane, &JobLane::workFailed, this, [this](const QString &reason) {
        emit failed({ErrorCode::DeviceFailed, reason.toStdString(), {}, {}});
    });
    showModel();
}

SizeStudies::Subject SizeStudies::subject() const
{
    const NextSearch &next = *m_document->next();
    const std::string parameter = m_view->parameter().toStdString();
    OpenRequest request = leftOpen(sameReading(*next.model(), next.model()->graph->batch()), parameter);
    return {std::move(request.spec), request.batch, std::move(request.reading), parameter, next.device().id};
}

const SizeStudies::Study *SizeStudies::shown() const
{
    if (!m_document->next()->model())
        return nullptr;
    const auto found = std::ranges::find(m_studies, subject(), &Study::subject);
    return found == m_studies.end() ? nullptr : &*found;
}

bool SizeStudies::isShownRunning() const
{
    return m_lane.isBusy() && m_document->next()->model() && m_running == subject();
}

QString SizeStudies::whyNotStart() const
{
    if (!m_document->next()->model())
        return QStringLiteral("Open a model to see what schedules gain at its sizes.");
    if (m_lane.isBusy() && !isShownRunning())
        return QStringLiteral("A study of %1 is running: stop it or wait.")
            .arg(QString::fromStdString(m_running->spec));
    const auto range = sizeRange(m_view->over().toStdString());
    if (!range)
        return QString::fromStdString(errorText(range.error()));
    const Subject of = subject();
    for (const std::int64_t size : {range->sizes.front(), range->sizes.back()}) {
        if (const auto sized = atSize({.spec = of.spec, .batch = of.batch}, of.parameter, size); !sized)
            return QString::fromStdString(errorText(sized.error()));
    }
    const Study *known = shown();
    const auto isKnown = [&](std::int64_t size) {
        return known && std::ranges::find(known->points, size, &SizePoint::size) != known->points.end();
    };
    return !m_lane.isBusy() && std::ranges::all_of(range->sizes, isKnown)
               ? QStringLiteral("All sizes are known: choose others to extend the study.")
               : QString();
}

void SizeStudies::start()
{
    if (m_lane.isBusy() || !whyNotStart().isEmpty())
        return;
    const Subject of = subject();
    auto study = std::ranges::find(m_studies, of, &Study::subject);
    if (study == m_studies.end()) {
        m_studies.push_back({of, {}, studyOf(of)});
        study = std::prev(m_studies.end());
    }
    m_running = of;
    m_lane.start(workOn(*study, sizeRange(m_view->over().toStdString())->sizes));
    show();
    showOthersFirst(m_othersGoFirst);
}

void SizeStudies::stop()
{
    m_lane.stop();
}

std::shared_ptr<SizeStudy> SizeStudies::studyOf(const Subject &of)
{
    const auto waiting = [this](const std::optional<DeviceWait> &wait) {
        QMetaObject::invokeMethod(
            this, [this, wait] { showProgress(wait ? QString::fromStdString(waitText(*wait)) : QString()); },
            Qt::QueuedConnection);
    };
    return std::make_shared<SizeStudy>(
        [services = m_services, of, waiting](std::int64_t size) -> Result<OpenedPlace> {
            TRY_AS(const auto request,
                   atSize({.spec = of.spec, .batch = of.batch, .reading = of.reading}, of.parameter, size));
            TRY_AS(auto opened, services.openModel(request));
            auto model = std::make_shared<const Model>(std::move(opened.model));
            TRY_AS(auto on,
                   services.measurers->open(model->graph, of.device, Urgency::Study, waiting, onnxFileOf(*model)));
            return OpenedPlace{std::move(model), std::move(on.device), std::move(on.session)};
        },
        kDefaultRounds);
}

JobLane::Work SizeStudies::workOn(Study &of, std::vector<std::int64_t> sizes)
{
    return [this, &of, sizes = std::move(sizes), study = of.work,
            parameter =
                QString::fromStdString(of.subject.parameter)](const JobLane::Context &context) -> JobLane::Delivery {
        for (const std::int64_t size : sizes) {
            const QString name = QStringLiteral("%1 %2").arg(parameter, countText(size));
            context.report([this, name] { showProgress(name); });
            const auto progress = [&](std::int64_t, const OpenedPlace &) -> SearchProgressCallback {
                return [&](const SearchProgress &now) {
                    context.report([this, name, measurements = now.stageMeasurements] {
                        showProgress(QStringLiteral("%1, %2").arg(name, plural(measurements, "measurement")));
                    });
                };
            };
            const auto point = study->study(size, progress, context.stop);
            if (context.stop.stop_requested())
                break;
            if (!point)
                return [this, error = point.error()] { emit failed(error); };
            context.report([this, &of, point = **point] { add(of, point); });
        }
        return {};
    };
}

void SizeStudies::add(Study &study, SizePoint point)
{
    const auto at = std::ranges::lower_bound(study.points, point.size, {}, &SizePoint::size);
    if (at != study.points.end() && at->size == point.size)
        return;
    study.points.insert(at, std::move(point));
    show();
    emit changed();
}

void SizeStudies::showModel()
{
    QStringList parameters;
    if (const ModelPtr &model = m_document->next()->model()) {
        const std::string name = model->source.substr(0, model->source.find(':'));
        for (const std::string &each : sweepableParameters(name))
            parameters << QString::fromStdString(each);
    }
    m_view->offerParameters(parameters);
    m_view->showProgress({});
    show();
}

void SizeStudies::show()
{
    const Study *study = shown();
    m_view->setRunning(isShownRunning());
    m_view->setReady(whyNotStart());
    m_view->setPoints(study ? study->points : std::vector<SizePoint>());
    emit changed();
}

void SizeStudies::showProgress(const QString &text)
{
    if (isShownRunning())
        m_view->showProgress(text);
}

void SizeStudies::showOthersFirst(bool othersGoFirst)
{
    m_othersGoFirst = othersGoFirst;
    if (m_othersGoFirst)
        showProgress(QStringLiteral("waits: other searches and measurements go first"));
}

bool SizeStudies::hasPoints() const
{
    const Study *study = shown();
    return study && !study->points.empty();
}

void SizeStudies::copyCsv() const
{
    if (hasPoints())
        QApplication::clipboard()->setText(
            QString::fromStdString(sizesCsv(shown()->subject.parameter, shown()->points)));
}

void SizeStudies::open(qint64 size)
{
    const Subject of = subject();
    const bool isBatch = of.parameter == kBatchParameter;
    if (const auto sized = atSize({.spec = of.spec, .batch = of.batch}, of.parameter, size))
        emit modelWanted(isBatch ? QString() : QString::fromStdString(sized->spec), isBatch ? size : 0);
}

} // namespace stagecraft
