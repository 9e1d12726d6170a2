#pragma once

// The answers on one schedule: found, measured, edited, and what it needs of memory.

#include "answers/answer_parts.h"
#include "answers/split_answer.h"
#include "device/device.h"
#include "flow/explain/memory_of_schedule.h"
#include "results/files/schedule_record.h"
#include "schedule/compare/spans.h"
#include "search/search_record.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::answers {

struct WhyNot {
    NamedRunnerUp stage;
    std::optional<StageTimeParts> more{};
    bool isTried = false; // with --why
};

void eachMember(Of<WhyNot> auto &other, auto &&visit)
{
    eachMember(other.stage, visit);
    visit({"more", "with --why: its block with this stage tried, minus its block as it is; null: it cannot be tried"},
          other.more, other.isTried);
}

struct SearchedBlock {
    BlockSearch search;
    std::vector<WhyNot> runnersUp{};
};

void eachMember(Of<SearchedBlock> auto &block, auto &&visit)
{
    visit({"block", "of the block", Unit::Index}, block.search.block);
    visit({"block_number", "of the block, as on the screen", Unit::Number}, block.search.block + 1);
    eachMember(block.search, visit);
    visit({"runners_up", "a stage that was not taken"}, block.runnersUp);
}

struct CappedMemory {
    std::size_t capBytes = 0;
    std::size_t livePeakBytes = 0;
    std::string basis;
    std::optional<plan::MemoryTarget> target{};
};

void eachMember(Of<CappedMemory> auto &memory, auto &&visit)
{
    visit({"cap_bytes", "with --max-memory: the cap", Unit::Bytes}, memory.capBytes);
    visit({"live_peak_bytes",
           "with --max-memory: the most that is live in one stage, workspace included; of streams: the arena; with "
           "--target what the runtime holds",
           Unit::Bytes},
          memory.livePeakBytes);
    visit({"basis", "with --max-memory: how it was counted"}, memory.basis);
    visit({"target", "with --target: the runtime"},
          std::string(memory.target ? plan::memoryTargetRow(*memory.target).word : ""), memory.target.has_value());
}

struct AgainInRounds {
    double latencyUs = 0;
    SpeedupEstimate against;
};

void eachMember(Of<AgainInRounds> auto &times, auto &&visit)
{
    visit({"latency_us", "geometric mean of the rounds", Unit::Us}, times.latencyUs);
    visit({"speedup", "against the first", Unit::Times}, times.against.speedup);
    visit(fields::kInterval, intervalOf(times.against));
    visit(
        {"verdict", "faster, slower, same or no difference shown; null: fewer than eight rounds, or the first itself"},
        statedVerdict(times.against));
}

struct BaselinesAgain {
    int rounds = 0;
    std::string kept;
    std::vector<std::pair<std::string, AgainInRounds>> times{};
};

void eachMember(Of<BaselinesAgain> auto &again, auto &&visit)
{
    visit({"rounds", "how often", Unit::Count}, again.rounds);
    visit({"kept", "found, or the baseline that is faster and takes its place"}, again.kept);
    visit({"*", "sequential, greedy and found"}, again.times);
}

struct Optimize {
    static constexpr Title kTitle{"optimize", "stagecraft-cli optimize MODEL --json",
                                  "the schedule that a search found"};
    std::string model;
    std::size_t disturbedStages = 0;
    std::optional<BaselinesAgain> again{};
    std::optional<StreamSearchRecord> streamSearch{};
    std::vector<SearchedBlock> blocks{};
    ScheduleInFile file;
    std::vector<ImportNote> notes{};
    std::optional<CappedMemory> memory{};
    std::optional<std::vector<MemberCounts>> members{};
    std::optional<SplitSearch> splits{};
};

