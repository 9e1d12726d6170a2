#pragma once

// The shelf of all results, and which of them is the current one: what all views show. The model and device of the next
// search follow it. Nothing here computes or waits. Lives on the UI thread.

#include "desktop/document/comparison_rows.h"
#include "desktop/document/editor.h"
#include "desktop/document/next_search.h"
#include "desktop/document/planned_memories.h"
#include "flow/find_schedule.h"
#include "results/rated_result.h"
#include "search/progress.h"
#include "search/result.h"
#include "timing/statistics/rounds.h"
#include "timing/timeline/timeline_index.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace stagecraft {

class Results : public QObject {
    Q_OBJECT

public:
    Results(Shelf &shelf, Places &places, NextSearch &next, Editor &editor, QObject *parent); // the document's

    [[nodiscard]] const Shelf &shelf() const { return m_shelf; }
    [[nodiscard]] Target targetOf(ResultId id) const { return m_places.targetOf(id); }
    [[nodiscard]] const DeviceInfo &deviceOf(ResultId id) const;
    [[nodiscard]] bool isModelMissing(ResultId id) const { return m_places.isMissing(id); }

    // As all views show it; without an id if the shelf has none to show.
    [[nodiscard]] const RatedResult &front() const { return m_front; }
    [[nodiscard]] ResultId current() const { return m_front.id; }
    void setCurrent(ResultId id);                       // and its model, batch and device
    [[nodiscard]] RatedResult shown(ResultId id) const; // the result as `front` would show it

    // Results that fit the next search, as listed in the comparison: one row each, in this order.
    [[nodiscard]] std::vector<ResultId> fitting() const { return m_shelf.fitting(m_next.settings()); }
    [[nodiscard]] ResultId newest(ScheduleKind kind) const; // of those that fit
    [[nodiscard]] std::vector<ComparisonRow> comparison() const { return m_rows.all(); }
    [[nodiscard]] ComparisonRow comparisonRow(ResultId id) const { return m_rows.row(id); }
    [[nodiscard]] std::vector<BlockSearch> searchOf(ResultId id) const; // for edits: of the source
    [[nodiscard]] SearchRecord recordOf(ResultId id) const;             // for edits: of the source

    // As they are made and measured.
    void setWaiting(ResultId id);
    void setRunning(ResultId id);
    void setProgress(ResultId id, const SearchProgress &progress);
    void setMade(ResultId id, const SchedulePtr &schedule, const std::vector<BlockSearch> &search);
    void setLayouts(ResultId id, const SchedulePtr &schedule, const QString &text); // "NCHW and NHWC, 4 conversions"
    void setModels(ResultId id, const std::vector<ModelShare> &models);
    void setFailed(ResultId id, const QString &why);
    ResultId setDone(ResultId id); // merges a repeated result into the earlier one; returns the one that stays
    void drop(ResultId id);        // removes a running result without a schedule
    ResultId setMeasuredAgain(ResultId id, const SchedulePtr &schedule); // returns the result that stays
    void setStageMeasured(ResultId id, std::size_t stage, const Timing &timing);
    void dropMeasuring(); // no more measurements will come, except from searches
    void setTimedInRounds(const std::vector<ResultId> &ids, const std::vector<TimingInRounds> &times);
    void setTimeline(ResultId id, std::shared_ptr<const TimelineIndex> timeline);
    [[nodiscard]] std::shared_ptr<const TimelineIndex> timelineOf(ResultId id) const; // null until made

    // Planned memory, of results that have a schedule and a model.
    [[nodiscard]] std::vector<MemoryToPlan> memoryToPlan() const { return m_memories.missing(); }
    void setMemory(const std::vector<PlannedMemory> &planned);
    [[nodiscard]] const PlannedMemory *memoryOf(ResultId id) const { return m_memories.of(id); }

    // User actions on the shelf; each can be undone.
    void rename(ResultId id, const QString &name);
    void annotate(ResultId id, const QString &note);
    void setPinned(ResultId id, bool pinned);
    void chooseBaseline(ResultId id);
    void remove(const std::vector<ResultId> &ids);
    void undo();
    void redo();

    // Supplies a missing model. The error says why it does not fit.
    [[nodiscard]] Result<void> setFound(const ModelPtr &model);
    // For a session file. Does not include view state that only the window has.
    [[nodiscard]] Session session(const std::vector<SessionStudy> &studies = {}) const;
    void restore(const OpenedSession &opened); // replaces everything

    void refresh();     // after the shelf has changed
    void showFitting(); // if the current result no longer fits

signals:
    void shelfChanged();
    void progressed(ResultId id); // of a running search: its best so far
    void frontChanged();          // another result is current, or the current one has new values
    void frontShown();            // after that: all views show it
    void timelineChanged();       // of any result
    void memoryChanged();         // of any result

private:
    bool followCurrent(); // the next search takes its model and device; false: it has them
    void showInstead();   // if the current result is gone
    [[nodiscard]] SchedulePtr withLatencyOfShelf(ResultId id) const;
    [[nodiscard]] const ScheduleResult *searchedFor(ResultId id) const; // an edit's searched source; null: gone
    [[nodiscard]] SchedulePtr withFreeOptimum(ResultId id, const SchedulePtr &schedule) const;

    Shelf &m_shelf;
    Places &m_places;
    NextSearch &m_next;
    Editor &m_editor;
    RatedResult m_front;
    std::size_t m_frontBlocks = 0; // of its search
    ComparisonRows m_rows{*this};
    PlannedMemories m_memories{*this};
    std::deque<std::pair<ResultId, std::shared_ptr<const TimelineIndex>>> m_timelines; // the most recent ones
    std::int64_t m_rounds = 0;
};

} // namespace stagecraft
