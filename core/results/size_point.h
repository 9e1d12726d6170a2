#pragma once

// What schedules of a model gain at several of its sizes, and between which sizes that begins and ends.

#include "schedule/timed_schedule.h"
#include "support/result.h"
#include "timing/statistics/rounds.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

// The schedules of a point, by place.
inline constexpr std::array<std::string_view, 3> kSizeSchedules{"Sequential", "Greedy", "IOS-Both"};
inline constexpr std::size_t kSizeGreedy = 1;
inline constexpr std::size_t kSizeIos = 2;

struct SizePoint {
    std::int64_t size = 0;
    std::shared_ptr<const TimedSchedule> found = {};           // IOS-Both, or the baseline that was faster
    std::array<TimingInRounds, kSizeSchedules.size()> times{}; // against Sequential
    int rounds = 0;                                            // 0: latencies are exact, or have no interval
    std::optional<Error> refusal = {};                         // why the search left stages out

    // How many times as fast as Sequential: its latency over that of the schedule.
    [[nodiscard]] const SpeedupEstimate &gain(std::size_t schedule) const { return times[schedule].against; }
    [[nodiscard]] bool hasInterval() const { return rounds > 1; }
};

// Faster than Sequential by the rules of every comparison (timing/statistics/verdict.h), which ask for 0.5 %; without a
// verdict, by its latency.
[[nodiscard]] bool gains(const SpeedupEstimate &gain);

// Between two neighbouring sizes a gain begins or ends.
struct SizeCrossing {
    std::int64_t below = 0;
    std::int64_t above = 0;
    double at = 0; // where the gain, a power of the size between the two, passes 1 by 0.5 %
    bool gainsAbove = false;
};

// "1.21x", or with its 95 % interval "1.21x (1.18x to 1.24x)".
[[nodiscard]] std::string gainText(const SizePoint &point, std::size_t schedule);

// Points ascend by size.
[[nodiscard]] std::vector<SizeCrossing> crossingsOf(std::span<const SizePoint> points, std::size_t schedule);

// "IOS-Both: the gain crosses 1 between tokens = 256 and 512, at about 310: it gains below", "IOS-Both: never gains,
// from tokens = 1 to 4,096", "IOS-Both: gains at every size, from tokens = 1 to 4,096". Empty without points.
[[nodiscard]] std::string crossingText(std::span<const SizePoint> points, std::size_t schedule,
                                       const std::string &parameter);

} // namespace stagecraft
