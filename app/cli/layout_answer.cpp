#include "cli/layout_answer.h"

#include "cli/text_table.h"
#include "results/files/schedule_parts.h"
#include "schedule/stage_text.h"
#include "search/layouts/layout_choice.h"
#include "support/shown_text.h"

#include <fmt/ostream.h>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kEqualOutputs = 1e-4; // what another order of additions may change

double latencyOf(const LayoutAnswer &answer)
{
    if (answer.joint)
        return answer.layouts().latencyUs;
    return answer.comparison.found ? answer.comparison.found->timing.timing.latencyUs : answer.result.best.latencyUs;
}

std::vector<answers::Converted> conversionsOf(const LayoutAnswer &answer)
{
    const LayoutProblem &problem = answer.problem;
    std::vector<answers::Converted> list;
    for (const LayoutConversion &made : answer.layouts().conversions) {
        auto &converted = list.emplace_back(answers::Converted{problem.tensors[made.tensor].name,
                                                               std::string(problem.layouts[made.from]),
                                                               std::string(problem.layouts[made.to]),
                                                               made.latencyUs,
                                                               {}});
        if (made.before >= 0)
            converted.before = problem.operators[static_cast<std::size_t>(made.before)].name;
    }
    return list;
}

std::optional<double> latencyOf(const LayoutAlternative &alternative)
{
    return alternative.measured ? alternative.measured->timing.timing.latencyUs : alternative.sumUs;
}

answers::Alternatives alternativesOf(const LayoutComparison &comparison)
{
    answers::Alternatives us;
    for (const LayoutAlternative &alternative : comparison.alternatives) {
        auto &into = alternative.name == "all_nchw"   ? us.allNchw
                     : alternative.name == "all_nhwc" ? us.allNhwc
                                                      : us.perOperatorFastest;
        into = latencyOf(alternative);
    }
    if (comparison.library)
        us.library = comparison.library->timing.timing.latencyUs;
    return us;
}

// What was found and the alternatives, each against the library's choice.
std::optional<std::vector<std::pair<std::string, MeasuredVariant>>> inRounds(const LayoutComparison &comparison)
{
    if (!comparison.library)
        return std::nullopt;
    std::vector<std::pair<std::string, MeasuredVariant>> measured{{"found", *comparison.found}};
    for (const LayoutAlternative &alternative : comparison.alternatives) {
        if (alternative.measured)
            measured.emplace_back(alternative.name, *alternative.measured);
    }
    return measured;
}

answers::Jointly jointly(const LayoutAnswer &answer)
{
    const auto &[found, searchSeconds] = *answer.joint;
    answers::Jointly joint{found.basis, found.result, found.stageMeasurements, searchSeconds, {}};
    for (const Stage &stage : found.result.stages)
        joint.stages.push_back(namedGroups(OperatorNames(*answer.model.graph), stage));
    return joint;
}

std::string jointText(const LayoutAnswer &answer)
{
    const JointResult &result = answer.joint->found.result;
    std::string text;
    for (std::size_t i = 0; i < result.stages.size(); ++i)
        text += fmt::format("stage {}  {}\n", i + 1, stageText(*answer.model.graph, result.stages[i]));
    const auto latency = [](double us) { return us == kImpossible ? "not possible" : plainLatency(us); };
    const std::string aboveLeast = percent(result.layouts.latencyUs / result.lowerBoundUs - 1);
    return fmt::format(
        "{}\n{}: {} ({}) in {} and {}, stages and layouts chosen together; {}\n"
        "  layouts, then stages: {}\n  stages, then layouts: {}\n"
        "{}; {}, {}, all layouts of {} stages tried, of {}; {}\n",
        text, answer.model.name, plainLatency(result.layouts.latencyUs), answer.joint->found.provenance,
        counted(static_cast<std::int64_t>(result.stages.size()), "stage"),
        counted(static_cast<std::int64_t>(result.layouts.conversions.size()), "conversion"), answer.joint->found.basis,
        latency(result.layoutsThenStagesUs), latency(result.stagesThenLayoutsUs),
        result.proved ? "proved: nothing takes less"
                      : fmt::format("not proved: at most {} above the least that can be", aboveLeast),
        counted(result.states, "state"), counted(result.transitions, "transition"), grouped(result.stagesEvaluated),
        grouped(result.stagesOfSpace), counted(answer.joint->found.stageMeasurements, "stage measurement"));
}

std::string provedText(const LayoutAnswer &answer)
{
    if (answer.result.proved)
        return "proved: no layouts take less";
    std::string text = "not proved";
    if (answer.prune.starts_with("threshold"))
        text += ": the threshold left states out";
    return text + "; no layouts take less than " + plainLatency(answer.result.lowerBoundUs);
}

std::string measuredText(const std::string &name, const MeasuredVariant &measured)
{
    const SpeedupEstimate &against = measured.timing.against;
    const std::string verdict = verdictText(against, measured.timing.secondsPerRound);
    const std::string differs =
        measured.largestDifference > kEqualOutputs
            ? fmt::format("; its outputs differ by {} of the largest value", percent(measured.largestDifference))
            : "";
    return fmt::format("  {}: {}, {} ({} to {}){}{}\n", name, plainLatency(measured.timing.timing.latencyUs),
                       speedupText(against.speedup), speedupText(against.low), speedupText(against.high),
                       verdict.empty() ? "" : ": " + verdict, differs);
}

