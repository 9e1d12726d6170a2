#include "device/executing/adaptive_measurement.h"

#include "timing/statistics/means.h"
#include "timing/statistics/students_t.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stagecraft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kClocksEvery{20}; // as often as drivers renew them

// Collects the clocks that are read.
class ClockLog {
public:
    explicit ClockLog(const std::function<ClockRates()> &read) : m_read(read) {}

    void add()
    {
        if (!m_read)
            return;
        const ClockRates now = m_read();
        for (const auto &[mhz, log] : {std::pair{now.coreMhz, &m_core}, std::pair{now.memoryMhz, &m_memory}}) {
            if (mhz > 0)
                log->push_back(mhz);
        }
        if (!now.slowedBy.empty())
            m_slowedBy = now.slowedBy;
        m_last = Clock::now();
    }

    void addIfDue()
    {
        if (m_read && Clock::now() - m_last >= kClocksEvery)
            add();
    }

    [[nodiscard]] ClockRates middle() const { return {middleOf(m_core), middleOf(m_memory), m_slowedBy}; }

private:
    // The median, as a clock that was really read: the lower one of the middle two.
    static int middleOf(std::vector<int> values)
    {
        if (values.empty())
            return 0;
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    }

    const std::function<ClockRates()> &m_read;
    std::vector<int> m_core;
    std::vector<int> m_memory;
    std::string m_slowedBy; // at any reading
    Clock::time_point m_last;
};

// Drops samples further above the median than six times the median deviation and a tenth of the median. A timing has a
// floor, so only the slow side is interference.
std::vector<double> undisturbed(const std::vector<double> &samples)
{
    const double median = medianOf(samples);
    std::vector<double> deviations;
    deviations.reserve(samples.size());
    for (const double sample : samples)
        deviations.push_back(std::abs(sample - median));
    const double limit = median + std::max(6 * medianOf(deviations), 0.1 * median);
    std::vector<double> kept;
    std::ranges::copy_if(samples, std::back_inserter(kept), [&](double sample) { return sample <= limit; });
    return kept;
}

Timing summary(const std::vector<double> &samples, int number)
{
    Timing result;
    result.meanUs = meanOf(samples);
    result.latencyUs = medianOf(samples);
    result.stddevUs = deviationOf(samples);
    result.runs = static_cast<int>(samples.size()) * number;
    return result;
}

} // namespace

Result<Timing> measureAdaptively(const std::function<Result<double>(int)> &runs, const MeasurementOptions &options,
                                 std::stop_token stop)
{
    const Clock::time_point end = Clock::now() + options.budget;
    double onceUs = 0;
    for (int i = 0; i < std::max(options.warmup, 1); ++i) {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        TRY_AS(const auto elapsed, runs(1));
        onceUs = elapsed;
    }
    const int number = std::max(1, static_cast<int>(std::ceil(options.minSampleUs / std::max(onceUs, 1e-2))));
    std::vector<double> samples;
    std::vector<double> kept;
    ClockLog clocks(options.clocks);
    const auto withClocks = [&](Timing timing) {
        clocks.add();
        timing.clocks = clocks.middle();
        return timing;
    };
    clocks.add();
    while (static_cast<int>(samples.size()) < options.maxRepeat) {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        TRY_AS(const auto elapsed, runs(number));
        samples.push_back(elapsed / number);
        clocks.addIfDue();
        if (static_cast<int>(samples.size()) < options.minRepeat)
            continue;
        kept = undisturbed(samples);
        const bool over = Clock::now() >= end;
        if (static_cast<int>(kept.size()) < options.minRepeat && !over)
            continue;
        const Timing timing = summary(kept, number);
        const std::size_t count = std::max(kept.size(), std::size_t{2});
        const double interval = studentsT(count - 1) * timing.stddevUs / std::sqrt(static_cast<double>(count));
        if (over || interval <= options.relativeInterval * timing.meanUs)
            return withClocks(timing);
    }
    return withClocks(summary(kept, number));
}

} // namespace stagecraft
