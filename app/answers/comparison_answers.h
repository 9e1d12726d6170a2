#pragma once

// The answers on several schedules.

#include "answers/answer_parts.h"
#include "device/device.h"
#include "schedule/compare/difference.h"
#include "schedule/compare/schedule_time_parts.h"
#include "search/options.h"
#include "search/pruning_points.h"
#include "search/search_record.h"
#include "timing/statistics/rounds.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

void visitWaits(const SpanDifference &difference, auto &&visit)
{
    const bool areThereLaunches =
        std::ranges::any_of(difference.eventUs, [](const auto &us) { return us.has_value(); });
    visit(
        {"event_us", "where one has streams: what they wait for events in it, added up; null: it has stages", Unit::Us},
        difference.eventUs, areThereLaunches);
    visit({"longest_path_us",
           "beside Sequential: what the longest path through its operators takes, each alone; no schedule without "
           "merges takes less",
           Unit::Us},
          difference.pathUs.value_or(0), difference.pathUs.has_value());
}

void eachMember(Of<SpanDifference> auto &difference, auto &&visit)
{
    std::vector<std::array<std::size_t, 2>> stages{};
    for (const StageRange &side : difference.span.sides)
        stages.push_back({side.first + 1, side.end()});
    visit({"equal", "whether all schedules have the same stages in this span: between two points at which all have "
                    "finished the same operators"},
          difference.span.isEqual);
    visit({"stage_numbers", "first and last stage of the span in each schedule, from 1; of streams: launch",
           Unit::Number},
          stages);
    visit({"latency_us",
           "of its stages, added up; of launches: from when all before them have ended until they have, too", Unit::Us},
          difference.us);
    visitWaits(difference, visit);
}

void eachMember(Of<BlockDifference> auto &difference, auto &&visit)
{
    visit({"block_number", "block, from 1", Unit::Number}, difference.block + 1);
    visit({"equal", "whether all schedules have the same stages in it"}, difference.isEqual());
    visit({"latency_us", "of its stages, added up", Unit::Us}, difference.us);
    visit({"spans", {}}, difference.spans);
}

void eachMember(Of<ScheduleDifference> auto &difference, auto &&visit)
{
    visit({"latency_us", "of the whole schedule; null: not known", Unit::Us}, difference.wholeUs);
    visit({"between_stages_us",
           "what the whole takes beyond its stages timed alone: boundaries, and what stages gain or lose beside "
           "others",
           Unit::Us},
          difference.betweenStagesUs);
    visit({"blocks", {}}, difference.blocks);
}

namespace answers {

struct Compared {
    TimingInRounds times;
    TimedSchedule schedule;
    std::size_t disturbedStages = 0;
    bool isTimed = false;      // in rounds that have an interval
    bool isComparable = false; // with the first
    bool isSearched = false;
    std::optional<double> overOneCudaGraph = {}; // where there is one, and the two compare
};

void eachMember(Of<Compared> auto &compared, auto &&visit)
{
    const SpeedupEstimate &against = compared.times.against;
    visit({"latency_us", "of the whole schedule in one go; the geometric mean of the rounds", Unit::Us},
          compared.times.timing.latencyUs);
    visit(fields::kStages, compared.schedule.stages.size());
    visitSynchronisation(synchronisationOf(compared.schedule), visit);
    visit({"speedup", "against the first schedule; null: a sum of stages and a whole do not compare", Unit::Times},
          compared.isComparable ? std::optional(against.speedup) : std::nullopt);
    visit({"speedup_over_one_cuda_graph", "against sequential_in_one_cuda_graph, where there is one", Unit::Times},
          compared.overOneCudaGraph, compared.overOneCudaGraph.has_value());
    visit({"speedup_interval", "where schedules were timed in rounds: both ends of the 95 % interval of speedup",
           Unit::Times},
          intervalOf(against), compared.isTimed);
    visit({"verdict", "against the first schedule: faster, slower, same or no difference shown; null: none is drawn"},
          statedVerdict(against));
    visit(fields::kSumOfStages, compared.schedule.measured.isSumOfStages());
    visit({"recorded_on", "of a profile that another program recorded: the device that it names, and no other"},
          compared.schedule.context.device, compared.schedule.isOfProfile());
    visit(fields::kDisturbedStages, compared.disturbedStages);
    visit({"search", "where it was searched for"}, compared.schedule.search, compared.isSearched);
}

struct InOneCudaGraph {
    std::string device;
    double latencyUs = 0;
    std::optional<double> speedup = {};
};

void eachMember(Of<InOneCudaGraph> auto &graph, auto &&visit)
{
    visit({"device", "that launches so"}, graph.device);
    visit({"latency_us", "of the sequential schedule there", Unit::Us}, graph.latencyUs);
    visit({"speedup", "against the first schedule; null: a sum of stages and a whole do not compare", Unit::Times},
          graph.speedup);
}

// On a device of ONNX Runtime: with ORT_PARALLEL and no file of streams.
struct OnOwnStreams {
    std::string device;
    TimingInRounds times;
    bool isTimed = false; // in rounds that have an interval
};

void eachMember(Of<OnOwnStreams> auto &other, auto &&visit)
{
    visit({"device", "that measures so"}, other.device);
    visit({"latency_us", "of the model there; the geometric mean of the rounds, if there were any", Unit::Us},
          other.times.timing.latencyUs);
    visit({"timing", "how it was timed"}, TimingInFull{other.times.timing});
    visit({"speedup", "against the first schedule, in the same rounds", Unit::Times}, other.times.against.speedup,
          other.isTimed);
    visit({"speedup_interval", "both ends of the 95 % interval of speedup", Unit::Times},
          intervalOf(other.times.against), other.isTimed);
    visit({"verdict", "against the first schedule: faster, slower, same or no difference shown; null: none is drawn"},
          statedVerdict(other.times.against), other.isTimed);
}

// --fail-below: the last schedule against the first.
struct FailBelow {
    double wanted = 1;
    SpeedupEstimate against;
    bool hasInterval = false;