std::string comparisonText(const LayoutAnswer &answer)
{
    const LayoutComparison &comparison = answer.comparison;
    std::string text;
    if (comparison.library) {
        text = fmt::format("in rounds, one operator after the other, against the library's own choice ({}):\n{}",
                           plainLatency(comparison.library->timing.timing.latencyUs),
                           measuredText("found", *comparison.found));
        for (const LayoutAlternative &alternative : comparison.alternatives) {
            if (alternative.measured)
                text += measuredText(alternative.name, *alternative.measured);
        }
        return text;
    }
    for (const LayoutAlternative &alternative : comparison.alternatives)
        text += fmt::format("  {}: {}\n", alternative.name,
                            alternative.sumUs ? plainLatency(*alternative.sumUs) : "not possible");
    return text;
}

} // namespace

answers::Layout layoutAnswer(const LayoutAnswer &answer)
{
    const LayoutProblem &problem = answer.problem;
    const LayoutResult &alone = answer.result;
    const JointResult *joint = answer.joint ? &answer.joint->found.result : nullptr;
    answers::Layout record{.model = answer.model.name,
                           .batch = answer.model.graph->batch(),
                           .latencyUs = latencyOf(answer),
                           .sumUs = answer.layouts().latencyUs,
                           .provenance = joint ? answer.joint->found.provenance : answer.source.provenance,
                           .conversions = conversionsOf(answer),
                           .profiles = answer.profiles,
                           .states = joint ? joint->states : alone.states,
                           .widestCut = alone.widestCut,
                           .prune = answer.prune,
                           .proved = joint ? joint->proved : alone.proved,
                           .lowerBoundUs = joint ? joint->lowerBoundUs : alone.lowerBoundUs,
                           .searchSeconds = answer.searchSeconds,
                           .alternatives = alternativesOf(answer.comparison),
                           .inRounds = inRounds(answer.comparison),
                           .notes = answer.model.report.notes};
    if (!answer.source.device.empty())
        record.device = answer.source.device;
    for (std::size_t i = 0; i < problem.tensors.size(); ++i)
        record.layouts.emplace_back(problem.tensors[i].name, problem.layouts[answer.layouts().tensors[i]]);
    const auto named = [&](const LayoutProblem::Choice &choice) {
        return answers::OperatorLayouts{problem.layouts[choice.layouts.in], problem.layouts[choice.layouts.out],
                                        choice.latencyUs};
    };
    for (std::size_t i = 0; i < problem.operators.size(); ++i)
        record.operators.emplace_back(
            problem.operators[i].name,
            answers::OperatorInLayouts{named(chosenOf(problem, answer.layouts(), i)), named(fastestAlone(problem, i))});
    if (joint)
        record.joint = jointly(answer);
    return record;
}

std::string layoutText(const LayoutAnswer &answer)
{
    const LayoutProblem &problem = answer.problem;
    const LayoutResult &result = answer.result;
    TextTable table({"operator", "reads", "writes", "latency", "alone fastest"});
    for (std::size_t i = 0; i < problem.operators.size(); ++i) {
        const LayoutProblem::Choice &fastest = fastestAlone(problem, i);
        const LayoutProblem::Choice &chosen = chosenOf(problem, answer.layouts(), i);
        table.add({problem.operators[i].name, problem.layouts[chosen.layouts.in], problem.layouts[chosen.layouts.out],
                   plainLatency(chosen.latencyUs),
                   chosen.latencyUs == fastest.latencyUs
                       ? ""
                       : fmt::format("{} to {}, {}", problem.layouts[fastest.layouts.in],
                                     problem.layouts[fastest.layouts.out], plainLatency(fastest.latencyUs))});
    }
    std::string text = fmt::format("{}\n", fmt::streamed(table));
    for (const LayoutConversion &made : answer.layouts().conversions)
        text += fmt::format("convert {} from {} to {}: {}\n", shownText(problem.tensors[made.tensor].name),
                            problem.layouts[made.from], problem.layouts[made.to], plainLatency(made.latencyUs));
    if (answer.joint)
        return text + jointText(answer);
    text += fmt::format("{}: {} ({}), the sum of operators and {}\n{}", answer.model.name,
                        plainLatency(result.best.latencyUs), answer.source.provenance,
                        counted(static_cast<std::int64_t>(result.best.conversions.size()), "conversion"),
                        comparisonText(answer));
    if (answer.profiles.asked > 0)
        text += fmt::format("{} latencies, {} distinct, {} of them stored before; {} refused by the device\n",
                            grouped(answer.profiles.asked), grouped(answer.profiles.distinct),
                            grouped(answer.profiles.kept), grouped(answer.profiles.refused));
    return fmt::format("{}{}, {}\n", text, counted(result.states, "state"), provedText(answer));
}

} // namespace stagecraft
