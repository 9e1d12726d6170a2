#pragma once

// Where the extra time of runners-up goes, and that of the stage's operators under other strategies, for the stage or
// block on the inspector's page: at once on simulated
// devices, and when asked for on measuring ones, whose work it would disturb. Known answers are not asked for again.
// Works in the background; searches and measurements of the user go first. Lives on the UI thread.

#include "desktop/document/document.h"
#include "desktop/work/job_lane.h"
#include "measure/measurers.h"
#include "widgets/base/selection.h"
#include "widgets/inspector/latency_reasons.h"

#include <QObject>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

class RunnerUpTimes : public QObject {
    Q_OBJECT

public:
    RunnerUpTimes(Document *document, std::shared_ptr<Measurers> measurers, QObject *parent = nullptr);

    // Of the block that is selected in the current result; empty until known.
    [[nodiscard]] std::vector<RunnerUpTime> timesFor(const Selected &selected) const;
    [[nodiscard]] bool isBusy() const { return m_lane.isBusy(); }

    void request(const Selected &selected); // simulated devices only
    void requestNow(const Selected &selected);

signals:
    void changed();
    void failed(const stagecraft::Error &error);
    void busyChanged();

private:
    // The runners-up of a block that stand on the page of a result, and other strategies of one of its stages.
    struct Asked {
        ResultId id;
        std::size_t block = 0;
        std::vector<Stage> stages; // of the result, which may be edited
        std::vector<Stage> others; // of the selected stage

        friend bool operator==(const Asked &, const Asked &) = default;
    };
    struct Known {
        Asked asked;
        std::vector<RunnerUpTime> times;
    };

    [[nodiscard]] std::optional<Asked> askedBy(const Selected &selected) const; // nullopt: nothing to say
    [[nodiscard]] const Known *find(const Asked &asked) const;
    void start(const Asked &asked);

    Document *m_document;
    std::shared_ptr<Measurers> m_measurers;
    std::deque<Known> m_known; // the most recent ones
    std::optional<Asked> m_underWay;
    JobLane m_lane; // last member: its work uses the others
};

} // namespace stagecraft
