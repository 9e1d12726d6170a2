// layout: one layout per tensor, of least total latency.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "layout/layout_costs.h"
#include "layout/layout_search.h"
#include "services/text_file.h"
#include "support/number_ranges.h"
#include "support/shown_text.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <charconv>
#include <chrono>
#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

struct LayoutOptions {
    ModelOptions model;
    std::string costs;
    std::string layouts;
    std::string prune = "dominance";
    std::string output;
};

constexpr std::string_view kThreshold = "threshold=";

Result<LayoutPruning> pruningFrom(const std::string &text)
{
    if (text == "none")
        return LayoutPruning{LayoutPruning::Rule::None};
    if (text == "dominance")
        return LayoutPruning{LayoutPruning::Rule::Dominance};
    if (text.starts_with(kThreshold)) {
        double factor = 0;
        const std::string_view number = std::string_view(text).substr(kThreshold.size());
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), factor);
        if (error == std::errc() && end == number.data() + number.size() && factor >= 1)
            return LayoutPruning{LayoutPruning::Rule::Threshold, factor};
        return fail(ErrorCode::WrongUse, "--prune: " + std::string(number) + " is not a factor of at least 1");
    }
    return unknownValue("--prune", text, {"none", "dominance", "threshold=1.5"});
}

// Those that --layouts names, NCHW among them.
Result<LayoutProblem> chosenLayouts(const LayoutProblem &problem, const std::string &names)
{
    if (names.empty())
        return problem;
    std::vector<LayoutIndex> kept;
    for (const std::string &name : CLI::detail::split(names, ',')) {
        const auto found = std::ranges::find_if(problem.layouts,
                                                [&](const std::string &layout) { return isSameLayout(layout, name); });
        if (found == problem.layouts.end())
            return unknownValue("--layouts", name, problem.layouts);
        const auto layout = static_cast<LayoutIndex>(found - problem.layouts.begin());
        if (std::ranges::find(kept, layout) == kept.end())
            kept.push_back(layout);
    }
    if (std::ranges::find(kept, problem.fixed) == kept.end())
        return fail(ErrorCode::WrongUse, "--layouts lacks NCHW, in which the inputs and outputs of the model are");
    return withLayouts(problem, kept);
}

// What an alternative takes; null where it is not possible.
Json alternativeJson(const LayoutProblem &problem, const LayoutSearchOptions &search)
{
    const auto result = searchLayouts(problem, search);
    return result ? Json(result->best.latencyUs) : Json();
}

Json alternativesJson(const LayoutProblem &problem, const LayoutSearchOptions &search)
{
    Json json{{"all_nchw", alternativeJson(allIn(problem, problem.fixed), search)}, {"all_nhwc", nullptr}};
    for (LayoutIndex layout = 0; layout < problem.layouts.size(); ++layout) {
        if (isSameLayout(problem.layouts[layout], "NHWC"))
            json["all_nhwc"] = alternativeJson(allIn(problem, layout), search);
    }
    json["library"] = nullptr; // a file knows no library
    json["per_operator_fastest"] = alternativeJson(fastestEach(problem), search);
    return json;
}

Json conversionsJson(const LayoutProblem &problem, const LayoutAssignment &best)
{
    Json list = Json::array();
    for (const LayoutConversion &made : best.conversions)
        list.push_back(
            {{"tensor", problem.tensors[made.tensor].name},
             {"from", problem.layouts[made.from]},
             {"to", problem.layouts[made.to]},
             {"latency_us", made.latencyUs},
             {"before",
              made.before < 0 ? Json() : Json(problem.operators[static_cast<std::size_t>(made.before)].name)}});
    return list;
}

Json operatorsJson(const LayoutProblem &problem, const LayoutAssignment &best)
{
    Json json = Json::object();
    for (std::size_t i = 0; i < problem.operators.size(); ++i) {
        const LayoutProblem::Operator &op = problem.operators[i];
        const auto fastest = std::ranges::min_element(op.choices, {}, &LayoutProblem::Choice::latencyUs);
        const auto chosen = std::ranges::find(op.choices, best.operators[i], &LayoutProblem::Choice::layouts);
        json[op.name] = {{"in", problem.layouts[chosen->layouts.in]},
                         {"out", problem.layouts[chosen->layouts.out]},
                         {"latency_us", chosen->latencyUs},
                         {"fastest_in", problem.layouts[fastest->layouts.in]},
                         {"fastest_out", problem.layouts[fastest->layouts.out]},
                         {"fastest_us", fastest->latencyUs}};
    }
    return json;
}

std::string provedText(const LayoutResult &result, const std::string &prune)
{
    if (result.proved)
        return "proved: no layouts take less";
    std::string text = "not proved";
    if (prune.starts_with(kThreshold))
        text += ": the threshold left states out";
    return text + "; no layouts take less than " + plainLatency(result.lowerBoundUs);
}

