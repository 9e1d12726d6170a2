#include "flow/find_schedule.h"

#include "device/simulated/simulated_device.h"
#include "flow/find/search_on_device.h"
#include "search/infinity.h"
#include "search/stages/pins.h"

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

// Searched for, and measured as a whole.
Result<FoundSchedule> searched(const Model &model, DeviceSession &session, const DeviceInfo &device, ScheduleKind kind,
                               SearchOptions options, const SearchProgressCallback &progress,
                               const std::stop_token &stop)
{
    options.strategies = kind == ScheduleKind::IosMerge      ? StrategySet::Merge
                         : kind == ScheduleKind::IosParallel ? StrategySet::Parallel
                         : kind == ScheduleKind::IosAll      ? StrategySet::All
                                                             : StrategySet::Both;
    TRY_AS(auto found, searchOnDevice(model, session, options, progress, stop));
    found.schedule.context.model = model.reference();
    found.schedule.context.batch = model.graph->batch();
    describeDevice(found.schedule, model, device);
    auto measured = measureInto(found.schedule, model, session, device, stop);
    // A cancelled search keeps the best schedule so far, with the latencies from the search.
    const bool isKept = !measured && measured.error().code == ErrorCode::Cancelled && !found.blocks.empty();
    if (!measured && !isKept)
        return tl::unexpected(std::move(measured.error()));
    if (isKept) // the latency of a simulated schedule is the sum of its stages
        found.schedule.measured.how =
            device.provenance == Provenance::Simulated ? MeasuredHow::Alone : MeasuredHow::SumOfStages;
    return found;
}

// What the kept stages cost: known if a schedule is proved optimal without them; searched for if latencies are exact
// and take no measuring.
Result<std::optional<double>> freeUs(const TimedSchedule &found, const Model &model, DeviceSession &session,
                                     const DeviceInfo &device, const SearchRequest &request,
                                     const SearchProgressCallback &progress, const std::stop_token &stop)
{
    for (const TimedSchedule &kept : request.kept) {
        if (const auto us = freeOptimumUs(found, kept))
            return us;
    }
    SearchOptions options = request.options;
    const bool hasBudget = options.maxMeasurements || options.maxSeconds;
    if (options.pinned.empty() || session.isNoisy() || hasBudget || stop.stop_requested())
        return std::nullopt;
    options.pinned.clear();
    const auto free = searched(model, session, device, request.kind, std::move(options), progress, stop);
    if (!free && free.error().code == ErrorCode::Cancelled)
        return std::nullopt;
    TRY(free);
    return freeOptimumUs(found, free->schedule);
}

void addBoundWithoutBarriers(TimedSchedule &found, const Model &model, const DeviceInfo &device)
{
    constexpr std::string_view kSimulated = "sim:";
    const std::string &id = device.contextDevice();
    if (!id.starts_with(kSimulated))
        return;
    // Of a file that has changed meanwhile there is none.
    const auto us = boundWithoutBarriersUs(id.substr(kSimulated.size()), model.graph);
    if (us)
        found.search.boundWithoutBarriersUs = *us;
}

// By the bound of all schedules that merge nothing.
double gapOf(const TimedSchedule &found)
{
    if (found.search.termination == Termination::Optimal)
        return 0;
    const auto &boundUs = found.search.boundWithoutBarriersUs;
    const bool isMerging = std::ranges::any_of(found.streams->launches, &StreamLaunch::isMerged);
    return boundUs && !isMerging ? *found.latencyUs() / *boundUs - 1 : kInfinity;
}

} // namespace

Result<FoundSchedule> findSchedule(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                   const SearchRequest &request, const SearchCallbacks &callbacks, std::stop_token stop)
{
    if (request.streams) {
        TRY_AS(auto found, findStreams(model, session, device, *request.streams, request.options, callbacks.search,
                                       callbacks.searchUnderCap, callbacks.searchForStreams, stop));
        addBoundWithoutBarriers(found.schedule, model, device);
        if (found.schedule.streams)
            found.schedule.search.gap = gapOf(found.schedule);
        return found;
    }
    if (request.kind == ScheduleKind::Sequential || request.kind == ScheduleKind::Greedy ||
        request.kind == ScheduleKind::Wavefront)
        return measuredBaseline(request.kind, model, session, device, stop);
    TRY_AS(auto found, searched(model, session, device, request.kind, request.options, callbacks.search, stop));
    if (request.memoryCap) {
        TRY_AS(auto capped, cappedSchedule(std::move(found), *request.memoryCap, model, session, device,
                                           request.options, callbacks.searchUnderCap, stop));
        found = std::move(capped);
    }
    if (request.findsCostOfKept) {
        TRY_AS(const auto us,
               freeUs(found.schedule, model, session, device, request, callbacks.searchWithoutKept, stop));
        found.schedule.search.freeUs = us;
    }
    if (request.kind != ScheduleKind::IosAll) // the bound is of operators that launch their own kernels
        addBoundWithoutBarriers(found.schedule, model, device);
    if (request.options.ordersLaunches)
        TRY(orderLaunches(found.schedule, model, session, device, request.options.pinned, callbacks.launchOrders,
                          stop));
    return found;
}

} // namespace stagecraft
