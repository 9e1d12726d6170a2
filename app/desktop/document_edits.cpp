// Manual editing: drafts and their steps, known stage latencies, and pinned stages.

#include "desktop/document.h"
#include "schedule/difference.h"
#include "schedule/edit.h"
#include "search/pins.h"
#include "widgets/format.h"

#include <QDateTime>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kNoChangeUs = 0.05; // smaller changes are shown as 0.0

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

ScheduleResult editedResult(const ScheduleResult &origin)
{
    ScheduleResult result;
    result.origin = Origin::Edited;
    result.title = origin.origin == Origin::Edited ? origin.title : origin.title + " edited";
    result.asked.strategy = "edited";
    result.asked.editedFrom = origin.shownName();
    result.from = origin.id;
    result.settings = origin.settings;
    return result;
}

// The sum of the boundaries from the stage before the range to the stage after it.
double boundariesUs(const std::vector<Stage> &stages, const StageRange &range, const BoundaryCost &cost)
{
    double us = 0;
    for (std::size_t i = range.first; i <= range.end(); ++i) {
        if (i > 0 && i < stages.size())
            us += cost.between(stages[i - 1], stages[i]);
    }
    return us;
}

// "faster" or "slower" only for exact latencies: for latencies timed once it would promise too much.
QString changeWords(double changeUs, std::optional<Provenance> provenance)
{
    if (std::abs(changeUs) < kNoChangeUs)
        return QStringLiteral("no difference");
    const QString number = signedLatencyText(changeUs);
    if (provenance == Provenance::Measured)
        return number;
    return number + (changeUs < 0 ? QStringLiteral(", faster") : QStringLiteral(", slower"));
}

} // namespace

Result<ResultId> Document::edit(ResultId id, const Edit &edit)
{
    const ScheduleResult *result = m_shelf.find(id);
    const Place *place = placeOf(id);
    if (!result || !result->schedule || !place)
        return fail(ErrorCode::InvalidInput, "there is no schedule to edit");
    Draft *open = m_drafts.open(id);
    std::optional<Draft> first;
    if (!open)
        first = Draft{{}, id, EditHistory(result->schedule, result->shownName())};
    EditHistory &history = open ? open->history : first->history;
    const std::vector<Stage> before = history.stages();
    const auto edited = history.apply(*place->model->graph, place->model->blocks, edit);
    if (!edited)
        return tl::unexpected(edited.error());
    if (history.stages() == before)
        return id;
    if (!open) {
        first->id = m_shelf.add(editedResult(*result));
        m_drafts.setPins(first->id, m_drafts.pins(id));
        open = &m_drafts.add(std::move(*first));
        m_step = Step{open->id, {}, {}};
        if (m_front.id == id)
            m_front.id = open->id;
    } else {
        m_step = Step{id, {}, {}};
    }
    m_step->changed = changedStages(before, open->history.stages());
    storeDraft(*open);
    recordStep(open->id, edited->words);
    const ResultId shownNow = open->id;
    tellStep();
    return shownNow;
}

// Puts the draft's current schedule on the shelf, with the known latencies of its stages.
void Document::storeDraft(const Draft &draft)
{
    EditHistory &history = m_drafts.find(draft.id)->history;
    for (const std::size_t stage : history.unknownStages()) {
        if (const Timing *known = knownTiming(draft.id, history.stages()[stage]))
            history.keepTime(history.stages()[stage], *known);
    }
    m_shelf.setMade(draft.id, std::make_shared<const Schedule>(history.schedule()), {},
                    QDateTime::currentSecsSinceEpoch());
    if (toMeasure(draft.id))
        m_shelf.setWaiting(draft.id);
    std::erase_if(m_timelines, [&](const auto &kept) { return kept.first == draft.id; });
}

void Document::recordStep(ResultId id, const std::string &words)
{
    m_shelf.record({words, [this, id] { stepAgain(id); }, [this, id] { stepBack(id); }});
}

