#pragma once

// The long-running work of the window, each kind on its own lane: opening models, measuring, searching and comparing,
// timelines. Takes values and emits values by signals on the UI thread; replaced requests deliver nothing.

#include "desktop/work/job_lane.h"
#include "flow/explain/memory_of_schedule.h"
#include "flow/find_schedule.h"
#include "flow/open_model.h"
#include "measure/changed_spans.h"
#include "measure/measurers.h"
#include "measure/rounds.h"
#include "model/model.h"
#include "model/rewrite/pass_step.h"
#include "results/schedule_result.h"
#include "search/layouts/layout_choice.h"
#include "search/stages/count.h"
#include "search/stages/search.h"
#include "timing/timeline/timeline_index.h"

#include <QObject>
#include <QString>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

using ModelPtr = std::shared_ptr<const Model>;
using SchedulePtr = std::shared_ptr<const Schedule>;

// Reports errors of a device's latency store from any measuring thread.
class StoreErrors : public QObject {
    Q_OBJECT

signals:
    void reported(const stagecraft::Error &error);
};

// The sources of models and devices; tests supply their own.
struct Services {
    std::function<Result<OpenedModel>(const std::string &spec, const ModelReadOptions &options)> openModel;
    std::function<std::vector<DeviceInfo>()> listDevices;
    DeviceFinder findDevice;
    std::string defaultDevice;
    std::string latencyStore; // where measured latencies are stored; empty: nowhere
    std::shared_ptr<StoreErrors> storeErrors = std::make_shared<StoreErrors>();
    std::shared_ptr<Measurers> measurers{}; // of all windows; null: the window has its own
};

[[nodiscard]] Services installedServices();

// A model on a device, the basis of each measurement.
struct Target {
    ModelPtr model;
    std::string deviceId;
};

// A result to be made, under its id on the shelf.
struct ResultToMake {
    ResultId id;
    ScheduleKind kind = ScheduleKind::Sequential;
};

// An existing result.
struct ResultBeside {
    ResultId id;
    SchedulePtr schedule;
    bool isBaseline = false;
};

// A schedule edited by hand; known stages need no measuring.
struct EditToMeasure {
    Target target;
    ResultId id;
    SchedulePtr edited;
    SchedulePtr known; // has the known stage latencies
    ResultId from;     // the source of the edit, timed in rounds with it
    SchedulePtr original;
    ResultBeside baseline{};          // timed with both, if it is another result; without a schedule: none
    std::vector<ChangedSpan> spans{}; // to be timed before and after in rounds, on a device whose latencies carry noise
};

// A result whose memory is planned, and the answer.
struct MemoryToPlan {
    ResultId id;
    ModelPtr model;
    SchedulePtr schedule;
    DeviceInfo device;
};
struct PlannedMemory {
    MemoryToPlan of;
    std::shared_ptr<const ScheduleMemory> memory; // null: it cannot be planned
    QString whyNot;
};

// Layouts to be chosen for the stages of an existing result, as a new one, and the answer.
struct LayoutsToChoose {
    Target target;
    ResultId id;
    ResultBeside of;
    ResultBeside baseline{}; // timed with both, if it is another result; without a schedule: none
};
struct ChosenLayouts {
    ResultId id;
    SchedulePtr schedule;
    QString text; // "NCHW and NHWC, 4 conversions"
    std::shared_ptr<const LayoutChoice> choice;
};

class Jobs : public QObject {
    Q_OBJECT

public:
    explicit Jobs(Services services, QObject *parent = nullptr);
    ~Jobs() override;

    [[nodiscard]] const Services &services() const { return m_services; }

