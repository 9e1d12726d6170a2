#pragma once

// What is open: the shelf of all results, which of them is the current one, and the model and device of the next
// search. These are the current result's: what is shown is what searches, comparisons and studies act on. The window
// shows and fills it. Nothing here computes or waits. Lives on the UI thread.

#include "desktop/document/comparison_rows.h"
#include "desktop/document/editor.h"
#include "desktop/document/planned_memories.h"
#include "desktop/work/target.h"
#include "flow/find_schedule.h"
#include "flow/open/session_opener.h"
#include "graph/operator_names.h"
#include "results/shelf.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

// A result as all views show it.
struct ShownResult {
    ResultId id;          // invalid: the shelf has none to show
    QString title;        // its name
    SchedulePtr schedule; // with the latency from the shelf; null until made
    std::vector<BlockSearch> search;
    std::shared_ptr<const TimelineIndex> timeline; // null until requested
    QString note;                                  // why there is no schedule
};

// A model of a session that is not in its old place or has changed.
struct MissingModel {
    SessionModelPtr model;
    QString why;
};

// A result to be made, under its id on the shelf.
struct ResultToMake {
    ResultId id;
    ScheduleKind kind = ScheduleKind::Sequential;
};

class Document : public QObject {
    Q_OBJECT

public:
    explicit Document(QObject *parent = nullptr);

    // What is shown, and the settings of the next search. The model is null if it is missing, or nothing is open.
    [[nodiscard]] const ModelPtr &model() const { return m_model; }
    [[nodiscard]] QString spec() const; // built-in name or path; empty without a model
    [[nodiscard]] const DeviceInfo &device() const { return m_device; }
    [[nodiscard]] Target target() const { return {m_model, m_device.id}; }
    [[nodiscard]] const MeasurementSettings &settings() const { return m_settings; }
    void setModel(ModelPtr model);
    void setDevice(DeviceInfo device);

    [[nodiscard]] const Shelf &shelf() const { return m_shelf; }
    [[nodiscard]] Target targetOf(ResultId id) const; // without a model if there is no such result
    [[nodiscard]] const DeviceInfo &deviceOf(ResultId id) const;

    [[nodiscard]] const ShownResult &front() const { return m_front; }
    [[nodiscard]] ResultId current() const { return m_front.id; }
    void setCurrent(ResultId id);                       // and its model, batch and device
    [[nodiscard]] ShownResult shown(ResultId id) const; // the result as `front` would show it

    // Results that fit the next search, as listed in the comparison: one row each, in this order.
    [[nodiscard]] std::vector<ResultId> fitting() const { return m_shelf.fitting(m_settings); }
    [[nodiscard]] ResultId newest(ScheduleKind kind) const; // of those that fit
    [[nodiscard]] std::vector<ComparisonRow> comparison() const { return m_rows.all(); }
    [[nodiscard]] ComparisonRow comparisonRow(ResultId id) const { return m_rows.row(id); }

    // Adds unfinished results for the current settings. Existing baselines are not added again.
    [[nodiscard]] std::vector<ResultToMake> addBaselines();
    [[nodiscard]] std::vector<ResultToMake> addSearches(const std::vector<ScheduleKind> &kinds,
                                                        const SearchOptions &options);
    // The results timed in rounds with a search of those settings: its baselines first, then the newest of each kind.
    [[nodiscard]] std::vector<ResultBeside> beside(const std::vector<ResultToMake> &made) const;

    // Reports from jobs.
    void setRunning(ResultId id);
    void setProgress(ResultId id, const SearchProgress &progress);
    void setMade(ResultId id, const SchedulePtr &schedule, const std::vector<BlockSearch> &search);
    void setFailed(ResultId id, const QString &why);
    ResultId setDone(ResultId id); // merges a repeated result into the earlier one; returns the one that stays
    void drop(ResultId id);        // removes a running result without a schedule
    ResultId addOpened(const QString &title, const QString &path, const MeasurementSettings &measuredOn,
                       const SchedulePtr &schedule);
    // A result of a study on that model and device. `madeFor`: the other batch size or device it was searched for;
    // empty: those it is measured on.
    ResultId addStudied(const ModelPtr &model, const DeviceInfo &device, const SchedulePtr &schedule,
                        const std::vector<BlockSearch> &search, const QString &madeFor = {});
    // A result from another device, still to be measured on this one.
    ResultId addFromOtherDevice(const QString &title, ResultId from, const QString &searchedFor);
    // A published schedule for `source`, still to be measured on the device of the next search.
    ResultId addPublished(const QString &title, const QString &source);
    // The stages of a result in layouts that are still to be chosen, on its device.
    ResultId addLayouts(ResultId of);
    void setLayouts(ResultId id, const SchedulePtr &schedule, const QString &text); // "NCHW and NHWC, 4 conversions"
    // A latency without a schedule. `source`: its file; empty: typed.
    ResultId addStated(const QString &title, double us, const QString &source);
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