void eachMember(Of<Optimize> auto &answer, auto &&visit)
{
    auto &schedule = answer.file.schedule;
    visit(fields::kModel, answer.model);
    visit(fields::kDevice, schedule.context.device);
    visit(fields::kCalibration, schedule.measured.calibration);
    visitSimulationErrors(schedule.measured.simulationErrors, visit);
    visit(fields::kBatch, schedule.context.batch);
    visit(fields::kLatency, schedule.latencyUs().value_or(0));
    visit(fields::kProvenance, schedule.measured.provenance.value_or(Provenance::Measured));
    visit(fields::kSumOfStages, schedule.measured.isSumOfStages());
    visit(fields::kDisturbedStages, answer.disturbedStages);
    visit(fields::kStages, schedule.stages.size());
    visitSynchronisation(synchronisationOf(schedule), visit);
    visit({"stage_sum_us", "sum of the stages, each measured alone: what the search minimises", Unit::Us},
          schedule.sumOfStagesUs());
    visit({"in_turn", "on a measured device: the result and the baselines, timed again in rounds"}, answer.again);
    visit({"search", "the search as a whole"}, schedule.search);
    visit({"stream_search", "with --strategy of streams: how they were found"}, answer.streamSearch,
          answer.streamSearch.has_value());
    visit({"members", "on a pool: what one member did"}, answer.members.value_or(std::vector<MemberCounts>()),
          answer.members.has_value());
    visit({"splits", "with --try-splits: which operators are faster in parts"}, answer.splits,
          answer.splits.has_value());
    visit({"blocks", "what the search did in one block"}, answer.blocks);
    visit(fields::kSchedule, answer.file);
    visit(fields::kNotes, answer.notes);
    visit({"memory", "with --max-memory: what the schedule needs"}, answer.memory, answer.memory.has_value());
    visitBasis(schedule.search.costs, visit);
}

struct MeasuredStage {
    NamedStage stage;
    std::optional<double> latencyUs{};
};

void eachMember(Of<MeasuredStage> auto &measured, auto &&visit)
{
    eachMember(measured.stage, visit);
    visit({"latency_us", "of the stage alone; null: the device measures whole schedules only", Unit::Us},
          measured.latencyUs);
}

struct Measure {
    static constexpr Title kTitle{"measure", "stagecraft-cli measure MODEL --schedule SCHEDULE --json",
                                  "how long a schedule takes"};
    std::string model;
    std::string scheduleName;
    TimedSchedule schedule;
    std::optional<MadeFor> madeFor{};
    std::size_t disturbedStages = 0;
    std::vector<MeasuredStage> stages{};
    std::vector<TimingInFull> stageTimings{};
    std::vector<ImportNote> notes{};
};

void eachMember(Of<Measure> auto &answer, auto &&visit)
{
    auto &schedule = answer.schedule;
    const double us = schedule.latencyUs().value_or(0);
    visit(fields::kModel, answer.model);
    visit(fields::kScheduleName, answer.scheduleName);
    visit(fields::kDevice, schedule.context.device);
    visit(fields::kCalibration, schedule.measured.calibration);
    visitSimulationErrors(schedule.measured.simulationErrors, visit);
    visit(fields::kBatch, schedule.context.batch);
    visit({"precision", "of arithmetic and tensors: fp32, tf32, fp16, or what is computed in which"},
          schedule.context.precision);
    visit({"made_for", "what the schedule file says it was made for; null: no file"}, answer.madeFor);
    visit(fields::kLatency, us);
    visit(fields::kProvenanceOfAll, schedule.measured.provenance.value_or(Provenance::Measured));
    visit(fields::kSumOfStages, schedule.measured.isSumOfStages());
    visit(fields::kDisturbedStages, answer.disturbedStages);
    visitSynchronisation(synchronisationOf(schedule), visit);
    visit({"stage_latency_us", "of each stage alone; empty: streams, or a device that measures no stages", Unit::Us},
          schedule.stageLatenciesUs());
    visit({"stages", "a stage, as in a schedule file"}, answer.stages);
    visit({"between_stages_us",
           "latency_us less the sum of the stages; below 0 where they overlap; null: streams, or a device "
           "that measures no stages",
           Unit::Us},
          schedule.hasStageLatencies() ? std::optional(us - schedule.sumOfStagesUs()) : std::nullopt);
    visit({"timing", "how the whole schedule was timed"}, TimingInFull{schedule.measured.whole.value_or(Timing{})});
    visit({"stage_timings", "how each stage was timed; empty where that is not known"}, answer.stageTimings);
    visit(fields::kNotes, answer.notes);
    visitBasis(schedule.search.costs, visit);
}

struct EditApplied {
    std::string words;
};

void eachMember(Of<EditApplied> auto &edit, auto &&visit)
{
    visit({"words", "what it is called for undo"}, edit.words);
}

struct StageOfEdit {
    std::size_t stage = 0;
};

void eachMember(Of<StageOfEdit> auto &stage, auto &&visit)
{
    visit({"stage_number", "of the stage in the edited schedule", Unit::Number}, stage.stage + 1);
}

struct BeforeEdit {
    int rounds = 0;
    double latencyUs = 0;
    std::optional<double> differenceUs{}; // empty: they do not compare
    SpeedupEstimate against;
};

