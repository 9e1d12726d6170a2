#include "flow/find/find_streams.h"

#include "flow/find/baselines_in_rounds.h"
#include "flow/find/measured.h"
#include "flow/find/search_on_device.h"
#include "schedule/verify.h"
#include "search/stages/baselines.h"
#include "search/streams/allocated.h"
#include "search/streams/list_scheduling.h"
#include "search/streams/nimble.h"
#include "search/streams/opara.h"
#include "search/streams/relaxed.h"
#include "search/streams/stream_search.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace stagecraft {
namespace {

// Where nothing else is asked for: of both searches, and of that of stages alone.
constexpr double kSeconds = 7;
constexpr double kStageSeconds = 4;

// Whole schedules are timed whether a stop was requested or not: they take milliseconds, and what is found is kept.
class Finding {
public:
    Finding(const Model &model, DeviceSession &session, const DeviceInfo &device, const StreamsWanted &wanted,
            const SearchOptions &staged, const SearchProgressCallback &stagedProgress, const StreamProgress &progress,
            const std::stop_token &stop)
        : m_model(model), m_session(session), m_device(device), m_wanted(wanted), m_staged(staged),
          m_stagedProgress(stagedProgress), m_progress(progress), m_stop(stop),
          m_start(std::chrono::steady_clock::now())
    {
    }

    Result<FoundSchedule> find()
    {
        if (m_wanted.kind == StreamKind::Searched)
            return searched();
        TRY_AS(auto streams, made(m_wanted.kind));
        return measured(m_wanted.kind, std::move(streams));
    }

private:
    [[nodiscard]] const Graph &graph() const { return *m_model.graph; }

    Result<Streams> made(StreamKind kind)
    {
        switch (kind) {
        case StreamKind::Nimble: return nimbleStreams(graph());
        case StreamKind::Opara: {
            TRY_AS(const auto demands, demandsOfOperators());
            return oparaStreams(graph(), demands);
        }
        case StreamKind::List: {
            TRY(findLatencies());
            return listStreams(graph(), m_latenciesUs, longestPathsUs(graph(), m_latenciesUs), m_wanted.most);
        }
        case StreamKind::RoundRobin: {
            TRY(findLatencies());
            return roundRobinStreams(graph(), m_latenciesUs, m_wanted.most);
        }
        case StreamKind::IosRelaxed:
        case StreamKind::Searched: break;
        }
        TRY(findStages());
        return relaxedStreams(graph(), m_ios->schedule.stages);
    }

    // Each operator alone.
    Result<void> findLatencies()
    {
        for (std::size_t i = m_latenciesUs.size(); i < graph().size(); ++i) {
            TRY_AS(const auto latency, m_session.stageLatency(stageAlone(OperatorId::fromIndex(i)), {}));
            m_latenciesUs.push_back(latency.timing.latencyUs);
        }
        return {};
    }

    // From the kernels of the operators, one after another.
    Result<std::vector<OparaDemand>> demandsOfOperators()
    {
        TRY_AS(const auto timeline, m_session.timeline(sequential(), {}));
        std::vector<OparaDemand> demands;
        for (const Operator &op : graph().operators())
            demands.push_back({.isMemoryBound = isMemoryBoundFor(op)});
        std::vector<bool> isFirst(graph().size(), true);
        for (const KernelSpan &kernel : timeline.kernels) {
            for (const OperatorId id : kernel.operators) {
                if (isFirst[id.index()])
                    demands[id.index()].sharedBytesPerBlock = kernel.sharedBytesPerBlock;
                isFirst[id.index()] = false;
            }
        }
        return demands;
    }

    [[nodiscard]] Schedule sequential() const
    {
        return static_cast<Schedule>(sequentialSchedule(graph(), m_model.blocks));
    }

    Result<void> findStages()
    {
        if (m_ios)
            return {};
        SearchOptions options = m_staged;
        options.strategies = StrategySet::Both;
        if (m_wanted.kind == StreamKind::Searched && !options.maxSeconds)
            options.maxSeconds = kStageSeconds;
        TRY_AS(auto found, searchOnDevice(m_model, m_session, options, m_stagedProgress, m_stop));
        m_ios = std::move(found);
        return {};
    }

    [[nodiscard]] TimedSchedule scheduleOf(StreamKind kind, Streams streams) const
    {
        TimedSchedule schedule;
        schedule.streams = std::move(streams);
        schedule.context.model = {m_model.name, m_model.sha256};
        schedule.context.batch = graph().batch();
        schedule.search.strategy = toString(kind);
        return schedule;
    }

