#include "flow/profiled_timeline.h"

#include "flow/profile/stated_schedule.h"
#include "flow/profiled_run.h"
#include "graph/operator_cost.h"
#include "schedule/stage_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::int64_t kRoundingNs = 1000; // that much may end after the next one starts, on one row

// Rows of streams: as many as have kernels at the same time.
class StreamRows {
public:
    explicit StreamRows(const Profile &profile) : m_profile(profile) {}

    void addAll() // also those without kernels
    {
        for (std::uint32_t stream = 0; stream < m_profile.streams.size(); ++stream)
            add(stream);
    }

    std::uint32_t rowOf(std::uint32_t stream, std::int64_t startNs, std::int64_t endNs)
    {
        auto &rows = m_rowsOf[stream];
        auto free =
            std::ranges::find_if(rows, [&](std::uint32_t row) { return m_endNs[row] <= startNs + kRoundingNs; });
        if (free == rows.end()) {
            add(stream);
            free = std::prev(rows.end());
        }
        m_endNs[*free] = endNs;
        return *free;
    }
    // Sorts rows by stream; returns the new place of each.
    std::vector<std::uint32_t> arrange(Timeline &timeline) const
    {
        std::vector<std::uint32_t> places(m_endNs.size());
        for (const auto &[stream, rows] : m_rowsOf) {
            for (const std::uint32_t row : rows) {
                places[row] = static_cast<std::uint32_t>(timeline.streamNames.size());
                timeline.streamNames.push_back(m_names[row]);
            }
        }
        timeline.streams = timeline.streamNames.size();
        return places;
    }

private:
    void add(std::uint32_t stream)
    {
        auto &rows = m_rowsOf[stream];
        const std::string name =
            stream < m_profile.streams.size() ? m_profile.streams[stream].name : std::string("layers");
        rows.push_back(static_cast<std::uint32_t>(m_endNs.size()));
        m_endNs.push_back(0);
        m_names.push_back(rows.size() == 1 ? name : fmt::format("{} ({})", name, rows.size()));
    }

    const Profile &m_profile;
    std::map<std::uint32_t, std::vector<std::uint32_t>> m_rowsOf; // by stream
    std::vector<std::int64_t> m_endNs;                            // by row
    std::vector<std::string> m_names;
};

// Of what a kernel computes: counted for the longest kernel of an operator.
void addCosts(const Graph &graph, std::vector<KernelSpan> &kernels)
{
    std::unordered_map<OperatorId, KernelSpan *> longest;
    for (KernelSpan &kernel : kernels) {
        if (kernel.operators.empty())
            continue;
        KernelSpan *&most = longest.try_emplace(kernel.operators.front(), &kernel).first->second;
        if (kernel.endNs - kernel.startNs > most->endNs - most->startNs)
            most = &kernel;
    }
    for (const auto &[main, kernel] : longest) {
        for (const OperatorId id : kernel->operators) {
            kernel->flops += flops(graph, id);
            kernel->bytes += memoryBytes(graph, id);
        }
    }
}

std::vector<StageSpan> stageSpans(std::size_t stages, const std::vector<KernelSpan> &kernels)
{
    std::vector<StageSpan> spans(stages);
    std::vector<bool> isTimed(stages, false);
    for (const KernelSpan &kernel : kernels) {
        if (!kernel.stageOrNone())
            continue;
        StageSpan &span = spans[kernel.stage];
        span.startNs = isTimed[kernel.stage] ? std::min(span.startNs, kernel.startNs) : kernel.startNs;
        span.endNs = std::max(span.endNs, kernel.endNs);
        isTimed[kernel.stage] = true;
    }
    std::int64_t reachedNs = 0;
    for (std::size_t i = 0; i < stages; ++i) { // one after the other; without time where the one before has ended
        spans[i].stage = i;
        spans[i].startNs = isTimed[i] ? std::max(spans[i].startNs, reachedNs) : reachedNs;
        spans[i].endNs = std::max(spans[i].endNs, spans[i].startNs);
        reachedNs = spans[i].endNs;
    }
    return spans;
}

// In its stage; of streams the stream.
std::vector<std::uint32_t> groupOfOperators(const Graph &graph, const Schedule &schedule)
{
    std::vector<std::uint32_t> groupOf(graph.size(), 0);
    if (schedule.streams) {
        for (const StreamLaunch &launch : schedule.streams->launches) {
            for (const OperatorId id : launch.operators)
                groupOf[id.index()] = launch.stream;
        }
    }
    for (const Stage &stage : schedule.stages) {
        for (std::size_t group = 0; group < stage.groups.size(); ++group) {
            for (const OperatorId id : stage.groups[group])
                groupOf[id.index()] = static_cast<std::uint32_t>(group);
        }
    }
    return groupOf;
}

KernelSpan spanOf(const ProfiledKernel &kernel, const SpanInRun &span)
{
    KernelSpan made{.name = kernel.name, .operators = {}, .stage = kOfNoStage};
    made.startNs = span.startNs;
    made.endNs = span.endNs;
    made.grid = kernel.grid;
    made.threadsPerBlock = static_cast<int>(kernel.block[0] * kernel.block[1] * kernel.block[2]);
    made.registersPerThread = static_cast<int>(kernel.registersPerThread);
    made.sharedBytesPerBlock = kernel.sharedBytes;
    return made;
}

