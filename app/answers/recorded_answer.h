#pragma once

// The answer on results and profiles in files that were compared.

#include "answers/answer_parts.h"
#include "results/recorded_comparison.h"
#include "results/schedule_words.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

void eachMember(Of<ContextDifference> auto &difference, auto &&visit)
{
    visit({"what", "device, batch, provenance, kind of latency, precision, simulator, driver, file of the model, "
                   "options of the device, recorded by or order"},
          difference.what);
    visit({"before", "of the first file"}, difference.before);
    visit({"after", "of this one"}, difference.after);
    visit({"forbids", "whether latencies are not compared because of it"}, difference.forbids);
}

void eachMember(Of<AspectChange> auto &change, auto &&visit)
{
    visit({"aspect", "kernel, precision, layout, fusion or stream"}, change.aspect);
    visit({"before", "in the first file"}, change.before);
    visit({"after", "in this one"}, change.after);
}

void eachMember(Of<OperatorChange> auto &change, auto &&visit)
{
    visit({"name", "of the operator"}, change.name);
    visit({"before_us",
           "what its kernels took, the median of all runs; null: not known, not comparable, or counted for another "
           "operator of its kernel",
           Unit::Us},
          change.beforeUs);
    visit({"after_us", "the same in this file", Unit::Us}, change.afterUs);
    visit({"verdict", "whether that is more than noise, for all operators together; null: not known"},
          change.judged ? answers::statedVerdict(change.judged->estimate) : std::nullopt);
    visit({"changed", "what is different"}, change.aspects);
}

void eachMember(Of<OperatorChanges> auto &changes, auto &&visit)
{
    visit({"changed", "operators that are different, what lost most time first where times are comparable"},
          changes.operators);
    visit({"of_all", "the same of every operator, and not told of each"}, changes.ofAll);
    visit({"equal", "operators in both files without a difference that is shown", Unit::Count}, changes.equal);
    visit({"only_before", "an operator that only the first file shows"}, changes.onlyBefore);
    visit({"only_after", "an operator that only this file shows"}, changes.onlyAfter);
    visit({"not_shown", "of kernel, precision, layout, fusion and stream, what is not in both files"},
          changes.notShown);
}

void eachMember(Of<RecordedChange> auto &change, auto &&visit)
{
    const JudgedRepeats judged = change.judged.value_or(JudgedRepeats());
    visit({"speedup", "how many times as fast; null: latencies are not comparable", Unit::Times},
          change.judged ? std::optional(judged.estimate.speedup) : std::nullopt);
    visit(fields::kInterval, answers::intervalOf(judged.estimate), judged.hasInterval());
    visit({"judged_by", "runs, spread (of the runs), exact (simulated) or single (too few runs for an interval); null: "
                        "latencies are not comparable"},
          change.judged ? std::optional(judged.by) : std::nullopt);
    visit({"verdict", "faster, slower, same or no difference shown; null: none is drawn"},
          answers::statedVerdict(judged.estimate));
    visit({"context", "what latencies depend on, beside the schedule, and that is different"}, change.context);
    visit({"operators", "what changed"}, change.operators);
}

namespace answers {

struct RecordedInFile {
    RecordedResult result{};
    std::optional<RecordedChange> change{}; // empty: it is the first
    std::optional<bool> isPassed{};         // with --fail-below
};

void eachMember(Of<RecordedInFile> auto &file, auto &&visit)
{
    const TimedSchedule schedule = file.result.schedule ? *file.result.schedule : TimedSchedule();
    visit({"file", "as it was named"}, file.result.name);
    visit({"latency_us", "of the whole: the median of its runs", Unit::Us}, file.result.repeats.timing.latencyUs);
    visit({"runs", "runs behind it; 0: a single one, or not known", Unit::Count}, file.result.repeats.timing.runs);
    visit({"provenance", "of the latencies: measured, recorded or simulated"}, provenanceOf(schedule));
    visit(fields::kSumOfStages, schedule.measured.isSumOfStages());
    visit({"device", "as the file names it"}, schedule.context.device);
    visit(fields::kBatch, schedule.context.batch);
    visit({"precision", "as the file states it"}, schedule.context.precision);
    visit({"program", "that recorded it; empty: this one"}, file.result.source);
    visit({"against_first", "what is different from the first file; missing: it is the first"}, file.change,
          file.change.has_value());
    visit({"passed", "with --fail-below; false: the exit status is 1"}, file.isPassed, file.isPassed.has_value());
}

struct CompareFiles {
    static constexpr Title kTitle{"compare-files", "stagecraft-cli compare A B ... [--fail-below RATIO] --json",
                                  "results and profiles in files compared with the first of them"};
    std::string model{};
    std::vector<RecordedInFile> files{};
    std::optional<double> failBelow{};
};

void eachMember(Of<CompareFiles> auto &answer, auto &&visit)
{
    visit(fields::kModel, answer.model);
    visit({"files", "a file, in the order in which they were named"}, answer.files);
    visit({"fail_below", "with --fail-below: its RATIO", Unit::Times}, answer.failBelow, answer.failBelow.has_value());
}

} // namespace answers
} // namespace stagecraft
