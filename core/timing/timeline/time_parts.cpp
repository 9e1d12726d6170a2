#include "timing/timeline/time_parts.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stagecraft {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kThreads = "threads given to operators";

// A counter as a share of its maximum, read at times that only grow.
class Share {
public:
    explicit Share(const CounterSeries *series) : m_series(series && series->maximum > 0 ? series : nullptr) {}

    [[nodiscard]] bool isKnown() const { return m_series != nullptr; }
    void advanceTo(std::int64_t ns)
    {
        while (nextChange() <= ns)
            ++m_next;
    }
    [[nodiscard]] std::int64_t nextChange() const
    {
        return m_series && m_next < m_series->timesNs.size() ? m_series->timesNs[m_next] : kNever;
    }
    [[nodiscard]] double now() const
    {
        return m_series && m_next > 0 ? std::clamp(m_series->values[m_next - 1] / m_series->maximum, 0.0, 1.0) : 0;
    }

private:
    const CounterSeries *m_series;
    std::size_t m_next = 0; // first sample after now
};

// The time with at least one kernel, read at times that only grow.
class Busy {
public:
    explicit Busy(const std::vector<KernelSpan> &kernels) : m_kernels(kernels) {}

    void advanceTo(std::int64_t ns)
    {
        for (; m_next < m_kernels.size() && m_kernels[m_next].startNs <= ns; ++m_next)
            m_until = std::max(m_until, m_kernels[m_next].endNs);
        m_isBusy = ns < m_until;
    }
    [[nodiscard]] bool isBusy() const { return m_isBusy; }
    [[nodiscard]] std::int64_t nextChange() const
    {
        if (m_isBusy)
            return m_until;
        return m_next < m_kernels.size() ? m_kernels[m_next].startNs : kNever;
    }

private:
    const std::vector<KernelSpan> &m_kernels;
    std::size_t m_next = 0; // first kernel that starts after now
    std::int64_t m_until = std::numeric_limits<std::int64_t>::min();
    bool m_isBusy = false;
};

const CounterSeries *unitsOf(const Timeline &timeline)
{
    const CounterSeries *sms = timeline.counter("SM active");
    return sms ? sms : timeline.counter(kThreads);
}

class Sweep {
public:
    explicit Sweep(const Timeline &timeline)
        : m_isEmpty(timeline.kernels.empty()), m_busy(timeline.kernels), m_arithmetic(timeline.counter("FLOP/s")),
          m_memory(timeline.counter("DRAM bandwidth")), m_units(unitsOf(timeline))
    {
    }

    // `whileNothingRuns`: the part it is. Ranges only grow.
    [[nodiscard]] TimeParts range(std::int64_t fromNs, std::int64_t toNs, TimePart whileNothingRuns)
    {
        TimeParts parts;
        for (std::int64_t now = fromNs; now < toNs;) {
            m_busy.advanceTo(now);
            std::int64_t next = std::min(toNs, m_busy.nextChange());
            for (Share *share : {&m_arithmetic, &m_memory, &m_units}) {
                share->advanceTo(now);
                next = std::min(next, share->nextChange());
            }
            add(parts, static_cast<double>(next - now) / 1000, whileNothingRuns);
            now = next;
        }
        return parts;
    }

private:
    void add(TimeParts &parts, double us, TimePart whileNothingRuns) const
    {
        if (m_isEmpty) {
            parts.of(TimePart::NotExplained) += us;
            return;
        }
        const double units = m_units.isKnown() ? m_units.now() : 1;
        if (!m_busy.isBusy() || units <= 0) {
            parts.of(m_busy.isBusy() ? TimePart::Launch : whileNothingRuns) += us;
            return;
        }
        const double peak = std::max(m_arithmetic.now(), m_memory.now());
        const double idle = std::min(1 - units, 1 - peak);
        const bool arePeaksKnown = m_arithmetic.isKnown() || m_memory.isKnown();
        parts.of(m_arithmetic.now() >= m_memory.now() ? TimePart::Arithmetic : TimePart::Memory) += us * peak;
        parts.of(TimePart::IdleUnits) += us * idle;
        parts.of(arePeaksKnown ? TimePart::Waiting : TimePart::NotExplained) += us * std::max(0.0, 1 - peak - idle);
    }