// What a trace of this program says of a kernel.
void takeFacts(const ProfiledKernel &kernel, KernelSpan &span)
{
    const auto take = [&](std::string_view name, auto &value) {
        if (const auto *fact = statedFact<std::remove_reference_t<decltype(value)>>(kernel.facts, name))
            value = *fact;
    };
    take("kernel", span.name);
    take("FLOP", span.flops);
    take("bytes", span.bytes);
    std::ranges::sort(span.operators);
}

// Begins and ends with the stages or streams that a trace of this program states, not with kernels, and has its
// counters.
void takeStated(const Profile &profile, const std::vector<SpanInRun> &spans, Timeline &timeline)
{
    const std::int64_t firstKernelNs = profile.kernels[spans.front().kernel].startNs.value_or(0);
    const std::int64_t beginNs = std::ranges::min(profile.stages, {}, &ProfiledStage::startNs).startNs;
    const std::int64_t endNs = std::ranges::max(profile.stages, {}, &ProfiledStage::endNs).endNs;
    const std::int64_t beforeNs = firstKernelNs - beginNs;
    if (beforeNs < 0)
        return;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        timeline.kernels[i].startNs += beforeNs;
        timeline.kernels[i].endNs += beforeNs;
        takeFacts(profile.kernels[spans[i].kernel], timeline.kernels[i]);
    }
    for (StageSpan &span : timeline.stages) {
        span.startNs = profile.stages[span.stage].startNs - beginNs;
        span.endNs = profile.stages[span.stage].endNs - beginNs;
    }
    timeline.durationNs = std::max(timeline.durationNs + beforeNs, endNs - beginNs);
    timeline.counters = statedCounters(profile);
    for (CounterSeries &series : timeline.counters) {
        for (std::int64_t &ns : series.timesNs)
            ns -= beginNs;
    }
}

} // namespace

Timeline profiledTimeline(const Model &model, const ImportedProfile &imported, const TimedSchedule &schedule)
{
    const Profile &profile = imported.profile;
    Timeline timeline;
    timeline.provenance = profile.provenance;
    timeline.device = schedule.context.device;
    const std::vector<std::size_t> stageOf =
        schedule.streams ? std::vector<std::size_t>() : stageOfOperators(*model.graph, schedule.stages);
    const std::vector<std::uint32_t> groupOf = groupOfOperators(*model.graph, schedule);
    const auto stated = statedSchedule(*model.graph, profile);
    const bool isStated = stated && hasSameOrder(stated->schedule, schedule);
    StreamRows rows(profile);
    if (isStated)
        rows.addAll();
    const std::vector<SpanInRun> spans = spansOfRun(imported);
    for (const SpanInRun &span : spans) {
        const ProfiledKernel &kernel = profile.kernels[span.kernel];
        KernelSpan made = spanOf(kernel, span);
        made.stream = rows.rowOf(kernel.stream, span.startNs, span.endNs);
        if (const auto &mapping = imported.mappings[span.kernel]) {
            made.operators = mapping->operators;
            if (!schedule.streams)
                made.stage = static_cast<std::uint32_t>(stageOf[mapping->operators.front().index()]);
            made.group = groupOf[std::ranges::min(mapping->operators).index()];
        }
        timeline.areStartsKnown = timeline.areStartsKnown && kernel.startNs.has_value();
        timeline.durationNs = std::max(timeline.durationNs, span.endNs);
        timeline.kernels.push_back(std::move(made));
    }
    const std::vector<std::uint32_t> places = rows.arrange(timeline);
    for (KernelSpan &kernel : timeline.kernels)
        kernel.stream = places[kernel.stream];
    addCosts(*model.graph, timeline.kernels);
    timeline.stages = stageSpans(schedule.stages.size(), timeline.kernels);
    if (isStated && !spans.empty())
        takeStated(profile, spans, timeline);
    if (!timeline.areStartsKnown)
        timeline.notes.emplace_back(
            "the profile says how long layers took, not when they started: they are shown one after the other");
    timeline.notes.insert(timeline.notes.end(), profile.notes.begin(), profile.notes.end());
    return timeline;
}

Result<Timeline> timelineOfProfile(const Model &model, const TimedSchedule &schedule, const std::stop_token &stop)
{
    std::vector<std::string> files;
    for (const ProfileSource &source : schedule.measured.profile->files) {
        std::error_code none;
        if (!std::filesystem::exists(source.file, none))
            return within(source.file, Error{ErrorCode::InvalidInput,
                                             "the profile is not there any more, and only its file has the timeline",
                                             "Put it back in its place",
                                             {}});
        files.push_back(source.file);
    }
    TRY_AS(const auto imported, importProfile(model, files, stop));
    for (const ProfileSource &source : imported.profile.files) {
        const auto &known = schedule.measured.profile->files;
        if (std::ranges::find(known, source.sha256, &ProfileSource::sha256) == known.end())
            return within(
                source.file,
                Error{ErrorCode::InvalidInput, "the profile has changed since it was opened", "Open it again", {}});
    }
    return profiledTimeline(model, imported, schedule);
}

Result<Timeline> timelineOfResult(const Model &model, const TimedSchedule &schedule, DeviceSession *session,
                                  const std::stop_token &stop)
{
    return schedule.isOfProfile() ? timelineOfProfile(model, schedule, stop) : session->timeline(schedule, stop);
}

} // namespace stagecraft
