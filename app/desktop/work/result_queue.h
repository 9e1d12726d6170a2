#pragma once

// Results that are made in the background: by searches on one lane, one at a time, and by measurements on another,
// which wait in line: edits first, then baselines, then the rest as it comes. Lives on the UI thread; work runs on its
// lane's.

#include "desktop/work/job_lane.h"
#include "desktop/work/target.h"
#include "measure/measurers.h"
#include "results/schedule_result.h"

#include <QObject>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

class ResultQueue : public QObject {
    Q_OBJECT

public:
    enum class Turn { OfEdit, OfBaseline, Other }; // who goes first

    using Open = std::function<Result<Measurers::Opened>()>; // the model on the device; who waits for it is told
    // What it returns is called on the UI thread once the lane is free.
    using Work = std::function<Result<JobLane::Delivery>(const Open &open, const JobLane::Context &context)>;

    explicit ResultQueue(std::shared_ptr<Measurers> measurers, QObject *parent = nullptr);

    void measure(ResultId id, Turn turn, const Target &target, const Work &work);
    void measureEdit(ResultId id, const Target &target, const Work &work); // in the place of its previous version
    void dropEdit(ResultId id);                                            // nothing else of the result
    // Takes it out of the line, or ends it if it is under way: nothing is delivered. False: it is not there.
    bool drop(ResultId id);
    std::vector<ResultId> dropBaselinesInLine(); // those that have not begun; returns them
    void cancelMeasuring();

    [[nodiscard]] ResultId measured() const; // what is being measured; invalid: nothing
    [[nodiscard]] std::vector<ResultId> inLine() const;

    void search(const Target &target, const Work &work);
    void stopSearch();   // still delivers the best so far
    void cancelSearch(); // delivers nothing

    [[nodiscard]] bool isSearching() const { return m_searching.isBusy(); }
    [[nodiscard]] bool isMeasuring() const { return m_measuring.isBusy() || !m_inLine.empty(); }
    [[nodiscard]] bool isBusy() const { return isSearching() || isMeasuring(); }

signals:
    void measuringStarted(stagecraft::ResultId id);
    void measuringQueued(stagecraft::ResultId id); // behind what is being measured
    void measuringFailed(stagecraft::ResultId id, const stagecraft::Error &error);
    // It failed unexpectedly: everything in line is dropped.
    void measuringBroke(const stagecraft::Error &error);
    void searchFailed(const stagecraft::Error &error);
    void searchStopped();  // before there was any schedule
    void searchFinished(); // in any case, and last
    // The one under way waits for others that use the device; nothing: no longer.
    void measuringWaits(const std::optional<stagecraft::DeviceWait> &wait);
    void searchWaits(const std::optional<stagecraft::DeviceWait> &wait);
    void busyChanged();

private:
    struct Measuring {
        ResultId id;
        Turn turn = Turn::Other;
        JobLane::Work work{};
    };
    using WaitSignal = void (ResultQueue::*)(const std::optional<DeviceWait> &);

    [[nodiscard]] Open opener(const Target &target, Urgency urgency, WaitSignal signal);
    [[nodiscard]] Measuring measuring(ResultId id, Turn turn, const Target &target, const Work &work);
    void lineUp(Measuring next);
    void start(Measuring next);
    void startNext();

    std::shared_ptr<Measurers> m_measurers;
    std::deque<Measuring> m_inLine;
    ResultId m_measured; // by the lane, if it is busy
    Turn m_measuredTurn = Turn::Other;
    JobLane m_measuring;
    JobLane m_searching;
};

} // namespace stagecraft