    bool m_isEmpty;
    Busy m_busy;
    Share m_arithmetic;
    Share m_memory;
    Share m_units;
};

} // namespace

double TimeParts::totalUs() const
{
    return std::accumulate(us.begin(), us.end(), 0.0);
}

TimeParts &TimeParts::operator+=(const TimeParts &other)
{
    std::ranges::transform(us, other.us, us.begin(), std::plus{});
    return *this;
}

bool TimePartSources::has(TimePart part) const
{
    switch (part) {
    case TimePart::Arithmetic: return arithmetic;
    case TimePart::Memory: return memory;
    case TimePart::IdleUnits: return units;
    case TimePart::Waiting: return arithmetic || memory;
    case TimePart::NotExplained: return !arithmetic && !memory;
    case TimePart::BetweenStages: return false;
    case TimePart::Launch: break;
    }
    return gaps;
}

std::optional<double> knownUs(const TimeParts &parts, const TimePartSources &sources, TimePart part)
{
    const bool isKnown = part == TimePart::BetweenStages ? sources.gaps : sources.has(part);
    return isKnown || part == TimePart::NotExplained || parts.of(part) != 0 ? std::optional(parts.of(part))
                                                                            : std::nullopt;
}

TimePartSources timePartSources(const Timeline &timeline)
{
    const auto isKnown = [](const CounterSeries *series) { return Share(series).isKnown(); };
    const CounterSeries *units = unitsOf(timeline);
    return {isKnown(timeline.counter("FLOP/s")), isKnown(timeline.counter("DRAM bandwidth")), isKnown(units),
            units && units->name == kThreads, timeline.areStartsKnown};
}

TimelineParts timelineParts(const Timeline &timeline)
{
    const TimePart whileNothingRuns = timeline.stages.empty() ? TimePart::Launch : TimePart::BetweenStages;
    Sweep sweep(timeline);
    TimelineParts parts;
    std::int64_t reached = 0;
    for (const StageSpan &span : timeline.stages) {
        parts.between.push_back(sweep.range(reached, span.startNs, whileNothingRuns));
        reached = std::max(reached, span.startNs);
        parts.stages.push_back(sweep.range(reached, span.endNs, TimePart::Launch));
        reached = std::max(reached, span.endNs);
    }
    parts.between.push_back(sweep.range(reached, timeline.durationNs, whileNothingRuns));
    return parts;
}

std::vector<TimeParts> timeParts(const Timeline &timeline)
{
    return timelineParts(timeline).stages;
}

std::vector<TimeStep> timeSteps(const TimeParts &from, const TimeParts &to)
{
    std::vector<TimeStep> steps;
    double reached = from.totalUs();
    for (std::size_t i = 0; i < kTimeParts; ++i) {
        if (from.us[i] == 0 && to.us[i] == 0)
            continue;
        const double next = reached + (to.us[i] - from.us[i]);
        steps.push_back({static_cast<TimePart>(i), reached, next});
        reached = next;
    }
    if (!steps.empty())
        steps.back().toUs = to.totalUs(); // without what rounding adds up to
    return steps;
}

std::string_view timePartKey(TimePart part, const TimePartSources &sources)
{
    switch (part) {
    case TimePart::Arithmetic: return "arithmetic";
    case TimePart::Memory: return "memory";
    case TimePart::Waiting: return "waiting";
    case TimePart::IdleUnits: return sources.areCores ? "idle_cores" : "idle_sms";
    case TimePart::BetweenStages: return "between_stages";
    case TimePart::NotExplained: return "not_explained";
    case TimePart::Launch: break;
    }
    return "launch";
}

std::string_view timePartText(TimePart part, const TimePartSources &sources)
{
    switch (part) {
    case TimePart::IdleUnits: return sources.areCores ? "idle cores" : "idle SMs";
    case TimePart::BetweenStages: return "between stages";
    case TimePart::NotExplained: return "not explained";
    case TimePart::Arithmetic:
    case TimePart::Memory:
    case TimePart::Waiting:
    case TimePart::Launch: break;
    }
    return timePartKey(part, sources);
}

} // namespace stagecraft