    Result<FoundSchedule> measured(StreamKind kind, Streams streams)
    {
        FoundSchedule found;
        found.schedule = scheduleOf(kind, std::move(streams));
        TRY(verifySchedule(graph(), m_model.blocks, found.schedule));
        TRY(measureInto(found.schedule, m_model, m_session, m_device, {}));
        found.schedule.search.searchSeconds = seconds();
        found.streams.emplace().schedulesTimed = 1;
        return found;
    }

    [[nodiscard]] double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }

    void addStart(std::string name, const FoundSchedule &found)
    {
        m_record.starts.push_back({std::move(name), *found.schedule.latencyUs(), synchronisationOf(found.schedule)});
        ++m_record.schedulesTimed;
    }

    Result<FoundSchedule> searched()
    {
        const std::vector<std::uint32_t> onOne(graph().size(), 0); // a device without streams refuses it at once
        TRY_AS(const auto alone, measured(StreamKind::List, allocated(graph(), fileOrder(graph()), onOne)));
        addStart("one stream", alone);
        TRY(findStages());
        m_ios->schedule.context.model = {m_model.name, m_model.sha256};
        m_ios->schedule.context.batch = graph().batch();
        FoundSchedule staged = *m_ios;
        TRY(measureInto(staged.schedule, m_model, m_session, m_device, {}));
        addStart("ios-both", staged);
        for (const ScheduleKind kind : {ScheduleKind::Greedy, ScheduleKind::Sequential}) {
            TRY_AS(auto baseline, measuredBaseline(kind, m_model, m_session, m_device, {}));
            addStart(std::string(toString(kind)), baseline);
            if (*baseline.schedule.latencyUs() < *staged.schedule.latencyUs())
                staged = std::move(baseline);
        }
        std::vector<TimedStreams> starts;
        for (const StreamKind kind : kStreamKinds) {
            if (kind == StreamKind::Searched)
                continue;
            TRY_AS(auto streams, made(kind));
            TRY_AS(const auto start, measured(kind, std::move(streams)));
            addStart(std::string(toString(kind)), start);
            starts.push_back({*start.schedule.streams, *start.schedule.latencyUs()});
        }
        TRY_AS(const auto result, search(starts));
        m_record.schedulesTimed += result.timed;
        m_record.ended = std::string(toString(result.end));
        FoundSchedule found;
        if (*staged.schedule.latencyUs() <= result.latencyUs) {
            found = std::move(staged);
        } else {
            TRY_AS(auto best, measured(StreamKind::Searched, result.best));
            found = std::move(best);
            found.schedule.search.termination = result.end == StreamSearchEnd::Proved    ? Termination::Optimal
                                                : result.end == StreamSearchEnd::Stopped ? Termination::Cancelled
                                                : result.end == StreamSearchEnd::Time    ? Termination::Budget
                                                                                         : Termination::InPart;
        }
        found.schedule.search.searchSeconds = seconds();
        found.streams = std::move(m_record);
        return found;
    }

    Result<StreamSearchResult> search(const std::vector<TimedStreams> &starts)
    {
        const StreamLatency latency = [&](const Streams &streams) -> Result<double> {
            TRY_AS(const auto whole, m_session.measureWhole(Schedule{.streams = streams}, m_stop));
            return whole.timing.latencyUs;
        };
        StreamSearchOptions options;
        options.maxSeconds =
            m_staged.maxSeconds ? std::max(0.0, *m_staged.maxSeconds - seconds()) : std::max(0.0, kSeconds - seconds());
        options.onProgress = m_progress;
        return searchStreams(graph(), m_model.blocks, starts, latency, options, m_stop);
    }

    const Model &m_model;
    DeviceSession &m_session;
    const DeviceInfo &m_device;
    const StreamsWanted &m_wanted;
    const SearchOptions &m_staged;
    const SearchProgressCallback &m_stagedProgress;
    const StreamProgress &m_progress;
    const std::stop_token &m_stop;
    std::chrono::steady_clock::time_point m_start;
    std::vector<double> m_latenciesUs; // by operator
    std::optional<FoundSchedule> m_ios;
    StreamSearchRecord m_record;
};

} // namespace

Result<FoundSchedule> findStreams(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                  const StreamsWanted &wanted, const SearchOptions &staged,
                                  const SearchProgressCallback &stagedProgress, const StreamProgress &progress,
                                  const std::stop_token &stop)
{
    return Finding(model, session, device, wanted, staged, stagedProgress, progress, stop).find();
}

} // namespace stagecraft
