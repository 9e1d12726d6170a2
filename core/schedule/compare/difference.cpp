#include "schedule/compare/difference.h"

#include "schedule/compare/critical_path.h"
#include "schedule/compare/latency_parts.h"
#include "schedule/compare/stream_times.h"
#include "schedule/stage_groups.h"
#include "schedule/streams/stream_parts.h"
#include "timing/timeline/timeline_index.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

namespace stagecraft {
namespace {

// A schedule as stages, or launches, that follow each other.
struct Side {
    std::vector<Stage> stages;
    std::vector<double> us; // of each; empty: not known
    std::optional<StreamTimes> launches;
};

// Of each operator: from `blocks`, or else from the stages of another schedule.
std::vector<std::size_t> blockOfOperators(std::span<const TimedSchedule *const> schedules, const Blocks &blocks)
{
    std::vector<std::size_t> blockOf;
    const auto set = [&](OperatorId id, std::size_t block) {
        blockOf.resize(std::max(blockOf.size(), id.index() + 1), 0);
        blockOf[id.index()] = block;
    };
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        for (const OperatorId id : blocks[block].operators)
            set(id, block);
    }
    for (const TimedSchedule *schedule : schedules) {
        for (const Stage &stage : schedule->stages) {
            for (const OperatorId id : operatorsOf(stage))
                set(id, stage.block);
        }
    }
    return blockOf;
}

Side sideOf(const TimedSchedule &schedule, const TimelineIndex *timeline, const std::vector<std::size_t> &blockOf)
{
    if (!schedule.streams)
        return {schedule.stages, schedule.stageLatenciesUs(), std::nullopt};
    Side side{launchesAsStages(*schedule.streams), {}, std::nullopt};
    for (Stage &stage : side.stages) {
        const OperatorId first = stage.groups.front().front();
        stage.block = first.index() < blockOf.size() ? blockOf[first.index()] : 0;
    }
    if (auto times = timeline ? streamTimes(*schedule.streams, timeline->timeline()) : std::nullopt) {
        side.us = times->us;
        side.launches = std::move(times);
    }
    return side;
}

std::optional<double> sumOf(const std::vector<double> &us, StageRange range)
{
    if (us.size() < range.end())
        return std::nullopt;
    return std::accumulate(us.begin() + static_cast<std::ptrdiff_t>(range.first),
                           us.begin() + static_cast<std::ptrdiff_t>(range.end()), 0.0);
}

LatenciesUs sums(const std::vector<Side> &sides, const std::vector<StageRange> &ranges)
{
    LatenciesUs us;
    for (std::size_t i = 0; i < sides.size(); ++i)
        us.push_back(sumOf(sides[i].us, ranges[i]));
    return us;
}

// What the launch has events for: the first operators of those launches.
std::vector<OperatorId> waitedFor(const Streams &streams, const StreamLaunch &launch)
{
    std::vector<OperatorId> operators;
    for (const std::uint32_t other : launch.waits)
        operators.push_back(streams.launches[other].operators.front());
    std::ranges::sort(operators);
    return operators;
}

// The same launches on the same streams, with the same events. A stage is not a launch, even of the same operator.
bool haveEqualLaunches(std::span<const TimedSchedule *const> schedules, const CommonSpan &span)
{
    const auto launchesOf = [&](std::size_t i) {
        return std::span(schedules[i]->streams->launches).subspan(span.sides[i].first, span.sides[i].count);
    };
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        const bool isEqual =
            schedules[i]->streams && schedules[0]->streams &&
            std::ranges::equal(launchesOf(0), launchesOf(i), [&](const auto &one, const auto &other) {
                return one.operators == other.operators && one.stream == other.stream &&
                       waitedFor(*schedules[0]->streams, one) == waitedFor(*schedules[i]->streams, other);
            });
        if (!isEqual)
            return false;
    }
    return true;
}

// Adds one schedule.
void addBarriers(BarrierDifference &difference, const std::optional<LatencyParts> &parts, bool isCostKnown)
{
    difference.barriers.push_back(parts ? parts->barriers : 0);
    const bool isKnown = parts && (isCostKnown || parts->barriers == 0);
    difference.us.push_back(isKnown ? std::optional(parts->barriersUs) : std::nullopt);
}

// Whether what the schedule's barriers take is known; yes if it has none.
bool areBarriersKnown(const TimedSchedule &schedule)
{
    return barrierUs(schedule) || barriersIn(schedule.stages, {0, schedule.stages.size()}) == 0;
}

