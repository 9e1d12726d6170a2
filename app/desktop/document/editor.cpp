#include "desktop/document/editor.h"

#include "device/onnxruntime/onnxruntime_options.h"
#include "schedule/compare/difference.h"
#include "schedule/compare/latency_parts.h"
#include "schedule/edit/edit.h"
#include "schedule/streams/stream_parts.h"
#include "timing/simulator_version.h"
#include "timing/statistics/means.h"
#include "timing/statistics/verdict.h"
#include "widgets/base/format.h"
#include "widgets/base/time_change.h"

#include <QDateTime>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

std::vector<std::size_t> changedStages(const std::vector<Stage> &before, const std::vector<Stage> &after)
{
    const auto same = sameStages(before, after);
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < same.size(); ++i) {
        if (same[i] == kNoStage)
            changed.push_back(i);
    }
    return changed;
}

// What can be pinned: stages, or launches as stages.
std::vector<Stage> pinnable(const Schedule &schedule)
{
    return schedule.streams ? launchesAsStages(*schedule.streams) : schedule.stages;
}

constexpr double kNoChangeUs = 0.05; // smaller changes are shown as 0.0

// "faster" or "slower" only for exact latencies: for latencies timed once it would promise too much.
QString changeText(double changeUs, std::optional<Provenance> provenance)
{
    if (std::abs(changeUs) < kNoChangeUs)
        return QStringLiteral("no difference");
    return provenance == Provenance::Measured ? signedLatencyText(changeUs) : changeWords(changeUs);
}

} // namespace

Editor::Editor(const Places &places, Shelf &shelf, QObject *parent) : QObject(parent), m_places(places), m_shelf(shelf)
{
}

// "IOS-Both edited", "IOS-Both edited 2": no two results of a session have the same.
std::string Editor::titleOfEdit(const ScheduleResult &origin) const
{
    std::string title = origin.title;
    if (origin.origin != Origin::Edited)
        title += " edited";
    else if (const auto end = title.find_last_not_of("0123456789");
             end != title.npos && end + 1 < title.size() && title[end] == ' ')
        title.resize(end); // without its number
    const auto isTaken = [this](const std::string &wanted) {
        return std::ranges::any_of(m_shelf.results(), [&](const ScheduleResult &each) { return each.title == wanted; });
    };
    std::string numbered = title;
    for (int number = 2; isTaken(numbered); ++number)
        numbered = fmt::format("{} {}", title, number);
    return numbered;
}

ResultId Editor::addEdited(const ScheduleResult &origin)
{
    ScheduleResult result;
    result.origin = Origin::Edited;
    result.title = titleOfEdit(origin);
    result.asked.strategy = "edited";
    result.asked.editedFrom = origin.shownName();
    result.from = origin.id;
    result.settings = origin.settings;
    result.pins = origin.pins;
    return m_shelf.add(std::move(result));
}

Result<void> Editor::checkMeasurable(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    if (result && result->schedule && result->schedule->isOfProfile())
        return fail(ErrorCode::WrongUse, "a profile recorded it, and nothing more can be measured there",
                    "Take its stages into a schedule of another device");
    if (result && isOfOlderSimulator(result->settings))
        return fail(ErrorCode::WrongUse, "an older simulator simulated it", "Search again");
    return {};
}

Result<ResultId> Editor::edit(ResultId id, const Edit &edit)
{
    const ScheduleResult *result = m_shelf.find(id);
    const ModelPtr model = m_places.targetOf(id).model;
    if (!result || !result->schedule || !model)
        return fail(ErrorCode::InvalidInput, "there is no schedule to edit");
    TRY(checkMeasurable(id));
    DraftId open = m_drafts.open(id);
    std::optional<Draft> first;
    if (!open.isValid())
        first = Draft{{}, id, EditHistory(result->schedule, result->shownName())};
    EditHistory &history = open.isValid() ? m_drafts.at(open).history : first->history;
    const Schedule before = history.order();
    const std::size_t stepsBefore = history.stepsDone();
    TRY_AS(const auto edited, history.apply(*model->graph, model->blocks, edit));
    if (hasSameOrder(history.order(), before))
        return id;
    if (first) {
        first->id = addEdited(*result);
        emit movedOn(id, first->id);
        open = m_drafts.add(std::move(*first));
    }
    Draft &draft = m_drafts.at(open);
    draft.frozen.erase(draft.frozen.upper_bound(stepsBefore), draft.frozen.end()); // redo no longer leads there
    draft.takenBack.reset();
    m_step = Step{draft.id, changedStages(before.stages, draft.history.stages()), {}};
    storeDraft(draft);
    recordStep(open, edited.words);
    const ResultId shownNow = draft.id;
    tellStep();
    return shownNow;
}

