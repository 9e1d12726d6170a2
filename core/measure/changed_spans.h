#pragma once

// Where an edited schedule differs from its original: spans of stages, each timed before and after the edit in rounds,
// so that a single change has a verdict (timing/statistics/verdict.h), too.

#include "device/device.h"
#include "schedule/compare/spans.h"
#include "schedule/schedule.h"
#include "support/result.h"

#include <stop_token>
#include <vector>

namespace stagecraft {

// A span with the same operators on both sides.
struct ChangedSpan {
    std::vector<Stage> before;
    std::vector<Stage> after;

    friend bool operator==(const ChangedSpan &, const ChangedSpan &) = default;
};

[[nodiscard]] ChangedSpan changedSpan(StageList before, StageList after, const CommonSpan &span);

struct TimedSpan {
    ChangedSpan span;
    std::vector<double> beforeUs; // by round: its stages, each timed by itself, without boundaries
    std::vector<double> afterUs;
    double secondsPerRound = 0;
};

// Every other round runs backwards. Errors: the session's; Cancelled if a stop is requested before the last round is
// done.
[[nodiscard]] Result<TimedSpan> timeSpan(ChangedSpan span, DeviceSession &session, int rounds,
                                         const std::stop_token &stop);

} // namespace stagecraft
