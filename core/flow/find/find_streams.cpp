#include "flow/find/find_streams.h"

#include "flow/explain/memory_of_schedule.h"
#include "flow/find/baselines_in_rounds.h"
#include "flow/find/capped_schedule.h"
#include "flow/find/fastest_in_rounds.h"
#include "flow/find/measured.h"
#include "flow/find/search_on_device.h"
#include "schedule/stage_groups.h"
#include "schedule/streams/stream_parts.h"
#include "schedule/verify.h"
#include "search/stages/baselines.h"
#include "search/streams/allocated.h"
#include "search/streams/by_depth.h"
#include "search/streams/lane_estimate.h"
#include "search/streams/list_scheduling.h"
#include "search/streams/nimble.h"
#include "search/streams/opara.h"
#include "search/streams/relaxed.h"
#include "search/streams/stream_search.h"
#include "support/number_text.h"
#include "timing/timeline/timeline_rows.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <utility>

namespace stagecraft {
namespace {

// Where nothing else is asked for: of both searches, and of that of stages alone.
constexpr double kSeconds = 7;
constexpr double kStageSeconds = 4;
// On a device whose latencies carry noise.
constexpr int kSearchesByEstimate = 4;
constexpr double kEstimateSeconds = 8; // each

// Whole schedules are timed on a simulated device whether a stop was requested or not: they take milliseconds, and what
// is found is kept.
class Finding {
public:
    Finding(const Model &model, DeviceSession &session, const DeviceInfo &device, const StreamsWanted &wanted,
            const SearchOptions &staged, const SearchProgressCallback &stagedProgress,
            const CappedProgress &cappedProgress, const StreamProgress &progress, const std::stop_token &stop)
        : m_model(model), m_session(session), m_device(device), m_wanted(wanted), m_staged(staged),
          m_stagedProgress(stagedProgress), m_cappedProgress(cappedProgress), m_progress(progress), m_stop(stop),
          m_start(std::chrono::steady_clock::now())
    {
    }

    Result<FoundSchedule> find()
    {
        if (m_wanted.from)
            return searchedFrom(*m_wanted.from);
        if (m_wanted.kind == StreamKind::Searched)
            return searched();
        TRY_AS(auto streams, made(m_wanted.kind));
        TRY(checkCap(fmt::format("the streams of {}", toString(m_wanted.kind)), streams,
                     "Use --strategy streams, which searches under the cap, or a higher cap"));
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
        case StreamKind::ByDepth: return byDepthStreams(graph(), m_wanted.most);
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
            const auto latency = m_session.stageLatency(stageAlone(OperatorId::fromIndex(i)), {});
            if (!latency && !m_session.measuresStages() && latency.error().code == ErrorCode::WrongUse) {
                m_latenciesUs.push_back(0); // part of another
                continue;
            }
            TRY(latency);
            m_latenciesUs.push_back(latency->timing.latencyUs);
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
        if (m_wanted.kind == StreamKind::Searched && !options.maxSeconds && !m_session.isNoisy())
            options.maxSeconds = kStageSeconds;
        TRY_AS(auto found, searchOnDevice(m_model, m_session, options, m_stagedProgress, m_stop));
        if (m_wanted.memoryCap && m_wanted.kind == StreamKind::Searched) {
            TRY_AS(auto capped, cappedSchedule(std::move(found), *m_wanted.memoryCap, m_model, m_session, m_device,
                                               options, m_cappedProgress, m_stop));
            found = std::move(capped);
        }
        m_ios = std::move(found);
        return {};
    }

