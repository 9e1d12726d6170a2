#include "measure/changed_spans.h"

#include <chrono>
#include <utility>

namespace stagecraft {
namespace {

Result<double> sumUs(const std::vector<Stage> &stages, DeviceSession &session, const std::stop_token &stop)
{
    double us = 0;
    for (const Stage &stage : stages) {
        TRY_AS(const auto latency, session.measureStage(stage, stop));
        us += latency.timing.latencyUs;
    }
    return us;
}

} // namespace

ChangedSpan changedSpan(StageList before, StageList after, const CommonSpan &span)
{
    const auto stagesIn = [](StageList stages, const StageRange &range) {
        const StageList part = stages.subspan(range.first, range.count);
        return std::vector<Stage>(part.begin(), part.end());
    };
    return {stagesIn(before, span.sides[0]), stagesIn(after, span.sides[1])};
}

Result<TimedSpan> timeSpan(ChangedSpan span, DeviceSession &session, int rounds, const std::stop_token &stop)
{
    using Clock = std::chrono::steady_clock;
    TimedSpan timed{std::move(span), {}, {}, 0};
    const auto start = Clock::now();
    for (int round = 0; round < rounds; ++round) {
        for (const bool isBefore : {round % 2 == 0, round % 2 != 0}) {
            if (stop.stop_requested())
                return fail(ErrorCode::Cancelled, "stopped");
            TRY_AS(const auto us, sumUs(isBefore ? timed.span.before : timed.span.after, session, stop));
            (isBefore ? timed.beforeUs : timed.afterUs).push_back(us);
        }
    }
    timed.secondsPerRound = std::chrono::duration<double>(Clock::now() - start).count() / rounds;
    return timed;
}

} // namespace stagecraft
