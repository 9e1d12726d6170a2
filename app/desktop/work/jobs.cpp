#include "desktop/work/jobs.h"

#include "device/device_file.h"
#include "flow/open/pass_steps.h"
#include "flow/open/schedule_file.h"
#include "measure/store/latency_store.h"
#include "results/schedule_words.h"
#include "support/error_text.h"
#include "support/input_file.h"
#include "support/sha256.h"
#include "support/text_file.h"
#include "wiring/device_catalog.h"

#include <QFile>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::uintmax_t kLargestDeviceFile = std::uintmax_t{1} << 30;
// Time limits for counting spaces: all blocks, one block, and one block after the total is used up.
constexpr double kCountSeconds = 12;
constexpr double kBlockCountSeconds = 2;
constexpr double kLeastCountSeconds = 0.02;
constexpr std::size_t kCountStates = 2'000'000; // 300 MiB
constexpr auto kCountReportEvery = std::chrono::milliseconds(50);

struct OpenedSchedule {
    Schedule measured;
    Schedule file;
};

// Errors have no path: the caller knows it.
Result<Schedule> scheduleIn(const std::string &file, const Model &model)
{
    auto text = readTextFile(file);
    if (!text) {
        text.error().context.clear();
        return tl::unexpected(text.error());
    }
    return scheduleFromFile(*text, model);
}

Result<OpenedSchedule> readSchedule(const Target &target, const QString &path, const SchedulePtr &embedded,
                                    Measurers &measurers, const std::stop_token &stop)
{
    TRY_AS(const auto schedule,
           embedded ? *embedded : scheduleIn(QFile::encodeName(path).toStdString(), *target.model));
    OpenedSchedule read{schedule, schedule};
    // Its latencies may be for another device or batch: it is measured again here.
    read.measured.batch = target.model->graph->batch();
    TRY_AS(auto opened, measurers.open(target.model->graph, target.deviceId, Urgency::User));
    TRY(measureInto(read.measured, *target.model, *opened.session, opened.device, stop));
    return read;
}

Result<DeviceInfo> infoOf(const Services &services, const std::string &id)
{
    TRY_AS(const auto device, services.findDevice(id));
    DeviceInfo info = device->info();
    info.id = id;
    const auto file = deviceFile(id);
    if (!file.empty()) {
        TRY_AS(const auto text, readInputFile(file, kLargestDeviceFile));
        info.fileHash = sha256(text);
    }
    return info;
}

// Results that are timed in rounds with each other, baselines first.
struct SchedulesInRounds {
    std::vector<ResultId> ids;
    std::vector<TimingInRounds> times;
};

// Errors as in measureSchedulesInRounds.
Result<SchedulesInRounds> timeResultsInRounds(std::vector<ResultBeside> results, DeviceSession &session,
                                              const std::stop_token &stop, const RoundsCallback &onProgress)
{
    std::ranges::stable_sort(results, std::ranges::greater(), &ResultBeside::isBaseline);
    std::vector<Schedule> schedules;
    SchedulesInRounds timed;
    for (const ResultBeside &result : results) {
        timed.ids.push_back(result.id);
        schedules.push_back(*result.schedule);
    }
    TRY_AS(auto times, measureSchedulesInRounds(schedules, session, kDefaultRounds, stop, onProgress));
    timed.times = std::move(times);
    return timed;
}

} // namespace

Services installedServices()
{
    Services services{openModel, listDevices, {}, defaultDeviceId(), defaultLatencyStorePath()};
    services.findDevice = [errors = services.storeErrors](const std::string &id) {
        return findDevice(id, [errors](const Error &error) { emit errors->reported(error); });
    };
    return services;
}

