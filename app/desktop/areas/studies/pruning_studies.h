#pragma once

// The pruning studies of a window, one for each model and device, and the panel that shows the one of the next search.
// Points are searched in the background, one after the other; searches and measurements of the user go first, and
// points that are known are not searched again. Lives on the UI thread.

#include "desktop/document/document.h"
#include "desktop/work/job_lane.h"
#include "export/study_tables.h"
#include "measure/measurers.h"
#include "results/files/session.h"
#include "search/pruning_points.h"
#include "widgets/study/pruning_view.h"

#include <QObject>
#include <cstddef>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace stagecraft {

class PruningStudies : public QObject {
    Q_OBJECT

public:
    PruningStudies(Document *document, std::shared_ptr<Measurers> measurers, PruningView *view,
                   QObject *parent = nullptr);

    void start(); // or goes on with what the ranges of the panel have not got yet
    void stop();
    void showOthersFirst(bool othersGoFirst);
    [[nodiscard]] bool isRunning() const { return m_lane.isBusy(); }
    [[nodiscard]] QString whyNotStart() const; // empty: it can

    [[nodiscard]] bool hasPoints() const;                 // of the model and device of the next search
    [[nodiscard]] std::vector<StudyPoint> points() const; // of that study, in its order
    void copyCsv() const;                                 // as `sweep --csv` prints it, in the order of study

    // For session files.
    [[nodiscard]] std::vector<SessionStudy> stored() const;
    void restore(const std::vector<SessionStudy> &studies); // replaces all

signals:
    void failed(const stagecraft::Error &error);
    void changed();     // points or state
    void busyChanged(); // started or ended

private:
    struct Study {
        RunContext settings;
        std::vector<StudyPoint> points;
        std::int64_t stagesMeasured = 0; // distinct, for all points together
    };
    class OnDevice; // belongs to the lane's thread

    [[nodiscard]] const Study *shownStudy() const; // null: none yet
    [[nodiscard]] Study *studyOf(const RunContext &settings);
    [[nodiscard]] std::set<PruningPoint> knownPoints() const; // for the settings of the next search
    [[nodiscard]] JobLane::Work workOn(const Target &target, std::vector<PruningPoint> points);
    void add(const RunContext &settings, StudyPoint point, std::int64_t newlyMeasured);
    void showStudy();
    void showTotals();
    void showSearching(const QString &title, const SearchProgress &progress);
    void showWait(const std::optional<DeviceWait> &wait);
    void showWhetherItWaits();
    void putOnShelf(const std::vector<PruningPoint> &points);

    Document *m_document;
    PruningView *m_view;
    std::vector<Study> m_studies;
    RunContext m_running; // of the study that runs
    std::shared_ptr<OnDevice> m_onDevice;
    bool m_isShowing = false;
    bool m_othersGoFirst = false; // with the device
    JobLane m_lane;               // last member: its work uses the others
};

// The points of the IOS paper for the model at batch 1; empty if it has none.
[[nodiscard]] std::vector<PublishedPoint> publishedPoints(const std::string &model, std::int64_t batch);

} // namespace stagecraft