    void open(const QString &spec, const ModelReadOptions &options);
    void stopOpening();
    // From a file, or `embedded`, which is part of the model's file at that path.
    void openSchedule(const Target &target, const QString &path, const SchedulePtr &embedded = {});
    // Measurements are queued: edits first, then baselines, then the rest as it comes.
    void measureBaselines(const Target &target, const std::vector<ResultToMake> &results);
    // Measures a schedule from here or another device again, including its disturbed stages.
    void measureAgain(const Target &target, ResultId id, const SchedulePtr &schedule);
    // Replaces its previous version.
    void measureEdit(const EditToMeasure &edit);
    void dropEdit(ResultId id); // nothing else of the result
    // Takes it out of the queue, or ends it if it is under way: nothing is delivered. False: it is not there.
    bool dropMeasuring(ResultId id);
    std::vector<ResultId> dropBaselinesInLine(); // those that have not begun; returns them
    [[nodiscard]] ResultId measured() const;     // what is being measured; invalid: nothing
    [[nodiscard]] std::vector<ResultId> measuringInLine() const;
    // Measures one of its stages again, ignoring stored latencies.
    void measureStage(const Target &target, ResultId id, const SchedulePtr &schedule, std::size_t stage);
    // `beside`: existing results, baselines first. On a measuring device, all are timed in rounds at the end.
    void search(const Target &target, std::vector<ResultToMake> results, const SearchOptions &options,
                std::vector<ResultBeside> beside);
    // States, transitions and schedules of each block, with a short time limit; replaces a running count.
    void countSpaces(const ModelPtr &model, const SearchOptions &options);
    void stopCounting();
    // In the place of a search. On a measuring device it is timed in rounds at the end.
    void chooseLayouts(const LayoutsToChoose &what);
    // Why the operator does not run as it is fastest alone; replaces what is being explained.
    void explainLayout(const std::shared_ptr<const LayoutChoice> &choice, OperatorId op);
    void stopSearch();   // still delivers the best so far
    void cancelSearch(); // delivers nothing
    void makeTimeline(const Target &target, ResultId id, const SchedulePtr &schedule);
    void planMemory(std::vector<MemoryToPlan> results); // replaces what is being planned
    // The graph before and after a pass of the model's reading; replaces those that are being made.
    void findPassSteps(const ModelPtr &model, const QString &pass);
    void cancelMeasuring(); // baselines, repeated measurements, and timelines

    // Every device of this installation, and those of the user's own that can be found; replaces the previous search.
    void listDevices(const QStringList &own);
    // A device that is not listed, or one from a file, which may have changed; replaces the previous question.
    void findDevice(const QString &id);
    // Whether the file is a device, and which.
    void recognise(const QString &path);

    // Latencies in the store, and their removal; `then` gets their number. Replaces the previous question.
    using StoredThen = std::function<void(const Result<std::int64_t> &count)>;
    void countStored(const StoredSelection &meant, StoredThen then);
    void forgetStored(const StoredSelection &meant, StoredThen then);

