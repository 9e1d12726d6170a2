#include "desktop/document/results.h"

#include "device/recorded/profile_device.h"
#include "results/schedule_words.h"
#include "search/stages/pins.h"

#include <QDateTime>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kTimelinesKept = 12;

} // namespace

Results::Results(Shelf &shelf, Places &places, NextSearch &next, Editor &editor, QObject *parent)
    : QObject(parent), m_shelf(shelf), m_places(places), m_next(next), m_editor(editor)
{
    connect(&m_next, &NextSearch::chosen, this, &Results::showFitting);
    connect(&m_editor, &Editor::changed, this, &Results::refresh);
    connect(&m_editor, &Editor::undoChanged, this, &Results::shelfChanged);
    connect(&m_editor, &Editor::movedOn, this, [this](ResultId from, ResultId to) {
        if (m_front.id == from)
            m_front.id = to;
    });
    connect(&m_editor, &Editor::redrawn, this, [this](ResultId draft) {
        std::erase_if(m_timelines, [&](const auto &kept) { return kept.first == draft; });
    });
}

const DeviceInfo &Results::deviceOf(ResultId id) const
{
    const Place *place = m_places.of(id);
    return place ? place->device : m_next.device();
}

// Shows the result with the same name as the current one, else Greedy, else the first.
void Results::showFitting()
{
    const std::vector<ResultId> ids = fitting();
    ResultId best;
    const auto worth = [&](ResultId id) {
        const ScheduleResult &result = *m_shelf.find(id);
        const bool isGreedy = result.origin == Origin::Baseline && result.asked.strategy == "greedy";
        return 2 * (result.title == m_front.name) + isGreedy;
    };
    for (const ResultId id : ids) {
        if (!best.isValid() || worth(id) > worth(best))
            best = id;
    }
    if (std::ranges::find(ids, m_front.id) == ids.end())
        m_front.id = best;
    refresh();
}

void Results::showInstead()
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
SchedulePtr Results::withLatencyOfShelf(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    const auto latency = m_shelf.latency(id);
    if (!result || !result->schedule || !latency)
        return result ? result->schedule : nullptr;
    const bool isSum = latency->how == MeasuredHow::SumOfStages;
    const SchedulePtr &before = m_front.schedule;
    if (before && m_front.id == id && before->latencyUs() == latency->us && before->measured.isSumOfStages() == isSum &&
        before->measured.stages == result->schedule->measured.stages && hasSameOrder(*before, *result->schedule))
        return before;
    return withLatency(*result, *latency);
}

RatedResult Results::shown(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result)
        return {};
    RatedResult shown = ratedResult(m_shelf, *result);
    shown.timeline = timelineOf(id);
    if (isModelMissing(id)) {
        shown.whyNot = "its model is missing";
        return shown;
    }
    shown.schedule = withLatencyOfShelf(id);
    shown.whyNot = whyNoSchedule(*result).toStdString();
    return shown;
}

void Results::refresh()
{
    showInstead();
    const RatedResult before = std::exchange(m_front, shown(m_front.id));
    const ScheduleResult *front = m_shelf.find(m_front.id);
    const std::size_t blocksBefore = std::exchange(m_frontBlocks, front ? front->blocks.size() : 0);
    (void)followCurrent();
    emit shelfChanged();
    if (before.id != m_front.id || before.schedule != m_front.schedule || before.whyNot != m_front.whyNot ||
        before.name != m_front.name || blocksBefore != m_frontBlocks) {
        emit frontChanged();
        emit frontShown();
        emit timelineChanged();
    } else if (before.timeline != m_front.timeline) {
        emit timelineChanged();
    }
}

bool Results::followCurrent()
{
    const Place *place = m_places.of(m_front.id);
    if (!place || !isProfileDevice(place->device.id))
        return place && m_next.follow(*place);
    Place here = *place; // nothing can be searched for where a profile was recorded
    here.device = m_next.device();
    return m_next.follow(here);
}

