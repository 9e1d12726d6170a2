#pragma once

// The specialisation studies of a window, one for each model, and the panel that shows the one of the model shown:
// schedules made for several batch sizes and devices, each run on all. Works in the background, also while another
// model is looked at; searches and measurements of the user go first, and what is known is not asked for again. Lives
// on the UI thread.

#include "desktop/document/document.h"
#include "desktop/work/job_lane.h"
#include "desktop/work/services.h"
#include "flow/study/specialization.h"
#include "widgets/study/specialization_view.h"

#include <QObject>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft {

class SpecializationStudies : public QObject {
    Q_OBJECT

public:
    SpecializationStudies(Document *document, Services services, SpecializationView *view, QObject *parent = nullptr);

    void start(); // or goes on with the cells that are missing
    void stop();
    void showOthersFirst(bool othersGoFirst);
    [[nodiscard]] bool isRunning() const { return m_lane.isBusy(); }
    [[nodiscard]] QString whyNotStart() const; // empty: it can

signals:
    void failed(const stagecraft::Error &error);
    void busyChanged();                                                          // started or ended
    void compareRequested(stagecraft::ResultId own, stagecraft::ResultId other); // both are on the shelf

private:
    using Cell = std::pair<RunPlace, RunPlace>; // on, made for

    struct Made {
        SchedulePtr schedule;
        std::vector<BlockSearch> blocks;
    };
    struct Row {
        ModelPtr model;
        DeviceInfo device;
    };

    struct Study {
        ModelReference model;
        std::map<RunPlace, Made> made{};
        std::map<RunPlace, Row> rows{};
        std::map<Cell, SchedulePtr> cells{};
        std::shared_ptr<Specialization> work{}; // of the lane's thread and those that it starts
    };

    [[nodiscard]] std::vector<RunPlace> places() const;        // as chosen in the panel
    [[nodiscard]] Study &studyOf(const ModelReference &model); // begun with the first question
    [[nodiscard]] const Study &shownStudy() const;             // empty: none is begun
    [[nodiscard]] bool isShownRunning() const;
    [[nodiscard]] JobLane::Work workOn(Study &study, std::vector<RunPlace> places);
    void showTable();
    void showProgress(const QString &text); // of the study that runs, if it is shown
    void showWait(const std::optional<DeviceWait> &wait);
    void showWhetherItWaits();
    [[nodiscard]] ResultId shelve(std::size_t row, std::size_t column); // invalid: not known

    Document *m_document;
    Services m_services;
    SpecializationView *m_view;
    std::deque<Study> m_studies;  // none ever moves
    ModelReference m_running;     // of the study that runs
    bool m_othersGoFirst = false; // with the device
    JobLane m_lane;               // last member: its work uses the others
};

} // namespace stagecraft