void eachMember(Of<BeforeEdit> auto &before, auto &&visit)
{
    const bool compares = before.differenceUs.has_value();
    visit({"rounds", "in which both were timed in rounds; 0: each once, or latencies are exact", Unit::Count},
          before.rounds);
    visit({"latency_us", "of the original in one go", Unit::Us}, before.latencyUs);
    visit(
        Field{"difference_us", "what the edited schedule takes more; null: a sum of stages does not compare", Unit::Us},
        before.differenceUs);
    visit({"speedup", "of the edited schedule against the original", Unit::Times},
          compares ? std::optional(before.against.speedup) : std::nullopt);
    visit({"speedup_interval", "where both were timed in rounds: both ends of its 95 % interval", Unit::Times},
          intervalOf(before.against), before.rounds > 1);
    visit({"verdict", "faster, slower, same within 1 % or no difference shown"},
          compares ? statedVerdict(before.against) : std::nullopt);
}

// Side A is the original.
struct EditedSpan {
    CommonSpan span;
    std::optional<double> beforeUs{};
    std::optional<double> us{};
};

void eachMember(Of<EditedSpan> auto &edited, auto &&visit)
{
    const auto side = [&](std::size_t which) {
        return edited.span.sides.empty() ? StageRange{} : edited.span.sides[which];
    };
    visit({"before_first_stage_number", "of the first of them in the original", Unit::Number}, side(0).first + 1);
    visit({"before_stages", "of them in the original", Unit::Count}, side(0).count);
    visit({"first_stage_number", "of the first of them in the edited schedule", Unit::Number}, side(1).first + 1);
    visit({"stages", "of them in the edited schedule", Unit::Count}, side(1).count);
    visit({"before_sum_us", "sum of them in the original; null: not known", Unit::Us}, edited.beforeUs);
    visit({"sum_us", "sum of them in the edited schedule; null: not measured", Unit::Us}, edited.us);
}

struct Edit {
    static constexpr Title kTitle{"edit", "stagecraft-cli edit MODEL --schedule FILE --move OP:STAGE -o OUT --json",
                                  "a schedule edited by hand, and what that gains or costs"};
    std::string model;
    std::optional<MadeFor> madeFor{};
    std::vector<EditApplied> edits{};
    std::vector<StageOfEdit> changed{};
    std::vector<StageOfEdit> measured{};
    std::size_t disturbedStages = 0;
    std::optional<BeforeEdit> before{}; // empty: it was not measured
    std::optional<double> unsplitUs{};
    std::vector<EditedSpan> spans{};
    ScheduleInFile file;
    std::vector<ImportNote> notes{};
};

void eachMember(Of<Edit> auto &answer, auto &&visit)
{
    auto &schedule = answer.file.schedule;
    const bool isMeasured = answer.before.has_value();
    visit(fields::kModel, answer.model);
    visit({"edited_from", "what the original is: the kind of its search, or its file"}, schedule.search.editedFrom);
    visit({"made_for", "what the schedule file was made for; null: it is no file"}, answer.madeFor);
    visit({"edits", "an edit, in the order in which they were applied"}, answer.edits);
    visit({"stages", "stages of the edited schedule", Unit::Count}, schedule.stages.size());
    visit({"changed", "a stage that the original does not have"}, answer.changed);
    visit({"device", "that it was measured on; null: it was not"},
          isMeasured ? std::optional(schedule.context.device) : std::nullopt);
    visit(fields::kCalibration, schedule.measured.calibration);
    visitSimulationErrors(schedule.measured.simulationErrors, visit);
    visit(fields::kBatch, schedule.context.batch);
    visit({"measured", "a stage that was measured; the others have the latencies of the original"}, answer.measured);
    visit({"latency_us", "of the whole edited schedule in one go", Unit::Us},
          isMeasured ? schedule.latencyUs() : std::nullopt);
    visit(fields::kProvenance, isMeasured ? schedule.measured.provenance : std::nullopt);
    visit(fields::kSumOfStages, schedule.measured.isSumOfStages());
    visit(fields::kDisturbedStages, answer.disturbedStages);
    visit({"before", "the original beside it; null: it was not measured"}, answer.before);
    visit({"unsplit_us", "with --split-operator and --device: of the original before that, in a run of its own",
           Unit::Us},
          answer.unsplitUs.value_or(0), answer.unsplitUs.has_value());
    visit({"spans", "stages between two points at which both have done the same, where they differ"}, answer.spans);
    visit({"schedule", "the edited schedule itself, as in the file that -o writes"}, answer.file);
    visit(fields::kNotes, answer.notes);
    visitBasis(schedule.search.costs, visit);
}

struct StageMemory {
    std::size_t stage = 0;
    std::size_t liveBytes = 0;
    std::size_t workspaceBytes = 0;
    std::vector<std::string> operators{};
};

