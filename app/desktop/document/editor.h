#pragma once

// Manual editing of results: drafts and their steps, known stage latencies, what is to be measured, the marks of
// changed stages, and pinned stages. Lives on the UI thread.

#include "desktop/document/drafts.h"
#include "desktop/document/places.h"
#include "measure/changed_spans.h"
#include "results/shelf.h"
#include "widgets/schedule/stage_marks.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

// An existing result.
struct ResultBeside {
    ResultId id;
    SchedulePtr schedule;
    bool isBaseline = false;
};

// A schedule edited by hand; known stages need no measuring.
struct EditToMeasure {
    Target target;
    ResultId id;
    SchedulePtr edited;
    SchedulePtr known; // has the known stage latencies
    ResultId from;     // the source of the edit, timed in rounds with it
    SchedulePtr original;
    ResultBeside baseline{};          // timed with both, if it is another result; without a schedule: none
    std::vector<ChangedSpan> spans{}; // to be timed before and after in rounds, on a device whose latencies carry noise
};

class Editor : public QObject {
    Q_OBJECT

public:
    Editor(const Places &places, Shelf &shelf, QObject *parent); // the document's

    // WrongUse: no device answers for this result any more, so that it can be neither edited nor measured again: a
    // profile recorded it, or an older simulator simulated it.
    [[nodiscard]] Result<void> checkMeasurable(ResultId id) const;
    // The first edit of a result creates a draft, which is returned and replaces the result on screen. InvalidInput
    // or, as above, WrongUse: nothing changes.
    [[nodiscard]] Result<ResultId> edit(ResultId id, const Edit &edit);
    void freeze(ResultId id); // the next edit creates a new draft
    // The schedule that an edited result was made from; null if it is not an edit or its source is gone.
    [[nodiscard]] SchedulePtr editedFrom(ResultId id) const;
    [[nodiscard]] StageMarks marksOf(ResultId id) const; // of streams: by launch

    // Edits whose latencies are not known and are not being measured: a session was left before they were.
    [[nodiscard]] std::vector<ResultId> unmeasuredEdits() const;
    [[nodiscard]] std::optional<EditToMeasure> toMeasure(ResultId id) const; // nullopt: all latencies are known
    void setStageTimed(ResultId id, const Stage &stage, const Timing &timing);
    void setEditMeasured(ResultId id, const SchedulePtr &schedule);
    void setSpanTimed(ResultId id, const TimedSpan &timed);
    void keepTimes(ResultId id, const TimedSchedule &measured); // of its stages

    using StoredUs = std::function<std::optional<double>(const std::shared_ptr<const Graph> &graph,
                                                         const DeviceInfo &device, const Stage &stage)>;
    void setStoredLatencies(StoredUs storedUs) { m_storedUs = std::move(storedUs); }
    // The latency of a stage, if any result of the same settings has it, or the latencies stored for the device.
    [[nodiscard]] std::optional<double> knownUs(ResultId id, const Stage &stage) const;
    // What a barrier costs on the result's device, as far as any result of the same settings tells.
    [[nodiscard]] std::optional<double> barrierUsOf(ResultId id) const;

    [[nodiscard]] std::vector<Stage> pinnedStages(ResultId id) const; // those its schedule has; launches as stages
    void pinStages(ResultId id, const std::vector<std::size_t> &stages, bool pinned); // can be undone

    void tellStep(); // that undo or redo of the shelf has made

signals:
    // By an edit or undo: these stages of the result are new.
    void edited(stagecraft::ResultId id, const std::vector<std::size_t> &changed);
    void replaced(stagecraft::ResultId gone, stagecraft::ResultId by); // a draft, by the result it was made from
    void marksChanged(stagecraft::ResultId id);
    void latenciesLearnt();                                           // knownUs() has answers that it had not
    void movedOn(stagecraft::ResultId from, stagecraft::ResultId to); // where the one was shown, the other is
    void redrawn(stagecraft::ResultId draft);                         // it has another schedule
    void changed();                                                   // the shelf
    void undoChanged();                                               // there is another step to undo

private:
    struct Step {
        ResultId id; // the existing result
        std::vector<std::size_t> changed;
        ResultId gone; // the result it replaces; invalid: none
    };
    struct JudgedChange {
        StageMark *mark = nullptr;
        std::vector<double> beforeUs; // by round
        std::vector<double> afterUs;
        double secondsPerRound = 0;
        QString stages; // "2 stages: "
    };

    [[nodiscard]] std::string titleOfEdit(const ScheduleResult &origin) const;
    ResultId addEdited(const ScheduleResult &origin);
    void storeDraft(Draft &draft);
    void recordStep(DraftId draft, const std::string &words);
    void step(Draft &draft, void (EditHistory::*makeStep)());
    [[nodiscard]] ResultId showState(Draft &draft);
    [[nodiscard]] const Timing *knownTiming(ResultId id, const Stage &stage) const;
    void markChanges(ResultId id, const TimedSchedule &origin, const TimedSchedule &schedule, StageMarks &marks) const;
    static void judgeChanges(const std::vector<JudgedChange> &changes);
    [[nodiscard]] const TimedSpan *timedSpan(ResultId id, const ChangedSpan &span) const; // null: not timed in rounds

    const Places &m_places;
    Shelf &m_shelf;
    Drafts m_drafts;
    std::optional<Step> m_step; // the step just made or undone, still to be reported
    std::vector<std::pair<RunContext, TimedSpan>> m_timedSpans;
    StoredUs m_storedUs;
};

} // namespace stagecraft
