#pragma once

// The configuration of the sampled metrics for one kind of GPU, through CUPTI's host API: which counters to program,
// and how their values become metrics. Needs no GPU; PM sampling requires a single pass.

#include "gpu/profile/cupti.h"
#include "gpu/profile/sampled_counters.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace stagecraft::gpu {

// In the order of CounterSample's values.
inline constexpr std::array<const char *, 3> kSampledMetrics{"sm__warps_active.sum.per_cycle_elapsed",
                                                             "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                                                             "dram__bytes.sum.per_second"};

class CounterConfig {
public:
    // `chip`: from cuptiDeviceGetChipName ("GH100"). `availability`: of the device's counters, or empty. Throws
    // Failure: an unknown chip or metric, or more than one pass.
    CounterConfig(const Cupti &cupti, const std::string &chip, std::span<const char *const> metrics,
                  std::vector<std::uint8_t> availability = {});
    ~CounterConfig();
    CounterConfig(const CounterConfig &) = delete;
    CounterConfig &operator=(const CounterConfig &) = delete;

    [[nodiscard]] const std::vector<std::uint8_t> &image() const { return m_image; }
    [[nodiscard]] std::size_t passes() const { return m_passes; }
    // The values of one sample in a counter data image, in the order of the metrics.
    [[nodiscard]] std::vector<double> values(const std::vector<std::uint8_t> &data, std::size_t sample) const;

private:
    const Cupti &m_cupti;
    std::vector<const char *> m_metrics;
    std::vector<std::uint8_t> m_availability;
    CUpti_Profiler_Host_Object *m_host = nullptr;
    std::vector<std::uint8_t> m_image;
    std::size_t m_passes = 0;
};

} // namespace stagecraft::gpu
