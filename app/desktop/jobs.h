#pragma once

// The long work of the window, each kind on its own lane: opening models, measuring, searching and comparing,
// timelines. Values in, values out by signals on the UI thread; what a newer request replaced is never delivered.

#include "desktop/job_lane.h"
#include "desktop/session_cache.h"
#include "model/model.h"
#include "search/count.h"
#include "search/search.h"
#include "services/interleaved_timing.h"
#include "services/make_schedule.h"
#include "services/open_model.h"
#include "shelf/schedule_result.h"
#include "timeline/timeline.h"

#include <QObject>
#include <QString>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

using ModelPtr = std::shared_ptr<const Model>;
using SchedulePtr = std::shared_ptr<const Schedule>;

// What the latency store of a device has to tell, from whichever thread measures.
class StoreErrors : public QObject {
    Q_OBJECT

signals:
    void reported(const stagecraft::Error &error);
};

// Where models and devices come from; tests bring their own.
struct Services {
    std::function<Result<Model>(const std::string &spec, const OpenOptions &options)> openModel;
    std::function<std::vector<DeviceInfo>()> listDevices;
    DeviceFinder findDevice;
    std::string defaultDevice;
    std::string latencyStore; // where measured latencies are kept; empty: nowhere
    std::shared_ptr<StoreErrors> storeErrors = std::make_shared<StoreErrors>();
};

[[nodiscard]] Services installedServices();

// A model on a device: what every measurement belongs to.
struct Target {
    ModelPtr model;
    std::string deviceId;
};

// A result that is to be made, under the id it has on the shelf.
struct ResultToMake {
    ResultId id;
    ScheduleKind kind = ScheduleKind::Sequential;
};

// A result that was made before.
struct ResultBeside {
    ResultId id;
    SchedulePtr schedule;
    bool isBaseline = false;
};

// A schedule that was edited by hand: what is known of its stages needs no measuring.
struct EditToMeasure {
    Target target;
    ResultId id;
    SchedulePtr edited;
    SchedulePtr known; // stages with their times
    ResultId from;     // what it was edited from, to be timed in turn with it
    SchedulePtr original;
};

class Jobs : public QObject {
    Q_OBJECT

public:
    explicit Jobs(Services services, QObject *parent = nullptr);

    [[nodiscard]] const Services &services() const { return m_services; }

    void open(const QString &spec, const OpenOptions &options);
    void openSchedule(const Target &target, const QString &path);
    // Measurements wait in line for each other.
    void measureBaselines(const Target &target, const std::vector<ResultToMake> &results);
    // A schedule that was measured before, here or on another device, with what was disturbed in it once more.
    void measureAgain(const Target &target, ResultId id, const SchedulePtr &schedule);
    // Before all else that waits; in place of what it was a moment ago.
    void measureEdit(const EditToMeasure &edit);
    void dropEdit(ResultId id);
    // One stage of it, whatever was kept of that.
    void measureStage(const Target &target, ResultId id, const SchedulePtr &schedule, std::size_t stage);
    // `beside`: what was made before, baselines first. On a measured device all are timed in turn in the end.
    void search(const Target &target, std::vector<ResultToMake> results, const SearchOptions &options,
                std::vector<ResultBeside> beside);
    // States, transitions and schedules of every block, each for at most a moment; replaces a count under way.
    void countSpaces(const ModelPtr &model, const SearchOptions &options);
    void stopCounting();
    void stopSearch();   // the best so far is still delivered
    void cancelSearch(); // nothing of it is delivered any more
    void makeTimeline(const Target &target, ResultId id, const SchedulePtr &schedule);
    void cancelMeasuring(); // baselines, what is measured again, and timelines

    [[nodiscard]] bool isSearching() const { return m_searching.isBusy(); }
    [[nodiscard]] bool isMakingTimeline() const { return m_timelines.isBusy(); }
    [[nodiscard]] bool isMeasuring() const { return m_measuring.isBusy() || !m_toMeasure.empty(); }
    [[nodiscard]] bool isIdle() const;

signals:
    void opened(const QString &spec, const stagecraft::ModelPtr &model);
    void openFailed(const QString &spec, const stagecraft::Error &error);
    // `file`: as it says it was made: for which device, batch and precision.
    void scheduleOpened(const QString &path, const stagecraft::SchedulePtr &schedule,
                        const stagecraft::SchedulePtr &file);
    void scheduleRefused(const QString &path, const stagecraft::Error &error);
    void made(stagecraft::ResultId id, const stagecraft::SchedulePtr &schedule,
              const std::vector<stagecraft::BlockSearch> &blocks);
    // Of a search: so many stages could not be measured; of one of them, which it is and why not.
    void stagesLeftOut(stagecraft::ResultId id, qint64 stages, const stagecraft::Error &example);
    void measuredAgain(stagecraft::ResultId id, const stagecraft::SchedulePtr &schedule);
    void stageMeasuredAgain(stagecraft::ResultId id, std::size_t stage, const stagecraft::Timing &timing);
    void measureAgainFailed(stagecraft::ResultId id, const stagecraft::Error &error);
    void stageMeasured(stagecraft::ResultId id, const stagecraft::Stage &stage, const stagecraft::Timing &timing);
    void editMeasured(stagecraft::ResultId id, const stagecraft::SchedulePtr &schedule,
                      const stagecraft::BoundaryCost &boundary);
    // Sequential or Greedy could not be measured.
    void baselinesFailed(const std::vector<stagecraft::ResultId> &ids, const stagecraft::Error &error);
    void measureFailed(const stagecraft::Error &error); // a search
    // What is measured beside searches went wrong in a way of its own: nothing comes of what waits for it.
    void measuringBroke(const stagecraft::Error &error);
    void searchStarted(stagecraft::ResultId id);
    void searchProgress(stagecraft::ResultId id, const stagecraft::SearchProgress &progress);
    void searchStopped(); // before there was any schedule to keep
    void timingInterleaved();
    void timedInterleaved(const std::vector<stagecraft::ResultId> &ids,
                          const std::vector<stagecraft::InterleavedTiming> &times);
    void searchFinished();
    // Blocks one after another, some at a time.
    void counted(std::size_t firstBlock, const std::vector<stagecraft::SpaceCount> &counts);
    void timelineMade(stagecraft::ResultId id, const std::shared_ptr<const stagecraft::Timeline> &timeline);
    void timelineFailed(const stagecraft::Error &error);
    void storeFailed(const stagecraft::Error &error); // measuring goes on without it
    void busyChanged();

private:
    struct Measuring {
        JobLane::Work work;
        ResultId edit{}; // not valid: it is none
    };

    void measure(JobLane::Work work); // when those before it are done
    void startMeasuring(Measuring next);

    Services m_services;
    // Each cache belongs to the thread of the lane it is named after.
    std::shared_ptr<SessionCache> m_measuringSession;
    std::shared_ptr<SessionCache> m_searchingSession;
    std::shared_ptr<SessionCache> m_timelineSession;
    std::deque<Measuring> m_toMeasure;
    ResultId m_editMeasured; // now
    JobLane m_opening;
    JobLane m_measuring;
    JobLane m_searching;
    JobLane m_timelines;
    JobLane m_counting;
};

} // namespace stagecraft
