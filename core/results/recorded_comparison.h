#pragma once

// Results and profiles in files, compared as they are (flow/compare_recorded.h): the first is the baseline.

#include "schedule/compare/operator_changes.h"
#include "schedule/timed_schedule.h"
#include "timing/statistics/repeats.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct RecordedResult {
    std::string name; // as it was named
    std::shared_ptr<const TimedSchedule> schedule;
    Repeats repeats;    // of the whole
    OperatorRuns runs;  // of its operators
    std::string source; // where its latency is from: "PyTorch profiler"; empty: this program
};

// Something that latencies depend on, beside the schedule, and that is not the same for both.
struct ContextDifference {
    std::string what; // "device"
    std::string before;
    std::string after;
    bool forbids = false; // latencies are not compared
};

inline constexpr std::size_t kListedOperators = 20; // that changed, where people read

struct RecordedChange { // of one result against the first
    std::vector<ContextDifference> context;
    std::optional<JudgedRepeats> judged; // empty: latencies are not comparable
    OperatorChanges operators;

    [[nodiscard]] bool isComparable() const { return std::ranges::none_of(context, &ContextDifference::forbids); }
    // Shown to be less than this many times as fast as the first: noise alone does not do that.
    [[nodiscard]] bool isBelow(double ratio) const
    {
        if (!judged || judged->by == JudgedBy::Single)
            return false;
        return judged->estimate.high < ratio;
    }
};

struct RecordedComparison {
    std::string model;
    std::vector<RecordedResult> results;
    std::vector<RecordedChange> changes; // of each but the first
};

} // namespace stagecraft