// Puts the draft's current schedule on the shelf, with the known latencies of its stages.
void Editor::storeDraft(Draft &draft)
{
    EditHistory &history = draft.history;
    for (const std::size_t stage : history.unknownStages()) {
        if (const Timing *known = knownTiming(draft.id, history.stages()[stage]))
            history.keepTime(history.stages()[stage], *known);
    }
    m_shelf.setMade(draft.id, std::make_shared<const TimedSchedule>(history.schedule()), {},
                    QDateTime::currentSecsSinceEpoch());
    if (toMeasure(draft.id))
        m_shelf.setWaiting(draft.id);
    emit redrawn(draft.id);
}

void Editor::recordStep(DraftId draft, const std::string &words)
{
    m_shelf.record({words, [this, draft] { step(m_drafts.at(draft), &EditHistory::redo); },
                    [this, draft] { step(m_drafts.at(draft), &EditHistory::undo); }});
}

// Undoing the first step shows the source again.
void Editor::step(Draft &draft, void (EditHistory::*makeStep)())
{
    const std::vector<Stage> before = draft.history.stages();
    const ResultId shownBefore = draft.id.isValid() ? draft.id : draft.from;
    (draft.history.*makeStep)();
    const ResultId gone = showState(draft);
    const ResultId shownNow = draft.id.isValid() ? draft.id : draft.from;
    emit movedOn(shownBefore, shownNow);
    m_step = Step{shownNow, changedStages(before, draft.history.stages()), gone};
}

// Gives the draft the result that shows its present state: its source, the one frozen in this state, or its own.
// Returns the one that left the shelf; invalid if none did.
ResultId Editor::showState(Draft &draft)
{
    const auto frozen = draft.frozen.find(draft.history.stepsDone());
    const bool isFrozenHere = frozen != draft.frozen.end() && m_shelf.find(frozen->second);
    if (!draft.history.canUndo() || isFrozenHere) {
        ResultId gone;
        const ScheduleResult *own = draft.isFrozen ? nullptr : m_shelf.find(draft.id);
        if (own) {
            gone = draft.id;
            draft.takenBack = *own;
            m_shelf.drop(gone);
        }
        draft.id = draft.history.canUndo() ? frozen->second : ResultId();
        draft.isFrozen = isFrozenHere;
        return gone;
    }
    if (draft.takenBack) {
        draft.id = draft.takenBack->id;
        m_shelf.putBack(*std::exchange(draft.takenBack, std::nullopt));
    } else if (!m_shelf.find(draft.id) || draft.isFrozen) {
        draft.id = addEdited(*m_shelf.find(draft.from));
    }
    draft.isFrozen = false;
    storeDraft(draft);
    return {};
}

void Editor::tellStep()
{
    const auto step = std::exchange(m_step, std::nullopt);
    if (step && step->gone.isValid())
        emit replaced(step->gone, step->id);
    emit changed();
    if (step)
        emit edited(step->id, step->changed);
}

void Editor::freeze(ResultId id)
{
    m_drafts.freeze(id);
}

SchedulePtr Editor::editedFrom(ResultId id) const
{
    if (const Draft *draft = m_drafts.find(id))
        return draft->history.sharedOrigin();
    const ScheduleResult *result = m_shelf.find(id);
    const ScheduleResult *from = result && result->origin == Origin::Edited ? m_shelf.find(result->from) : nullptr;
    return from ? from->schedule : nullptr;
}

const Timing *Editor::knownTiming(ResultId id, const Stage &stage) const
{
    const ScheduleResult *result = m_shelf.find(id);
    const Draft *draft = m_drafts.find(id);
    if (const Timing *known = draft ? draft->history.timeOf(stage) : nullptr)
        return known;
    for (const ScheduleResult &other : m_shelf.results()) {
        if (!result || !other.schedule || !other.schedule->hasStageLatencies() || other.settings != result->settings ||
            (result->schedule && other.schedule->layouts != result->schedule->layouts))
            continue;
        const auto there = std::ranges::find(other.schedule->stages, stage);
        if (there != other.schedule->stages.end())
            return &other.schedule->measured.stages[static_cast<std::size_t>(there - other.schedule->stages.begin())];
    }
    return nullptr;
}

std::optional<double> Editor::knownUs(ResultId id, const Stage &stage) const
{
    if (const Timing *known = knownTiming(id, stage))
        return known->latencyUs;
    const ModelPtr model = m_places.targetOf(id).model;
    const ScheduleResult *result = m_shelf.find(id);
    if (result && result->schedule && !result->schedule->layouts.empty())
        return std::nullopt; // those of other layouts would mislead
    return m_storedUs && model ? m_storedUs(model->graph, m_places.of(id)->device, stage) : std::nullopt;
}

