#include "flow/find/search_on_device.h"

#include "flow/find/replace_with_baseline.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kRounds = 3;
constexpr double kSameSum = 1e-9; // relative difference of equal sums in another order

// Adds the cost of earlier rounds. Their measurements count, but not their cache hits.
void addCost(const FoundSchedule &before, FoundSchedule &result)
{
    SearchRecord &record = result.schedule.search;
    const SearchRecord &earlier = before.schedule.search;
    record.stageMeasurements += earlier.stageMeasurements;
    record.stagesRepeated += earlier.stagesRepeated;
    record.stagesRefused = std::max(record.stagesRefused, earlier.stagesRefused);
    record.cacheHits = earlier.cacheHits;
    record.searchSeconds += earlier.searchSeconds;
    record.measureSeconds += earlier.measureSeconds;
    for (std::size_t b = 0; b < result.blocks.size() && b < before.blocks.size(); ++b) {
        result.blocks[b].stageMeasurements += before.blocks[b].stageMeasurements;
        result.blocks[b].cacheHits = before.blocks[b].cacheHits;
    }
}

// The measurements and time that all rounds of a search may take.
class Budget {
public:
    explicit Budget(const SearchOptions &options) : m_options(options), m_start(options.clock.now()) {}

    void spend(std::int64_t measurements) { m_spent += measurements; }

    // The options with what is left of the budget.
    [[nodiscard]] SearchOptions rest() const
    {
        SearchOptions rest = m_options;
        if (rest.maxMeasurements)
            *rest.maxMeasurements -= m_spent;
        if (rest.maxSeconds)
            *rest.maxSeconds -= std::chrono::duration<double>(m_options.clock.now() - m_start).count();
        return rest;
    }

    [[nodiscard]] bool isUsedUp() const
    {
        const SearchOptions left = rest();
        return left.maxMeasurements.value_or(1) <= 0 || left.maxSeconds.value_or(1) <= 0;
    }

private:
    const SearchOptions &m_options;
    SearchClock::Time m_start;
    std::int64_t m_spent = 0;
};

// The schedule with the session's current latencies; empty if one is unavailable.
std::optional<TimedSchedule> withCurrentLatencies(TimedSchedule schedule, DeviceSession &session,
                                                  const std::stop_token &stop)
{
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        auto latency = session.stageLatency(schedule.stages[i], stop);
        if (!latency)
            return std::nullopt;
        schedule.measured.stages[i] = Timing::ofLatency(latency->timing.latencyUs);
    }
    schedule.measured.whole = Timing::ofLatency(sumUs(schedule, session.boundaryCost()));
    return schedule;
}

} // namespace

Result<FoundSchedule> searchOnDevice(const Model &model, DeviceSession &session, const SearchOptions &options,
                                     const SearchProgressCallback &progress, const std::stop_token &stop)
{
    if (!session.measuresStages())
        return fail(ErrorCode::WrongUse,
                    "IOS searches with the latencies of stages, and this device measures whole schedules",
                    "Search for streams (strategy streams, by-depth, list), or search on another device, such as cpu, "
                    "and measure the schedule on this one");
    Budget budget(options);
    auto result = searchSchedule(*model.graph, model.blocks, session, options, progress, stop);
    DisturbedLatencies *disturbed = session.disturbed();
    if (!result || !disturbed)
        return result;
    budget.spend(result->schedule.search.stageMeasurements);
    const auto mayMeasure = [&] {
        const bool may = !budget.isUsedUp();
        budget.spend(may ? 1 : 0);
        return may;
    };
    for (int round = 1; round < kRounds && !stop.stop_requested() && !budget.isUsedUp(); ++round) {
        const auto helped = disturbed->measureAgain(mayMeasure, stop);
        if (!helped || *helped == 0 || budget.isUsedUp())
            break;
        const SearchOptions rest = budget.rest();
        auto next = searchSchedule(*model.graph, model.blocks, session, rest, progress, stop);
        if (!next)
            break; // the last result stands
        budget.spend(next->schedule.search.stageMeasurements);
        addCost(*result, *next);
        // The rest of the budget may not suffice to find the earlier result again.
        const auto before = withCurrentLatencies(result->schedule, session, stop);
        if (before && *before->latencyUs() < next->schedule.search.sumUs * (1 - kSameSum))
            replaceWithBaseline(next->schedule, next->blocks, *before, session.boundaryCost());
        result = std::move(next);
    }
    return result;
}

} // namespace stagecraft