    [[nodiscard]] bool isOpening() const { return m_opening.isBusy() || m_finding.isBusy(); }
    [[nodiscard]] bool isSearching() const { return m_searching.isBusy(); }
    [[nodiscard]] bool isMakingTimeline() const { return m_timelines.isBusy(); }
    [[nodiscard]] bool isPlanningMemory() const { return m_planning.isBusy(); }
    [[nodiscard]] bool isMeasuring() const { return m_measuring.isBusy() || !m_toMeasure.empty(); }
    // Studies wait meanwhile (measure/turns.h).
    [[nodiscard]] bool isUsingDevices() const { return isSearching() || isMeasuring() || isMakingTimeline(); }
    [[nodiscard]] bool isIdle() const;

signals:
    // `embedded`: the schedule in its file; null: there is none.
    void opened(const QString &spec, const stagecraft::ModelPtr &model, const stagecraft::SchedulePtr &embedded);
    // `open`: inputs whose sizes the file leaves open, with proposals.
    void openFailed(const QString &spec, const stagecraft::Error &error,
                    const std::vector<stagecraft::OpenInput> &open);
    void openingStopped(const QString &spec);
    // `file`: the device, batch and precision it was made for.
    void scheduleOpened(const QString &path, const stagecraft::SchedulePtr &schedule,
                        const stagecraft::SchedulePtr &file);
    void scheduleRefused(const QString &path, const stagecraft::Error &error);
    void made(stagecraft::ResultId id, const stagecraft::SchedulePtr &schedule,
              const std::vector<stagecraft::BlockSearch> &blocks);
    // For a search: the number of stages that could not be measured, and one of them with the reason.
    void stagesLeftOut(stagecraft::ResultId id, qint64 stages, const stagecraft::Error &example);
    void measuredAgain(stagecraft::ResultId id, const stagecraft::SchedulePtr &schedule);
    void stageMeasuredAgain(stagecraft::ResultId id, std::size_t stage, const stagecraft::Timing &timing);
    void measureAgainFailed(stagecraft::ResultId id, const stagecraft::Error &error);
    void stageMeasured(stagecraft::ResultId id, const stagecraft::Stage &stage, const stagecraft::Timing &timing);
    void editMeasured(stagecraft::ResultId id, const stagecraft::SchedulePtr &schedule);
    void spanTimed(stagecraft::ResultId id, const stagecraft::TimedSpan &timed); // of an edit, after editMeasured()
    void measuringStarted(stagecraft::ResultId id);
    void measuringQueued(stagecraft::ResultId id); // behind what is being measured
    // The measurement or search under way waits for others that use the device; nothing: no longer.
    void measuringWaits(const std::optional<stagecraft::DeviceWait> &wait);
    void searchWaits(const std::optional<stagecraft::DeviceWait> &wait);
    void baselineFailed(stagecraft::ResultId id, const stagecraft::Error &error); // Sequential or Greedy
    void measureFailed(const stagecraft::Error &error);                           // for searches
    // Measuring outside of searches failed unexpectedly: everything queued is dropped.
    void measuringBroke(const stagecraft::Error &error);
    void searchStarted(stagecraft::ResultId id);
    void searchProgress(stagecraft::ResultId id, const stagecraft::SearchProgress &progress);
    // Of operators and conversions, so many before the layouts are chosen.
    void layoutsProfiled(qint64 done, qint64 all);
    void layoutsSearched(qint64 done, qint64 all); // of the operators, in order
    void layoutsChosen(const stagecraft::ChosenLayouts &chosen);
    void layoutExplained(const std::shared_ptr<const stagecraft::LayoutChoice> &choice, stagecraft::OperatorId op,
                         const stagecraft::LayoutReason &reason);
    void searchStopped(); // before there was any schedule
    void timingInRounds(const stagecraft::RoundsProgress &progress);
    void timedInRounds(const std::vector<stagecraft::ResultId> &ids,
                       const std::vector<stagecraft::TimingInRounds> &times);
    void searchFinished();
    // Blocks in order, several at a time.
    void counted(std::size_t firstBlock, const std::vector<stagecraft::SpaceCount> &counts);
    void timelineMade(stagecraft::ResultId id, const std::shared_ptr<const stagecraft::TimelineIndex> &timeline);
    void timelineFailed(const stagecraft::Error &error);
    void memoryPlanned(const std::vector<stagecraft::PlannedMemory> &planned);
    void passStepsFound(const stagecraft::ModelPtr &model, const QString &pass,
                        const std::vector<stagecraft::PassStep> &steps);
    // A null model: of whatever was looked for, unexpectedly.
    void passStepsFailed(const stagecraft::ModelPtr &model, const QString &pass, const stagecraft::Error &error);
    void devicesListed(const std::vector<stagecraft::DeviceInfo> &devices);
    void deviceFound(const stagecraft::DeviceInfo &device);
    void deviceRefused(const stagecraft::Error &error);
    void noDeviceIn(const QString &path);             // it is something else
    void storeFailed(const stagecraft::Error &error); // measuring continues without it
    void busyChanged();

private:
    enum class Turn { OfEdit, OfBaseline, Other }; // who goes first
    struct Measuring {
        ResultId id;
        Turn turn = Turn::Other;
        JobLane::Work work{};
    };

    void measure(Measuring next); // queued
    void startMeasuring(Measuring next);
    void startNextMeasuring();
    using WaitSignal = void (Jobs::*)(const std::optional<DeviceWait> &);
    [[nodiscard]] JobLane::Delivery foundDevice(const std::string &id); // on a lane
    // For a lane: opens the device with who is told that it waits.
    [[nodiscard]] std::function<Result<Measurers::Opened>(const Target &)> opener(Urgency urgency, WaitSignal signal);

    Services m_services;
    std::deque<Measuring> m_toMeasure;
    ResultId m_measured; // by the lane, if it is busy
    Turn m_measuredTurn = Turn::Other;
    JobLane m_listing;
    JobLane m_finding;
    JobLane m_storing;
    JobLane m_opening;
    JobLane m_measuring;
    JobLane m_searching;
    JobLane m_timelines;
    JobLane m_counting;
    JobLane m_planning;
    JobLane m_explaining;
    JobLane m_stepping; // through passes
};

} // namespace stagecraft