std::optional<double> Editor::barrierUsOf(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    for (const ScheduleResult &other : m_shelf.results()) {
        const bool isOfSameDevice = result && other.schedule && other.settings == result->settings;
        if (const auto us = isOfSameDevice ? barrierUs(*other.schedule) : std::nullopt)
            return us;
    }
    return std::nullopt;
}

std::vector<Stage> Editor::pinnedStages(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || !result->schedule)
        return {};
    std::vector<Stage> pinned = result->pins;
    const std::vector<Stage> stages = pinnable(*result->schedule);
    std::erase_if(pinned, [&](const Stage &stage) { return std::ranges::find(stages, stage) == stages.end(); });
    return pinned;
}

void Editor::pinStages(ResultId id, const std::vector<std::size_t> &stages, bool pinned)
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || !result->schedule || stages.empty())
        return;
    const std::vector<Stage> before = result->pins;
    std::vector<Stage> after = before;
    for (const std::size_t index : stages) {
        const Stage stage = pinnable(*result->schedule)[index];
        std::erase(after, stage);
        if (pinned)
            after.push_back(stage);
    }
    if (after == before)
        return;
    const auto set = [this, id](const std::vector<Stage> &pins) {
        m_shelf.setPins(id, pins);
        emit marksChanged(id);
    };
    const QString words =
        QStringLiteral("%1 %2").arg(pinned ? QStringLiteral("Pin") : QStringLiteral("Unpin"),
                                    stages.size() == 1 ? stageText(*result->schedule, stages.front())
                                                       : plural(static_cast<std::int64_t>(stages.size()), "stage"));
    set(after);
    m_shelf.record({words.toStdString(), [set, after] { set(after); }, [set, before] { set(before); }});
    emit undoChanged();
}

std::optional<EditToMeasure> Editor::toMeasure(ResultId id) const
{
    const Draft *draft = m_drafts.find(id);
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || result->origin != Origin::Edited || !result->schedule || !m_places.targetOf(id).model)
        return std::nullopt;
    const bool hasStages = result->schedule->streams || result->schedule->hasStageLatencies() ||
                           isOnnxRuntime(result->schedule->context.device); // which measures none
    if ((hasStages && result->schedule->latencyUs()) || !checkMeasurable(id))
        return std::nullopt;
    auto known = std::make_shared<TimedSchedule>();
    for (const Stage &stage : result->schedule->stages) {
        const Timing *timing = draft ? draft->history.timeOf(stage) : knownTiming(id, stage);
        if (timing) {
            known->stages.push_back(stage);
            known->measured.stages.push_back(*timing);
        }
    }
    const ScheduleResult *from = m_shelf.find(result->from);
    EditToMeasure edit{m_places.targetOf(id), id,           result->schedule,
                       std::move(known),      result->from, from ? from->schedule : nullptr};
    const ResultId baseline = m_shelf.baseline(result->settings);
    if (baseline.isValid() && baseline != id && baseline != result->from)
        edit.baseline = {baseline, m_shelf.find(baseline)->schedule, true};
    const SchedulePtr origin = editedFrom(id);
    const bool isExact = m_places.of(id)->device.provenance != Provenance::Measured;
    for (const CommonSpan &span :
         origin && !isExact ? commonSpans({origin->stages, result->schedule->stages}) : std::vector<CommonSpan>{}) {
        ChangedSpan changed = changedSpan(origin->stages, result->schedule->stages, span);
        if (!span.isEqual && !timedSpan(id, changed))
            edit.spans.push_back(std::move(changed));
    }
    return edit;
}

std::vector<ResultId> Editor::unmeasuredEdits() const
{
    std::vector<ResultId> ids;
    for (const ScheduleResult &result : m_shelf.results()) {
        if (!result.isUnderWay() && toMeasure(result.id))
            ids.push_back(result.id);
    }
    return ids;
}

void Editor::setStageTimed(ResultId id, const Stage &stage, const Timing &timing)
{
    Draft *draft = m_drafts.find(id);
    if (!draft)
        return;
    draft->history.keepTime(stage, timing);
    emit marksChanged(id);
}

void Editor::setEditMeasured(ResultId id, const SchedulePtr &schedule)
{
    if (!m_shelf.find(id))
        return;
    if (Draft *draft = m_drafts.find(id)) {
        draft->history.keepTimes(*schedule);
        storeDraft(*draft);
    } else { // of a session, or frozen and left by undo
        m_shelf.setMade(id, schedule, {}, QDateTime::currentSecsSinceEpoch());
    }
    emit changed();
}

