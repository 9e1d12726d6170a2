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
        : m_busy(timeline.kernels), m_arithmetic(timeline.counter("FLOP/s")),
          m_memory(timeline.counter("DRAM bandwidth")), m_units(unitsOf(timeline))
    {
    }

    [[nodiscard]] TimeParts stage(const StageSpan &span)
    {
        TimeParts parts;
        for (std::int64_t now = span.startNs; now < span.endNs;) {
            m_busy.advanceTo(now);
            std::int64_t next = std::min(span.endNs, m_busy.nextChange());
            for (Share *share : {&m_arithmetic, &m_memory, &m_units}) {
                share->advanceTo(now);
                next = std::min(next, share->nextChange());
            }
            add(parts, static_cast<double>(next - now) / 1000);
            now = next;
        }
        return parts;
    }

private:
    void add(TimeParts &parts, double us) const
    {
        const double units = m_units.isKnown() ? m_units.now() : 1;
        const auto part = [&](TimePart which) -> double & { return parts.us[static_cast<std::size_t>(which)]; };
        if (!m_busy.isBusy() || units <= 0) {
            part(TimePart::Launch) += us;
            return;
        }
        const double peak = std::max(m_arithmetic.now(), m_memory.now());
        const double idle = std::min(1 - units, 1 - peak);
        part(m_arithmetic.now() >= m_memory.now() ? TimePart::Arithmetic : TimePart::Memory) += us * peak;
        part(TimePart::IdleUnits) += us * idle;
        part(TimePart::Waiting) += us * std::max(0.0, 1 - peak - idle);
    }

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
    case TimePart::Waiting:
    case TimePart::Launch: break;
    }
    return true;
}

TimePartSources timePartSources(const Timeline &timeline)
{
    const auto isKnown = [](const CounterSeries *series) { return Share(series).isKnown(); };
    const CounterSeries *units = unitsOf(timeline);
    return {isKnown(timeline.counter("FLOP/s")), isKnown(timeline.counter("DRAM bandwidth")), isKnown(units),
            units && units->name == kThreads};
}

std::vector<TimeParts> timeParts(const Timeline &timeline)
{
    if (timeline.kernels.empty()) // recorded latencies: nothing says what ran when
        return std::vector<TimeParts>(timeline.stages.size());
    Sweep sweep(timeline);
    std::vector<TimeParts> parts;
    parts.reserve(timeline.stages.size());
    for (const StageSpan &span : timeline.stages)
        parts.push_back(sweep.stage(span));
    return parts;
}

std::string_view timePartKey(TimePart part, const TimePartSources &sources)
{
    switch (part) {
    case TimePart::Arithmetic: return "arithmetic";
    case TimePart::Memory: return "memory";
    case TimePart::Waiting: return "waiting";
    case TimePart::IdleUnits: return sources.areCores ? "idle_cores" : "idle_sms";
    case TimePart::Launch: break;
    }
    return "launch";
}

} // namespace stagecraft
