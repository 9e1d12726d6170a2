#pragma once

// Whether one schedule is faster than another, by the same rules in every command and view. Latencies come from rounds
// in which both were timed; the logarithm of their ratio is averaged over the rounds, so the stated ratio is that of
// the geometric means.
//   faster, slower        the 95 % interval of the ratio excludes 1, and the effect is at least 0.5 %
//   same within 1 %       the interval lies inside 1 %
//   no difference shown   otherwise; the difference is at most the interval's farther end
// Fewer than eight rounds give no verdict. Exact latencies (simulated ones) need no interval.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

inline constexpr int kRoundsForVerdict = 8;

enum class Verdict { None, Faster, Slower, Same, NotShown };

[[nodiscard]] std::string_view toString(Verdict verdict); // "", "faster", "slower", "same within 1 %", ...

struct SpeedupEstimate {
    double speedup = 1; // latency of the base over the latency of the other
    double low = 1;     // its 95 % confidence interval; infinitely wide for a single round
    double high = 1;
    Verdict verdict = Verdict::None;
    double atMost = 0;           // the largest difference that the interval allows; 0.02: 2 %
    std::int64_t moreRounds = 0; // NotShown: how many more rounds would decide, at the present spread
};

// Latencies by round, at least one round, the same number for both.
[[nodiscard]] SpeedupEstimate judge(std::span<const double> baseUs, std::span<const double> otherUs);
// Several comparisons that are looked at together are corrected for their number (Holm's step-down procedure): with 95
// % confidence none of the differences found is chance. A single one is judged as by judge().
struct PairedRounds {
    std::span<const double> baseUs;
    std::span<const double> otherUs;
};
[[nodiscard]] std::vector<SpeedupEstimate> judgeTogether(std::span<const PairedRounds> all);
[[nodiscard]] SpeedupEstimate judgeExact(double baseUs, double otherUs);
// By the rules above, from an interval at hand. `rounds`: values of each behind it.
[[nodiscard]] SpeedupEstimate judgeInterval(double speedup, double low, double high, std::size_t rounds);

// "faster", "no difference shown (at most 3.2 %; about 40 more rounds, 25 s, would tell)"; empty without a verdict.
[[nodiscard]] std::string verdictText(const SpeedupEstimate &estimate, double secondsPerRound);

} // namespace stagecraft
