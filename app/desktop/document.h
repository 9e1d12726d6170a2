#pragma once

// What is open: a model and a device that the next search is for, the shelf of everything that was made or opened
// before, and which result of it is in front. The window shows it, jobs fill it. Nothing here works or waits. Lives on
// the UI thread.

#include "desktop/drafts.h"
#include "desktop/jobs.h"
#include "desktop/session_opener.h"
#include "schedule/operator_names.h"
#include "shelf/shelf.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/schedule/stage_marks.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

// The result in front, as every view shows it.
struct ShownResult {
    ResultId id;          // not valid: the shelf has none to show
    QString title;        // its name
    SchedulePtr schedule; // with the latency of the shelf; null until made
    std::vector<BlockSearch> search;
    std::shared_ptr<const Timeline> timeline; // null until asked for
    QString note;                             // why there is no schedule
};

// A model of a session that is not where it was, or is not the same any more.
struct MissingModel {
    SessionModelPtr model;
    QString why;
};

class Document : public QObject {
    Q_OBJECT

public:
    explicit Document(QObject *parent = nullptr);

    // What the next search is for.
    [[nodiscard]] const ModelPtr &model() const { return m_model; }
    [[nodiscard]] const QString &spec() const { return m_spec; } // built-in name or path it was opened by
    [[nodiscard]] const DeviceInfo &device() const { return m_device; }
    [[nodiscard]] Target target() const { return {m_model, m_device.id}; }
    [[nodiscard]] const MeasurementSettings &settings() const { return m_settings; }
    void setModel(const QString &spec, ModelPtr model);
    void setDevice(DeviceInfo device);

    [[nodiscard]] const Shelf &shelf() const { return m_shelf; }
    [[nodiscard]] Target benchOf(ResultId id) const; // no model: there is no such result
    [[nodiscard]] const DeviceInfo &deviceOf(ResultId id) const;

    // The result in front may be of another model, batch or device than the next search.
    [[nodiscard]] const ShownResult &front() const { return m_front; }
    [[nodiscard]] ResultId current() const { return m_front.id; }
    [[nodiscard]] const ModelPtr &shownModel() const { return m_shownModel; }
    void setCurrent(ResultId id);
    [[nodiscard]] ShownResult shown(ResultId id) const; // as it would be in front

    // Results that fit the next search, as the comparison lists them: a row for each, in one order.
    [[nodiscard]] std::vector<ResultId> fitting() const { return m_shelf.fitting(m_settings); }
    [[nodiscard]] ResultId newest(ScheduleKind kind) const; // that fits
    [[nodiscard]] std::vector<ComparisonRow> comparison() const;
    [[nodiscard]] ComparisonRow comparisonRow(ResultId id) const;

    // Results under way, for what the tool bar says now. A baseline that is there already is not added again.
    [[nodiscard]] std::vector<ResultToMake> addBaselines();
    [[nodiscard]] std::vector<ResultToMake> addSearches(const std::vector<ScheduleKind> &kinds,
                                                        const SearchOptions &options);
    // What stands beside a search of those settings when schedules are timed in rounds: its baselines first, then the
    // newest of each kind.
    [[nodiscard]] std::vector<ResultBeside> beside(const std::vector<ResultToMake> &made) const;

    // What jobs have to tell.
    void setRunning(ResultId id);
    void setProgress(ResultId id, const SearchProgress &progress);
    void setMade(ResultId id, const SchedulePtr &schedule, const std::vector<BlockSearch> &search);
    void setFailed(ResultId id, const QString &why);
    ResultId setDone(ResultId id); // nothing more comes: what repeats another becomes one with it, and that is returned
    void drop(ResultId id);        // what was under way and came to nothing
    ResultId addOpened(const QString &title, const QString &path, const MeasurementSettings &measuredOn,
                       const SchedulePtr &schedule);
    // A result of another device, yet to be measured on this one.
    ResultId addFromOtherDevice(const QString &title, ResultId from, const QString &searchedFor);
    // A schedule that others published for `source`, yet to be measured on the device of the next search.
    ResultId addPublished(const QString &title, const QString &source);
    // A latency without a schedule. `source`: its file; empty: typed.
    ResultId addStated(const QString &title, double us, const QString &source);
    ResultId setMeasuredAgain(ResultId id, const SchedulePtr &schedule); // or for the first time; which one it is now
    void setStageMeasured(ResultId id, std::size_t stage, const Timing &timing);
    void dropMeasuring(); // nothing more comes of what is measured, searches apart
    void setTimedInRounds(const std::vector<ResultId> &ids, const std::vector<InterleavedTiming> &times);
    void setTimeline(ResultId id, std::shared_ptr<const Timeline> timeline);
    [[nodiscard]] std::shared_ptr<const Timeline> timelineOf(ResultId id) const; // null until made

    // What a person does to the shelf; each can be undone.
    void rename(ResultId id, const QString &name);
    void annotate(ResultId id, const QString &note);
    void setPinned(ResultId id, bool pinned);
    void chooseBaseline(ResultId id);
    void remove(const std::vector<ResultId> &ids);
    void undo();
    void redo();