    [[nodiscard]] Editor *editor() const { return m_editor; }
    [[nodiscard]] std::vector<BlockSearch> searchOf(ResultId id) const; // for edits: of the source
    [[nodiscard]] SearchRecord recordOf(ResultId id) const;             // for edits: of the source
    void setWaiting(ResultId id);
    // A search on the result's device that keeps stages of the result.
    [[nodiscard]] ResultToMake addPinnedSearch(ResultId from, ScheduleKind kind, const SearchOptions &options);
    // With the models that are open, for the export of a session of this document.
    [[nodiscard]] OpenedSession opened(Session session) const;

    // Sessions (document_session.cpp). Does not include view state that only the window has.
    [[nodiscard]] Session session(const std::vector<SessionStudy> &studies = {}) const;
    void restore(const OpenedSession &opened); // replaces everything
    // Results of missing models can be read and exported, but not drawn or measured.
    [[nodiscard]] const std::vector<MissingModel> &missingModels() const { return m_missing; }
    [[nodiscard]] bool isModelMissing(ResultId id) const;
    // Supplies a missing model. The error says why it does not fit.
    [[nodiscard]] Result<void> setFound(const ModelPtr &model);
    [[nodiscard]] OperatorNames operatorNames(ResultId id) const; // of its model, even if that is missing

signals:
    void modelChanged();
    void deviceChanged();
    void shelfChanged();
    void progressed(ResultId id); // of a running search: its best so far
    void frontChanged();          // another result is current, or the current one has new values
    void frontShown();            // after that: all views show it
    void timelineChanged();       // of any result
    void memoryChanged();         // of any result
    // By an edit or undo: these stages of the result are new.
    void edited(stagecraft::ResultId id, const std::vector<std::size_t> &changed);
    void replaced(stagecraft::ResultId gone, stagecraft::ResultId by); // a draft, by the result it was made from
    void marksChanged(stagecraft::ResultId id);
    void latenciesLearnt(); // knownUs() has answers that it had not

private:
    struct Place { // what the settings of results refer to
        MeasurementSettings settings;
        ModelPtr model; // null: missing
        DeviceInfo device;
    };

    ResultToMake addSearch(const MeasurementSettings &settings, ScheduleKind kind, const SearchOptions &options);
    [[nodiscard]] const Place *placeOf(ResultId id) const;
    void takeSettings();
    bool followCurrent(); // takes its model and device; false: it has them
    MeasurementSettings placed(const ModelPtr &model, const DeviceInfo &device); // results with them can be shown
    void showFitting();                                                          // if the current result no longer fits
    void showInstead();                                                          // if the current result is gone
    void refresh();                                                              // after the shelf has changed
    [[nodiscard]] SchedulePtr withLatencyOfShelf(ResultId id) const;
    [[nodiscard]] const ScheduleResult *searchedFor(ResultId id) const; // an edit's searched source; null: gone
    [[nodiscard]] SchedulePtr withFreeOptimum(ResultId id, const SchedulePtr &schedule) const;
    [[nodiscard]] SessionModelPtr sessionModelOf(const MeasurementSettings &settings) const;

    ModelPtr m_model;
    DeviceInfo m_device;
    MeasurementSettings m_settings;
    Shelf m_shelf;
    std::vector<Place> m_places;
    ShownResult m_front;
    ComparisonRows m_rows{*this};
    std::deque<std::pair<ResultId, std::shared_ptr<const TimelineIndex>>> m_timelines; // the most recent ones
    PlannedMemories m_memories{*this};
    std::int64_t m_rounds = 0;

    Editor *m_editor;
    std::vector<MissingModel> m_missing;
    mutable std::vector<SessionModelPtr> m_sessionModels; // those requested by sessions so far
};

} // namespace stagecraft