    [[nodiscard]] TimedSchedule scheduleOf(StreamKind kind, Streams streams) const
    {
        TimedSchedule schedule;
        schedule.streams = std::move(streams);
        schedule.context.model = m_model.reference();
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

    [[nodiscard]] std::vector<std::vector<OperatorId>> pinned() const
    {
        std::vector<std::vector<OperatorId>> launches;
        for (const Stage &stage : m_wanted.from ? m_staged.pinned : std::vector<Stage>())
            launches.push_back(operatorsOf(stage));
        return launches;
    }

    // On a device that measures, what is still to be timed would take seconds.
    [[nodiscard]] bool mustEnd() const { return m_session.isNoisy() && m_stop.stop_requested(); }

    void addStart(std::string name, const FoundSchedule &found)
    {
        m_record.starts.push_back({std::move(name), *found.schedule.latencyUs(), synchronisationOf(found.schedule)});
        ++m_record.schedulesTimed;
    }

    [[nodiscard]] std::size_t cap() const
    {
        return m_wanted.memoryCap ? m_wanted.memoryCap->bytes : std::numeric_limits<std::size_t>::max();
    }

    // None without a cap.
    [[nodiscard]] Result<std::size_t> bytesOf(const Schedule &schedule) const
    {
        if (!m_wanted.memoryCap)
            return std::size_t{0};
        return neededBytes(m_model, schedule, m_wanted.memoryCap->target, m_device, m_session, {});
    }

    [[nodiscard]] Result<void> checkCap(const std::string &what, const Streams &streams, const char *remedy) const
    {
        TRY_AS(const std::size_t bytes, bytesOf(Schedule{.streams = streams}));
        if (bytes > cap())
            return fail(ErrorCode::InvalidInput,
                        fmt::format("{} need {}, more than {}", what, plainBytes(static_cast<double>(bytes)),
                                    plainBytes(static_cast<double>(cap()))),
                        remedy);
        return {};
    }

    [[nodiscard]] std::function<bool(const Streams &)> capOfAnswers() const
    {
        if (!m_wanted.memoryCap)
            return {};
        return [this](const Streams &streams) {
            return bytesOf(Schedule{.streams = streams}).value_or(cap() + 1) <= cap();
        };
    }

    Result<FoundSchedule> searchedFrom(const Streams &from)
    {
        TRY(checkCap("the streams to begin with", from, "Begin with others, or give a higher cap"));
        TRY_AS(const auto start, measured(StreamKind::Searched, from));
        addStart("from here", start);
        const std::vector<TimedStreams> starts{{from, *start.schedule.latencyUs()}};
        return m_session.isNoisy() ? searchedInRounds({}, starts) : searchedByTiming({}, starts);
    }

    Result<FoundSchedule> searched()
    {
        const std::vector<std::uint32_t> onOne(graph().size(), 0); // a device without streams refuses it at once
        TRY_AS(auto alone, measured(StreamKind::List, allocated(graph(), fileOrder(graph()), onOne)));
        addStart("one stream", alone);
        std::vector<FoundSchedule> staged;
        if (m_session.measuresStages()) {
            TRY(findStages());
            m_ios->schedule.context.model = m_model.reference();
            m_ios->schedule.context.batch = graph().batch();
            staged.push_back(*m_ios);
            TRY(measureInto(staged.front().schedule, m_model, m_session, m_device, {}));
            addStart("ios-both", staged.front());
        }
        for (const ScheduleKind kind : {ScheduleKind::Greedy, ScheduleKind::Sequential}) {
            if (mustEnd())
                break;
            TRY_AS(auto baseline, measuredBaseline(kind, m_model, m_session, m_device, {}));
            TRY_AS(const std::size_t bytes, bytesOf(baseline.schedule));
            if (bytes > cap())
                continue;
            addStart(std::string(toString(kind)), baseline);
            staged.push_back(std::move(baseline));
        }
        std::vector<TimedStreams> starts;
        for (const StreamKind kind : kStreamKinds) {
            if (kind == StreamKind::Searched || mustEnd() ||
                (kind == StreamKind::IosRelaxed && !m_session.measuresStages()))
                continue;
            TRY_AS(auto streams, made(kind));
            TRY_AS(const std::size_t bytes, bytesOf(Schedule{.streams = streams}));
            if (bytes > cap())
                continue;
            TRY_AS(const auto start, measured(kind, std::move(streams)));
            addStart(std::string(toString(kind)), start);
            starts.push_back({*start.schedule.streams, *start.schedule.latencyUs()});
        }
        if (starts.empty() && staged.empty()) { // stopped at once, or nothing meets the cap
            TRY(checkCap("all operators on one stream", *alone.schedule.streams, "Use a higher cap"));
            staged.push_back(std::move(alone));
        }
        if (starts.empty()) { // no streams meet the cap
            FoundSchedule fastest = std::move(*std::ranges::min_element(
                staged, {}, [](const FoundSchedule &each) { return *each.schedule.latencyUs(); }));
            m_record.ended = std::string(toString(StreamSearchEnd::Converged));
            fastest.streams = std::move(m_record);
            return fastest;
        }
        return m_session.isNoisy() ? searchedInRounds(std::move(staged), std::move(starts))
                                   : searchedByTiming(std::move(staged), starts);
    }

    // On a device whose latencies are exact.
    Result<FoundSchedule> searchedByTiming(std::vector<FoundSchedule> staged, const std::vector<TimedStreams> &starts)
    {
        TRY_AS(const auto result, search(starts));
        m_record.schedulesTimed += result.timed;
        m_record.ended = std::string(toString(result.end));
        const auto fastest =
            std::ranges::min_element(staged, {}, [](const FoundSchedule &each) { return *each.schedule.latencyUs(); });
        FoundSchedule found;
        if (fastest != staged.end() && *fastest->schedule.latencyUs() <= result.latencyUs) {
            found = std::move(*fastest);
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
        options.pinned = pinned();
        options.mayBeBest = capOfAnswers();
        return searchStreams(graph(), m_model.blocks, starts, latency, options, m_stop);
    }

    // Where a latency takes long and carries noise: the search goes by what launches took in traced runs, and what it
    // finds is traced, too, and searched from again. The fastest in rounds is the answer.
    Result<FoundSchedule> searchedInRounds(std::vector<FoundSchedule> staged, std::vector<TimedStreams> found)
    {
        TRY_AS(auto estimate, estimateFrom(found));
        m_record.ended = std::string(toString(StreamSearchEnd::Converged));
        for (int i = 0; i < kSearchesByEstimate && estimate && !mustEnd(); ++i) {
            TRY_AS(auto next, searchBy(*estimate, found));
            if (mustEnd())
                break;
            TRY_AS(const auto whole, m_session.measureWhole(Schedule{.streams = next}, {}));
            ++m_record.schedulesTimed;
            TRY(learnFrom(next, *estimate));
            found.push_back({std::move(next), whole.timing.latencyUs});
            if (m_progress) // of what was measured, not of the estimate
                m_progress(m_record.schedulesTimed, std::ranges::min(found, {}, &TimedStreams::latencyUs).latencyUs);
        }
        std::vector<CandidateInRounds> candidates;
        for (const FoundSchedule &each : staged)
            candidates.push_back({each.schedule, *each.schedule.measured.whole});
        for (const TimedStreams &each : found)
            candidates.push_back({Schedule{.streams = each.streams}, Timing::ofLatency(each.latencyUs)});
        TRY_AS(const auto fastest, fastestInRounds(std::move(candidates), m_session, m_stop));
        const auto &[which, timing] = fastest;
        if (m_stop.stop_requested())
            m_record.ended = std::string(toString(StreamSearchEnd::Stopped));
        FoundSchedule answer;
        if (which < staged.size()) {
            answer = std::move(staged[which]);
        } else {
            TRY_AS(answer, measured(StreamKind::Searched, std::move(found[which - staged.size()].streams)));
            answer.schedule.search.termination = m_stop.stop_requested() ? Termination::Cancelled : Termination::InPart;
        }
        answer.schedule.measured.whole = timing;
        answer.schedule.search.searchSeconds = seconds();
        answer.streams = std::move(m_record);
        return answer;
    }

    // Null: this device has no lanes that run one launch at a time, or the search is stopped.
    Result<std::optional<LaneEstimate>> estimateFrom(const std::vector<TimedStreams> &found)
    {
        if (mustEnd())
            return std::optional<LaneEstimate>();
        const std::vector<std::uint32_t> onOne(graph().size(), 0);
        const Streams alone = allocated(graph(), fileOrder(graph()), onOne);
        TRY_AS(const auto timeline, m_session.timeline(Schedule{.streams = alone}, {}));
        if (!hasThreadRows(timeline))
            return std::optional<LaneEstimate>();
        LaneEstimate estimate(static_cast<int>(timeline.streams));
        add(timeline, estimate);
        addUntimed(timeline, estimate);
        // Nothing is known of gaps so far: they are the rest.
        TRY_AS(const double kernelsUs, estimate.latencyUs(alone));
        const double gapUs = std::max(0.0, static_cast<double>(timeline.durationNs) * 1e-3 - kernelsUs) /
                             static_cast<double>(alone.launches.size());
        estimate.setGaps(gapUs, 0);
        double partGapUs = 0;
        for (const TimedStreams &each : found) {
            if (mustEnd())
                return std::optional<LaneEstimate>();
            TRY_AS(const double us, learnFrom(each.streams, estimate));
            partGapUs = std::max(partGapUs, us);
        }
        estimate.setGaps(gapUs, partGapUs);
        return std::optional(std::move(estimate));
    }

    // Traces a run. Returns what goes by between two parts, as far as the estimate does not know it.
    Result<double> learnFrom(const Streams &streams, LaneEstimate &estimate)
    {
        TRY_AS(const auto timeline, m_session.timeline(Schedule{.streams = streams}, {}));
        add(timeline, estimate);
        TRY_AS(const double us, estimate.latencyUs(streams));
        return std::max(0.0, static_cast<double>(timeline.durationNs) * 1e-3 - us) /
               static_cast<double>(partsOf(streams).size());
    }

    // A unit of several operators has a kernel for each.
    static void add(const Timeline &timeline, LaneEstimate &estimate)
    {
        std::map<std::pair<std::vector<OperatorId>, int>, double> runsUs; // by operators and cores
        for (const KernelSpan &kernel : timeline.kernels)
            runsUs[{kernel.operators, static_cast<int>(kernel.grid.front())}] +=
                static_cast<double>(kernel.endNs - kernel.startNs) * 1e-3;
        for (const auto &[run, us] : runsUs)
            estimate.add(run.first, run.second, us);
    }

    // The device made these part of others.
    void addUntimed(const Timeline &timeline, LaneEstimate &estimate) const
    {
        std::vector<bool> isTimed(graph().size(), false);
        for (const KernelSpan &kernel : timeline.kernels) {
            for (const OperatorId id : kernel.operators)
                isTimed[id.index()] = true;
        }
        for (std::size_t i = 0; i < isTimed.size(); ++i) {
            if (!isTimed[i])
                estimate.add(std::array{OperatorId::fromIndex(i)}, static_cast<int>(timeline.streams), 0);
        }
    }

    Result<Streams> searchBy(const LaneEstimate &estimate, const std::vector<TimedStreams> &found)
    {
        const auto latency = [&](const Streams &streams) { return estimate.latencyUs(streams); };
        std::vector<TimedStreams> starts;
        for (const TimedStreams &each : found) {
            TRY_AS(const double us, latency(each.streams));
            starts.push_back({each.streams, us});
        }
        StreamSearchOptions options;
        options.pinned = pinned();
        options.mayBeBest = capOfAnswers();
        options.mayMerge = false; // a merged launch has a duration only where it was run
        options.maxSeconds = m_staged.maxSeconds ? std::max(0.0, *m_staged.maxSeconds - seconds()) : kEstimateSeconds;
        TRY_AS(auto result, searchStreams(graph(), m_model.blocks, starts, latency, options, m_stop));
        return std::move(result.best);
    }

    const Model &m_model;
    DeviceSession &m_session;
    const DeviceInfo &m_device;
    const StreamsWanted &m_wanted;
    const SearchOptions &m_staged;
    const SearchProgressCallback &m_stagedProgress;
    const CappedProgress &m_cappedProgress;
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
                                  const SearchProgressCallback &stagedProgress, const CappedProgress &cappedProgress,
                                  const StreamProgress &progress, const std::stop_token &stop)
{
    return Finding(model, session, device, wanted, staged, stagedProgress, cappedProgress, progress, stop).find();
}

} // namespace stagecraft