    [[nodiscard]] bool isPassed() const { return against.speedup >= wanted; }
};

void eachMember(Of<FailBelow> auto &verdict, auto &&visit)
{
    visit({"wanted_speedup", "the RATIO of --fail-below", Unit::Times}, verdict.wanted);
    visit({"speedup", "what it was", Unit::Times}, verdict.against.speedup);
    visit({"passed", "false: the exit status is 1"}, verdict.isPassed());
}

// Of a whole schedule, a block or a span.
struct PartsOfTime {
    TimeParts parts;
    TimePartSources sources;
};

void eachMember(Of<PartsOfTime> auto &time, auto &&visit)
{
    const auto &[parts, sources] = time;
    visit({"arithmetic_us", "arithmetic at its peak rate, where it is nearer to its peak than memory", Unit::Us},
          parts.of(TimePart::Arithmetic), sources.has(TimePart::Arithmetic));
    visit({"memory_us", "memory at its peak bandwidth, where it is nearer to its peak", Unit::Us},
          parts.of(TimePart::Memory), sources.has(TimePart::Memory));
    visit({"waiting_us", "units have work that reaches neither peak", Unit::Us}, parts.of(TimePart::Waiting),
          sources.has(TimePart::Waiting));
    visit({"idle_sms_us", "SMs without work, where neither peak is reached", Unit::Us}, parts.of(TimePart::IdleUnits),
          sources.units && !sources.areCores);
    visit({"idle_cores_us", "on a CPU: cores without work", Unit::Us}, parts.of(TimePart::IdleUnits),
          sources.units && sources.areCores);
    visit({"launch_us", "nothing runs in a stage: launches and ramps", Unit::Us}, parts.of(TimePart::Launch),
          sources.gaps);
    visit({"between_stages_us", "nothing runs between two stages: barriers, and the first launch after them", Unit::Us},
          parts.of(TimePart::BetweenStages), sources.gaps);
    visit({"not_explained_us",
           "kernels run and nothing says what they reach; of a whole also what the latency has beyond its timeline, "
           "less than 0 where the timeline took longer",
           Unit::Us},
          parts.of(TimePart::NotExplained));
}

struct ExplainedWhole {
    ScheduleTimeParts parts;
};

void eachMember(Of<ExplainedWhole> auto &whole, auto &&visit)
{
    const ScheduleTimeParts &parts = whole.parts;
    visit({"latency_us", "what the parts add up to", Unit::Us}, parts.latencyUs);
    visit({"timeline_us", "what its timeline took", Unit::Us}, parts.timelineUs);
    visit({"provenance", "of the timeline: measured, recorded or simulated"}, parts.provenance);
    visit({"parts", "of the whole schedule"}, PartsOfTime{parts.whole, parts.sources});
}

struct WaterfallStep {
    TimeStep step;
    TimePartSources sources;
};

void eachMember(Of<WaterfallStep> auto &step, auto &&visit)
{
    visit({"part", "arithmetic, memory, waiting, idle_sms or idle_cores, launch, between_stages or not_explained"},
          std::string(timePartKey(step.step.part, step.sources)));
    visit({"change_us", "what this part changes", Unit::Us}, step.step.changeUs());
    visit({"reached_us", "the latency after this step", Unit::Us}, step.step.toUs);
}

// From the first schedule with parts to another.
struct Waterfall {
    std::string from;
    std::string to;
    std::vector<WaterfallStep> steps{};
};

void eachMember(Of<Waterfall> auto &waterfall, auto &&visit)
{
    visit({"from", "the schedule it starts at"}, waterfall.from);
    visit({"to", "the schedule it ends at"}, waterfall.to);
    visit({"steps", {}}, waterfall.steps);
}

// By schedule; null: it has no timeline.
using PartsBySchedule = std::vector<std::optional<PartsOfTime>>;

struct ExplainedSpan {
    SpanDifference span;
    PartsBySchedule parts{};
};

void eachMember(Of<ExplainedSpan> auto &explained, auto &&visit)
{
    std::vector<std::array<std::size_t, 2>> stages{};
    for (const StageRange &side : explained.span.span.sides)
        stages.push_back({side.first + 1, side.end()});
    visit({"equal", "whether all schedules have the same stages in this span"}, explained.span.span.isEqual);
    visit({"stage_numbers", "first and last stage of the span in each schedule, from 1; of streams: launch",
           Unit::Number},
          stages);
    visit({"parts", "of its stages and what lies between them; null: the schedule has no timeline"}, explained.parts);
    visitWaits(explained.span, visit);
}

struct ExplainedBlock {
    std::size_t block = 0;
    bool isEqual = false;
    PartsBySchedule parts{};
    std::vector<ExplainedSpan> spans{};
};

void eachMember(Of<ExplainedBlock> auto &explained, auto &&visit)
{
    visit({"block_number", "block, from 1", Unit::Number}, explained.block + 1);
    visit({"equal", "whether all schedules have the same stages in it"}, explained.isEqual);
    visit({"parts", "of its stages and what lies between them; null: the schedule has no timeline"}, explained.parts);
    visit({"spans", {}}, explained.spans);
}

// Where the time of schedules goes (schedule/compare/schedule_time_parts.h).
struct Why {
    std::vector<std::pair<std::string, std::optional<ExplainedWhole>>> schedules{};
    std::vector<Waterfall> waterfalls{};
    std::vector<ExplainedBlock> blocks{};
};

void eachMember(Of<Why> auto &why, auto &&visit)
{
    visit({"schedules", "one schedule, by its name or file; null: it has no timeline"}, why.schedules);
    visit({"waterfalls", "from the first schedule to each other, part by part"}, why.waterfalls);
    visit({"blocks", {}}, why.blocks);
}

struct Compare {
    static constexpr Title kTitle{
        "compare", "stagecraft-cli compare MODEL [--schedule SCHEDULE ...] [--fail-below RATIO] [--why] --json",
        "schedules compared with each other"};
    std::string model;
    DeviceInfo device;
    std::int64_t batch = 0;
    SearchOptions search;
    int rounds = 0;
    std::vector<std::string> order{};
    std::vector<std::pair<std::string, Compared>> schedules{};
    std::vector<ImportNote> notes{};
    std::optional<InOneCudaGraph> oneCudaGraph{};
    std::optional<OnOwnStreams> ownStreams{};
    std::optional<FailBelow> failBelow{};
    std::optional<ScheduleDifference> differences{};
    std::optional<Why> why{};
    CostBasis basis;
};

void eachMember(Of<Compare> auto &answer, auto &&visit)
{
    visit(fields::kModel, answer.model);
    visit(fields::kDevice, answer.device.id);
    visit(fields::kCalibration, answer.device.calibration);
    visitSimulationErrors(answer.device.simulationErrors, visit);
    visit(fields::kBatch, answer.batch);
    visit(fields::kProvenanceOfAll, answer.device.provenance);
    visit(fields::kMostPerGroup, ZeroIfEmpty{answer.search.r});
    visit(fields::kMostPerStage, ZeroIfEmpty{answer.search.s});
    visit({"rounds", "how often the schedules were timed in rounds; 0: not", Unit::Count}, answer.rounds);
    visit({"order", "the names under schedules in the order they were compared"}, answer.order);
    visit({"schedules", "one schedule, by its name or file"}, answer.schedules);
    visit({"launches", "of a simulated device: from the host or from one CUDA graph; else empty"},
          answer.device.launches);
    visit({"sequential_in_one_cuda_graph",
           "of a simulated device that launches from the host: one operator at a time from one CUDA graph, in which no "
           "host takes part"},
          answer.oneCudaGraph, answer.oneCudaGraph.has_value());
    visit({"on_own_streams",
           "on onnxruntime, beside sequential: with ORT_PARALLEL and no file, so that ONNX Runtime chooses streams"},
          answer.ownStreams, answer.ownStreams.has_value());
    visit(fields::kNotes, answer.notes);
    visit({"fail_below", "with --fail-below: the verdict on the last schedule against the first"}, answer.failBelow,
          answer.failBelow.has_value());
    visit({"differences", "with --differences: where the schedules differ; lists are in the order of `order`"},
          answer.differences, answer.differences.has_value());
    visit({"why", "with --why: where the time of each schedule goes; lists are in the order of `order`"}, answer.why,
          answer.why.has_value());
    visitBasis(answer.basis, visit);
}

struct SweptPoint {
    PruningPoint point;
    TimedSchedule schedule;
    bool isOnFront = false;
    std::optional<std::size_t> livePeakBytes{};
    bool isOnMemoryFront = false;
};

void eachMember(Of<SweptPoint> auto &swept, auto &&visit)
{
    auto &schedule = swept.schedule;
    visit({"strategy", "both, parallel or merge"}, swept.point.strategies);
    visit(fields::kMostPerGroup, swept.point.r);
    visit(fields::kMostPerStage, swept.point.s);
    visit(fields::kLatency, schedule.latencyUs().value_or(0));
    visit({"provenance", "of the latency: measured, recorded or simulated"},
          schedule.measured.provenance.value_or(Provenance::Measured));
    visit(fields::kSumOfStages, schedule.measured.isSumOfStages());
    visit(fields::kCalibration, schedule.measured.calibration);
    visitSimulationErrors(schedule.measured.simulationErrors, visit);
    visit(fields::kStages, schedule.stages.size());
    visit({"search", "what the search costs by itself: what it shares with others counts here too"}, schedule.search);
    visit({"front",
           "whether it is on the Pareto front: no other point is as good in measurements and latency, and better "
           "in one of them"},
          swept.isOnFront);
    visit({"live_peak_bytes", "planned: the most of its tensors that is live at once; missing: a shape is not known",
           Unit::Bytes},
          swept.livePeakBytes, swept.livePeakBytes.has_value());
    visit({"memory_front", "the same front for live peak and latency"}, swept.isOnMemoryFront,
          swept.livePeakBytes.has_value());
}

struct SweepTotals {
    std::int64_t stageMeasurements = 0;
};

void eachMember(Of<SweepTotals> auto &totals, auto &&visit)
{
    visit({"stage_measurements", "distinct stages that were measured", Unit::Count}, totals.stageMeasurements);
}

struct Sweep {
    static constexpr Title kTitle{"sweep", "stagecraft-cli sweep MODEL --json",
                                  "latency and search cost for each strategy, r and s"};
    std::string model;
    std::string device;
    std::int64_t batch = 0;
    std::vector<SweptPoint> points{};
    SweepTotals totals;
    std::vector<ImportNote> notes{};
    CostBasis basis;
};

void eachMember(Of<Sweep> auto &answer, auto &&visit)
{
    visit(fields::kModel, answer.model);
    visit(fields::kDevice, answer.device);
    visit(fields::kBatch, answer.batch);
    visit({"points", "one strategy, r and s"}, answer.points);
    visit({"totals", "for all points together"}, answer.totals);
    visit(fields::kNotes, answer.notes);
    visitBasis(answer.basis, visit);
}

struct SpecializedRow {
    std::string runOn;
    DeviceInfo device;
    std::int64_t batch = 0;
    std::vector<std::pair<std::string, double>> latencyUs{};
    CostBasis basis;
};

void eachMember(Of<SpecializedRow> auto &row, auto &&visit)
{
    visit({"run_on", "the batch size or device, as in the table"}, row.runOn);
    visit({"device", "the device that it ran on"}, row.device.id);
    visit({"batch", "the batch size that it ran at", Unit::Count}, row.batch);
    visit(fields::kProvenance, row.device.provenance);
    visit(fields::kCalibration, row.device.calibration);
    visitSimulationErrors(row.device.simulationErrors, visit);
    visit({"latency_us", "of the schedule found for that batch size or device", Unit::Us}, row.latencyUs);
    visitBasis(row.basis, visit);
}

struct Specialize {
    static constexpr Title kTitle{"specialize", "stagecraft-cli specialize MODEL [--batch N,N] [--devices D,D] --json",
                                  "schedules found for one batch size or device, run on the others"};
    std::string model;
    std::vector<SpecializedRow> rows{};
    std::vector<ImportNote> notes{};
};

void eachMember(Of<Specialize> auto &answer, auto &&visit)
{
    visit({"model", "MODEL as it was given"}, answer.model);
    visit({"rows", "one batch size or device to run on"}, answer.rows);
    visit(fields::kNotes, answer.notes);
}

} // namespace answers

template <>
inline constexpr std::string_view kPartName<answers::PartsOfTime> = "parts_of_time";

} // namespace stagecraft
