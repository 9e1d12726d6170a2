#include "timing/timeline/timeline_index.h"

#include "timing/timeline/timeline_rows.h"

#include <algorithm>
#include <limits>

namespace stagecraft {
namespace {

constexpr std::size_t kStep = 16;    // spans of a row between stored sums
constexpr std::size_t kSumStep = 64; // kernels between stored sums
constexpr std::uint32_t kLong = std::numeric_limits<std::uint32_t>::max();

TimeRange overlap(TimeRange a, TimeRange b)
{
    const std::int64_t from = std::max(a.fromNs, b.fromNs);
    return {from, std::max(from, std::min(a.toNs, b.toNs))};
}

TimeRange timeOf(const KernelSpan &kernel)
{
    return {kernel.startNs, kernel.endNs};
}

// The share of the kernel's time before the moment.
double shareBefore(const KernelSpan &kernel, std::int64_t ns)
{
    if (kernel.endNs <= kernel.startNs)
        return kernel.startNs < ns ? 1 : 0;
    return std::clamp(static_cast<double>(ns - kernel.startNs) / static_cast<double>(kernel.endNs - kernel.startNs),
                      0.0, 1.0);
}

} // namespace

TimelineIndex::TimelineIndex(std::shared_ptr<const Timeline> timeline)
    : m_timeline(std::move(timeline)), m_parts(timelineParts(*m_timeline))
{
    addStages();
    addKernels();
}

void TimelineIndex::addStages()
{
    constexpr TimeRange kNone{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    m_kernelsOfStages.assign(m_timeline->stages.size(), kNone);
}

void TimelineIndex::addKernels()
{
    const std::vector<KernelSpan> &kernels = m_timeline->kernels;
    const auto rowsWithin = [&](const KernelSpan &kernel) { // a row that does not exist has no kernels
        const TimelineRows rows = rowsOf(kernel, *m_timeline);
        return rows.first < m_timeline->streams ? rows : TimelineRows{0, 0};
    };
    std::vector<std::size_t> counts(m_timeline->streams, 0);
    for (const KernelSpan &kernel : kernels) {
        const TimelineRows rows = rowsWithin(kernel);
        for (std::size_t row = rows.first; row < rows.first + rows.count; ++row)
            ++counts[row];
    }
    m_rows.resize(counts.size());
    for (std::size_t row = 0; row < counts.size(); ++row) {
        m_rows[row].spans.reserve(counts[row]);
        m_rows[row].busyUpTo.reserve(counts[row] / kStep + 1);
    }
    std::vector<std::int64_t> busy(counts.size(), 0);
    m_sums.reserve(kernels.size() / kSumStep + 1);
    Sums sums;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const KernelSpan &kernel = kernels[i];
        const std::int64_t length = std::max<std::int64_t>(0, kernel.endNs - kernel.startNs);
        const auto shortLength = static_cast<std::uint32_t>(std::min<std::int64_t>(length, kLong));
        const TimelineRows rows = rowsWithin(kernel);
        for (std::size_t row = rows.first; row < rows.first + rows.count; ++row) {
            if (m_rows[row].spans.size() % kStep == 0)
                m_rows[row].busyUpTo.push_back(busy[row]);
            m_rows[row].spans.push_back({kernel.startNs, shortLength, static_cast<std::uint32_t>(i)});
            busy[row] += length;
        }
        if (i % kSumStep == 0)
            m_sums.push_back(sums);
        sums.coveredNs += std::max<std::int64_t>(0, kernel.endNs - std::max(kernel.startNs, sums.reachNs));
        sums.reachNs = std::max(sums.reachNs, kernel.endNs);
        sums.flops += kernel.flops;
        sums.bytes += kernel.bytes;
        for (const OperatorId op : kernel.operators) {
            if (op.index() >= m_kernelsOf.size())
                m_kernelsOf.resize(op.index() + 1, {1, 0});
            KernelRange &range = m_kernelsOf[op.index()];
            range = {range.first > range.last ? static_cast<std::uint32_t>(i) : range.first,
                     static_cast<std::uint32_t>(i)};
        }
        if (const auto place = stagePlace(kernel.stage)) {
            TimeRange &range = m_kernelsOfStages[*place];
            range = {std::min(range.fromNs, kernel.startNs), std::max(range.toNs, kernel.endNs)};
        }
    }
}

std::int64_t TimelineIndex::endOf(const RowSpan &span) const
{
    return span.shortLengthNs == kLong ? kernel(span).endNs : span.startNs + std::int64_t{span.shortLengthNs};
}

std::size_t TimelineIndex::firstStartingAt(std::size_t row, std::int64_t ns, std::size_t from) const
{
    const std::vector<RowSpan> &spans = m_rows[row].spans;
    std::size_t step = 1;
    std::size_t upper = from;
    while (upper < spans.size() && spans[upper].startNs < ns) {
        from = upper + 1;
        upper += step;
        step *= 2;
    }
    const auto end = spans.begin() + static_cast<std::ptrdiff_t>(std::min(upper, spans.size()));
    const auto found = std::lower_bound(spans.begin() + static_cast<std::ptrdiff_t>(from), end, ns,
                                        [](const RowSpan &span, std::int64_t time) { return span.startNs < time; });
    return static_cast<std::size_t>(found - spans.begin());
}

std::size_t TimelineIndex::firstEndingAfter(std::size_t row, std::int64_t ns) const
{
    const std::size_t next = firstStartingAt(row, ns);
    return next > 0 && endOf(m_rows[row].spans[next - 1]) > ns ? next - 1 : next;
}

const KernelSpan *TimelineIndex::kernelAt(std::size_t row, std::int64_t ns) const
{
    const std::size_t found = firstEndingAfter(row, ns);
    if (found == m_rows[row].spans.size() || m_rows[row].spans[found].startNs > ns)
        return nullptr;
    return &kernel(m_rows[row].spans[found]);
}

std::int64_t TimelineIndex::lengthOfFirst(std::size_t row, std::size_t count) const
{
    if (count == 0)
        return 0;
    const Row &of = m_rows[row];
    const std::size_t stored = (count - 1) / kStep;
    std::int64_t length = of.busyUpTo[stored];
    for (std::size_t i = stored * kStep; i < count; ++i)
        length += endOf(of.spans[i]) - of.spans[i].startNs;
    return length;
}

std::int64_t TimelineIndex::lengthNs(std::size_t row, std::size_t first, std::size_t last) const
{
    return lengthOfFirst(row, last) - lengthOfFirst(row, first);
}

std::int64_t TimelineIndex::busyBefore(std::size_t row, std::int64_t ns) const
{
    const std::size_t count = firstStartingAt(row, ns);
    if (count == 0)
        return 0;
    const RowSpan &last = m_rows[row].spans[count - 1];
    return lengthOfFirst(row, count - 1) + std::min(ns, endOf(last)) - last.startNs;
}

std::int64_t TimelineIndex::busyNs(std::size_t row, TimeRange range) const
{
    return std::clamp<std::int64_t>(busyBefore(row, range.toNs) - busyBefore(row, range.fromNs), 0, range.sizeNs());
}

std::size_t TimelineIndex::kernelsStartingBefore(std::int64_t ns) const
{
    const auto after = std::ranges::lower_bound(m_timeline->kernels, ns, {}, &KernelSpan::startNs);
    return static_cast<std::size_t>(after - m_timeline->kernels.begin());
}

TimelineIndex::Sums TimelineIndex::sumsOfFirst(std::size_t kernels) const
{
    if (kernels == 0)
        return {};
    Sums sums = m_sums[(kernels - 1) / kSumStep];
    for (std::size_t i = (kernels - 1) / kSumStep * kSumStep; i < kernels; ++i) {
        const KernelSpan &kernel = m_timeline->kernels[i];
        sums.coveredNs += std::max<std::int64_t>(0, kernel.endNs - std::max(kernel.startNs, sums.reachNs));
        sums.reachNs = std::max(sums.reachNs, kernel.endNs);
        sums.flops += kernel.flops;
        sums.bytes += kernel.bytes;
    }
    return sums;
}

RangeStatistics TimelineIndex::statistics(TimeRange range) const
{
    RangeStatistics result;
    result.range = range;
    if (range.sizeNs() <= 0)
        return result;
    const std::size_t before = kernelsStartingBefore(range.fromNs);
    const std::size_t until = kernelsStartingBefore(range.toNs);
    const Sums atStart = sumsOfFirst(before);
    const Sums atEnd = sumsOfFirst(until);
    // All kernels counted start before the moment, so the time from it to their last end is covered.
    const auto covered = [](const Sums &sums, std::int64_t ns) {
        return sums.coveredNs - std::max<std::int64_t>(0, sums.reachNs - ns);
    };
    result.busyNs = covered(atEnd, range.toNs) - covered(atStart, range.fromNs);
    result.idleNs = range.sizeNs() - result.busyNs;
    result.kernels = until - before;
    result.flops = atEnd.flops - atStart.flops;
    result.bytes = atEnd.bytes - atStart.bytes;
    const auto running = [&](std::int64_t ns, auto &&visit) { // each kernel once, on its first row
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            const KernelSpan *kernel = kernelAt(row, ns);
            if (kernel && kernel->startNs < ns && rowsOf(*kernel, *m_timeline).first == row)
                visit(*kernel);
        }
    };
    running(range.fromNs, [&](const KernelSpan &kernel) {
        ++result.kernels;
        result.flops += kernel.flops * (1 - shareBefore(kernel, range.fromNs));
        result.bytes += kernel.bytes * (1 - shareBefore(kernel, range.fromNs));
    });
    running(range.toNs, [&](const KernelSpan &kernel) {
        result.flops -= kernel.flops * (1 - shareBefore(kernel, range.toNs));
        result.bytes -= kernel.bytes * (1 - shareBefore(kernel, range.toNs));
    });
    return result;
}

