#pragma once

// Searches that wait in line for the one that runs, what it reports, and what Stop does to them and to measurements.
// Also measures the baselines of what is open. Lives on the UI thread.

#include "desktop/document/document.h"
#include "desktop/work/result_queue.h"
#include "measure/rounds.h"
#include "search/options.h"
#include "search/progress.h"

#include <QObject>

#include <vector>

namespace stagecraft {

class WaitingLine;

// Its results are on the shelf while it waits.
struct PlannedSearch {
    Target target;
    std::vector<ResultToMake> results;
    SearchOptions options;
    bool isComparison = false;
    ResultQueue::Work work{}; // instead of a search
};

class SearchLine : public QObject {
    Q_OBJECT

public:
    SearchLine(Document *document, ResultQueue *queue, WaitingLine *waiting, QObject *parent);

    void add(PlannedSearch planned);
    void stopAll();            // the search that runs, or else all measuring
    void stop(ResultId id);    // keeps what was measured
    void takeOut(ResultId id); // delivers nothing
    void measureBaselines();   // those that are missing, of the model on the device
    void dropBaselinesInLine();
    void cancel(); // delivers nothing

    // For the search under way, on its lane: the result is being made, and all are timed in rounds, on a measuring
    // device. A stop before the last round leaves them as they are.
    void begin(ResultId id, const JobLane::Context &context);
    void timeInRounds(const std::vector<ResultBeside> &results, DeviceSession &session,
                      const JobLane::Context &context);

    [[nodiscard]] bool hasWaiting() const { return !m_planned.empty(); }
    [[nodiscard]] bool isComparing() const { return m_underWay.isComparison; }
    [[nodiscard]] ResultId searched() const { return m_searched; } // invalid: none

signals:
    void started(stagecraft::ResultId id); // of the search under way
    void progressed(stagecraft::ResultId id, const stagecraft::SearchProgress &progress);
    void membersChanged(const std::vector<stagecraft::MemberCounts> &members);     // of the pool that searches
    void timedSchedules(stagecraft::ResultId id, qint64 schedules, double bestUs); // of a search for streams
    void choosingLaunchOrders(qint64 stage, qint64 stages);
    void timingInRounds(const stagecraft::RoundsProgress &progress);
    void stagesLeftOut(stagecraft::ResultId id, qint64 stages, const stagecraft::Error &example);
    void ended(stagecraft::ResultId last); // its last result that was found; invalid: none
    void changed();                        // what is under way

private:
    void startNext();
    void end();
    [[nodiscard]] ResultQueue::Work workOn(const PlannedSearch &planned);
    void tellMembers(const DeviceSession &session, const JobLane::Context &context);
    void measureBaselines(const Target &target, const std::vector<ResultToMake> &baselines);

    Document *m_document;
    ResultQueue *m_queue;
    WaitingLine *m_waiting;
    std::vector<PlannedSearch> m_planned;
    PlannedSearch m_underWay; // without results: none
    ResultId m_searched;
};

} // namespace stagecraft