StageMarks Editor::marksOf(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    const SchedulePtr origin = editedFrom(id);
    if (!result || !result->schedule || (result->pins.empty() && !origin))
        return {};
    const std::vector<Stage> &pins = result->pins;
    const TimedSchedule &schedule = *result->schedule;
    const std::vector<Stage> stages = pinnable(schedule);
    StageMarks marks(stages.size());
    for (std::size_t i = 0; i < marks.size(); ++i)
        marks[i].isPinned = std::ranges::find(pins, stages[i]) != pins.end();
    if (origin && !schedule.streams)
        markChanges(id, *origin, schedule, marks);
    return marks;
}

void Editor::markChanges(ResultId id, const TimedSchedule &origin, const TimedSchedule &schedule,
                         StageMarks &marks) const
{
    const Draft *draft = m_drafts.find(id);
    const auto same = sameStages(origin.stages, schedule.stages);
    for (std::size_t i = 0; i < marks.size(); ++i) {
        marks[i].isChanged = same[i] == kNoStage;
        if (schedule.hasStageLatencies())
            continue;
        const Stage &stage = schedule.stages[i];
        const Timing *known = draft ? draft->history.timeOf(stage) : knownTiming(id, stage);
        marks[i].isMeasured = known != nullptr;
        if (known)
            marks[i].latencyUs = known->latencyUs;
    }
    if (!origin.hasStageLatencies())
        return;
    const double eachUs = barrierUsOf(id).value_or(0);
    std::vector<JudgedChange> judged;
    for (const CommonSpan &span : commonSpans({origin.stages, schedule.stages})) {
        const StageRange &range = span.sides[1];
        double stagesUs = -*sumOfStagesUs(origin, span.sides[0]);
        bool isKnown = !span.isEqual;
        for (std::size_t i = range.first; i < range.end(); ++i) {
            isKnown = isKnown && marks[i].isMeasured;
            stagesUs +=
                schedule.hasStageLatencies() ? schedule.measured.stages[i].latencyUs : marks[i].latencyUs.value_or(0);
        }
        if (!isKnown)
            continue;
        const double barriersUs = eachUs * (static_cast<double>(barriersAround(schedule.stages, range)) -
                                            static_cast<double>(barriersAround(origin.stages, span.sides[0])));
        StageMark &mark = marks[range.first];
        mark.changeUs = stagesUs + barriersUs;
        const QString stages = range.count > 1
                                   ? QStringLiteral("%1: ").arg(plural(static_cast<std::int64_t>(range.count), "stage"))
                                   : QString();
        mark.change = stages + changeText(mark.changeUs, origin.measured.provenance);
        mark.parts = partsOfChange(stagesUs, barriersUs);
        if (const TimedSpan *timed = timedSpan(id, changedSpan(origin.stages, schedule.stages, span)))
            judged.push_back({&mark, timed->beforeUs, timed->afterUs, timed->secondsPerRound, stages});
    }
    judgeChanges(judged);
}

// Changes timed in rounds, corrected for their number.
void Editor::judgeChanges(const std::vector<JudgedChange> &changes)
{
    std::vector<PairedRounds> rounds;
    for (const JudgedChange &change : changes)
        rounds.push_back({change.beforeUs, change.afterUs});
    const auto estimates = judgeTogether(rounds);
    for (std::size_t i = 0; i < changes.size(); ++i) {
        StageMark &mark = *changes[i].mark;
        const double us = geometricMeanOf(changes[i].afterUs) - geometricMeanOf(changes[i].beforeUs);
        const Verdict verdict = estimates[i].verdict;
        mark.changeUs = verdict == Verdict::Faster || verdict == Verdict::Slower ? us : 0;
        mark.change =
            QStringLiteral("%1%2, %3")
                .arg(changes[i].stages, signedLatencyText(us), QString::fromStdString(std::string(toString(verdict))));
        mark.verdict = QString::fromStdString(verdictText(estimates[i], changes[i].secondsPerRound));
        mark.verdict += QStringLiteral("; %1 rounds").arg(changes[i].beforeUs.size());
        if (changes.size() > 1)
            mark.verdict += QStringLiteral(", corrected for %1 changes (Holm)").arg(changes.size());
    }
}

const TimedSpan *Editor::timedSpan(ResultId id, const ChangedSpan &span) const
{
    const ScheduleResult *result = m_shelf.find(id);
    for (const auto &[settings, timed] : m_timedSpans) {
        if (result && settings == result->settings && timed.span == span)
            return &timed;
    }
    return nullptr;
}

void Editor::setSpanTimed(ResultId id, const TimedSpan &timed)
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || timedSpan(id, timed.span))
        return;
    m_timedSpans.emplace_back(result->settings, timed);
    emit marksChanged(id);
}

void Editor::keepTimes(ResultId id, const TimedSchedule &measured)
{
    if (Draft *draft = m_drafts.find(id))
        draft->history.keepTimes(measured);
}

} // namespace stagecraft