void Results::setCurrent(ResultId id)
{
    if (id == m_front.id || !m_shelf.find(id))
        return;
    m_front.id = id;
    m_front.schedule = nullptr;
    m_front = shown(id);
    m_frontBlocks = m_shelf.find(id)->blocks.size();
    if (followCurrent())
        emit shelfChanged(); // other results fit
    emit frontChanged();
    emit frontShown();
    emit timelineChanged();
}

ResultId Results::newest(ScheduleKind kind) const
{
    return m_shelf.newest(m_next.settings(), std::string(toString(kind)));
}

const ScheduleResult *Results::searchedFor(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    while (result && result->origin == Origin::Edited)
        result = m_shelf.find(result->from);
    return result;
}

std::vector<BlockSearch> Results::searchOf(ResultId id) const
{
    const ScheduleResult *result = searchedFor(id);
    return result ? result->blocks : std::vector<BlockSearch>{};
}

SearchRecord Results::recordOf(ResultId id) const
{
    const ScheduleResult *result = searchedFor(id);
    return result ? result->record() : SearchRecord{};
}

void Results::setWaiting(ResultId id)
{
    m_shelf.setWaiting(id);
    refresh();
}

void Results::setRunning(ResultId id)
{
    m_shelf.setRunning(id);
    refresh();
}

void Results::setProgress(ResultId id, const SearchProgress &progress)
{
    m_shelf.setBest(id, progress.bestUs);
    emit progressed(id);
}

// For a search with pinned stages: adds the optimum without them, if another result on the shelf proves it.
SchedulePtr Results::withFreeOptimum(ResultId id, const SchedulePtr &schedule) const
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || !schedule || schedule->search.pinnedStages == 0)
        return schedule;
    for (const ScheduleResult &other : m_shelf.results()) {
        if (!other.schedule || other.settings != result->settings)
            continue;
        if (const auto freeUs = freeOptimumUs(*schedule, *other.schedule)) {
            auto copy = std::make_shared<TimedSchedule>(*schedule);
            copy->search.freeUs = freeUs;
            return copy;
        }
    }
    return schedule;
}

void Results::setMade(ResultId id, const SchedulePtr &schedule, const std::vector<BlockSearch> &search)
{
    m_shelf.setMade(id, withFreeOptimum(id, schedule), search, QDateTime::currentSecsSinceEpoch());
    std::erase_if(m_timelines, [&](const auto &kept) { return kept.first == id; });
    refresh();
}

void Results::setLayouts(ResultId id, const SchedulePtr &schedule, const QString &text)
{
    m_shelf.setSource(id, text.toStdString());
    setMade(id, schedule, {});
}

void Results::setModels(ResultId id, const std::vector<ModelShare> &models)
{
    m_shelf.setModels(id, models);
    refresh();
}

void Results::setFailed(ResultId id, const QString &why)
{
    m_shelf.setFailed(id, why.toStdString());
    refresh();
}

ResultId Results::setDone(ResultId id)
{
    const ScheduleResult *result = m_shelf.find(id);
    m_shelf.setDone(id);
    if (result && result->origin == Origin::Edited) { // editing continues, even if another result is equal
        refresh();
        return id;
    }
    const ResultId winner = m_shelf.mergeRepeated(id);
    if (m_front.id == id)
        m_front.id = winner;
    refresh();
    return winner;
}

void Results::drop(ResultId id)
{
    m_shelf.drop(id);
    refresh();
}

void Results::setStageMeasured(ResultId id, std::size_t stage, const Timing &timing)
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || !result->schedule || stage >= result->schedule->measured.stages.size())
        return;
    auto copy = std::make_shared<TimedSchedule>(*result->schedule);
    copy->measured.stages[stage] = timing;
    m_shelf.setStages(id, std::move(copy));
    refresh();
}

ResultId Results::setMeasuredAgain(ResultId id, const SchedulePtr &schedule)
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result)
        return id;
    if (!result->schedule) {
        m_shelf.setMade(id, schedule, {}, QDateTime::currentSecsSinceEpoch());
        return setDone(id);
    }
    m_shelf.setMeasuredAgain(id, schedule, QDateTime::currentSecsSinceEpoch());
    m_editor.keepTimes(id, *schedule);
    refresh();
    return id;
}

void Results::dropMeasuring()
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

