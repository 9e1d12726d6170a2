#include "device/simulated/block_scheduler.h"

#include "device/simulated/sm_class.h"
#include "device/simulated/sm_rates.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace stagecraft {

namespace {

constexpr double kDone = 1e-9; // share of a block
constexpr double kNever = std::numeric_limits<double>::infinity();

// A launch during the simulation.
struct Progress {
    std::int64_t undispatched = 0;
    std::int64_t resident = 0; // blocks on SMs
    double readyNs = kNever;
    double releasedNs = 0; // the events so far that it waits for
    int events = 0;        // still to come
};

struct StreamState {
    std::vector<int> launches;
    std::size_t next = 0; // first launch that has not ended
    bool waiting = true;  // it is not ready yet
};

} // namespace

struct SchedulerState {
    std::vector<SmClass> classes;
    std::vector<Progress> progress;
    std::vector<StreamState> streams;
    std::vector<int> queue; // ready launches with undispatched blocks, in dispatch order
    SmRates rates;
    std::vector<std::vector<int>> waiting; // by launch: those that wait for it; empty without events
};

namespace {

class Run {
public:
    Run(const SmLimits &limits, SchedulerState &state, std::span<const Launch> launches, BlockTrace *trace,
        const LaunchWaits &waitsOf);
    double finish();

private:
    [[nodiscard]] const Kernel &kernel(int launch) const
    {
        return *m_launches[static_cast<std::size_t>(launch)].kernel;
    }
    [[nodiscard]] Progress &progress(int launch) { return m_state.progress[static_cast<std::size_t>(launch)]; }

    void admitReady();
    void dispatch();
    [[nodiscard]] bool dispatchLayer(int launch);
    void place(SmClass &sms, int launch);
    [[nodiscard]] double nextEvent() const;
    void advance(double toNs);
    void retire();
    void end(int launch);
    void release(int launch);