Jobs::Jobs(Services services, QObject *parent) : QObject(parent), m_services(std::move(services))
{
    if (!m_services.measurers)
        m_services.measurers = std::make_shared<Measurers>(m_services.findDevice, m_services.latencyStore);
    for (JobLane *lane : {&m_listing, &m_finding, &m_storing, &m_opening, &m_measuring, &m_searching, &m_timelines,
                          &m_counting, &m_planning, &m_explaining, &m_stepping})
        connect(lane, &JobLane::busyChanged, this, &Jobs::busyChanged);
    connect(&m_measuring, &JobLane::busyChanged, this, &Jobs::startNextMeasuring);
    const auto onFailure = [this](JobLane &lane, auto tell) {
        connect(&lane, &JobLane::workFailed, this, [tell](const QString &reason) {
            tell({ErrorCode::DeviceFailed, reason.toStdString(), {}, {}});
        });
    };
    onFailure(m_finding, [this](const Error &error) { emit deviceRefused(error); });
    onFailure(m_opening, [this](const Error &error) { emit openFailed({}, error, {}); });
    onFailure(m_measuring, [this](const Error &error) {
        m_toMeasure.clear();
        emit measuringBroke(error);
    });
    onFailure(m_searching, [this](const Error &error) {
        emit measureFailed(error);
        emit searchFinished();
    });
    onFailure(m_stepping, [this](const Error &error) { emit passStepsFailed(nullptr, {}, error); });
    onFailure(m_timelines, [this](const Error &error) { emit timelineFailed(error); });
    connect(m_services.storeErrors.get(), &StoreErrors::reported, this, &Jobs::storeFailed);
}

// Lanes that end start nothing more.
Jobs::~Jobs()
{
    m_toMeasure.clear();
}

std::function<Result<Measurers::Opened>(const Target &)> Jobs::opener(Urgency urgency, WaitSignal signal)
{
    Device::Waiting told; // on the thread that measures
    if (signal)
        told = [this, signal](const std::optional<DeviceWait> &wait) {
            QMetaObject::invokeMethod(
                this, [this, signal, wait] { emit(this->*signal)(wait); }, Qt::QueuedConnection);
        };
    return [measurers = m_services.measurers, urgency, told](const Target &target) {
        return measurers->open(target.model->graph, target.deviceId, urgency, told);
    };
}

void Jobs::listDevices(const QStringList &own)
{
    m_listing.start([this, own, services = m_services](const JobLane::Context &) -> JobLane::Delivery {
        std::vector<DeviceInfo> devices = services.listDevices();
        for (const QString &id : own) {
            if (auto device = infoOf(services, id.toStdString())) // not if its file is gone
                devices.push_back(std::move(*device));
        }
        return [this, devices = std::move(devices)] { emit devicesListed(devices); };
    });
}

JobLane::Delivery Jobs::foundDevice(const std::string &id)
{
    auto device = infoOf(m_services, id);
    if (!device)
        return [this, error = device.error()] { emit deviceRefused(error); };
    return [this, device = std::move(*device)] { emit deviceFound(device); };
}

void Jobs::findDevice(const QString &id)
{
    m_finding.start([this, id](const JobLane::Context &) { return foundDevice(id.toStdString()); });
}

void Jobs::recognise(const QString &path)
{
    m_finding.start([this, path](const JobLane::Context &) -> JobLane::Delivery {
        const std::string id = deviceIn(path.toStdString());
        if (id.empty())
            return [this, path] { emit noDeviceIn(path); };
        return foundDevice(id);
    });
}

void Jobs::countStored(const StoredSelection &meant, StoredThen then)
{
    m_storing.start([meant, then = std::move(then), measurers = m_services.measurers](const JobLane::Context &) {
        return JobLane::Delivery([then, count = measurers->countStored(meant)] { then(count); });
    });
}

void Jobs::forgetStored(const StoredSelection &meant, StoredThen then)
{
    m_storing.start([meant, then = std::move(then), measurers = m_services.measurers](const JobLane::Context &) {
        return JobLane::Delivery([then, count = measurers->forgetStored(meant)] { then(count); });
    });
}