// Undoing the first step removes the draft and shows its source again.
void Document::stepBack(ResultId id)
{
    Draft &draft = *m_drafts.find(id);
    const std::vector<Stage> before = draft.history.stages();
    draft.history.undo();
    m_step = Step{id, changedStages(before, draft.history.stages()), {}};
    if (draft.history.canUndo()) {
        storeDraft(draft);
        return;
    }
    draft.takenBack = *m_shelf.find(id);
    m_shelf.drop(id);
    if (m_front.id == id)
        m_front.id = draft.from;
    m_step->id = draft.from;
    m_step->gone = id;
}

void Document::stepAgain(ResultId id)
{
    Draft &draft = *m_drafts.find(id);
    const std::vector<Stage> before = draft.history.stages();
    draft.history.redo();
    m_step = Step{id, changedStages(before, draft.history.stages()), {}};
    if (draft.takenBack) {
        m_shelf.putBack(*std::exchange(draft.takenBack, std::nullopt));
        if (m_front.id == draft.from)
            m_front.id = id;
    }
    storeDraft(draft);
}

void Document::tellStep()
{
    const auto step = std::exchange(m_step, std::nullopt);
    if (step && step->gone.isValid())
        emit replaced(step->gone, step->id);
    refresh();
    if (step)
        emit edited(step->id, step->changed);
}

void Document::freeze(ResultId id)
{
    m_drafts.freeze(id);
}

SchedulePtr Document::originOf(ResultId id) const
{
    if (const Draft *draft = m_drafts.find(id))
        return draft->history.sharedOrigin();
    const ScheduleResult *result = m_shelf.find(id);
    const ScheduleResult *from = result && result->origin == Origin::Edited ? m_shelf.find(result->from) : nullptr;
    return from ? from->schedule : nullptr;
}

const ScheduleResult *Document::searchedFor(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    while (result && result->origin == Origin::Edited)
        result = m_shelf.find(result->from);
    return result;
}

std::vector<BlockSearch> Document::searchOf(ResultId id) const
{
    const ScheduleResult *result = searchedFor(id);
    return result ? result->blocks : std::vector<BlockSearch>{};
}

SearchRecord Document::recordOf(ResultId id) const
{
    const ScheduleResult *result = searchedFor(id);
    return result ? result->record() : SearchRecord{};
}

const Timing *Document::knownTiming(ResultId id, const Stage &stage) const
{
    const ScheduleResult *result = m_shelf.find(id);
    const Draft *draft = m_drafts.find(id);
    if (const Timing *known = draft ? draft->history.timeOf(stage) : nullptr)
        return known;
    for (const ScheduleResult &other : m_shelf.results()) {
        if (!result || !other.schedule || !other.schedule->hasStageLatencies() || other.settings != result->settings)
            continue;
        const auto there = std::ranges::find(other.schedule->stages, stage);
        if (there != other.schedule->stages.end())
            return &other.schedule->stageTimings[static_cast<std::size_t>(there - other.schedule->stages.begin())];
    }
    return nullptr;
}

std::optional<double> Document::knownUs(ResultId id, const Stage &stage) const
{
    const Timing *known = knownTiming(id, stage);
    return known ? std::optional(known->latencyUs) : std::nullopt;
}

std::optional<EditToMeasure> Document::toMeasure(ResultId id) const
{
    const Draft *draft = m_drafts.find(id);
    const ScheduleResult *result = m_shelf.find(id);
    if (!draft || !result || !result->schedule)
        return std::nullopt;
    if (result->schedule->hasStageLatencies() && result->schedule->latencyUs())
        return std::nullopt;
    auto known = std::make_shared<Schedule>();
    for (const Stage &stage : result->schedule->stages) {
        if (const Timing *timing = draft->history.timeOf(stage)) {
            known->stages.push_back(stage);
            known->stageTimings.push_back(*timing);
        }
    }
    const ScheduleResult *from = m_shelf.find(draft->from);
    return EditToMeasure{benchOf(id),      id,          result->schedule,
                         std::move(known), draft->from, from ? from->schedule : nullptr};
}

void Document::setStageTimed(ResultId id, const Stage &stage, const Timing &timing)
{
    Draft *draft = m_drafts.find(id);
    if (!draft)
        return;
    draft->history.keepTime(stage, timing);
    emit marksChanged(id);
}

