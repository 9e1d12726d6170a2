// What edits change in time: which latencies are to be measured, what has been, and the marks of changed stages.

#include "desktop/document/document.h"
#include "schedule/compare/difference.h"
#include "schedule/compare/latency_parts.h"
#include "timing/statistics/means.h"
#include "timing/statistics/verdict.h"
#include "widgets/base/format.h"
#include "widgets/base/time_change.h"

#include <QDateTime>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kNoChangeUs = 0.05; // smaller changes are shown as 0.0

// "faster" or "slower" only for exact latencies: for latencies timed once it would promise too much.
QString changeText(double changeUs, std::optional<Provenance> provenance)
{
    if (std::abs(changeUs) < kNoChangeUs)
        return QStringLiteral("no difference");
    return provenance == Provenance::Measured ? signedLatencyText(changeUs) : changeWords(changeUs);
}

} // namespace

std::optional<EditToMeasure> Document::toMeasure(ResultId id) const
{
    const Draft *draft = m_drafts.find(id);
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || result->origin != Origin::Edited || !result->schedule || !targetOf(id).model)
        return std::nullopt;
    if (result->schedule->hasStageLatencies() && result->schedule->latencyUs())
        return std::nullopt;
    auto known = std::make_shared<Schedule>();
    for (const Stage &stage : result->schedule->stages) {
        const Timing *timing = draft ? draft->history.timeOf(stage) : knownTiming(id, stage);
        if (timing) {
            known->stages.push_back(stage);
            known->stageTimings.push_back(*timing);
        }
    }
    const ScheduleResult *from = m_shelf.find(result->from);
    EditToMeasure edit{targetOf(id),     id,           result->schedule,
                       std::move(known), result->from, from ? from->schedule : nullptr};
    const ResultId baseline = m_shelf.baseline(result->settings);
    if (baseline.isValid() && baseline != id && baseline != result->from)
        edit.baseline = {baseline, m_shelf.find(baseline)->schedule, true};
    const SchedulePtr origin = editedFrom(id);
    const bool isExact = deviceOf(id).provenance != Provenance::Measured;
    for (const CommonSpan &span :
         origin && !isExact ? commonSpans({origin->stages, result->schedule->stages}) : std::vector<CommonSpan>{}) {
        ChangedSpan changed = changedSpan(origin->stages, result->schedule->stages, span);
        if (!span.isEqual && !timedSpan(id, changed))
            edit.spans.push_back(std::move(changed));
    }
    return edit;
}

std::vector<ResultId> Document::unmeasuredEdits() const
{
    std::vector<ResultId> ids;
    for (const ScheduleResult &result : m_shelf.results()) {
        if (!result.isUnderWay() && toMeasure(result.id))
            ids.push_back(result.id);
    }
    return ids;
}

void Document::setStageTimed(ResultId id, const Stage &stage, const Timing &timing)
{
    Draft *draft = m_drafts.find(id);
    if (!draft)
        return;
    draft->history.keepTime(stage, timing);
    emit marksChanged(id);
}

void Document::setEditMeasured(ResultId id, const SchedulePtr &schedule)
{
    if (!m_shelf.find(id))
        return;
    if (Draft *draft = m_drafts.find(id)) {
        draft->history.keepTimes(*schedule);
        storeDraft(*draft);
    } else { // of a session, or frozen and left by undo
        m_shelf.setMade(id, schedule, {}, QDateTime::currentSecsSinceEpoch());
    }
    refresh();
}

StageMarks Document::marksOf(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    const SchedulePtr origin = editedFrom(id);
    if (!result || !result->schedule || (result->pins.empty() && !origin))
        return {};
    const std::vector<Stage> &pins = result->pins;
    const Schedule &schedule = *result->schedule;
    StageMarks marks(schedule.stages.size());
    for (std::size_t i = 0; i < marks.size(); ++i)
        marks[i].isPinned = std::ranges::find(pins, schedule.stages[i]) != pins.end();
    if (origin)
        markChanges(id, *origin, schedule, marks);
    return marks;
}

void Document::markChanges(ResultId id, const Schedule &origin, const Schedule &schedule, StageMarks &marks) const
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
                schedule.hasStageLatencies() ? schedule.stageTimings[i].latencyUs : marks[i].latencyUs.value_or(0);
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
        mark.change = stages + changeText(mark.changeUs, origin.provenance);
        mark.parts = partsOfChange(stagesUs, barriersUs);
        if (const TimedSpan *timed = timedSpan(id, changedSpan(origin.stages, schedule.stages, span)))
            judged.push_back({&mark, timed->beforeUs, timed->afterUs, timed->secondsPerRound, stages});
    }
    judgeChanges(judged);
}

// Changes timed in rounds, corrected for their number.
void Document::judgeChanges(const std::vector<JudgedChange> &changes)
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

const TimedSpan *Document::timedSpan(ResultId id, const ChangedSpan &span) const
{
    const ScheduleResult *result = m_shelf.find(id);
    for (const auto &[settings, timed] : m_timedSpans) {
        if (result && settings == result->settings && timed.span == span)
            return &timed;
    }
    return nullptr;
}

void Document::setSpanTimed(ResultId id, const TimedSpan &timed)
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || timedSpan(id, timed.span))
        return;
    m_timedSpans.emplace_back(result->settings, timed);
    emit marksChanged(id);
}

} // namespace stagecraft
