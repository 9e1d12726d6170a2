#include "desktop/document/document.h"

#include "flow/open/model_reading.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QFile>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kTimelinesKept = 12;

// What latencies depend on besides the device's id.
const std::string &versionOf(const DeviceInfo &device)
{
    return device.fileHash.empty() ? device.fingerprint : device.fileHash;
}

} // namespace

Document::Document(QObject *parent) : QObject(parent), m_editor(new Editor(*this, m_shelf, this))
{
    connect(m_editor, &Editor::edited, this, &Document::edited);
    connect(m_editor, &Editor::replaced, this, &Document::replaced);
    connect(m_editor, &Editor::marksChanged, this, &Document::marksChanged);
    connect(m_editor, &Editor::changed, this, &Document::refresh);
    connect(m_editor, &Editor::undoChanged, this, &Document::shelfChanged);
    connect(m_editor, &Editor::movedOn, this, [this](ResultId from, ResultId to) {
        if (m_front.id == from)
            m_front.id = to;
    });
    connect(m_editor, &Editor::redrawn, this, [this](ResultId draft) {
        std::erase_if(m_timelines, [&](const auto &kept) { return kept.first == draft; });
    });
}

void Document::takeSettings()
{
    if (m_model)
        m_settings = placed(m_model, m_device);
}

MeasurementSettings Document::placed(const ModelPtr &model, const DeviceInfo &device)
{
    MeasurementSettings settings{referenceOf(*model), device.id, versionOf(device), model->graph->batch(),
                                 latencyBasis(*model, device).precision};
    if (std::ranges::find(m_places, settings, &Place::settings) == m_places.end())
        m_places.push_back({settings, model, device});
    return settings;
}

QString Document::spec() const
{
    return m_model ? QString::fromStdString(m_model->source) : QString();
}

void Document::setModel(ModelPtr model)
{
    (void)setFound(model); // a missing model may have been opened
    m_model = std::move(model);
    for (const Place &place : m_places) { // the same model as before: use its object, to which its results refer
        if (place.model && place.settings.model == referenceOf(*m_model) &&
            place.settings.batch == m_model->graph->batch())
            m_model = place.model;
    }
    takeSettings();
    emit modelChanged();
    showFitting();
}

void Document::setDevice(DeviceInfo device)
{
    m_device = std::move(device);
    takeSettings();
    emit deviceChanged();
    showFitting();
}

const Document::Place *Document::placeOf(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result)
        return nullptr;
    const auto place = std::ranges::find(m_places, result->settings, &Place::settings);
    return place != m_places.end() ? &*place : nullptr;
}

Target Document::targetOf(ResultId id) const
{
    const Place *place = placeOf(id);
    return place ? Target{place->model, place->device.id} : Target{};
}

const DeviceInfo &Document::deviceOf(ResultId id) const
{
    const Place *place = placeOf(id);
    return place ? place->device : m_device;
}

// Shows the result with the same name as the current one, else Greedy, else the first.
void Document::showFitting()
{
    const std::vector<ResultId> ids = fitting();
    ResultId best;
    const auto worth = [&](ResultId id) {
        const ScheduleResult &result = *m_shelf.find(id);
        const bool isGreedy = result.origin == Origin::Baseline && result.asked.strategy == "greedy";
        return 2 * (QString::fromStdString(result.title) == m_front.title) + isGreedy;
    };
    for (const ResultId id : ids) {
        if (!best.isValid() || worth(id) > worth(best))
            best = id;
    }
    if (std::ranges::find(ids, m_front.id) == ids.end())
        m_front.id = best;
    refresh();
}

void Document::showInstead()
{
    if (!m_shelf.find(m_front.id)) {
        const ResultId gone = m_front.id;
        m_front.id = {};
        for (const ResultId id : fitting()) { // the result before it, else the first
            if (!m_front.id.isValid() || id < gone)
                m_front.id = id;
        }
    }
}

// The schedule as made, or a copy with the shelf's latency, which all views show.
SchedulePtr Document::withLatencyOfShelf(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    const auto latency = m_shelf.latency(id);
    if (!result || !result->schedule || !latency)
        return result ? result->schedule : nullptr;
    const bool isSum = latency->how == MeasuredHow::SumOfStages;
    const SchedulePtr &before = m_front.schedule;
    if (before && m_front.id == id && before->latencyUs() == latency->us && before->isSumOfStages == isSum &&
        before->stageTimings == result->schedule->stageTimings)
        return before;
    return withLatency(*result, *latency);
}

ShownResult Document::shown(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result)
        return {};
    ShownResult shown{id, QString::fromStdString(result->shownName()), withLatencyOfShelf(id), result->blocks, {}, {}};
    shown.timeline = timelineOf(id);
    shown.note = whyNoSchedule(*result);
    if (isModelMissing(id)) {
        shown.schedule = nullptr;
        shown.note = QStringLiteral("its model is missing");
    }
    return shown;
}

void Document::refresh()
{
    showInstead();
    ShownResult before = std::exchange(m_front, shown(m_front.id));
    (void)followCurrent();
    emit shelfChanged();
    if (before.id != m_front.id || before.schedule != m_front.schedule || before.note != m_front.note ||
        before.title != m_front.title || before.search.size() != m_front.search.size()) {
        emit frontChanged();
        emit frontShown();
        emit timelineChanged();
    } else if (before.timeline != m_front.timeline) {
        emit timelineChanged();
    }
}