void Document::setEditMeasured(ResultId id, const SchedulePtr &schedule, const BoundaryCost &boundary)
{
    Draft *draft = m_drafts.find(id);
    if (!draft || !m_shelf.find(id))
        return;
    draft->boundary = boundary;
    draft->history.keepTimes(*schedule);
    storeDraft(*draft);
    refresh();
}

StageMarks Document::marksOf(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    const std::vector<Stage> &pins = m_drafts.pins(id);
    const SchedulePtr origin = originOf(id);
    if (!result || !result->schedule || (pins.empty() && !origin))
        return {};
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
        const Timing *known = draft ? draft->history.timeOf(schedule.stages[i]) : nullptr;
        marks[i].isMeasured = known != nullptr;
        if (known)
            marks[i].latencyUs = known->latencyUs;
    }
    if (!origin.hasStageLatencies())
        return;
    const BoundaryCost boundary = draft && draft->boundary ? *draft->boundary : BoundaryCost{};
    for (const CommonSpan &span : commonSpans({origin.stages, schedule.stages})) {
        const StageRange &range = span.sides[1];
        double us = boundariesUs(schedule.stages, range, boundary);
        bool isKnown = !span.isEqual;
        for (std::size_t i = range.first; i < range.end(); ++i) {
            isKnown = isKnown && marks[i].isMeasured;
            us += schedule.hasStageLatencies() ? schedule.stageTimings[i].latencyUs : marks[i].latencyUs.value_or(0);
        }
        if (!isKnown)
            continue;
        const double before =
            *sumOfStagesUs(origin, span.sides[0]) + boundariesUs(origin.stages, span.sides[0], boundary);
        marks[range.first].changeUs = us - before;
        marks[range.first].change = changeWords(us - before, origin.provenance);
        if (range.count > 1)
            marks[range.first].change.prepend(plural(static_cast<std::int64_t>(range.count), "stage") +
                                              QStringLiteral(": "));
    }
}

std::vector<Stage> Document::pinnedStages(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    std::vector<Stage> pinned = m_drafts.pins(id);
    std::erase_if(pinned, [&](const Stage &stage) {
        return !result || !result->schedule ||
               std::ranges::find(result->schedule->stages, stage) == result->schedule->stages.end();
    });
    return pinned;
}

void Document::pinStages(ResultId id, const std::vector<std::size_t> &stages, bool pinned)
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || !result->schedule || stages.empty())
        return;
    const std::vector<Stage> before = m_drafts.pins(id);
    std::vector<Stage> after = before;
    for (const std::size_t index : stages) {
        const Stage &stage = result->schedule->stages[index];
        std::erase(after, stage);
        if (pinned)
            after.push_back(stage);
    }
    if (after == before)
        return;
    const auto set = [this, id](const std::vector<Stage> &pins) {
        m_drafts.setPins(id, pins);
        emit marksChanged(id);
    };
    const QString words =
        QStringLiteral("%1 %2").arg(pinned ? QStringLiteral("Pin") : QStringLiteral("Unpin"),
                                    stages.size() == 1 ? stageTitle(stages.front()).toLower()
                                                       : plural(static_cast<std::int64_t>(stages.size()), "stage"));
    set(after);
    m_shelf.record({words.toStdString(), [set, after] { set(after); }, [set, before] { set(before); }});
    emit shelfChanged(); // undo has changed
}

ResultToMake Document::addPinnedSearch(ResultId from, ScheduleKind kind, const SearchOptions &options)
{
    const ResultToMake made = addSearch(m_shelf.find(from)->settings, kind, options);
    refresh();
    return made;
}

// For a search with pinned stages: adds the optimum without them, if another result on the shelf proves it.
SchedulePtr Document::withFreeOptimum(ResultId id, const SchedulePtr &schedule) const
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || !schedule || schedule->search.pinnedStages == 0)
        return schedule;
    for (const ScheduleResult &other : m_shelf.results()) {
        if (!other.schedule || other.settings != result->settings)
            continue;
        if (const auto freeUs = freeOptimumUs(*schedule, *other.schedule)) {
            auto copy = std::make_shared<Schedule>(*schedule);
            copy->search.freeUs = freeUs;
            return copy;
        }
    }
    return schedule;
}

} // namespace stagecraft
