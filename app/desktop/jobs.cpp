#include "desktop/jobs.h"

#include "engine/device_catalog.h"
#include "engine/text_file.h"
#include "schedule/schedule_json.h"

#include <QFile>

#include <algorithm>
#include <chrono>
#include <utility>

namespace stagecraft {
namespace {

// How long spaces are counted: all blocks together, one block, and a block when that time is used up.
constexpr double kCountSeconds = 12;
constexpr double kBlockCountSeconds = 2;
constexpr double kLeastCountSeconds = 0.02;
constexpr std::size_t kCountStates = 2'000'000; // 300 MiB
constexpr auto kCountReportEvery = std::chrono::milliseconds(50);

struct OpenedSchedule {
    Schedule measured;
    Schedule file;
};

Result<OpenedSchedule> readSchedule(const Bench &bench, const QString &path, SessionCache &sessions,
                                    const std::stop_token &stop)
{
    auto text = readTextFile(QFile::encodeName(path).toStdString());
    if (!text) {
        text.error().context.clear(); // the path: whoever asked knows it
        return tl::unexpected(text.error());
    }
    auto schedule =
        scheduleFromJson(*text, *bench.model->graph, bench.model->blocks, {bench.model->name, bench.model->sha256});
    if (!schedule)
        return tl::unexpected(schedule.error());
    OpenedSchedule read{*schedule, *schedule};
    // Its latencies may be another device's or batch's: everything in the window is of one, so it is measured here.
    read.measured.batch = bench.model->graph->batch();
    auto opened = sessions.open(bench.model->graph, bench.deviceId);
    if (!opened)
        return tl::unexpected(opened.error());
    if (auto measured = measureInto(read.measured, *bench.model, *opened->session, *opened->device, stop); !measured)
        return tl::unexpected(measured.error());
    return read;
}

// Everything that was made, by ScheduleKind, timed in turn. `blocks`: of what was searched just now, empty for the
// rest.
struct TimedInTurn {
    std::vector<SchedulePtr> schedules;
    std::vector<InTurn> times;
    struct Replaced {
        ScheduleKind kind;
        SchedulePtr schedule;
        std::vector<BlockSearch> blocks;
    };
    std::vector<Replaced> replaced; // by a baseline that is faster
};

// Errors: those of measureInTurn.
Result<TimedInTurn> timeInTurn(const std::vector<SchedulePtr> &all, const std::vector<std::vector<BlockSearch>> &blocks,
                               DeviceSession &session, const std::stop_token &stop)
{
    std::vector<ScheduleKind> kinds;
    std::vector<MadeSchedule> made;
    std::vector<Schedule> schedules;
    TimedInTurn timed;
    std::size_t baselines = 0;
    for (const ScheduleKind kind : kScheduleKinds) {
        const auto i = static_cast<std::size_t>(kind);
        if (!all[i])
            continue;
        baselines += kind == ScheduleKind::Sequential || kind == ScheduleKind::Greedy;
        kinds.push_back(kind);
        made.push_back({*all[i], blocks[i]});
        schedules.push_back(*all[i]);
        timed.schedules.push_back(all[i]);
    }
    auto times = measureInTurn(schedules, session, kRoundsInTurn, stop);
    if (!times)
        return tl::unexpected(std::move(times.error()));
    timed.times = std::move(*times);
    const auto stands = keepFasterBaselines(made, timed.times, baselines, session.boundaryCost());
    for (std::size_t i = 0; i < stands.size(); ++i) {
        if (stands[i] == i)
            continue;
        timed.schedules[i] = std::make_shared<const Schedule>(made[i].schedule);
        timed.replaced.push_back({kinds[i], timed.schedules[i], std::move(made[i].blocks)});
    }
    return timed;
}

} // namespace

Engine installedEngine()
{
    Engine engine{openModel, listDevices, {}, defaultDeviceId()};
    engine.findDevice = [troubles = engine.storeTroubles](const std::string &id) {
        return findDevice(id, [troubles](const Error &error) { emit troubles->told(error); });
    };
    return engine;
}

Jobs::Jobs(Engine engine, QObject *parent)
    : QObject(parent), m_engine(std::move(engine)),
      m_measuringSession(std::make_shared<SessionCache>(m_engine.findDevice)),
      m_searchingSession(std::make_shared<SessionCache>(m_engine.findDevice)),
      m_timelineSession(std::make_shared<SessionCache>(m_engine.findDevice))
{
    for (JobLane *lane : {&m_opening, &m_measuring, &m_searching, &m_timelines, &m_counting})
        connect(lane, &JobLane::busyChanged, this, &Jobs::busyChanged);
    const auto onFailure = [this](JobLane &lane, auto tell) {
        connect(&lane, &JobLane::workFailed, this, [tell](const QString &reason) {
            tell({ErrorCode::DeviceFailed, reason.toStdString(), {}, {}});
        });
    };
    onFailure(m_opening, [this](const Error &error) { emit openFailed({}, error); });
    onFailure(m_measuring, [this](const Error &error) { emit measureFailed(error); });
    onFailure(m_searching, [this](const Error &error) {
        emit measureFailed(error);
        emit searchFinished();
    });
    onFailure(m_timelines, [this](const Error &error) { emit timelineFailed(error); });
    connect(m_engine.storeTroubles.get(), &StoreTroubles::told, this, &Jobs::storeTroubled);
}

void Jobs::open(const QString &spec, const OpenOptions &options)
{
    m_opening.start([this, spec, options, open = m_engine.openModel](const JobLane::Context &) -> JobLane::Delivery {
        auto model = open(spec.toStdString(), options);
        if (!model)
            return [this, spec, error = model.error()] { emit openFailed(spec, error); };
        return [this, spec, shared = std::make_shared<const Model>(std::move(*model))] { emit opened(spec, shared); };
    });
}

void Jobs::openSchedule(const Bench &bench, const QString &path)
{
    m_opening.start([this, bench, path, sessions = std::make_shared<SessionCache>(m_engine.findDevice)](
                        const JobLane::Context &context) -> JobLane::Delivery {
        auto schedule = readSchedule(bench, path, *sessions, context.stop);
        if (!schedule)
            return [this, path, error = schedule.error()] { emit scheduleRefused(path, error); };
        return [this, path, shared = std::make_shared<const Schedule>(std::move(schedule->measured)),
                file = std::make_shared<const Schedule>(std::move(schedule->file))] {
            emit scheduleOpened(path, shared, file);
        };
    });
}

void Jobs::measureBaselines(const Bench &bench)
{
    m_measuring.start(
        [this, bench, sessions = m_measuringSession](const JobLane::Context &context) -> JobLane::Delivery {
            auto opened = sessions->open(bench.model->graph, bench.deviceId);
            if (!opened)
                return [this, error = opened.error()] { emit baselinesFailed(error); };
            for (const ScheduleKind kind : {ScheduleKind::Sequential, ScheduleKind::Greedy}) {
                auto result = makeSchedule(*bench.model, *opened->session, *opened->device, kind, {}, {}, context.stop);
                if (!result)
                    return [this, error = result.error()] { emit baselinesFailed(error); };
                context.report([this, kind, schedule = std::make_shared<const Schedule>(std::move(result->schedule))] {
                    emit made(kind, schedule, {});
                });
            }
            return {};
        });
}

void Jobs::measureAgain(const Bench &bench, const QString &title, const SchedulePtr &schedule)
{
    m_measuring.start([this, bench, title, schedule,
                       sessions = m_measuringSession](const JobLane::Context &context) -> JobLane::Delivery {
        auto opened = sessions->open(bench.model->graph, bench.deviceId);
        if (!opened)
            return [this, error = opened.error()] { emit measureFailed(error); };
        auto copy = std::make_shared<Schedule>(*schedule);
        if (auto measured = measureInto(*copy, *bench.model, *opened->session, *opened->device, context.stop);
            !measured)
            return [this, error = measured.error()] { emit measureFailed(error); };
        return [this, title, copy] { emit measuredAgain(title, copy); };
    });
}

void Jobs::search(const Bench &bench, std::vector<ScheduleKind> kinds, const SearchOptions &options,
                  std::vector<SchedulePtr> beside)
{
    m_searching.start([this, bench, kinds = std::move(kinds), options, beside = std::move(beside),
                       sessions = m_searchingSession](const JobLane::Context &context) -> JobLane::Delivery {
        auto opened = sessions->open(bench.model->graph, bench.deviceId);
        const auto failed = [this](const Error &error) {
            return [this, error] {
                emit measureFailed(error);
                emit searchFinished();
            };
        };
        if (!opened)
            return failed(opened.error());
        std::vector<SchedulePtr> all = beside;
        all.resize(kScheduleKinds.size());
        std::vector<std::vector<BlockSearch>> searched(all.size());
        for (const ScheduleKind kind : kinds) {
            if (context.stop.stop_requested())
                break;
            context.report([this, kind] { emit searchStarted(kind); });
            const auto progress = [this, kind, &context](const SearchProgress &now) {
                context.report([this, kind, now] { emit searchProgress(kind, now); });
            };
            auto result =
                makeSchedule(*bench.model, *opened->session, *opened->device, kind, options, progress, context.stop);
            if (!result && result.error().code == ErrorCode::Cancelled)
                return [this] {
                    emit searchStopped();
                    emit searchFinished();
                };
            if (!result)
                return failed(result.error());
            const auto schedule = std::make_shared<const Schedule>(std::move(result->schedule));
            all[static_cast<std::size_t>(kind)] = schedule;
            searched[static_cast<std::size_t>(kind)] = result->blocks;
            context.report(
                [this, kind, schedule, blocks = std::move(result->blocks)] { emit made(kind, schedule, blocks); });
            if (result->refusal)
                context.report([this, kind, stages = schedule->search.stagesRefused, example = *result->refusal] {
                    emit stagesLeftOut(kind, stages, example);
                });
        }
        if (opened->session->isNoisy() && all.front()) {
            context.report([this] { emit timingInTurn(); });
            if (auto timed = timeInTurn(all, searched, *opened->session, context.stop)) {
                context.report([this, timed = std::move(*timed)] {
                    for (const TimedInTurn::Replaced &by : timed.replaced)
                        emit made(by.kind, by.schedule, by.blocks);
                    emit timedInTurn(timed.schedules, timed.times);
                });
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
            if (!count) // cancelled, or options that leave nothing to search
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

void Jobs::stopSearch()
{
    m_searching.stop();
}

void Jobs::makeTimeline(const Bench &bench, const SchedulePtr &schedule)
{
    m_timelines.start(
        [this, bench, schedule, sessions = m_timelineSession](const JobLane::Context &context) -> JobLane::Delivery {
            auto opened = sessions->open(bench.model->graph, bench.deviceId);
            if (!opened)
                return [this, error = opened.error()] { emit timelineFailed(error); };
            auto timeline = opened->session->timeline(*schedule, context.stop);
            if (!timeline)
                return [this, error = timeline.error()] { emit timelineFailed(error); };
            return [this, schedule, shared = std::make_shared<const Timeline>(std::move(*timeline))] {
                emit timelineMade(schedule, shared);
            };
        });
}

void Jobs::cancelMeasuring()
{
    m_measuring.cancel();
    m_searching.cancel();
    m_timelines.cancel();
}

bool Jobs::isIdle() const
{
    return !m_opening.isBusy() && !m_measuring.isBusy() && !m_searching.isBusy() && !m_timelines.isBusy() &&
           !m_counting.isBusy();
}

} // namespace stagecraft