void Jobs::open(const QString &spec, const ModelReadOptions &options)
{
    m_opening.start(
        [this, spec, options, open = m_services.openModel](const JobLane::Context &context) -> JobLane::Delivery {
            ModelReadOptions within = options;
            within.budget = openingBudget(context.stop);
            auto model = open(spec.toStdString(), within);
            if (!model && model.error().code == ErrorCode::Cancelled)
                return [this, spec] { emit openingStopped(spec); };
            if (!model)
                return [this, spec, error = model.error(), inputs = openInputsOf(spec.toStdString())] {
                    emit openFailed(spec, error, inputs);
                };
            SchedulePtr embedded;
            if (model->embedded)
                embedded = std::make_shared<const Schedule>(std::move(*model->embedded));
            return [this, spec, embedded, shared = std::make_shared<const Model>(std::move(model->model))] {
                emit opened(spec, shared, embedded);
            };
        });
}

void Jobs::openSchedule(const Target &target, const QString &path, const SchedulePtr &embedded)
{
    m_opening.start([this, target, path, embedded,
                     measurers = m_services.measurers](const JobLane::Context &context) -> JobLane::Delivery {
        auto schedule = readSchedule(target, path, embedded, *measurers, context.stop);
        if (!schedule)
            return [this, path, error = schedule.error()] { emit scheduleRefused(path, error); };
        return [this, path, shared = std::make_shared<const Schedule>(std::move(schedule->measured)),
                file = std::make_shared<const Schedule>(std::move(schedule->file))] {
            emit scheduleOpened(path, shared, file);
        };
    });
}

void Jobs::measure(Measuring next)
{
    if (!m_measuring.isBusy()) {
        startMeasuring(std::move(next));
        return;
    }
    const ResultId id = next.id;
    m_toMeasure.insert(std::ranges::upper_bound(m_toMeasure, next.turn, {}, &Measuring::turn), std::move(next));
    emit measuringQueued(id);
}

void Jobs::startMeasuring(Measuring next)
{
    m_measured = next.id;
    m_measuredTurn = next.turn;
    m_measuring.start(std::move(next.work));
    emit measuringStarted(m_measured);
}

void Jobs::startNextMeasuring()
{
    if (m_measuring.isBusy() || m_toMeasure.empty())
        return;
    Measuring next = std::move(m_toMeasure.front());
    m_toMeasure.pop_front();
    startMeasuring(std::move(next));
}

bool Jobs::dropMeasuring(ResultId id)
{
    const bool waits = std::erase_if(m_toMeasure, [id](const Measuring &each) { return each.id == id; }) > 0;
    const bool isUnderWay = measured() == id;
    if (isUnderWay)
        m_measuring.cancel(); // starts the next
    return waits || isUnderWay;
}

std::vector<ResultId> Jobs::dropBaselinesInLine()
{
    std::vector<ResultId> dropped;
    for (const Measuring &each : m_toMeasure) {
        if (each.turn == Turn::OfBaseline)
            dropped.push_back(each.id);
    }
    std::erase_if(m_toMeasure, [](const Measuring &each) { return each.turn == Turn::OfBaseline; });
    return dropped;
}

ResultId Jobs::measured() const
{
    return m_measuring.isBusy() ? m_measured : ResultId();
}

std::vector<ResultId> Jobs::measuringInLine() const
{
    std::vector<ResultId> ids;
    std::ranges::transform(m_toMeasure, std::back_inserter(ids), &Measuring::id);
    return ids;
}

void Jobs::measureBaselines(const Target &target, const std::vector<ResultToMake> &results)
{
    for (const auto &[id, kind] : results) {
        measure({id, Turn::OfBaseline,
                 [this, target, id, kind, open = opener(Urgency::User, &Jobs::measuringWaits)](
                     const JobLane::Context &context) -> JobLane::Delivery {
                     const auto failed = [&](const Error &error) {
                         return [this, id, error] { emit baselineFailed(id, error); };
                     };
                     auto opened = open(target);
                     if (!opened)
                         return failed(opened.error());
                     auto baseline =
                         findSchedule(*target.model, *opened->session, opened->device, {kind}, {}, context.stop);
                     if (!baseline)
                         return failed(baseline.error());
                     return [this, id, schedule = std::make_shared<const Schedule>(std::move(baseline->schedule))] {
                         emit made(id, schedule, {});
                     };
                 }});
    }
}