void eachMember(Of<StageMemory> auto &stage, auto &&visit)
{
    visit(fields::kStage, stage.stage);
    visit(fields::kStageNumber, stage.stage + 1);
    visit({"live_bytes", "live in the stage, workspace included", Unit::Bytes}, stage.liveBytes);
    visit({"workspace_bytes", "of which so many are workspace", Unit::Bytes}, stage.workspaceBytes);
    visit({"operators", "the operators of the stage, or of the launch"}, stage.operators);
}

struct PlannedBuffer {
    plan::MemoryBuffer buffer;
    std::vector<std::string> tensors{};
};

void eachMember(Of<PlannedBuffer> auto &planned, auto &&visit)
{
    auto &[life, offset, ids] = planned.buffer;
    visit({"tensors", "the tensors that lie in it; none: the workspace of a group"}, planned.tensors);
    visit({"bytes", "its size", Unit::Bytes}, life.bytes);
    visit({"offset", "where it begins", Unit::Bytes}, offset);
    visit({"first_stage", "the first stage that needs it", Unit::Index}, life.firstStage);
    visit({"last_stage", "the last stage that needs it", Unit::Index}, life.lastStage);
}

struct MemoryElsewhere {
    plan::TargetMemory memory;
};

void eachMember(Of<MemoryElsewhere> auto &elsewhere, auto &&visit)
{
    const plan::MemoryTargetRow &row = plan::memoryTargetRow(elsewhere.memory.target);
    visit({"target", "the runtime: onnxruntime, onnxruntime-cuda, pytorch"}, std::string(row.word));
    visit({"held_bytes", "what its allocator holds after some runs", Unit::Bytes}, elsewhere.memory.heldBytes);
    visit({"peak_bytes", "the most of it that is used at a time, in whole chunks", Unit::Bytes},
          elsewhere.memory.peakBytes);
    visit({"kept_bytes", "of which tensors that other streams read, and that are not reused", Unit::Bytes},
          elsewhere.memory.keptBytes);
    visit({"basis", "how it is counted"}, std::string(row.basis));
}

struct Memory {
    static constexpr Title kTitle{"memory", "stagecraft-cli memory MODEL --schedule SCHEDULE -d DEVICE --json",
                                  "the bytes that a schedule needs when it runs once, padded to the alignment"};
    std::string model;
    std::string scheduleName;
    DeviceInfo device;
    std::int64_t batch = 0;
    ScheduleMemory memory;
    std::vector<StageMemory> stages{};
    std::vector<PlannedBuffer> buffers{};
    std::vector<ImportNote> notes{};
    std::vector<MemoryElsewhere> elsewhere{};
};

void eachMember(Of<Memory> auto &answer, auto &&visit)
{
    const ScheduleMemory &memory = answer.memory;
    std::size_t workspaceBytes = 0;
    for (const StageMemory &stage : answer.stages)
        workspaceBytes = std::max(workspaceBytes, stage.workspaceBytes);
    visit(fields::kModel, answer.model);
    visit(fields::kScheduleName, answer.scheduleName);
    visit(fields::kDevice, answer.device.id);
    visit(fields::kBatch, answer.batch);
    visit({"precision", "in which tensors are planned: fp32 or fp16"},
          std::string(elementBytesOf(answer.device) == 2 ? "fp16" : "fp32"));
    visit({"basis", "whose plan it is, and what it leaves out"}, memory.basis);
    visit({"alignment_bytes", "what offsets and sizes are multiples of", Unit::Bytes}, memory.use.alignment);
    visit({"live_peak_bytes", "the most that is live in one stage, workspace included; no arena can be smaller",
           Unit::Bytes},
          memory.use.livePeakBytes());
    visit({"arena_bytes", "the arena that holds all buffers", Unit::Bytes}, memory.use.arenaBytes);
    visit({"no_reuse_bytes", "all buffers side by side", Unit::Bytes}, memory.use.noReuseBytes());
    visit({"reference_counted_bytes", "what TVM's planner would take, which counts readers and joins by copies",
           Unit::Bytes},
          memory.referenceCountedBytes);
    visit({"weights_bytes", "the model's weights, which no cap counts", Unit::Bytes}, memory.weightsBytes);
    visit({"targets", "what the same schedule takes in another runtime, simulated"}, answer.elsewhere);
    visit({"workspace_bytes", "the most workspace of one stage: joined and added inputs, scratch memory of kernels",
           Unit::Bytes},
          workspaceBytes);
    visit({"stages", "a stage; of streams a launch, in launch order"}, answer.stages);
    visit({"buffers", "a part of the arena"}, answer.buffers);
    visit(fields::kNotes, answer.notes);
}

} // namespace stagecraft::answers
