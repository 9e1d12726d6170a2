#include "flow/make_schedule.h"

#include "flow/find/search_on_device.h"

#include <algorithm>

namespace stagecraft {

std::string_view toString(ScheduleKind kind)
{
    switch (kind) {
    case ScheduleKind::Sequential: return "sequential";
    case ScheduleKind::Greedy: return "greedy";
    case ScheduleKind::IosMerge: return "ios-merge";
    case ScheduleKind::IosParallel: return "ios-parallel";
    case ScheduleKind::IosBoth: return "ios-both";
    }
    return "";
}

std::string_view title(ScheduleKind kind)
{
    switch (kind) {
    case ScheduleKind::Sequential: return "Sequential";
    case ScheduleKind::Greedy: return "Greedy";
    case ScheduleKind::IosMerge: return "IOS-Merge";
    case ScheduleKind::IosParallel: return "IOS-Parallel";
    case ScheduleKind::IosBoth: return "IOS-Both";
    }
    return "";
}

namespace {

Result<MadeSchedule> search(const Model &model, DeviceSession &session, ScheduleKind kind, SearchOptions options,
                            const SearchProgressCallback &progress, const std::stop_token &stop)
{
    options.strategies = kind == ScheduleKind::IosMerge      ? StrategySet::Merge
                         : kind == ScheduleKind::IosParallel ? StrategySet::Parallel
                                                             : StrategySet::Both;
    TRY_AS(auto result, searchOnDevice(model, session, options, progress, stop));
    return MadeSchedule{std::move(result.schedule), std::move(result.blocks), std::move(result.refusal)};
}

} // namespace

ScheduleKind kindOf(StrategySet strategies)
{
    switch (strategies) {
    case StrategySet::Parallel: return ScheduleKind::IosParallel;
    case StrategySet::Merge: return ScheduleKind::IosMerge;
    case StrategySet::Both: break;
    }
    return ScheduleKind::IosBoth;
}

void describeDevice(Schedule &schedule, const Model &model, const DeviceInfo &device)
{
    schedule.device = device.id;
    schedule.calibration = device.calibration;
    schedule.provenance = device.provenance;
    schedule.search.costs = latencyBasis(model, device);
    schedule.precision = schedule.search.costs.precision;
}

Result<MadeSchedule> makeSchedule(const Model &model, DeviceSession &session, const DeviceInfo &device,
                                  ScheduleKind kind, SearchOptions options, const SearchProgressCallback &progress,
                                  std::stop_token stop)
{
    MadeSchedule made;
    if (kind == ScheduleKind::Sequential) {
        made.schedule = sequentialSchedule(*model.graph, model.blocks);
    } else if (kind == ScheduleKind::Greedy) {
        made.schedule = greedySchedule(*model.graph, model.blocks);
    } else {
        auto found = search(model, session, kind, std::move(options), progress, stop);
        if (!found)
            return found;
        made = std::move(*found);
    }
    made.schedule.model = {model.name, model.sha256};
    made.schedule.batch = model.graph->batch();
    describeDevice(made.schedule, model, device);
    auto measured = measureInto(made.schedule, model, session, device, stop);
    // A cancelled search keeps the best schedule so far, with the latencies from the search.
    const bool isKept = !measured && measured.error().code == ErrorCode::Cancelled && !made.blocks.empty();
    if (!measured && !isKept)
        return tl::unexpected(std::move(measured.error()));
    if (isKept) // the latency of a simulated schedule is the sum of its stages
        made.schedule.isSumOfStages = device.provenance != Provenance::Simulated;
    return made;
}

CostBasis latencyBasis(const Model &model, const DeviceInfo &device)
{
    const bool simulated = device.provenance == Provenance::Simulated;
    const bool recordedFromOne =
        device.provenance == Provenance::Recorded && std::ranges::any_of(device.facts, [](const auto &fact) {
            return fact.first == "recorded on" && fact.second.starts_with("sim:");
        });
    if (simulated || recordedFromOne)
        return model.costs;
    CostBasis basis;
    basis.operators = model.costs.operators;
    basis.precision = device.precision;
    return basis;
}

Result<void> measureInto(Schedule &schedule, const Model &model, DeviceSession &session, const DeviceInfo &device,
                         std::stop_token stop)
{
    TRY_AS(auto measurement, session.measureSchedule(schedule, std::move(stop)));
    schedule.stageTimings.clear();
    for (StageLatency &stage : measurement.stages)
        schedule.stageTimings.push_back(std::move(stage.timing));
    schedule.timing = std::move(measurement.whole.timing);
    schedule.isSumOfStages = measurement.whole.isSumOfStages;
    describeDevice(schedule, model, device);
    return {};
}

} // namespace stagecraft
