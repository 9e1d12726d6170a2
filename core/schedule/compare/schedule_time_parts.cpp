#include "schedule/compare/schedule_time_parts.h"

#include "schedule/compare/stream_times.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {
namespace {

constexpr double kRoundingUs = 1e-6; // of sums: a timeline's times are whole nanoseconds

} // namespace

TimeParts ScheduleTimeParts::of(StageRange range) const
{
    TimeParts parts;
    for (std::size_t i = range.first; i < std::min(range.end(), stages.size()); ++i) {
        parts += stages[i];
        if (i > range.first)
            parts += beforeStages[i];
    }
    return parts;
}

bool ScheduleTimeParts::has(TimePart part) const
{
    return sources.has(part) || whole.of(part) != 0;
}

std::optional<ScheduleTimeParts> scheduleTimeParts(const TimedSchedule &schedule, const TimelineIndex &index)
{
    const bool hasLaunches = schedule.streams && index.timeline().stages.empty() && !index.timeline().kernels.empty();
    const Timeline ofLaunches = hasLaunches ? withLaunchesAsStages(*schedule.streams, index.timeline()) : Timeline();
    const TimelineParts partsOfLaunches = hasLaunches ? timelineParts(ofLaunches) : TimelineParts();
    const Timeline &timeline = hasLaunches ? ofLaunches : index.timeline();
    const TimelineParts &parts = hasLaunches ? partsOfLaunches : index.parts();
    const std::size_t stages = schedule.streams ? schedule.streams->launches.size() : schedule.stages.size();
    const auto latencyUs = schedule.latencyUs();
    if (!latencyUs)
        return std::nullopt;
    ScheduleTimeParts result{.latencyUs = *latencyUs,
                             .timelineUs = static_cast<double>(timeline.durationNs) / 1000,
                             .provenance = timeline.provenance,
                             .sources = timePartSources(timeline),
                             .whole = {},
                             .stages = std::vector<TimeParts>(stages),
                             .beforeStages = std::vector<TimeParts>(stages),
                             .areStagesKnown = !timeline.stages.empty()};
    for (const TimeParts &between : parts.between)
        result.whole += between;
    for (std::size_t i = 0; i < parts.stages.size(); ++i) {
        result.whole += parts.stages[i];
        if (const std::size_t stage = timeline.stages[i].stage; stage < result.stages.size()) {
            result.stages[stage] += parts.stages[i];
            result.beforeStages[stage] += parts.between[i];
        }
    }
    const double beyondUs = result.latencyUs - result.whole.totalUs();
    // What rounding adds up to is no part of its own.
    double &rest = std::abs(beyondUs) < kRoundingUs ? *std::ranges::max_element(result.whole.us)
                                                    : result.whole.of(TimePart::NotExplained);
    for (int i = 0; i < 2; ++i) // rounded itself the first time
        rest += result.latencyUs - result.whole.totalUs();
    return result;
}

} // namespace stagecraft
