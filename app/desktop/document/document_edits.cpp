// Manual editing: drafts and their steps, known stage latencies, and pinned stages. Measuring is in
// document_changes.cpp.

#include "desktop/document/document.h"
#include "schedule/compare/difference.h"
#include "schedule/compare/latency_parts.h"
#include "schedule/edit/edit.h"
#include "search/stages/pins.h"
#include "widgets/base/format.h"

#include <QDateTime>

#include <algorithm>
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

} // namespace

// "IOS-Both edited", "IOS-Both edited 2": no two results of a session have the same.
std::string Document::titleOfEdit(const ScheduleResult &origin) const
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

ResultId Document::addEdited(const ScheduleResult &origin)
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

Result<ResultId> Document::edit(ResultId id, const Edit &edit)
{
    const ScheduleResult *result = m_shelf.find(id);
    const Place *place = placeOf(id);
    if (!result || !result->schedule || !place)
        return fail(ErrorCode::InvalidInput, "there is no schedule to edit");
    DraftId open = m_drafts.open(id);
    std::optional<Draft> first;
    if (!open.isValid())
        first = Draft{{}, id, EditHistory(result->schedule, result->shownName())};
    EditHistory &history = open.isValid() ? m_drafts.at(open).history : first->history;
    const std::vector<Stage> before = history.stages();
    const std::size_t stepsBefore = history.stepsDone();
    TRY_AS(const auto edited, history.apply(*place->model->graph, place->model->blocks, edit));
    if (history.stages() == before)
        return id;
    if (first) {
        first->id = addEdited(*result);
        if (m_front.id == id)
            m_front.id = first->id;
        open = m_drafts.add(std::move(*first));
    }
    Draft &draft = m_drafts.at(open);
    draft.frozen.erase(draft.frozen.upper_bound(stepsBefore), draft.frozen.end()); // redo no longer leads there
    draft.takenBack.reset();
    m_step = Step{draft.id, changedStages(before, draft.history.stages()), {}};
    storeDraft(draft);
    recordStep(open, edited.words);
    const ResultId shownNow = draft.id;
    tellStep();
    return shownNow;
}

// Puts the draft's current schedule on the shelf, with the known latencies of its stages.
void Document::storeDraft(Draft &draft)
{
    EditHistory &history = draft.history;
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

void Document::recordStep(DraftId draft, const std::string &words)
{
    m_shelf.record({words, [this, draft] { step(m_drafts.at(draft), &EditHistory::redo); },
                    [this, draft] { step(m_drafts.at(draft), &EditHistory::undo); }});
}

// Undoing the first step shows the source again.
void Document::step(Draft &draft, void (EditHistory::*makeStep)())
{
    const std::vector<Stage> before = draft.history.stages();
    const ResultId shownBefore = draft.id.isValid() ? draft.id : draft.from;
    (draft.history.*makeStep)();
    const ResultId gone = showState(draft);
    const ResultId shownNow = draft.id.isValid() ? draft.id : draft.from;
    if (m_front.id == shownBefore)
        m_front.id = shownNow;
    m_step = Step{shownNow, changedStages(before, draft.history.stages()), gone};
}

// Gives the draft the result that shows its present state: its source, the one frozen in this state, or its own.
// Returns the one that left the shelf; invalid if none did.
ResultId Document::showState(Draft &draft)
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

SchedulePtr Document::editedFrom(ResultId id) const
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
        if (!result || !other.schedule || !other.schedule->hasStageLatencies() || other.settings != result->settings ||
            (result->schedule && other.schedule->layouts != result->schedule->layouts))
            continue;
        const auto there = std::ranges::find(other.schedule->stages, stage);
        if (there != other.schedule->stages.end())
            return &other.schedule->stageTimings[static_cast<std::size_t>(there - other.schedule->stages.begin())];
    }
    return nullptr;
}

std::optional<double> Document::knownUs(ResultId id, const Stage &stage) const
{
    if (const Timing *known = knownTiming(id, stage))
        return known->latencyUs;
    const Place *place = placeOf(id);
    const ScheduleResult *result = m_shelf.find(id);
    if (result && result->schedule && !result->schedule->layouts.empty())
        return std::nullopt; // those of other layouts would mislead
    return m_storedUs && place && place->model ? m_storedUs(place->model->graph, place->device, stage) : std::nullopt;
}

std::optional<double> Document::barrierUsOf(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    for (const ScheduleResult &other : m_shelf.results()) {
        const bool isOfSameDevice = result && other.schedule && other.settings == result->settings;
        if (const auto us = isOfSameDevice ? barrierUs(*other.schedule) : std::nullopt)
            return us;
    }
    return std::nullopt;
}

std::vector<Stage> Document::pinnedStages(ResultId id) const
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || !result->schedule)
        return {};
    std::vector<Stage> pinned = result->pins;
    std::erase_if(pinned, [&](const Stage &stage) {
        return std::ranges::find(result->schedule->stages, stage) == result->schedule->stages.end();
    });
    return pinned;
}

void Document::pinStages(ResultId id, const std::vector<std::size_t> &stages, bool pinned)
{
    const ScheduleResult *result = m_shelf.find(id);
    if (!result || !result->schedule || stages.empty())
        return;
    const std::vector<Stage> before = result->pins;
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
        m_shelf.setPins(id, pins);
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