void Results::setTimedInRounds(const std::vector<ResultId> &ids, const std::vector<TimingInRounds> &times)
{
    ++m_rounds;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const ScheduleResult *result = m_shelf.find(ids[i]);
        if (!result || !result->schedule)
            continue;
        Measurement measurement;
        measurement.how = MeasuredHow::InRounds;
        measurement.whole = times[i].timing;
        measurement.provenance = result->schedule->measured.provenance.value_or(deviceOf(ids[i]).provenance);
        measurement.atSeconds = QDateTime::currentSecsSinceEpoch();
        measurement.roundGroup = m_rounds;
        measurement.roundsUs = times[i].roundsUs;
        measurement.secondsPerRound = times[i].secondsPerRound;
        m_shelf.addMeasurement(ids[i], std::move(measurement));
    }
    refresh();
}

void Results::setTimeline(ResultId id, std::shared_ptr<const TimelineIndex> timeline)
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

std::shared_ptr<const TimelineIndex> Results::timelineOf(ResultId id) const
{
    const auto timeline = std::ranges::find(m_timelines, id, &decltype(m_timelines)::value_type::first);
    return timeline != m_timelines.end() ? timeline->second : nullptr;
}

void Results::setMemory(const std::vector<PlannedMemory> &planned)
{
    m_memories.keep(planned);
    emit memoryChanged();
}

void Results::rename(ResultId id, const QString &name)
{
    m_shelf.rename(id, name.trimmed().toStdString());
    m_editor.freeze(id);
    refresh();
}

void Results::annotate(ResultId id, const QString &note)
{
    m_shelf.annotate(id, note.trimmed().toStdString());
    refresh();
}

void Results::setPinned(ResultId id, bool pinned)
{
    m_shelf.setPinned(id, pinned);
    refresh();
}

void Results::chooseBaseline(ResultId id)
{
    m_shelf.chooseBaseline(id);
    m_editor.freeze(id);
    refresh();
}

void Results::remove(const std::vector<ResultId> &ids)
{
    m_shelf.remove(ids);
    refresh();
}

void Results::undo()
{
    m_shelf.undo();
    m_editor.tellStep();
}

void Results::redo()
{
    m_shelf.redo();
    m_editor.tellStep();
}

Result<void> Results::setFound(const ModelPtr &model)
{
    TRY(m_places.setFound(model));
    refresh();
    return {};
}

Session Results::session(const std::vector<SessionStudy> &studies) const
{
    Session session;
    const auto numberOf = [&](const RunContext &settings) -> std::optional<std::size_t> {
        for (std::size_t i = 0; i < session.models.size(); ++i) {
            if (isOf(settings, *session.models[i]))
                return i;
        }
        SessionModelPtr model = m_places.sessionModelOf(settings);
        if (!model)
            return std::nullopt;
        session.models.push_back(std::move(model));
        return session.models.size() - 1;
    };
    for (const ScheduleResult &result : m_shelf.results()) {
        if (numberOf(result.settings))
            session.results.push_back(result);
    }
    for (const SessionStudy &study : studies) {
        if (numberOf(study.points.front().settings))
            session.studies.push_back(study);
    }
    session.baselines = m_shelf.chosenBaselines();
    if (m_next.model())
        session.view.model = numberOf(m_next.settings());
    session.view.device = m_next.device().id;
    return session;
}

void Results::restore(const OpenedSession &opened)
{
    const Session &session = opened.session;
    m_places.restore(opened);
    for (const ScheduleResult &result : session.results) {
        for (const Measurement &measurement : result.measurements)
            m_rounds = std::max(m_rounds, measurement.roundGroup);
    }
    m_shelf.restore(session.results, session.baselines);
    m_next.restore(session.view.model ? opened.models[*session.view.model] : nullptr);
    const auto &panes = session.view.panes;
    m_front = {};
    if (session.view.focused < panes.size() && m_shelf.find(panes[session.view.focused])) {
        m_front.id = panes[session.view.focused];
        refresh();
    } else {
        showFitting();
        if (!m_front.id.isValid() && !m_shelf.results().empty())
            setCurrent(m_shelf.results().front().id);
    }
}

} // namespace stagecraft
