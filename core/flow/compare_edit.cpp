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
Result<std::vector<std::size_t>> timeStages(Schedule &edited, const Schedule &known, DeviceSession &session,
                                            const std::stop_token &stop, const StageTold &told)
{
    std::vector<std::size_t> measured;
    edited.stageTimings.clear();
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
        if (told)
            told(edited.stages[i], edited.stageTimings[i]);
    }
    return measured;
}

} // namespace

bool hasLatenciesOf(const Schedule &schedule, const Model &model, const DeviceInfo &device)
{
    return schedule.hasStageLatencies() && schedule.layouts.empty() && schedule.device == device.id &&
           schedule.calibration == device.calibration && schedule.provenance == device.provenance &&
           schedule.precision == latencyBasis(model, device).precision && schedule.batch == model.graph->batch();
}

Result<EditOutcome> compareEdit(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                EditToCompare edit, const std::stop_token &stop, const StageTold &told)
{
    EditOutcome result;
    TRY_AS(auto measured, timeStages(edit.edited, edit.known, session, stop, told));
    result.measured = std::move(measured);
    describeDevice(edit.edited, model, device);

    std::vector<Schedule> all = std::move(edit.beside);
    const std::size_t which = std::min<std::size_t>(all.size(), 1);
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(which), std::move(edit.edited));
    Schedule &edited = all[which];
    if (session.isNoisy() && edit.rounds > 0 && all.size() > 1) {
        TRY_AS(auto times, measureSchedulesInRounds(all, session, edit.rounds, stop));
        result.times = std::move(times);
        result.rounds = edit.rounds;
        edited.timing = result.times[which].timing;
    } else {
        std::vector<double> us;
        for (Schedule &one : all) {
            TRY_AS(const auto whole, session.measureWhole(one, stop));
            us.push_back(whole.timing.latencyUs);
            one.timing = whole.timing;
            one.isSumOfStages = whole.isSumOfStages;
        }
        result.times = session.isNoisy() ? comparedInRounds({us}) : comparedExactly(us);
        result.areComparable = areComparable(all.front(), edited);
    }
    result.edited = std::move(edited);
    return result;
}

} // namespace stagecraft
