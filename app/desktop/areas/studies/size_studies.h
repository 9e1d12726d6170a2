#pragma once

// The studies of gain by size of a window, one for each model, parameter and device, and the panel that shows the one
// of the next search. Sizes are studied in the background, also while another model is looked at; searches and
// measurements of the user go first, and sizes that are known are not studied again. Lives on the UI thread.

#include "desktop/document/document.h"
#include "desktop/work/job_lane.h"
#include "desktop/work/services.h"
#include "flow/study/size_range.h"
#include "flow/study/size_study.h"
#include "widgets/study/size_view.h"

#include <QObject>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

class SizeStudies : public QObject {
    Q_OBJECT

public:
    SizeStudies(Document *document, Services services, SizeView *view, QObject *parent = nullptr);

    void start(); // or goes on with the sizes that are missing
    void stop();
    void showOthersFirst(bool othersGoFirst);
    [[nodiscard]] bool isRunning() const { return m_lane.isBusy(); }
    [[nodiscard]] QString whyNotStart() const; // empty: it can

    [[nodiscard]] bool hasPoints() const; // of the model, parameter and device of the panel
    void copyCsv() const;                 // as `sweep --over --csv` prints it

signals:
    void failed(const stagecraft::Error &error);
    void changed();                                        // points or state
    void busyChanged();                                    // started or ended
    void modelWanted(const QString &spec, qint64 atBatch); // at a size that was chosen; 0: as it is

private:
    // What a study is of: the model with the parameter left open.
    struct Subject {
        std::string spec;
        std::int64_t batch = 0; // 0: it is what is studied
        Reading reading;
        std::string parameter;
        std::string device;

        friend bool operator==(const Subject &, const Subject &) = default;
    };
    struct Study {
        Subject subject;
        std::vector<SizePoint> points{};   // ascending by size
        std::shared_ptr<SizeStudy> work{}; // of the lane's thread
    };

    [[nodiscard]] Subject subject() const;    // of the panel and the next search, which has a model
    [[nodiscard]] const Study *shown() const; // null: none is begun
    [[nodiscard]] bool isShownRunning() const;
    [[nodiscard]] std::shared_ptr<SizeStudy> studyOf(const Subject &of);
    [[nodiscard]] JobLane::Work workOn(Study &study, std::vector<std::int64_t> sizes);
    void add(Study &study, SizePoint point);
    void showModel();
    void show();
    void showProgress(const QString &text); // of the study that runs, if it is shown
    void open(qint64 size);

    Document *m_document;
    Services m_services;
    SizeView *m_view;
    std::deque<Study> m_studies; // none ever moves
    std::optional<Subject> m_running;
    bool m_othersGoFirst = false; // with the device
    JobLane m_lane;               // last member: its work uses the others
};

} // namespace stagecraft
