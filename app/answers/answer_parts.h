#pragma once

// What several JSON answers have in common. An answer is a record (support/records/record.h) with a title; the command
// line fills it in and prints it, jsonAnswers() lists its keys.

#include "graph/cost_record.h"
#include "model/model.h"
#include "results/files/schedule_record.h"
#include "support/records/record.h"
#include "timing/statistics/verdict.h"
#include "timing/timeline/time_parts.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

void eachMember(Of<ImportNote> auto &note, auto &&visit)
{
    visit({"operator", "the operator it is about; empty: the file"}, note.operatorName);
    visit({"text", "the note"}, note.text);
}

namespace fields {

inline constexpr Field kModel{"model", "name of the model"};
inline constexpr Field kScheduleName{"schedule_name", "what --schedule was: sequential, greedy or the file"};
inline constexpr Field kNotes{"notes", "what the import did"};
inline constexpr Field kDevice{"device", "the device, as --device takes it"};
inline constexpr Field kCalibration{"calibration", "of a simulated device: what its numbers rest on; else empty"};
inline constexpr Field kBatch{"batch", "batch size", Unit::Count};
inline constexpr Field kProvenance{"provenance", "of the latencies: measured, recorded or simulated"};
inline constexpr Field kProvenanceOfAll{"provenance", "of all latencies here: measured, recorded or simulated"};
inline constexpr Field kLatency{"latency_us", "of the whole schedule in one go", Unit::Us};
inline constexpr Field kStages{"stages", "stages of the schedule", Unit::Count};
inline constexpr Field kSumOfStages{
    "sum_of_stages", "whether latency_us adds up latencies of stages: the whole schedule was never timed"};
inline constexpr Field kDisturbedStages{
    "disturbed_stages", "stages whose latency something else on the machine had a part in", Unit::Count};
inline constexpr Field kStage{"stage", "of the stage", Unit::Index};
inline constexpr Field kStageNumber{"stage_number", "of the stage, as on the screen", Unit::Number};
inline constexpr Field kSchedule{"schedule", "the schedule itself, as in the file that -o writes"};
inline constexpr Field kInterval{"speedup_interval", "both ends of its 95 % interval", Unit::Times};

} // namespace fields

namespace answers {

struct Title {
    std::string_view name; // "latencies-list"
    std::string_view call; // "stagecraft-cli latencies list --json"
    std::string_view purpose;
    std::string_view format = name; // behind "stagecraft-" in the key `format`
};

// Of an answer with latencies.
void visitBasis(const CostBasis &basis, auto &&visit)
{
    eachMember(basis, visit);
    visit({"latency_is_lower_bound", "whether latencies leave operators out"}, !basis.isComplete());
}

[[nodiscard]] inline std::optional<Verdict> statedVerdict(const SpeedupEstimate &estimate)
{
    return estimate.verdict == Verdict::None ? std::nullopt : std::optional(estimate.verdict);
}

[[nodiscard]] inline std::array<double, 2> intervalOf(const SpeedupEstimate &estimate)
{
    return {estimate.low, estimate.high};
}

// What a schedule file says; of none there is no value.
struct MadeFor {
    std::string device;
    std::int64_t batch = 0;
    std::string precision;
};

void eachMember(Of<MadeFor> auto &made, auto &&visit)
{
    visit({"device", "the device"}, made.device);
    visit(fields::kBatch, made.batch);
    visit({"precision", "fp32, tf32 or fp16"}, made.precision);
}

struct StageTimeParts {
    TimeParts parts;
    TimePartSources sources;
};

void eachMember(Of<StageTimeParts> auto &stage, auto &&visit)
{
    const auto &[parts, sources] = stage;
    visit({"arithmetic_us", "arithmetic at its peak rate, where it is nearer to its peak than memory", Unit::Us},
          parts.of(TimePart::Arithmetic), sources.has(TimePart::Arithmetic));
    visit({"memory_us", "memory at its peak bandwidth, where it is nearer to its peak", Unit::Us},
          parts.of(TimePart::Memory), sources.has(TimePart::Memory));
    visit({"waiting_us", "units have work that reaches neither peak; all running time if the peaks are not known",
           Unit::Us},
          parts.of(TimePart::Waiting) + parts.of(TimePart::NotExplained));
    visit({"idle_sms_us", "SMs without work, where neither peak is reached", Unit::Us}, parts.of(TimePart::IdleUnits),
          sources.units && !sources.areCores);
    visit({"idle_cores_us", "on a CPU: cores without work", Unit::Us}, parts.of(TimePart::IdleUnits),
          sources.units && sources.areCores);
    visit({"launch_us", "nothing runs: launches, ramps and barriers", Unit::Us}, parts.of(TimePart::Launch),
          sources.gaps);
}

} // namespace answers

template <>
inline constexpr std::string_view kPartName<answers::StageTimeParts> = "time_parts";

} // namespace stagecraft
