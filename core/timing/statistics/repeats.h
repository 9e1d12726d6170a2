#pragma once

// Latencies of two things that were timed at different times, each several times: what a profile or a file holds. No
// run of one belongs to a run of the other, so they are compared as two samples.
//
// Where the runs are known, the speed-up is the middle of the ratios of all pairs (Hodges and Lehmann, 1963), and its
// 95 % interval that of the rank test (Mann and Whitney, 1947): a few runs that something else disturbed hardly move
// it. Runs after each other are alike where clocks or heat drift, which makes them worth fewer: their autocorrelation
// says how many. Where only the spread is known, runs count as independent, and the interval is Welch's for the
// logarithms of medians. What changed on the machine between the two counts as a difference.

#include "timing/statistics/verdict.h"
#include "timing/timing.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace stagecraft {

struct Repeats {
    Timing timing;                // of all of them together
    std::vector<double> runsUs{}; // in the order in which they ran, above 0; empty: only the timing is known
};

// What a comparison rests on.
enum class JudgedBy {
    Runs,   // each run
    Spread, // mean and standard deviation
    Exact,  // latencies that carry no noise
    Single, // too few runs for an interval
};

[[nodiscard]] std::string_view toString(JudgedBy by); // "runs", "spread", "exact", "single"

struct JudgedRepeats {
    SpeedupEstimate estimate; // Single: infinitely wide, and no verdict
    JudgedBy by = JudgedBy::Single;

    [[nodiscard]] bool hasInterval() const; // from repeats, with finite ends
    // That one is slower or faster than the other.
    [[nodiscard]] bool isShown() const
    {
        return estimate.verdict == Verdict::Slower || estimate.verdict == Verdict::Faster;
    }
};

// `comparisons`: of how many that are looked at together this is one (Bonferroni): with 95 % confidence none of the
// intervals misses. Eight runs of each are the least for an interval.
[[nodiscard]] JudgedRepeats judgeRepeats(const Repeats &base, const Repeats &other, std::size_t comparisons = 1);

// Of neighbours, between the ranks of the values: 0 where the order says nothing, 1 where it says all.
[[nodiscard]] double rankAutocorrelation(std::span<const double> values);

} // namespace stagecraft
