#include "flow/compare_edit.h"

#include "flow/find/measured.h"
#include "results/schedule_words.h"
#include "schedule/edit/edit.h"
#include "schedule/verify_words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stagecraft {

Result<std::vector<std::size_t>> timeStages(Schedule &edited, const Schedule &known, DeviceSession &session,
                                            const std::stop_token &stop,
                                            const std::function<void(std::size_t stage)> &told)
{
    std::vector<std::size_t> measured;
    const auto same = sameStages(known.stages, edited.stages);
    for (std::size_t i = 0; i < edited.stages.size(); ++i) {
        if (same[i] != kNoStage) {
            edited.stageTimings.push_back(known.stageTimings[same[i]]);
            continue;
        }
        auto latency = session.stageLatency(edited.stages[i], stop);
        if (!latency)
            return within(stageName(i), latency.error());
        edited.stageTimings.push_back(std::move(latency->timing));
        measured.push_back(i);
        told(i);
    }
    return measured;
}

bool hasLatenciesOf(const Schedule &schedule, const Model &model, const DeviceInfo &device)
{
    return schedule.hasStageLatencies() && schedule.layouts.empty() && schedule.device == device.id &&
           schedule.calibration == device.calibration && schedule.provenance == device.provenance &&
           schedule.precision == latencyBasis(model, device).precision && schedule.batch == model.graph->batch();
}

Result<EditOutcome> compareEdit(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                const Schedule &original, Schedule edited, int rounds, const std::stop_token &stop)
{
    EditOutcome result;
    TRY_AS(auto measured, timeStages(edited, hasLatenciesOf(original, model, device) ? original : Schedule(), session,
                                     stop, [](std::size_t) {}));
    result.measured = std::move(measured);
    describeDevice(edited, model, device);

    std::array<Schedule, 2> both{original, edited};
    if (session.isNoisy() && rounds > 0) {
        TRY_AS(auto times, measureSchedulesInRounds(both, session, rounds, stop));
        result.times = std::move(times);
        result.rounds = rounds;
        edited.timing = result.times.back().timing;
    } else {
        std::vector<double> us;
        for (Schedule &one : both) {
            TRY_AS(const auto whole, session.measureWhole(one, stop));
            us.push_back(whole.timing.latencyUs);
            one.timing = whole.timing;
            one.isSumOfStages = whole.isSumOfStages;
        }
        result.times = session.isNoisy() ? comparedInRounds({us}) : comparedExactly(us);
        result.areComparable = areComparable(both.front(), both.back());
        edited.timing = both.back().timing;
        edited.isSumOfStages = both.back().isSumOfStages;
    }
    result.edited = std::move(edited);
    return result;
}

} // namespace stagecraft