void Jobs::measureAgain(const Target &target, ResultId id, const SchedulePtr &schedule)
{
    const auto work = [this, target, id, schedule, open = opener(Urgency::User, &Jobs::measuringWaits)](
                          const JobLane::Context &context) -> JobLane::Delivery {
        auto opened = open(target);
        if (!opened)
            return [this, id, error = opened.error()] { emit measureAgainFailed(id, error); };
        auto copy = std::make_shared<Schedule>(*schedule);
        auto measured = measureInto(*copy, *target.model, *opened->session, opened->device, context.stop);
        if (measured && disturbedStages(*copy) > 0) {
            DisturbedLatencies *disturbed = opened->session->disturbed();
            const auto goOn = [] { return true; };
            if (disturbed && disturbed->measureAgain(goOn, context.stop).value_or(0) > 0)
                measured = measureInto(*copy, *target.model, *opened->session, opened->device, context.stop);
        }
        if (!measured)
            return [this, id, error = measured.error()] { emit measureAgainFailed(id, error); };
        return [this, id, copy] { emit measuredAgain(id, copy); };
    };
    measure({id, Turn::Other, work});
}

void Jobs::measureStage(const Target &target, ResultId id, const SchedulePtr &schedule, std::size_t stage)
{
    const auto work = [this, target, id, schedule, stage, open = opener(Urgency::User, &Jobs::measuringWaits)](
                          const JobLane::Context &context) -> JobLane::Delivery {
        auto opened = open(target);
        const auto failed = [&](const Error &error) {
            return [this, id, error] { emit measureAgainFailed(id, error); };
        };
        if (!opened)
            return failed(opened.error());
        const auto latency = opened->session->measureStage(schedule->stages[stage], context.stop);
        if (!latency)
            return failed(latency.error());
        return [this, id, stage, timing = latency->timing] { emit stageMeasuredAgain(id, stage, timing); };
    };
    measure({id, Turn::Other, work});
}

void Jobs::search(const Target &target, std::vector<ResultToMake> results, const SearchOptions &options,
                  std::vector<ResultBeside> beside)
{
    m_searching.start(
        [this, target, results = std::move(results), options, beside = std::move(beside),
         open = opener(Urgency::Search, &Jobs::searchWaits)](const JobLane::Context &context) -> JobLane::Delivery {
            auto opened = open(target);
            const auto failed = [this](const Error &error) {
                return [this, error] {
                    emit measureFailed(error);
                    emit searchFinished();
                };
            };
            if (!opened)
                return failed(opened.error());
            std::vector<ResultBeside> all = beside;
            for (const auto &[id, kind] : results) {
                if (context.stop.stop_requested())
                    break;
                context.report([this, id] { emit searchStarted(id); });
                const auto progress = [this, id, &context](const SearchProgress &now) {
                    context.report([this, id, now] { emit searchProgress(id, now); });
                };
                auto result = findSchedule(*target.model, *opened->session, opened->device, {kind, options}, {progress},
                                           context.stop);
                if (!result && result.error().code == ErrorCode::Cancelled)
                    return [this] {
                        emit searchStopped();
                        emit searchFinished();
                    };
                if (!result)
                    return failed(result.error());
                const auto schedule = std::make_shared<const Schedule>(std::move(result->schedule));
                std::erase_if(all, [&](const ResultBeside &before) { return before.id == id; });
                all.push_back({id, schedule, result->blocks.empty()});
                context.report(
                    [this, id, schedule, blocks = std::move(result->blocks)] { emit made(id, schedule, blocks); });
                if (result->refusal)
                    context.report([this, id, stages = schedule->search.stagesRefused, example = *result->refusal] {
                        emit stagesLeftOut(id, stages, example);
                    });
            }
            const bool hasBaseline = std::ranges::any_of(all, &ResultBeside::isBaseline);
            if (opened->session->isNoisy() && hasBaseline) {
                const auto told = [&](const RoundsProgress &progress) {
                    context.report([this, progress] { emit timingInRounds(progress); });
                };
                if (auto timed = timeResultsInRounds(std::move(all), *opened->session, context.stop, told)) {
                    context.report([this, timed = std::move(*timed)] { emit timedInRounds(timed.ids, timed.times); });
                }
            }
            return [this] { emit searchFinished(); };
        });
}

