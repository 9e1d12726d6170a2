#include "cli/layout_answer.h"

#include "cli/text_table.h"
#include "schedule/stage_text.h"
#include "search/layouts/layout_choice.h"
#include "support/shown_text.h"

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

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

Json layoutsJson(const LayoutAnswer &answer)
{
    Json json = Json::object();
    for (std::size_t i = 0; i < answer.problem.tensors.size(); ++i)
        json[answer.problem.tensors[i].name] = answer.problem.layouts[answer.layouts().tensors[i]];
    return json;
}

Json conversionsJson(const LayoutAnswer &answer)
{
    const LayoutProblem &problem = answer.problem;
    Json list = Json::array();
    for (const LayoutConversion &made : answer.layouts().conversions) {
        const Json reader =
            made.before < 0 ? Json() : Json(problem.operators[static_cast<std::size_t>(made.before)].name);
        list.push_back({{"tensor", problem.tensors[made.tensor].name},
                        {"from", problem.layouts[made.from]},
                        {"to", problem.layouts[made.to]},
                        {"latency_us", made.latencyUs},
                        {"before", reader}});
    }
    return list;
}

Json operatorsJson(const LayoutAnswer &answer)
{
    const LayoutProblem &problem = answer.problem;
    Json json = Json::object();
    for (std::size_t i = 0; i < problem.operators.size(); ++i) {
        const LayoutProblem::Choice &fastest = fastestAlone(problem, i);
        const LayoutProblem::Choice &chosen = chosenOf(problem, answer.layouts(), i);
        json[problem.operators[i].name] = {{"in", problem.layouts[chosen.layouts.in]},
                                           {"out", problem.layouts[chosen.layouts.out]},
                                           {"latency_us", chosen.latencyUs},
                                           {"fastest_in", problem.layouts[fastest.layouts.in]},
                                           {"fastest_out", problem.layouts[fastest.layouts.out]},
                                           {"fastest_us", fastest.latencyUs}};
    }
    return json;
}

std::optional<double> latencyOf(const LayoutAlternative &alternative)
{
    return alternative.measured ? alternative.measured->timing.timing.latencyUs : alternative.sumUs;
}

Json alternativesJson(const LayoutComparison &comparison)
{
    Json json{{"all_nchw", nullptr}, {"all_nhwc", nullptr}, {"library", nullptr}, {"per_operator_fastest", nullptr}};
    for (const LayoutAlternative &alternative : comparison.alternatives) {
        if (const auto us = latencyOf(alternative))
            json[alternative.name] = *us;
    }
    if (comparison.library)
        json["library"] = comparison.library->timing.timing.latencyUs;
    return json;
}

// What was found and the alternatives, each against the library's choice.
Json roundsJson(const LayoutComparison &comparison)
{
    if (!comparison.library)
        return nullptr;
    Json json = Json::object();
    const auto add = [&](const std::string &name, const MeasuredVariant &measured) {
        const SpeedupEstimate &against = measured.timing.against;
        json[name] = {{"latency_us", measured.timing.timing.latencyUs},
                      {"speedup", against.speedup},
                      {"speedup_interval", {against.low, against.high}},
                      {"verdict", against.verdict == Verdict::None ? Json() : Json(toString(against.verdict))},
                      {"largest_difference", measured.largestDifference}};
    };
    add("found", *comparison.found);
    for (const LayoutAlternative &alternative : comparison.alternatives) {
        if (alternative.measured)
            add(alternative.name, *alternative.measured);
    }
    return json;
}

Json microseconds(double us)
{
    return us == kImpossible ? Json() : Json(us);
}

Json jointJson(const LayoutAnswer &answer)
{
    if (!answer.joint)
        return nullptr;
    const JointLayouts &found = answer.joint->found;
    const JointResult &result = found.result;
    Json stages = Json::array();
    for (const Stage &stage : result.stages) {
        Json groups = Json::array();
        for (const auto &group : stage.groups) {
            Json names = Json::array();
            for (const OperatorId id : group)
                names.push_back(answer.model.graph->op(id).name);
            groups.push_back(std::move(names));
        }
        stages.push_back({{"strategy", toString(stage.strategy)}, {"groups", std::move(groups)}});
    }
    return {{"basis", found.basis},
            {"layouts_then_stages_us", microseconds(result.layoutsThenStagesUs)},
            {"stages_then_layouts_us", microseconds(result.stagesThenLayoutsUs)},
            {"rounds", result.rounds},
            {"gap", result.layouts.latencyUs / result.lowerBoundUs - 1},
            {"transitions", result.transitions},
            {"stages_evaluated", result.stagesEvaluated},
            {"stages_of_space", result.stagesOfSpace},
            {"stage_measurements", found.stageMeasurements},
            {"search_seconds", answer.joint->searchSeconds},
            {"stages", std::move(stages)}};
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

Json layoutJson(const LayoutAnswer &answer)
{
    const LayoutResult &alone = answer.result;
    const JointResult *joint = answer.joint ? &answer.joint->found.result : nullptr;
    return {{"model", answer.model.name},
            {"device", answer.source.device.empty() ? Json() : Json(answer.source.device)},
            {"batch", answer.model.graph->batch()},
            {"latency_us", latencyOf(answer)},
            {"sum_us", answer.layouts().latencyUs},
            {"provenance", joint ? answer.joint->found.provenance : answer.source.provenance},
            {"layouts", layoutsJson(answer)},
            {"conversions", conversionsJson(answer)},
            {"operators", operatorsJson(answer)},
            {"profiles",
             {{"asked", answer.profiles.asked},
              {"distinct", answer.profiles.distinct},
              {"kept", answer.profiles.kept},
              {"refused", answer.profiles.refused}}},
            {"states", joint ? joint->states : alone.states},
            {"widest_cut", alone.widestCut},
            {"prune", answer.prune},
            {"proved", joint ? joint->proved : alone.proved},
            {"lower_bound_us", joint ? joint->lowerBoundUs : alone.lowerBoundUs},
            {"search_seconds", answer.searchSeconds},
            {"alternatives", alternativesJson(answer.comparison)},
            {"in_turn", roundsJson(answer.comparison)},
            {"joint", jointJson(answer)},
            {"notes", notesJson(answer.model.report)}};
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
