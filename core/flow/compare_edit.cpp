#include "flow/compare_edit.h"

#include "flow/find/measured.h"
#include "results/schedule_words.h"
#include "schedule/edit/edit.h"
#include "schedule/verify_words.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace stagecraft {
namespace {

// Times the stages of `edited` one by one, except for those with a latency in `known`. Returns which.
Result<std::vector<std::size_t>> timeStages(TimedSchedule &edited, const TimedSchedule &known, DeviceSession &session,
                                            const std::stop_token &stop, const StageTold &told)
{
    std::vector<std::size_t> measured;
    edited.measured.stages.clear();
    if (!session.measuresStages())
        return measured;
    const auto same = sameStages(known.stages, edited.stages);
    for (std::size_t i = 0; i < edited.stages.size(); ++i) {
        if (same[i] != kNoStage) {
            edited.measured.stages.push_back(known.measured.stages[same[i]]);
            continue;
        }
        auto latency = session.stageLatency(edited.stages[i], stop);
        if (!latency)
            return within(stageName(i), latency.error());
        edited.measured.stages.push_back(std::move(latency->timing));
        measured.push_back(i);
        if (told)
            told(edited.stages[i], edited.measured.stages[i]);
    }
    return measured;
}

} // namespace

bool hasLatenciesOf(const TimedSchedule &schedule, const Model &model, const DeviceInfo &device)
{
    return schedule.hasStageLatencies() && schedule.layouts.empty() && device.isDeviceOf(schedule.context) &&
           !isOfOlderSimulator(schedule) && schedule.measured.calibration == device.calibration &&
           schedule.measured.provenance == device.provenance &&
           schedule.context.precision == latencyBasis(model, device).precision &&
           schedule.context.batch == model.graph->batch();
}

Result<EditOutcome> compareEdit(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                EditToCompare edit, const std::stop_token &stop, const StageTold &told)
{
    EditOutcome result;
    TRY_AS(auto measured, timeStages(edit.edited, edit.known, session, stop, told));
    result.measured = std::move(measured);
    describeDevice(edit.edited, model, device);

    std::vector<TimedSchedule> all = std::move(edit.beside);
    const std::size_t which = std::min<std::size_t>(all.size(), 1);
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(which), std::move(edit.edited));
    TimedSchedule &edited = all[which];
    if (session.isNoisy() && edit.rounds > 0 && all.size() > 1) {
        const std::vector<Schedule> schedules(all.begin(), all.end());
        TRY_AS(auto times, measureSchedulesInRounds(schedules, session, edit.rounds, stop));
        result.times = std::move(times);
        result.rounds = edit.rounds;
        edited.measured.whole = result.times[which].timing;
    } else {
        std::vector<double> us;
        for (TimedSchedule &one : all) {
            TRY_AS(const auto whole, session.measureWhole(one, stop));
            describeDevice(one, model, device); // measured here and now
            us.push_back(whole.timing.latencyUs);
            one.measured.whole = whole.timing;
            one.measured.how = whole.how;
        }
        result.times = session.isNoisy() ? comparedInRounds({us}) : comparedExactly(us);
        result.areComparable = areComparable(all.front(), edited);
    }
    result.edited = std::move(edited);
    return result;
}

} // namespace stagecraft