void Jobs::countSpaces(const ModelPtr &model, const SearchOptions &options)
{
    m_counting.start([this, model, options](const JobLane::Context &context) -> JobLane::Delivery {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        auto reported = begin;
        std::size_t first = 0;
        std::vector<SpaceCount> counts;
        const auto deliver = [&] {
            context.report([this, first, counts] { emit counted(first, counts); });
            first += counts.size();
            counts.clear();
            reported = Clock::now();
        };
        for (const Block &block : model->blocks) {
            const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
            CountLimits limits;
            limits.seconds = std::clamp(kCountSeconds - spent, kLeastCountSeconds, kBlockCountSeconds);
            limits.states = kCountStates;
            const auto count = countSpace(*model->graph, block, options, context.stop, limits);
            if (!count) // cancelled, or options that exclude everything
                return {};
            counts.push_back(*count);
            if (Clock::now() - reported >= kCountReportEvery)
                deliver();
        }
        deliver();
        return {};
    });
}

void Jobs::stopCounting()
{
    m_counting.cancel();
}

void Jobs::stopOpening()
{
    m_opening.stop();
}

void Jobs::stopSearch()
{
    m_searching.stop();
}

void Jobs::cancelSearch()
{
    m_searching.cancel();
}

void Jobs::makeTimeline(const Target &target, ResultId id, const SchedulePtr &schedule)
{
    m_timelines.start([this, target, id, schedule,
                       open = opener(Urgency::User, nullptr)](const JobLane::Context &context) -> JobLane::Delivery {
        auto opened = open(target);
        if (!opened)
            return [this, error = opened.error()] { emit timelineFailed(error); };
        auto timeline = opened->session->timeline(*schedule, context.stop);
        if (!timeline)
            return [this, error = timeline.error()] { emit timelineFailed(error); };
        const auto index =
            std::make_shared<const TimelineIndex>(std::make_shared<const Timeline>(std::move(*timeline)));
        return [this, id, index] { emit timelineMade(id, index); };
    });
}

void Jobs::planMemory(std::vector<MemoryToPlan> results)
{
    m_planning.start([this, results = std::move(results)](const JobLane::Context &context) -> JobLane::Delivery {
        std::vector<PlannedMemory> planned;
        for (const MemoryToPlan &result : results) {
            if (context.stop.stop_requested())
                break;
            auto memory = plannedMemoryOf(*result.model, *result.schedule, result.device);
            PlannedMemory &made = planned.emplace_back(PlannedMemory{result, nullptr, {}});
            if (memory)
                made.memory = std::make_shared<const ScheduleMemory>(std::move(*memory));
            else
                made.whyNot = QString::fromStdString(errorText(memory.error()));
        }
        return [this, planned = std::move(planned)] { emit memoryPlanned(planned); };
    });
}

void Jobs::findPassSteps(const ModelPtr &model, const QString &pass)
{
    m_stepping.start([this, model, pass](const JobLane::Context &context) -> JobLane::Delivery {
        auto steps = passStepsOf(*model, pass.toStdString(), context.stop);
        if (!steps)
            return [this, model, pass, error = steps.error()] { emit passStepsFailed(model, pass, error); };
        return [this, model, pass, found = std::move(*steps)] { emit passStepsFound(model, pass, found); };
    });
}

void Jobs::cancelMeasuring()
{
    m_toMeasure.clear();
    m_measuring.cancel();
    m_timelines.cancel();
}

bool Jobs::isIdle() const
{
    return !m_listing.isBusy() && !m_storing.isBusy() && !isOpening() && !isMeasuring() && !m_searching.isBusy() &&
           !m_timelines.isBusy() && !m_counting.isBusy() && !m_planning.isBusy() && !m_explaining.isBusy() &&
           !m_stepping.isBusy();
}

} // namespace stagecraft
