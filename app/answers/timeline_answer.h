#pragma once

// The answer on what ran when.

#include "answers/answer_parts.h"
#include "timing/simulation_error_record.h"
#include "timing/timeline/timeline.h"
#include "timing/timeline/timeline_rows.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft::answers {

[[nodiscard]] inline double microseconds(std::int64_t ns)
{
    return static_cast<double>(ns) / 1000;
}

inline constexpr Field kStartUs{"start_us", "since the schedule began", Unit::Us};
inline constexpr Field kEndUs{"end_us", "since the schedule began", Unit::Us};

struct TimedStage {
    StageSpan span;
    StageTimeParts parts;
};

void eachMember(Of<TimedStage> auto &stage, auto &&visit)
{
    visit(fields::kStage, stage.span.stage);
    visit(fields::kStageNumber, stage.span.stage + 1);
    visit(kStartUs, microseconds(stage.span.startNs));
    visit(kEndUs, microseconds(stage.span.endNs));
    visit({"time_parts", "where its time goes"}, stage.parts);
}

struct TimedKernel {
    KernelSpan span;
    std::vector<std::string> operators{};
    TimelineRows threads{};
    bool hasThreads = false; // on a CPU
};

void eachMember(Of<TimedKernel> auto &kernel, auto &&visit)
{
    auto &span = kernel.span;
    const bool isOnCpu = kernel.hasThreads;
    visit({"name", "name of the kernel"}, span.name);
    visit({"operators", "the operators it computes"}, kernel.operators);
    visit({"stage", "of its stage; null: of a profile, mapped to nothing", Unit::Index}, span.stageOrNone());
    visit({"stage_number", "of its stage, as on the screen; null: of a profile, mapped to nothing", Unit::Number},
          span.stageNumber());
    visit({"group", "of its group in the stage", Unit::Index}, span.group);
    visit({"group_number", "of its group in the stage", Unit::Number}, span.group + 1);
    visit(kStartUs, microseconds(span.startNs));
    visit(kEndUs, microseconds(span.endNs));
    visit({"flops", "floating-point operations", Unit::Flop}, span.flops);
    visit({"first_thread", "on a CPU: of the first of its threads", Unit::Index}, kernel.threads.first, isOnCpu);
    visit({"first_thread_number", "on a CPU: of the first of its threads, as on the screen", Unit::Number},
          kernel.threads.first + 1, isOnCpu);
    visit({"threads", "on a CPU: threads it ran on", Unit::Count}, kernel.threads.count, isOnCpu);
    visit({"stream", "of its stream; on a CPU absent, as all that follows", Unit::Index}, span.stream, !isOnCpu);
    visit({"stream_number", "of its stream, as on the screen", Unit::Number}, span.stream + 1, !isOnCpu);
    visit({"grid", "thread blocks in x, y and z", Unit::Count}, span.grid, !isOnCpu);
    visit({"threads_per_block", "threads of a thread block", Unit::Count}, span.threadsPerBlock, !isOnCpu);
    visit({"registers_per_thread", "registers of a thread", Unit::Count}, span.registersPerThread, !isOnCpu);
    visit({"shared_bytes_per_block", "shared memory of a thread block", Unit::Bytes}, span.sharedBytesPerBlock,
          !isOnCpu);
}

struct TimedCounter {
    CounterSeries series;
    double mean = 0;
};

void eachMember(Of<TimedCounter> auto &counter, auto &&visit)
{
    auto &series = counter.series;
    std::vector<double> timesUs{};
    for (const std::int64_t time : series.timesNs)
        timesUs.push_back(microseconds(time));
    visit({"name", "name of the counter"}, series.name);
    visit({"unit", "unit of maximum, mean and values"}, series.unit);
    visit({"kind", "simulated, modelled, sampled or derived"}, series.kind);
    visit({"maximum", "the most the device can have; 0: not known", Unit::OfCounter}, series.maximum);
    visit({"mean", "over the duration", Unit::OfCounter}, counter.mean);
    visit({"times_us", "when the counter took each value, since the schedule began", Unit::Us}, timesUs);
    visit({"values", "its values", Unit::OfCounter}, series.values);
}

struct TimelineAnswer {
    static constexpr Title kTitle{"timeline", "stagecraft-cli timeline MODEL --json", "what ran when"};
    std::string device;
    Provenance provenance = Provenance::Simulated;
    SimulationErrors simulationErrors{};
    std::int64_t durationNs = 0;
    std::size_t rows = 0;
    std::vector<std::string> rowNames{};
    bool hasThreads = false;
    std::vector<TimedStage> stages{};
    std::vector<TimedKernel> kernels{};
    std::vector<TimedCounter> counters{};
    std::vector<std::string> notes{};
    std::vector<ImportNote> modelNotes{};
    CostBasis basis;
};

void eachMember(Of<TimelineAnswer> auto &answer, auto &&visit)
{
    visit(fields::kDevice, answer.device);
    visit(fields::kProvenanceOfAll, answer.provenance);
    visitSimulationErrors(answer.simulationErrors, visit);
    visit({"duration_us", "of the schedule", Unit::Us}, microseconds(answer.durationNs));
    visit({"streams", "streams of the device; on a CPU absent", Unit::Count}, answer.rows, !answer.hasThreads);
    visit({"stream_names", "of a profile: its streams, as it names them"}, answer.rowNames, !answer.rowNames.empty());
    visit({"threads", "on a CPU: threads", Unit::Count}, answer.rows, answer.hasThreads);
    visit({"stages", "a stage"}, answer.stages);
    visit({"kernels", "a kernel; on a CPU an operator"}, answer.kernels);
    visit({"counters", "a counter over time"}, answer.counters);
    visit({"notes", "what to know about the timeline"}, answer.notes);
    visit({"model_notes", "what the import did"}, answer.modelNotes);
    visitBasis(answer.basis, visit);
}

} // namespace stagecraft::answers