void print(const Model &model, const LayoutProblem &problem, const LayoutResult &result, const Json &answer,
           const std::string &prune)
{
    TextTable table({"operator", "reads", "writes", "latency", "alone fastest"});
    for (const auto &[name, op] : answer["operators"].items())
        table.add({name, op["in"].get<std::string>(), op["out"].get<std::string>(),
                   plainLatency(op["latency_us"].get<double>()),
                   op["latency_us"] == op["fastest_us"]
                       ? ""
                       : op["fastest_in"].get<std::string>() + " to " + op["fastest_out"].get<std::string>() + ", " +
                             plainLatency(op["fastest_us"].get<double>())});
    std::cout << table << '\n';
    for (const LayoutConversion &made : result.best.conversions)
        std::cout << "convert " << shownText(problem.tensors[made.tensor].name) << " from "
                  << problem.layouts[made.from] << " to " << problem.layouts[made.to] << ": "
                  << plainLatency(made.latencyUs) << '\n';
    std::cout << model.name << ": " << plainLatency(result.best.latencyUs) << " ("
              << answer["provenance"].get<std::string>() << ") with "
              << counted(static_cast<std::int64_t>(result.best.conversions.size()), "conversion") << '\n';
    for (const auto &[name, us] : answer["alternatives"].items()) {
        if (!us.is_null())
            std::cout << "  " << name << ": " << plainLatency(us.get<double>()) << '\n';
    }
    std::cout << counted(result.states, "state") << ", " << provedText(result, prune) << '\n';
}

Result<void> layout(const LayoutOptions &options, const CommandLine &line)
{
    const auto pruning = pruningFrom(options.prune);
    if (!pruning)
        return tl::unexpected(pruning.error());
    const auto model = options.model.open();
    if (!model)
        return tl::unexpected(model.error());
    const auto text = readTextFile(options.costs);
    if (!text)
        return tl::unexpected(text.error());
    auto costs = layoutCostsFrom(*text, *model->graph);
    if (!costs)
        return within(options.costs, std::move(costs.error()));
    const auto problem = chosenLayouts(costs->problem, options.layouts);
    if (!problem)
        return tl::unexpected(problem.error());
    const auto listening = line.listen();
    LayoutSearchOptions search;
    search.pruning = *pruning;
    search.stop = line.stop;
    const auto start = std::chrono::steady_clock::now();
    const auto result = searchLayouts(*problem, search);
    if (!result)
        return within(options.costs, result.error());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!options.output.empty()) {
        if (auto written = writeTextFile(options.output, toJson(LayoutCosts{*problem, costs->origin})); !written)
            return written;
    }
    Json layouts = Json::object();
    for (std::size_t i = 0; i < problem->tensors.size(); ++i)
        layouts[problem->tensors[i].name] = problem->layouts[result->best.tensors[i]];
    Json answer{{"model", model->name},
                {"device", costs->origin.device.empty() ? Json() : Json(costs->origin.device)},
                {"batch", model->graph->batch()},
                {"latency_us", result->best.latencyUs},
                {"provenance", costs->origin.provenance == "assumed" ? "assumed" : "recorded"},
                {"layouts", std::move(layouts)},
                {"conversions", conversionsJson(*problem, result->best)},
                {"operators", operatorsJson(*problem, result->best)},
                {"profiles", {{"asked", 0}, {"distinct", 0}, {"kept", 0}}},
                {"states", result->states},
                {"widest_cut", result->widestCut},
                {"prune", options.prune},
                {"proved", result->proved},
                {"lower_bound_us", result->lowerBoundUs},
                {"search_seconds", seconds},
                {"alternatives", alternativesJson(*problem, search)},
                {"notes", notesJson(model->report)}};
    if (line.json)
        printAnswer("layout", answer);
    else
        print(*model, *problem, *result, answer, options.prune);
    return {};
}

} // namespace

void addLayoutCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("layout", "Choose one layout per tensor, of least total latency");
    const auto options = std::make_shared<LayoutOptions>();
    options->model.addTo(*command);
    command
        ->add_option("--costs", options->costs,
                     "what operators and conversions take in each layout, from this file; needs no device")
        ->type_name("FILE")
        ->required();
    command->add_option("--layouts", options->layouts, "only these layouts (nchw,nhwc); NCHW has to be among them")
        ->type_name("LAYOUTS");
    command
        ->add_option("--prune", options->prune,
                     "states to leave out: none, dominance (never changes the result) or threshold=FACTOR (those above "
                     "FACTOR times the best; the result is not proved)")
        ->type_name("RULE")
        ->capture_default_str();
    addOutputTo(*command, options->output, "write these costs to this file");
    command->callback([&line, options] { line.command = [&line, options] { return layout(*options, line); }; });
}

} // namespace stagecraft
