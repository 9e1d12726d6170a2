#pragma once

// Whether one schedule is faster than another, by one set of rules for every command and view. Latencies come from
// rounds in which both were timed; the logarithm of their ratio is averaged over the rounds, so the ratio stated is
// that of the geometric means of the latencies.
//   faster, slower        the 95 % interval of the ratio leaves 1 out, and the effect is at least 0.5 %
//   same within 1 %       the interval lies inside 1 %
//   no difference shown   else; at most as large as the interval's farther end
// Fewer than eight rounds give no verdict. Exact latencies (simulated ones) need no interval.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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
    std::int64_t moreRounds = 0; // NotShown: how many more would tell, if they go as these did
};

// Latencies round by round, at least one round, as many of both.
[[nodiscard]] SpeedupEstimate judge(std::span<const double> baseUs, std::span<const double> otherUs);
[[nodiscard]] SpeedupEstimate judgeExact(double baseUs, double otherUs);

// "faster", "no difference shown (at most 3.2 %; about 40 more rounds, 25 s, would tell)"; empty without a verdict.
[[nodiscard]] std::string verdictText(const SpeedupEstimate &estimate, double secondsPerRound);

} // namespace stagecraft
