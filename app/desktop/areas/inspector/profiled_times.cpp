#include "desktop/areas/inspector/profiled_times.h"

#include "desktop/document/results.h"
#include "schedule/stage_groups.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace stagecraft {
namespace {

std::optional<double> usOf(const std::vector<OperatorId> &operators, const TimedSchedule &profile,
                           const TimelineIndex *timeline)
{
    if (timeline) {
        const std::int64_t busyNs = busyNsOf(timeline->timeline(), operators);
        return busyNs > 0 ? std::optional(static_cast<double>(busyNs) / 1000) : std::nullopt;
    }
    double us = 0;
    std::size_t covered = 0;
    for (std::size_t i = 0; i < profile.stages.size(); ++i) {
        const std::vector<OperatorId> of = operatorsOf(profile.stages[i]);
        if (!std::ranges::includes(operators, of))
            continue;
        us += profile.measured.stages[i].latencyUs;
        covered += of.size();
    }
    return covered == operators.size() && us > 0 ? std::optional(us) : std::nullopt;
}

} // namespace

std::vector<ProfiledTime> profiledTimes(const Results &results, const Stage &stage)
{
    std::vector<ProfiledTime> times;
    const ScheduleResult *current = results.shelf().find(results.current());
    if (!current)
        return times;
    const std::vector<OperatorId> operators = operatorsOf(stage);
    for (const ScheduleResult &result : results.shelf().results()) {
        if (result.origin != Origin::Profiled || !result.schedule || result.id == current->id ||
            result.settings.model != current->settings.model || result.settings.batch != current->settings.batch)
            continue;
        const auto us = usOf(operators, *result.schedule, results.timelineOf(result.id).get());
        if (us)
            times.push_back(
                {QString::fromStdString(result.shownName()), QString::fromStdString(result.settings.device), *us});
    }
    return times;
}

} // namespace stagecraft
