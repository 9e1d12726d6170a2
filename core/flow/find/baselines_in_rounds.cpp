#include "flow/find/baselines_in_rounds.h"

#include "flow/find/measured.h"
#include "flow/find/replace_with_baseline.h"
#include "flow/find/wavefront_schedule.h"
#include "search/stages/baselines.h"

#include <utility>

namespace stagecraft {

Result<FoundSchedule> measuredBaseline(ScheduleKind kind, const Model &model, DeviceSession &session,
                                       const DeviceInfo &device, const std::stop_token &stop)
{
    FoundSchedule baseline;
    if (kind == ScheduleKind::Wavefront) {
        TRY_AS(baseline.schedule, wavefrontSchedule(model, session, stop));
    } else {
        baseline.schedule = kind == ScheduleKind::Greedy ? greedySchedule(*model.graph, model.blocks)
                                                         : sequentialSchedule(*model.graph, model.blocks);
    }
    baseline.schedule.context.model = model.reference();
    baseline.schedule.context.batch = model.graph->batch();
    TRY(measureInto(baseline.schedule, model, session, device, stop));
    return baseline;
}

Result<std::optional<BaselinesInRounds>> compareWithBaselines(FoundSchedule &found, const Model &model,
                                                              DeviceSession &session, const DeviceInfo &device,
                                                              int rounds, const BaselineLeftOut &leftOut,
                                                              const RoundsCallback &onProgress,
                                                              const std::stop_token &stop)
{
    if (!session.isNoisy() || rounds == 0 || stop.stop_requested())
        return std::nullopt;
    BaselinesInRounds against;
    against.rounds = rounds;
    std::vector<FoundSchedule> all;
    std::vector<Schedule> schedules;
    for (const ScheduleKind kind : {ScheduleKind::Sequential, ScheduleKind::Greedy}) {
        auto baseline = measuredBaseline(kind, model, session, device, stop);
        if (!baseline && baseline.error().code == ErrorCode::Cancelled)
            return std::nullopt;
        if (!baseline && baseline.error().code != ErrorCode::DeviceFailed)
            return tl::unexpected(std::move(baseline.error()));
        if (!baseline) {
            if (leftOut)
                leftOut(kind, baseline.error());
            continue;
        }
        against.baselines.push_back(kind);
        schedules.push_back(baseline->schedule);
        all.push_back(std::move(*baseline));
    }
    schedules.push_back(found.schedule);
    all.push_back(std::move(found));
    auto times = measureSchedulesInRounds(schedules, session, rounds, stop, onProgress);
    if (times) {
        const std::size_t standing =
            keepFasterBaselines(all, *times, against.baselines.size(), session.boundaryCost()).back();
        if (standing < against.baselines.size())
            against.kept = against.baselines[standing];
        Timing &timing = *all.back().schedule.measured.whole;
        ClockRates clocks = std::move(timing.clocks);
        timing = times->back().timing;
        timing.clocks = std::move(clocks);
        against.times = std::move(*times);
    }
    found = std::move(all.back());
    if (!times && times.error().code != ErrorCode::Cancelled)
        return tl::unexpected(std::move(times.error()));
    return times ? std::optional(std::move(against)) : std::nullopt;
}

} // namespace stagecraft