// Adds one schedule, whose blocks have been compared.
void addBarriers(ScheduleDifference &result, const TimedSchedule &schedule)
{
    const bool isKnown = areBarriersKnown(schedule);
    std::optional<LatencyParts> between = latencyParts(schedule);
    const std::vector<LatencyParts> parts = blockParts(schedule);
    for (BlockDifference &block : result.blocks) {
        const auto own = std::ranges::find(
            parts, block.block, [&](const LatencyParts &part) { return schedule.stages[part.stages.first].block; });
        const auto inside = own != parts.end() ? std::optional(*own) : std::nullopt;
        addBarriers(block.inside, inside, isKnown);
        if (between && inside) {
            between->barriers -= inside->barriers;
            between->barriersUs -= inside->barriersUs;
        }
    }
    addBarriers(result.betweenBlocks, between, isKnown);
    result.restUs.push_back(restUs(schedule));
    if (!schedule.streams)
        return;
    for (BlockDifference &block : result.blocks)
        block.inside.us.back() = 0;
    result.betweenBlocks.us.back() = 0;
    result.restUs.back() = result.betweenStagesUs[result.restUs.size() - 1];
}

} // namespace

bool BlockDifference::isEqual() const
{
    return std::ranges::all_of(spans, [](const SpanDifference &part) { return part.span.isEqual; });
}

bool ScheduleDifference::areBarriersKnown() const
{
    const auto isKnown = [](const std::optional<double> &us) { return us.has_value(); };
    return std::ranges::all_of(restUs, isKnown) && std::ranges::all_of(betweenBlocks.us, isKnown) &&
           std::ranges::all_of(
               blocks, [&](const BlockDifference &block) { return std::ranges::all_of(block.inside.us, isKnown); });
}

ScheduleDifference scheduleDifference(std::span<const TimedSchedule *const> schedules,
                                      std::span<const TimelineIndex *const> timelines, const Blocks &blocks)
{
    ScheduleDifference result;
    const std::vector<std::size_t> blockOf = blockOfOperators(schedules, blocks);
    std::vector<Side> sides;
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        const TimedSchedule &schedule = *schedules[i];
        const Side &side = sides.emplace_back(sideOf(schedule, i < timelines.size() ? timelines[i] : nullptr, blockOf));
        result.wholeUs.push_back(schedule.latencyUs());
        const auto sum = side.us.empty() ? std::nullopt : sumOf(side.us, {0, side.us.size()});
        result.betweenStagesUs.push_back(
            sum && schedule.measured.whole ? std::optional(schedule.measured.whole->latencyUs - *sum) : std::nullopt);
    }
    std::vector<StageList> stages;
    for (const Side &side : sides)
        stages.emplace_back(side.stages);
    const bool hasStreams =
        std::ranges::any_of(schedules, [](const TimedSchedule *schedule) { return schedule->streams.has_value(); });
    for (CommonSpan &span : commonSpans(stages)) {
        if (hasStreams) { // in launch order a block may begin before the one before it ends
            span.isEqual = haveEqualLaunches(schedules, span);
            span.block = std::max(span.block, result.blocks.empty() ? 0 : result.blocks.back().block);
        }
        if (result.blocks.empty() || result.blocks.back().block != span.block)
            result.blocks.push_back({span.block, span.sides, {}, {}, {}});
        BlockDifference &block = result.blocks.back();
        for (std::size_t i = 0; i < stages.size(); ++i)
            block.sides[i].count = span.sides[i].end() - block.sides[i].first;
        LatenciesUs us = sums(sides, span.sides);
        LatenciesUs eventUs;
        for (std::size_t i = 0; i < sides.size(); ++i) {
            const StageRange &range = span.sides[i];
            eventUs.push_back(sides[i].launches ? std::optional(sides[i].launches->eventUs(range.first, range.end()))
                                                : std::nullopt);
        }
        block.spans.push_back({std::move(span), std::move(us), std::move(eventUs)});
    }
    for (BlockDifference &block : result.blocks)
        block.us = sums(sides, block.sides);
    for (const TimedSchedule *schedule : schedules)
        addBarriers(result, *schedule);
    return result;
}

void addLongestPaths(ScheduleDifference &difference, const Graph &graph, const TimedSchedule &first,
                     std::span<const double> operatorUs)
{
    const std::vector<Stage> stages = first.streams ? launchesAsStages(*first.streams) : first.stages;
    for (BlockDifference &block : difference.blocks) {
        for (SpanDifference &part : block.spans) {
            std::vector<OperatorId> operators;
            const StageRange range = part.span.sides.front();
            for (std::size_t i = range.first; i < range.end(); ++i)
                std::ranges::copy(operatorsOf(stages[i]), std::back_inserter(operators));
            part.pathUs = longestPathUs(graph, std::move(operators), operatorUs);
        }
    }
}

std::optional<double> sumOfStagesUs(const TimedSchedule &schedule, StageRange range)
{
    if (!schedule.hasStageLatencies())
        return std::nullopt;
    double sum = 0;
    for (std::size_t i = range.first; i < range.end(); ++i)
        sum += schedule.measured.stages[i].latencyUs;
    return sum;
}

} // namespace stagecraft
