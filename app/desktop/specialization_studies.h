#pragma once

// The specialisation study of a window: schedules made for several batch sizes and devices, each run on all, and the
// panel that shows the table. Works in the background; searches and measurements of the user go first, and what is
// known is not asked for again. Lives on the UI thread.

#include "desktop/document.h"
#include "desktop/job_lane.h"
#include "desktop/work_gate.h"
#include "services/specialization.h"
#include "widgets/study/specialization_view.h"

#include <QObject>

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace stagecraft {

class SpecializationStudies : public QObject {
    Q_OBJECT

public:
    SpecializationStudies(Document *document, Jobs *jobs, SpecializationView *view, QObject *parent = nullptr);
    ~SpecializationStudies() override;

    void start(); // or goes on with the cells that are missing
    void stop();
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

    [[nodiscard]] std::vector<RunPlace> places() const; // as chosen in the panel
    [[nodiscard]] JobLane::Work workOn(std::vector<RunPlace> places);
    void clearForOtherModel();
    void showTable();
    void openGate();
    [[nodiscard]] ResultId shelve(std::size_t row, std::size_t column); // invalid: not known

    Document *m_document;
    Jobs *m_jobs;
    SpecializationView *m_view;
    ModelReference m_model; // of the study
    std::map<RunPlace, Made> m_made;
    std::map<RunPlace, Row> m_rows;
    std::map<Cell, SchedulePtr> m_cells;
    std::shared_ptr<WorkGate> m_gate = std::make_shared<WorkGate>();
    std::shared_ptr<Specialization> m_study; // belongs to the lane's thread
    JobLane m_lane;                          // last member: its work uses the others
};

} // namespace stagecraft