    // Editing by hand (document_edits.cpp). The first edit of a result makes a draft, the result that is returned then;
    // it stands in front where the other did. InvalidInput: nothing changes.
    [[nodiscard]] Result<ResultId> edit(ResultId id, const Edit &edit);
    void freeze(ResultId id); // the next edit makes a draft of it
    // What an edited result was made of; null: it is none, or that is gone.
    [[nodiscard]] SchedulePtr originOf(ResultId id) const;
    [[nodiscard]] std::vector<BlockSearch> searchOf(ResultId id) const; // of an edit: of what it comes from
    [[nodiscard]] SearchRecord recordOf(ResultId id) const;             // likewise
    [[nodiscard]] StageMarks marksOf(ResultId id) const;
    // What a stage takes, where any result of the same settings says it.
    [[nodiscard]] std::optional<double> knownUs(ResultId id, const Stage &stage) const;
    [[nodiscard]] std::optional<EditToMeasure> toMeasure(ResultId id) const; // nothing: its latencies are known
    void setStageTimed(ResultId id, const Stage &stage, const Timing &timing);
    void setEditMeasured(ResultId id, const SchedulePtr &schedule, const BoundaryCost &boundary);
    [[nodiscard]] std::vector<Stage> pinnedStages(ResultId id) const;                 // that its schedule has
    void pinStages(ResultId id, const std::vector<std::size_t> &stages, bool pinned); // can be undone
    // A search that keeps stages of a result, on that one's device.
    [[nodiscard]] ResultToMake addPinnedSearch(ResultId from, ScheduleKind kind, const SearchOptions &options);
    // A session (document_session.cpp). What the window alone knows of its view is not in it.
    [[nodiscard]] Session session() const;
    void restore(const OpenedSession &opened); // in place of what is here
    // Results of these are read and exported, but neither drawn nor measured.
    [[nodiscard]] const std::vector<MissingModel> &missingModels() const { return m_missing; }
    [[nodiscard]] bool isModelMissing(ResultId id) const;
    // One of the missing models. The error says why it does not fit.
    [[nodiscard]] Result<void> setFound(const ModelPtr &model);
    [[nodiscard]] OperatorNames operatorNames(ResultId id) const; // of its model, missing or not

signals:
    void modelChanged();  // of the next search
    void deviceChanged(); // of the next search
    void shelfChanged();
    void progressed(ResultId id); // of a search under way: its best so far
    void frontChanged();          // another result is in front, or the one in front has new values
    void timelineChanged();       // of any result
    // By an edit, or by taking one back: these stages of the result are other ones than before.
    void edited(stagecraft::ResultId id, const std::vector<std::size_t> &changed);
    void replaced(stagecraft::ResultId gone, stagecraft::ResultId by); // a draft, by what it was made of
    void marksChanged(stagecraft::ResultId id);

private:
    struct Place { // what is behind the settings of results
        MeasurementSettings settings;
        ModelPtr model; // null: missing
        DeviceInfo device;
    };

    ResultToMake addSearch(const MeasurementSettings &settings, ScheduleKind kind, const SearchOptions &options);
    [[nodiscard]] static QString whyNoSchedule(const ScheduleResult &result); // empty: it has one
    [[nodiscard]] const Place *placeOf(ResultId id) const;
    void takeSettings();
    void showFitting(); // where the one in front does not fit any more
    void showInstead(); // where the one in front is gone
    void refresh();     // after the shelf has changed
    [[nodiscard]] SchedulePtr withLatencyOfShelf(ResultId id) const;
    [[nodiscard]] const ScheduleResult *searchedFor(ResultId id) const; // not an edit; null: it is gone
    [[nodiscard]] const Timing *knownTiming(ResultId id, const Stage &stage) const;
    void markChanges(ResultId id, const Schedule &origin, const Schedule &schedule, StageMarks &marks) const;
    void storeDraft(const Draft &draft);
    void recordStep(ResultId id, const std::string &words);
    void stepBack(ResultId id);
    void stepAgain(ResultId id);
    void tellStep();
    [[nodiscard]] SchedulePtr withFreeOptimum(ResultId id, const SchedulePtr &schedule) const;
    [[nodiscard]] SessionModelPtr sessionModelOf(const MeasurementSettings &settings) const;

    ModelPtr m_model;
    QString m_spec;
    DeviceInfo m_device;
    MeasurementSettings m_settings;
    Shelf m_shelf;
    std::vector<Place> m_places;
    ShownResult m_front;
    ModelPtr m_shownModel;
    std::deque<std::pair<ResultId, std::shared_ptr<const Timeline>>> m_timelines; // the last ones
    std::int64_t m_rounds = 0;

    struct Step {
        ResultId id; // of the result that is there now
        std::vector<std::size_t> changed;
        ResultId gone; // that it stands for; not valid: none
    };
    Drafts m_drafts;
    std::optional<Step> m_step; // done or taken back just now, to be told
    std::vector<MissingModel> m_missing;
    mutable std::vector<SessionModelPtr> m_sessionModels; // of those that a session was asked of
};

} // namespace stagecraft
