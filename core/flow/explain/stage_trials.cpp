#include "flow/explain/stage_trials.h"

#include "schedule/edit/edit.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace stagecraft {
namespace {

// From the start of its first stage to the start of the next block, so that the boundary after each stage counts.
TimeParts blockParts(const Timeline &timeline, const TimedSchedule &schedule, std::size_t block)
{
    const std::vector<TimeParts> all = timeParts(timeline);
    TimeParts sum;
    std::int64_t from = std::numeric_limits<std::int64_t>::max();
    std::int64_t to = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const StageSpan &span = timeline.stages[i];
        if (span.stage >= schedule.stages.size() || schedule.stages[span.stage].block != block)
            continue;
        sum += all[i];
        from = std::min(from, span.startNs);
        to = std::max(to, i + 1 < all.size() ? timeline.stages[i + 1].startNs : timeline.durationNs);
    }
    if (from < to)
        sum.us[static_cast<std::size_t>(TimePart::Launch)] += static_cast<double>(to - from) / 1000 - sum.totalUs();
    return sum;
}

} // namespace

Result<StageTrials> tryStages(const Model &model, const TimedSchedule &schedule, std::span<const Stage> stages,
                              DeviceSession &session, const std::stop_token &stop)
{
    TRY_AS(const auto before, session.timeline(schedule, stop));
    if (before.kernels.empty())
        return fail(ErrorCode::WrongUse, "this device does not say what ran when",
                    "use a simulated device or one that measures");
    StageTrials trials;
    trials.sources = timePartSources(before);
    for (const Stage &stage : stages) {
        std::optional<TimeParts> &more = trials.more.emplace_back();
        auto edited = applyEdit(*model.graph, model.blocks, schedule.stages, TryStage{stage});
        if (!edited)
            continue;
        TimedSchedule tried = schedule;
        tried.stages = std::move(edited->stages);
        tried.measured.whole.reset();
        tried.measured.stages.clear();
        const auto after = session.timeline(tried, stop);
        if (!after && stage.isFused() && after.error().code != ErrorCode::Cancelled)
            continue;
        TRY(after);
        more = blockParts(*after, tried, stage.block);
        const TimeParts old = blockParts(before, schedule, stage.block);
        std::ranges::transform(more->us, old.us, more->us.begin(), std::minus{});
    }
    return trials;
}

Result<StageTrials> tryRunnersUp(const Model &model, const TimedSchedule &schedule, std::span<const BlockSearch> blocks,
                                 DeviceSession &session, const std::stop_token &stop)
{
    std::vector<Stage> stages;
    for (const BlockSearch &block : blocks) {
        for (const RunnerUp &other : block.runnersUp)
            stages.push_back(other.stage);
    }
    return tryStages(model, schedule, stages, session, stop);
}

} // namespace stagecraft