TimeRange TimelineIndex::launchBefore(std::size_t row, std::size_t span) const
{
    const RowSpan &next = m_rows[row].spans[span];
    if (m_timeline->isOfProfile())
        return {next.startNs, next.startNs};
    const std::int64_t previousEnd = span > 0 ? endOf(m_rows[row].spans[span - 1]) : 0;
    const auto place = stagePlace(kernel(next).stage);
    const std::int64_t stageStart = place ? m_timeline->stages[*place].startNs : previousEnd;
    return overlap({std::max(previousEnd, stageStart), next.startNs}, {0, next.startNs});
}

TimeRange TimelineIndex::waitAfter(std::size_t row, std::size_t span) const
{
    const std::vector<RowSpan> &spans = m_rows[row].spans;
    const std::int64_t end = endOf(spans[span]);
    const std::size_t stage = kernel(spans[span]).stage;
    const auto place = stagePlace(stage);
    const bool isLast = span + 1 == spans.size() || kernel(spans[span + 1]).stage != stage;
    if (!place || !isLast || m_timeline->isOfProfile())
        return {end, end};
    return {end, std::max(end, m_kernelsOfStages[*place].toNs)};
}

std::size_t TimelineIndex::firstStageEndingAfter(std::int64_t ns) const
{
    const auto &stages = m_timeline->stages;
    const auto found = std::ranges::upper_bound(stages, ns, {}, &StageSpan::endNs);
    return static_cast<std::size_t>(found - stages.begin());
}