    const SmLimits &m_limits;
    SchedulerState &m_state;
    std::span<const Launch> m_launches;
    BlockTrace *m_trace;
    double m_nowNs = 0;
    std::size_t m_left = 0; // launches that have not ended
    bool m_changed = true;  // whether the resident blocks changed
};

Run::Run(const SmLimits &limits, SchedulerState &state, std::span<const Launch> launches, BlockTrace *trace,
         const LaunchWaits &waitsOf)
    : m_limits(limits), m_state(state), m_launches(launches), m_trace(trace), m_left(launches.size())
{
    SmClass idle;
    idle.sms = limits.smCount;
    idle.freeBlocks = limits.blocks;
    idle.freeWarps = limits.warps;
    idle.freeRegisters = limits.registers;
    idle.freeSharedBytes = limits.sharedBytes;
    state.classes.assign(1, idle);
    state.progress.assign(launches.size(), Progress{});
    state.queue.clear();
    state.rates.begin(launches.size());
    for (StreamState &stream : state.streams) {
        stream.launches.clear();
        stream.next = 0;
        stream.waiting = true;
    }
    for (std::size_t i = 0; i < launches.size(); ++i) {
        const std::size_t stream = launches[i].stream;
        if (stream >= state.streams.size())
            state.streams.resize(stream + 1);
        StreamState &on = state.streams[stream];
        const bool waits = i < waitsOf.size() && !waitsOf[i].empty();
        if (on.launches.empty() && !waits)
            state.progress[i].readyNs = launches[i].arrivalNs + limits.rampNs;
        on.launches.push_back(static_cast<int>(i));
        assert(residentBlocks(limits, *launches[i].kernel) > 0);
    }
    state.waiting.resize(waitsOf.size());
    for (std::vector<int> &waiting : state.waiting)
        waiting.clear();
    for (std::size_t i = 0; i < waitsOf.size(); ++i) {
        for (const std::uint32_t before : waitsOf[i])
            state.waiting[before].push_back(static_cast<int>(i));
        state.progress[i].events = static_cast<int>(waitsOf[i].size());
    }
    if (trace) {
        trace->launches.assign(launches.size(), LaunchTimes{});
        trace->samples.clear();
    }
}

double Run::finish()
{
    while (m_left > 0) {
        admitReady();
        if (m_changed) {
            dispatch();
            m_state.rates.compute(m_limits, m_launches, m_state.classes);
            if (m_trace)
                m_trace->samples.push_back(sampleOf(m_nowNs, m_launches, m_state.classes));
            m_changed = false;
        }
        advance(nextEvent());
        retire();
    }
    if (m_trace)
        m_trace->samples.push_back({m_nowNs, 0, 0, 0, 0});
    return m_nowNs;
}

void Run::admitReady()
{
    const std::size_t before = m_state.queue.size();
    for (StreamState &stream : m_state.streams) {
        if (!stream.waiting || stream.next >= stream.launches.size())
            continue;
        const int launch = stream.launches[stream.next];
        if (progress(launch).readyNs > m_nowNs)
            continue;
        stream.waiting = false;
        progress(launch).undispatched = kernel(launch).blocks();
        if (m_trace)
            m_trace->launches[static_cast<std::size_t>(launch)].startNs = progress(launch).readyNs - m_limits.rampNs;
        m_state.queue.push_back(launch);
    }
    if (m_state.queue.size() > before) {
        std::sort(m_state.queue.begin() + static_cast<std::ptrdiff_t>(before), m_state.queue.end());
        m_changed = true;
    }
}

void Run::dispatch()
{
    while (!m_state.queue.empty()) {
        const int launch = m_state.queue.front();
        while (progress(launch).undispatched > 0) {
            if (!dispatchLayer(launch))
                return; // strictly in order: no launch overtakes another
        }
        m_state.queue.erase(m_state.queue.begin());
    }
}

// Adds one block to every SM of the least loaded class with room.
bool Run::dispatchLayer(int launch)
{
    const Kernel &needs = kernel(launch);
    const std::int64_t registers = std::int64_t{needs.threadsPerBlock} * needs.registersPerThread;
    int best = -1;
    for (std::size_t i = 0; i < m_state.classes.size(); ++i) {
        const SmClass &sms = m_state.classes[i];
        const bool fits = sms.freeBlocks > 0 && sms.freeWarps >= needs.warpsPerBlock() &&
                          sms.freeRegisters >= registers && sms.freeSharedBytes >= needs.sharedBytesPerBlock &&
                          sms.cohortCount < static_cast<int>(kMaxCohorts);
        if (fits && (best < 0 || sms.residentWarps < m_state.classes[static_cast<std::size_t>(best)].residentWarps))
            best = static_cast<int>(i);
    }
    if (best < 0)
        return false;

    Progress &to = progress(launch);
    if (m_state.classes[static_cast<std::size_t>(best)].sms > to.undispatched) {
        SmClass rest = m_state.classes[static_cast<std::size_t>(best)];
        rest.sms -= static_cast<int>(to.undispatched);
        m_state.classes[static_cast<std::size_t>(best)].sms = static_cast<int>(to.undispatched);
        m_state.classes.push_back(rest);
    }
    SmClass &chosen = m_state.classes[static_cast<std::size_t>(best)];
    place(chosen, launch);
    if (to.resident == 0)
        m_state.rates.add(launch);
    to.resident += chosen.sms;
    to.undispatched -= chosen.sms;
    return true;
}

void Run::place(SmClass &sms, int launch)
{
    const Kernel &needs = kernel(launch);
    sms.freeBlocks -= 1;
    sms.freeWarps -= needs.warpsPerBlock();
    sms.residentWarps += needs.warpsPerBlock();
    sms.freeRegisters -= std::int64_t{needs.threadsPerBlock} * needs.registersPerThread;
    sms.freeSharedBytes -= needs.sharedBytesPerBlock;
    for (int i = 0; i < sms.cohortCount; ++i) {
        Cohort &cohort = sms.cohorts[static_cast<std::size_t>(i)];
        if (cohort.launch == launch && cohort.remaining == 1) {
            ++cohort.blocks;
            return;
        }
    }
    sms.cohorts[static_cast<std::size_t>(sms.cohortCount++)] = Cohort{launch, 1, 1, 0};
}

double Run::nextEvent() const
{
    double next = kNever;
    for (const StreamState &stream : m_state.streams) {
        if (stream.waiting && stream.next < stream.launches.size())
            next = std::min(next, m_state.progress[static_cast<std::size_t>(stream.launches[stream.next])].readyNs);
    }
    for (const SmClass &sms : m_state.classes) {
        for (int i = 0; i < sms.cohortCount; ++i) {
            const Cohort &cohort = sms.cohorts[static_cast<std::size_t>(i)];
            next = std::min(next, m_nowNs + cohort.remaining / cohort.rate);
        }
    }
    assert(next < kNever);
    return next;
}

void Run::advance(double toNs)
{
    const double elapsed = toNs - m_nowNs;
    for (SmClass &sms : m_state.classes) {
        for (int i = 0; i < sms.cohortCount; ++i) {
            Cohort &cohort = sms.cohorts[static_cast<std::size_t>(i)];
            cohort.remaining -= cohort.rate * elapsed;
        }
    }
    m_nowNs = toNs;
}

void Run::retire()
{
    bool any = false;
    for (SmClass &sms : m_state.classes) {
        int kept = 0;
        for (int i = 0; i < sms.cohortCount; ++i) {
            const Cohort cohort = sms.cohorts[static_cast<std::size_t>(i)];
            if (cohort.remaining > kDone) {
                sms.cohorts[static_cast<std::size_t>(kept++)] = cohort;
                continue;
            }
            any = true;
            const Kernel &was = kernel(cohort.launch);
            sms.freeBlocks += cohort.blocks;
            sms.freeWarps += cohort.blocks * was.warpsPerBlock();
            sms.residentWarps -= cohort.blocks * was.warpsPerBlock();
            sms.freeRegisters += cohort.blocks * std::int64_t{was.threadsPerBlock} * was.registersPerThread;
            sms.freeSharedBytes += cohort.blocks * was.sharedBytesPerBlock;
            Progress &of = progress(cohort.launch);
            of.resident -= std::int64_t{sms.sms} * cohort.blocks;
            if (of.resident == 0) {
                m_state.rates.remove(cohort.launch);
                if (of.undispatched == 0)
                    end(cohort.launch);
            }
        }
        sms.cohortCount = kept;
    }
    if (any) {
        m_changed = true;
        mergeSameProgress(m_state.classes);
    }
}

void Run::end(int launch)
{
    --m_left;
    if (m_trace)
        m_trace->launches[static_cast<std::size_t>(launch)].endNs = m_nowNs;
    StreamState &stream = m_state.streams[m_launches[static_cast<std::size_t>(launch)].stream];
    ++stream.next;
    stream.waiting = true;
    if (stream.next < stream.launches.size())
        release(stream.launches[stream.next]);
    if (m_state.waiting.empty())
        return;
    for (const int waiting : m_state.waiting[static_cast<std::size_t>(launch)]) {
        Progress &of = progress(waiting);
        of.releasedNs = std::max(of.releasedNs, m_nowNs + m_limits.eventNs);
        --of.events;
        const StreamState &on = m_state.streams[m_launches[static_cast<std::size_t>(waiting)].stream];
        if (on.launches[on.next] == waiting)
            release(waiting);
    }
}

// It is the next one on its stream.
void Run::release(int launch)
{
    Progress &of = progress(launch);
    if (of.events == 0)
        of.readyNs = std::max({m_nowNs, m_launches[static_cast<std::size_t>(launch)].arrivalNs, of.releasedNs}) +
                     m_limits.rampNs;
}

} // namespace

BlockScheduler::BlockScheduler(SmLimits limits) : m_limits(limits), m_state(std::make_unique<SchedulerState>()) {}
BlockScheduler::~BlockScheduler() = default;
BlockScheduler::BlockScheduler(BlockScheduler &&) noexcept = default;
BlockScheduler &BlockScheduler::operator=(BlockScheduler &&) noexcept = default;

double BlockScheduler::run(std::span<const Launch> launches, BlockTrace *trace, const LaunchWaits &waits)
{
    return launches.empty() ? 0 : Run(m_limits, *m_state, launches, trace, waits).finish();
}

} // namespace stagecraft