// A device from a file may have changed since: it is taken as it is now, and the result then does not fit.
bool Document::followCurrent()
{
    const Place *place = placeOf(m_front.id);
    if (!place)
        return false;
    const bool isOtherModel = m_model != place->model;
    const bool isOtherDevice = m_device.id != place->device.id;
    if (!isOtherModel && !isOtherDevice && (m_model || m_settings == place->settings))
        return false;
    m_model = place->model;
    m_device = place->device;
    m_settings = place->settings; // of a missing model
    takeSettings();
    if (isOtherModel)
        emit modelChanged();
    if (isOtherDevice)
        emit deviceChanged();
    return true;
}

void Document::setCurrent(ResultId id)
{
    if (id == m_front.id || !m_shelf.find(id))
        return;
    m_front.id = id;
    m_front.schedule = nullptr;
    ShownResult next = shown(id);
    m_front = {};
    std::swap(m_front, next);
    if (followCurrent())
        emit shelfChanged(); // other results fit
    emit frontChanged();
    emit frontShown();
    emit timelineChanged();
}

ResultId Document::newest(ScheduleKind kind) const
{
    return m_shelf.newest(m_settings, std::string(toString(kind)));
}

void Document::setStageMeasured(ResultId id, std::size_t stage, const Timing &timing)
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || !result->schedule || stage >= result->schedule->stageTimings.size())
        return;
    auto copy = std::make_shared<Schedule>(*result->schedule);
    copy->stageTimings[stage] = timing;
    m_shelf.setStages(id, std::move(copy));
    refresh();
}

ResultId Document::setMeasuredAgain(ResultId id, const SchedulePtr &schedule)
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result)
        return id;
    if (!result->schedule) {
        m_shelf.setMade(id, schedule, {}, QDateTime::currentSecsSinceEpoch());
        return setDone(id);
    }
    m_shelf.setMeasuredAgain(id, schedule, QDateTime::currentSecsSinceEpoch());
    m_editor->keepTimes(id, *schedule);
    refresh();
    return id;
}

void Document::dropMeasuring()
{
    std::vector<ResultId> came;
    for (const ScheduleResult &result : m_shelf.results()) {
        if (result.isUnderWay() && (!result.isFound() || result.schedule))
            came.push_back(result.id);
    }
    for (const ResultId id : came) {
        if (m_shelf.find(id)->schedule)
            m_shelf.setDone(id);
        else
            m_shelf.drop(id);
    }
    if (!came.empty())
        refresh();
}

void Document::setTimedInRounds(const std::vector<ResultId> &ids, const std::vector<TimingInRounds> &times)
{
    ++m_rounds;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const ScheduleResult *result = m_shelf.find(ids[i]);
        if (!result || !result->schedule)
            continue;
        ResultMeasurement measurement;
        measurement.how = MeasuredHow::InRounds;
        measurement.timing = times[i].timing;
        measurement.provenance = result->schedule->provenance.value_or(deviceOf(ids[i]).provenance);
        measurement.atSeconds = QDateTime::currentSecsSinceEpoch();
        measurement.roundGroup = m_rounds;
        measurement.roundsUs = times[i].roundsUs;
        measurement.secondsPerRound = times[i].secondsPerRound;
        m_shelf.addMeasurement(ids[i], std::move(measurement));
    }
    refresh();
}

void Document::setTimeline(ResultId id, std::shared_ptr<const TimelineIndex> timeline)
{
    std::erase_if(m_timelines, [&](const auto &kept) { return kept.first == id; });
    const bool isNewRoof = m_rows.keepRoof(targetOf(id).deviceId, roofOf(timeline->timeline()));
    m_timelines.emplace_back(id, std::move(timeline));
    if (m_timelines.size() > kTimelinesKept)
        m_timelines.pop_front();
    if (m_front.id == id)
        m_front.timeline = m_timelines.back().second;
    emit timelineChanged();
    if (isNewRoof)
        refresh();
}

std::shared_ptr<const TimelineIndex> Document::timelineOf(ResultId id) const
{
    const auto timeline = std::ranges::find(m_timelines, id, &decltype(m_timelines)::value_type::first);
    return timeline != m_timelines.end() ? timeline->second : nullptr;
}

void Document::setMemory(const std::vector<PlannedMemory> &planned)
{
    m_memories.keep(planned);
    emit memoryChanged();
}

void Document::rename(ResultId id, const QString &name)
{
    m_shelf.rename(id, name.trimmed().toStdString());
    m_editor->freeze(id);
    refresh();
}

void Document::annotate(ResultId id, const QString &note)
{
    m_shelf.annotate(id, note.trimmed().toStdString());
    refresh();
}

void Document::setPinned(ResultId id, bool pinned)
{
    m_shelf.setPinned(id, pinned);
    refresh();
}

void Document::chooseBaseline(ResultId id)
{
    m_shelf.chooseBaseline(id);
    m_editor->freeze(id);
    refresh();
}

void Document::remove(const std::vector<ResultId> &ids)
{
    m_shelf.remove(ids);
    refresh();
}

void Document::undo()
{
    m_shelf.undo();
    m_editor->tellStep();
}

void Document::redo()
{
    m_shelf.redo();
    m_editor->tellStep();
}

} // namespace stagecraft
