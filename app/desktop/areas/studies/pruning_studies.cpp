#include "desktop/areas/studies/pruning_studies.h"

#include "device/device_wait_words.h"
#include "flow/open_model.h"
#include "flow/study/pruning_study.h"
#include "reproduction/published_figures.h"
#include "widgets/base/format.h"
#include "widgets/study/pruning_plot.h"

#include <QApplication>
#include <QClipboard>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

namespace stagecraft {

// The study with its device; made anew for another model or device. Used by the lane's thread.
class PruningStudies::OnDevice {
public:
    OnDevice(std::shared_ptr<Measurers> measurers, Device::Waiting waiting)
        : m_measurers(std::move(measurers)), m_waiting(std::move(waiting))
    {
    }

    Result<PruningStudy *> open(const Target &target)
    {
        if (m_study && m_target.model == target.model && m_target.deviceId == target.deviceId)
            return m_study.get();
        m_study.reset();
        TRY_AS(auto opened, m_measurers->open(target.model->graph, target.deviceId, Urgency::Study, m_waiting,
                                              onnxFileOf(*target.model)));
        m_target = target;
        m_study = std::make_unique<PruningStudy>(*target.model, std::move(opened.session), std::move(opened.device));
        return m_study.get();
    }

private:
    std::shared_ptr<Measurers> m_measurers;
    Device::Waiting m_waiting;
    Target m_target;
    std::unique_ptr<PruningStudy> m_study;
};

namespace {

std::vector<PlottedPoint> plotted(const auto &known)
{
    std::vector<PlottedPoint> points;
    points.reserve(known.size());
    for (const auto &each : known)
        points.push_back(plottedPoint(each));
    return points;
}

} // namespace

std::vector<PublishedPoint> publishedPoints(const std::string &model, std::int64_t batch)
{
    using namespace published;
    std::vector<PublishedPoint> points;
    if (batch != 1)
        return points;
    constexpr std::array<std::string_view, 2> kPruned{"inception_v3", "nasnet"};
    if (const auto pruned = std::ranges::find(kPruned, model); pruned != kPruned.end()) {
        const auto column = static_cast<std::size_t>(pruned - kPruned.begin());
        for (const Pruning &each : kPruning)
            points.push_back({each.r, each.s, each.ms[column] * 1000, each.seconds[column]});
    }
    for (const WholeSearch &each : kWholeSearches) {
        const auto network = std::ranges::find(kNetworks, each.model, &Network::model);
        if (each.model == model && network != kNetworks.end())
            points.push_back({3, 8, network->scheduleMs.back() * 1000, each.seconds});
    }
    return points;
}

PruningStudies::PruningStudies(Document *document, std::shared_ptr<Measurers> measurers, PruningView *view,
                               QObject *parent)
    : QObject(parent), m_document(document), m_view(view),
      m_onDevice(std::make_shared<OnDevice>(std::move(measurers), [this](const std::optional<DeviceWait> &wait) {
          QMetaObject::invokeMethod(
              this, [this, wait] { showWait(wait); }, Qt::QueuedConnection);
      }))
{
    connect(view, &PruningView::startRequested, this, &PruningStudies::start);
    connect(view, &PruningView::stopRequested, this, &PruningStudies::stop);
    connect(view, &PruningView::gridChanged, this, &PruningStudies::showTotals);
    connect(view, &PruningView::chosen, this, &PruningStudies::putOnShelf);
    connect(document->next(), &NextSearch::modelChanged, this, &PruningStudies::showStudy);
    connect(document->next(), &NextSearch::deviceChanged, this, &PruningStudies::showStudy);
    connect(&m_lane, &JobLane::busyChanged, this, [this](bool busy) {
        if (busy) {
            showTotals();
        } else {
            m_view->showProgress({});
            showStudy(); // with the last points
        }
        emit busyChanged();
    });
    connect(&m_lane, &JobLane::workFailed, this, [this](const QString &reason) {
        emit failed({ErrorCode::DeviceFailed, reason.toStdString(), {}, {}});
    });
    showStudy();
}

QString PruningStudies::whyNotStart() const
{
    if (!m_document->next()->model())
        return QStringLiteral("Open a model to study what r and s cost.");
    if (m_lane.isBusy() && m_running != m_document->next()->settings())
        return QStringLiteral("A study of %1 on %2 is running: stop it or wait.")
            .arg(QString::fromStdString(m_running.model.name), QString::fromStdString(m_running.device));
    return {};
}

const PruningStudies::Study *PruningStudies::shownStudy() const
{
    const auto found = std::ranges::find(m_studies, m_document->next()->settings(), &Study::settings);
    return found == m_studies.end() ? nullptr : &*found;
}

PruningStudies::Study *PruningStudies::studyOf(const RunContext &settings)
{
    const auto found = std::ranges::find(m_studies, settings, &Study::settings);
    return found == m_studies.end() ? nullptr : &*found;
}

std::set<PruningPoint> PruningStudies::knownPoints() const
{
    std::set<PruningPoint> known;
    if (const Study *study = shownStudy())
        std::ranges::transform(study->points, std::inserter(known, known.end()), &StudyPoint::point);
    return known;
}

void PruningStudies::start()
{
    const auto grid = m_view->grid();
    if (!grid || !whyNotStart().isEmpty() || m_lane.isBusy())
        return;
    const RunContext &settings = m_document->next()->settings();
    std::vector<PruningPoint> points = pointsOf(*grid);
    std::erase_if(points, [known = knownPoints()](const PruningPoint &point) { return known.contains(point); });
    if (points.empty())
        return;
    m_running = settings;
    m_lane.start(workOn(m_document->next()->target(), mostInformativeFirst(points)));
    showTotals();
    showWhetherItWaits();
}

void PruningStudies::stop()
{
    m_lane.stop();
}

JobLane::Work PruningStudies::workOn(const Target &target, std::vector<PruningPoint> points)
{
    return [this, target, points = std::move(points), settings = m_running,
            onDevice = m_onDevice](const JobLane::Context &context) -> JobLane::Delivery {
        auto study = onDevice->open(target);
        const auto failure = [this](const Error &error) { return [this, error] { emit failed(error); }; };
        if (!study)
            return failure(study.error());
        for (const PruningPoint &point : points) {
            const QString title = titleOf(point);
            const auto progress = [&](const SearchProgress &now) {
                context.report([this, title, now] { showSearching(title, now); });
            };
            const std::int64_t before = (*study)->stageMeasurements();
            const auto studied = (*study)->study(point, progress, context.stop);
            if (context.stop.stop_requested())
                break;
            if (!studied)
                return failure(studied.error());
            context.report([this, settings, add = **studied, measured = (*study)->stageMeasurements() - before] {
                this->add(settings, add, measured);
            });
        }
        return {};
    };
}

void PruningStudies::add(const RunContext &settings, StudyPoint point, std::int64_t newlyMeasured)
{
    Study *study = studyOf(settings);
    if (!study)
        study = &m_studies.emplace_back(Study{settings, {}, 0});
    study->points.push_back(std::move(point));
    study->stagesMeasured += newlyMeasured;
    // All points that arrive in one turn of the event loop are drawn at once.
    if (settings == m_document->next()->settings() && !std::exchange(m_isShowing, true))
        QMetaObject::invokeMethod(this, &PruningStudies::showStudy, Qt::QueuedConnection);
    emit changed();
}

void PruningStudies::showStudy()
{
    m_isShowing = false;
    const ModelPtr &model = m_document->next()->model();
    Study *study = studyOf(m_document->next()->settings());
    for (std::size_t i = 0; model && study && i < study->points.size(); ++i) { // points of a session lack it
        StudyPoint &point = study->points[i];
        if (!point.livePeakBytes)
            point.livePeakBytes = livePeakBytesOf(*model, *point.schedule, m_document->next()->device());
    }
    m_view->setPublished(model ? publishedPoints(model->name, model->graph->batch()) : std::vector<PublishedPoint>{},
                         QStringLiteral("the IOS paper, on its Tesla V100"));
    m_view->setPoints(study ? plotted(study->points) : std::vector<PlottedPoint>{});
    showTotals();
}

void PruningStudies::showTotals()
{
    StudyTotals totals;
    const Study *study = shownStudy();
    if (const auto grid = m_view->grid()) {
        const std::vector<PruningPoint> points = pointsOf(*grid);
        totals.planned = points.size();
        totals.done = static_cast<std::size_t>(std::ranges::count_if(
            points, [known = knownPoints()](const PruningPoint &point) { return known.contains(point); }));
    }
    if (study) {
        totals.stagesMeasured = study->stagesMeasured;
        for (const StudyPoint &point : study->points)
            totals.stagesAsked += point.stagesAsked;
        totals.provenance = study->points.front().schedule->measured.provenance;
    }
    m_view->setRunning(m_lane.isBusy() && m_running == m_document->next()->settings());
    m_view->setReady(whyNotStart());
    m_view->setTotals(totals);
}

void PruningStudies::showSearching(const QString &title, const SearchProgress &progress)
{
    if (m_running == m_document->next()->settings())
        m_view->showProgress(QStringLiteral("%1, %2").arg(title, plural(progress.stageMeasurements, "measurement")));
}

void PruningStudies::showWait(const std::optional<DeviceWait> &wait)
{
    if (m_lane.isBusy() && m_running == m_document->next()->settings())
        m_view->showProgress(wait ? QString::fromStdString(waitText(*wait)) : QString());
}

void PruningStudies::showOthersFirst(bool othersGoFirst)
{
    m_othersGoFirst = othersGoFirst;
    showWhetherItWaits();
}

void PruningStudies::showWhetherItWaits()
{
    if (m_lane.isBusy() && m_running == m_document->next()->settings())
        m_view->showProgress(m_othersGoFirst ? QStringLiteral("waits: other searches and measurements go first")
                                             : QString());
}

bool PruningStudies::hasPoints() const
{
    return shownStudy() != nullptr;
}

std::vector<StudyPoint> PruningStudies::points() const
{
    const Study *study = shownStudy();
    return study ? study->points : std::vector<StudyPoint>{};
}

void PruningStudies::copyCsv() const
{
    if (hasPoints())
        QApplication::clipboard()->setText(QString::fromStdString(tradeoffCsv(points())));
}

std::vector<SessionStudy> PruningStudies::stored() const
{
    std::vector<SessionStudy> stored;
    for (const Study &study : m_studies) {
        SessionStudy &as = stored.emplace_back();
        as.stagesMeasured = study.stagesMeasured;
        for (const StudyPoint &point : study.points) {
            ScheduleResult &result = as.points.emplace_back();
            result.id = ResultId{static_cast<std::uint32_t>(as.points.size())};
            result.title = strategyTitle(point.point.strategies).toStdString();
            result.settings = study.settings;
            result.asked = point.schedule->search;
            result.schedule = point.schedule;
            result.blocks = point.blocks;
            as.stagesAsked.push_back(point.stagesAsked);
        }
    }
    return stored;
}

void PruningStudies::restore(const std::vector<SessionStudy> &studies)
{
    m_lane.cancel();
    m_studies.clear();
    for (const SessionStudy &stored : studies) {
        Study &study = m_studies.emplace_back(Study{stored.points.front().settings, {}, stored.stagesMeasured});
        for (std::size_t i = 0; i < stored.points.size(); ++i) {
            const ScheduleResult &result = stored.points[i];
            study.points.push_back({pointOf(result.record()), result.schedule, result.blocks, stored.stagesAsked[i]});
        }
    }
    showStudy();
}

void PruningStudies::putOnShelf(const std::vector<PruningPoint> &points)
{
    const Study *study = shownStudy();
    ResultId last;
    for (const PruningPoint &point : points) {
        const auto known = study ? std::ranges::find(study->points, point, &StudyPoint::point)
                                 : std::vector<StudyPoint>::const_iterator();
        if (study && known != study->points.end())
            last = m_document->added().addStudied(m_document->next()->model(), m_document->next()->device(),
                                                  known->schedule, known->blocks);
    }
    if (last.isValid())
        m_document->results()->setCurrent(last);
}

} // namespace stagecraft
