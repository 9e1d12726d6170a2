#include "flow/profiled_schedule.h"

#include "device/recorded/profile_device.h"
#include "flow/find/measured.h"
#include "flow/profile/observed_stages.h"
#include "flow/profile/stated_schedule.h"
#include "flow/profiled_run.h"
#include "schedule/stage_groups.h"
#include "schedule/verify.h"
#include "support/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

namespace stagecraft {
namespace {

std::vector<ObservedKernel> observedKernels(const ImportedProfile &imported, const std::vector<SpanInRun> &spans)
{
    std::vector<ObservedKernel> kernels;
    for (const SpanInRun &span : spans) {
        const auto &mapping = imported.mappings[span.kernel];
        const ProfiledKernel &kernel = imported.profile.kernels[span.kernel];
        if (mapping)
            kernels.push_back(
                {mapping->operators, span.startNs, span.endNs, kernel.stream, kernel.graphNode.has_value()});
    }
    return kernels;
}

// In which at least one kernel of the stage ran. Kernels ascend by start.
std::vector<Timing> stageTimings(const Graph &graph, const std::vector<Stage> &stages,
                                 const std::vector<ObservedKernel> &kernels)
{
    const std::vector<std::size_t> stageOf = stageOfOperators(graph, stages);
    std::vector<std::int64_t> busyNs(stages.size(), 0);
    std::vector<std::int64_t> reachedNs(stages.size(), std::numeric_limits<std::int64_t>::min());
    for (const ObservedKernel &kernel : kernels) {
        const std::size_t stage = stageOf[kernel.operators.front().index()];
        busyNs[stage] += std::max<std::int64_t>(0, kernel.endNs - std::max(kernel.startNs, reachedNs[stage]));
        reachedNs[stage] = std::max(reachedNs[stage], kernel.endNs);
    }
    std::vector<Timing> timings;
    for (const std::int64_t ns : busyNs)
        timings.push_back(Timing::ofLatency(profiledUs(ns)));
    return timings;
}

struct SeenSchedule {
    Schedule schedule;
    std::vector<Timing> timings; // of its stages
    std::vector<std::string> notes;
};

// As the trace states it, else as its kernels ran.
SeenSchedule seenSchedule(const Model &model, const ImportedProfile &imported)
{
    if (auto stated = statedSchedule(*model.graph, imported.profile);
        stated && verifySchedule(*model.graph, model.blocks, stated->schedule))
        return {std::move(stated->schedule), std::move(stated->timings), {}};
    const std::vector<ObservedKernel> kernels = observedKernels(imported, spansOfRun(imported));
    ObservedStages observed = observedStages(*model.graph, model.blocks, kernels);
    std::vector<Timing> timings = stageTimings(*model.graph, observed.stages, kernels);
    return {{.stages = std::move(observed.stages)}, std::move(timings), std::move(observed.notes)};
}

Timing wholeOf(const ProfileTimes &times)
{
    Timing whole = Timing::ofLatency(*times.latencyUs);
    if (!times.spread)
        return whole;
    whole.meanUs = times.spread->meanUs;
    if (times.spread->stddevUs && times.spread->runs > 1) {
        whole.stddevUs = *times.spread->stddevUs;
        whole.runs = static_cast<int>(std::min<std::size_t>(times.spread->runs, std::numeric_limits<int>::max()));
    }
    return whole;
}

std::string absolutePath(const std::string &file)
{
    std::error_code none;
    const auto absolute = std::filesystem::absolute(file, none);
    return none ? file : absolute.lexically_normal().string();
}

RecordedProfile recordOf(const ImportedProfile &imported)
{
    RecordedProfile record{.program = imported.profile.program,
                           .version = imported.profile.version,
                           .files = imported.profile.files,
                           .mappedUs = profiledUs(imported.mappedNs),
                           .unmappedUs = profiledUs(imported.unmappedNs),
                           .unmapped = unmappedByName(imported),
                           .notes = {}};
    for (ProfileSource &source : record.files)
        source.file = absolutePath(source.file);
    return record;
}

} // namespace

Result<TimedSchedule> profiledSchedule(const Model &model, const ImportedProfile &imported)
{
    const std::string &file = imported.profile.files.empty() ? imported.profile.title : imported.profile.files[0].file;
    if (imported.times.times.kernels == 0)
        return within(file, Error{ErrorCode::InvalidInput,
                                  "it has no kernels, layers or nodes, so there is no latency",
                                  "Record a run of the model, on the device",
                                  {}});
    SeenSchedule seen = seenSchedule(model, imported);
    TimedSchedule schedule;
    static_cast<Schedule &>(schedule) = std::move(seen.schedule);
    schedule.context.model = model.reference();
    schedule.context.batch = model.graph->batch();
    describeDevice(schedule, model, profileDevice(profileDeviceId(imported.profile.device)));
    schedule.measured.provenance = imported.profile.provenance;
    schedule.search.strategy = kProfiledStrategy;
    schedule.measured.stages = std::move(seen.timings);
    RecordedProfile &record = schedule.measured.profile.emplace(recordOf(imported));
    record.notes = std::move(seen.notes);
    if (imported.times.latencyUs) {
        schedule.measured.whole = wholeOf(imported.times);
    } else {
        schedule.measured.how = MeasuredHow::SumOfStages;
        schedule.measured.whole = Timing::ofLatency(profiledUs(imported.times.times.sumNs));
        record.notes.emplace_back("no file states how long the whole took, so its latency is the sum of its layers");
    }
    TRY(verifySchedule(*model.graph, model.blocks, schedule));
    return schedule;
}

std::string unmappedWarning(const ImportedProfile &imported, const std::string &modelName)
{
    if (!imported.operators.empty() || imported.times.times.kernels == 0)
        return {};
    return fmt::format(
        "none of the {} kernels or layers fits an operator of {}: all of their time is mapped to nothing",
        imported.times.times.kernels, shownText(modelName));
}

} // namespace stagecraft
