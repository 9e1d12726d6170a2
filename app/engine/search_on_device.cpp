#include "engine/search_on_device.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kRounds = 3;

// What the rounds before cost. What they measured is kept, and no cache hit of before.
void addCost(const SearchResult &before, SearchResult &result)
{
    SearchRecord &record = result.schedule.search;
    const SearchRecord &earlier = before.schedule.search;
    record.stageMeasurements += earlier.stageMeasurements;
    record.stagesRefused = std::max(record.stagesRefused, earlier.stagesRefused);
    record.cacheHits = earlier.cacheHits;
    record.searchSeconds += earlier.searchSeconds;
    record.measureSeconds += earlier.measureSeconds;
    for (std::size_t b = 0; b < result.blocks.size() && b < before.blocks.size(); ++b) {
        result.blocks[b].stageMeasurements += before.blocks[b].stageMeasurements;
        result.blocks[b].cacheHits = before.blocks[b].cacheHits;
    }
}

} // namespace

Result<SearchResult> searchOnDevice(const Model &model, DeviceSession &session, const SearchOptions &options,
                                    const SearchProgressCallback &progress, const std::stop_token &stop)
{
    auto result = searchSchedule(*model.graph, model.blocks, session, options, progress, stop);
    if (!session.disturbed() || options.maxMeasurements || options.maxSeconds)
        return result;
    for (int round = 1; result && round < kRounds && !stop.stop_requested(); ++round) {
        const auto helped = session.disturbed()->measureAgain([] { return true; }, stop);
        if (!helped || *helped == 0)
            break;
        auto next = searchSchedule(*model.graph, model.blocks, session, options, progress, stop);
        if (!next)
            break; // the last one stands
        addCost(*result, *next);
        result = std::move(next);
    }
    return result;
}

} // namespace stagecraft