TimeRange TimelineIndex::barrierAfter(std::size_t place) const
{
    const auto &stages = m_timeline->stages;
    const std::int64_t until = place + 1 < stages.size() ? stages[place + 1].startNs : m_timeline->durationNs;
    if (m_timeline->isOfProfile())
        return {until, until};
    const std::int64_t from = std::max(m_kernelsOfStages[place].toNs, stages[place].startNs);
    return {std::min(from, until), until};
}

std::optional<std::size_t> TimelineIndex::stagePlace(std::size_t stage) const
{
    const auto &stages = m_timeline->stages;
    if (stage < stages.size() && stages[stage].stage == stage)
        return stage;
    const auto found = std::ranges::find(stages, stage, &StageSpan::stage);
    return found == stages.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - stages.begin()));
}

std::optional<Gap> TimelineIndex::gapAt(std::size_t row, std::int64_t ns) const
{
    if (ns < 0 || ns >= m_timeline->durationNs || kernelAt(row, ns))
        return std::nullopt;
    const auto holds = [ns](TimeRange range) { return ns >= range.fromNs && ns < range.toNs; };
    const std::vector<RowSpan> &spans = m_rows[row].spans;
    const std::size_t next = firstEndingAfter(row, ns);
    if (m_timeline->isOfProfile()) {
        const std::int64_t fromNs = next > 0 ? endOf(spans[next - 1]) : 0;
        const std::int64_t toNs = next < spans.size() ? spans[next].startNs : m_timeline->durationNs;
        return Gap{GapKind::Idle, {fromNs, toNs}, kOfNoStage};
    }
    if (next < spans.size()) {
        if (const TimeRange launch = launchBefore(row, next); holds(launch))
            return Gap{GapKind::Launch, launch, kernel(spans[next]).stage};
    }
    if (next > 0) {
        if (const TimeRange wait = waitAfter(row, next - 1); holds(wait))
            return Gap{GapKind::Wait, wait, kernel(spans[next - 1]).stage};
    }
    const auto &stages = m_timeline->stages;
    std::size_t place = firstStageEndingAfter(ns);
    if (place > 0 && (place == stages.size() || stages[place].startNs > ns))
        --place; // between two stages
    if (place == stages.size())
        return std::nullopt;
    if (const TimeRange barrier = barrierAfter(place); holds(barrier))
        return Gap{GapKind::Barrier, barrier, stages[place].stage};
    return Gap{GapKind::Unused, {stages[place].startNs, barrierAfter(place).fromNs}, stages[place].stage};
}

std::optional<TimeRange> TimelineIndex::rangeOf(OperatorId op) const
{
    if (op.index() >= m_kernelsOf.size() || m_kernelsOf[op.index()].first > m_kernelsOf[op.index()].last)
        return std::nullopt;
    std::optional<TimeRange> range;
    for (std::uint32_t i = m_kernelsOf[op.index()].first; i <= m_kernelsOf[op.index()].last; ++i) {
        const KernelSpan &kernel = m_timeline->kernels[i];
        if (std::ranges::find(kernel.operators, op) == kernel.operators.end())
            continue;
        const TimeRange time = timeOf(kernel);
        range = range ? TimeRange{std::min(range->fromNs, time.fromNs), std::max(range->toNs, time.toNs)} : time;
    }
    return range;
}

std::optional<TimeRange> TimelineIndex::rangeOfStage(std::size_t stage) const
{
    const auto place = stagePlace(stage);
    if (!place || m_kernelsOfStages[*place].fromNs >= m_kernelsOfStages[*place].toNs)
        return std::nullopt;
    return m_kernelsOfStages[*place];
}

} // namespace stagecraft
