// layout: one layout per tensor, of least total latency.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/layout_answer.h"
#include "cli/option_checks.h"
#include "flow/layouts/joint_layouts.h"
#include "flow/layouts/layouts_of_schedule.h"
#include "flow/make_schedule.h"
#include "flow/open_model.h"
#include "results/files/schedule_json.h"
#include "schedule/layouts/stated_layouts.h"
#include "search/stages/baselines.h"
#include "support/text_file.h"
#include "wiring/device_catalog.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <memory>
#include <span>

namespace stagecraft {
namespace {

struct LayoutOptions {
    ModelOptions model;
    DeviceOption device;
    std::string costs;
    std::string layouts;
    std::string prune = "dominance";
    std::string output;
    int rounds = kDefaultRounds;
    bool joint = false;
    SearchFlags search;
};

constexpr std::string_view kThreshold = "threshold=";
constexpr std::string_view kScheduleEnding = ".schedule.json";

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
        return fail(ErrorCode::WrongUse, fmt::format("--prune: {} is not a factor of at least 1", number));
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

// Of those that the device executes: those that are named, NCHW, and without names all that are usual.
Result<std::vector<TensorLayout>> layoutsToProfile(const LayoutOptions &options, std::span<const TensorLayout> executed)
{
    const auto names = CLI::detail::split(options.layouts, ',');
    for (const std::string &name : names) {
        const auto layout = tensorLayoutOf(name);
        const bool isKnown = layout && std::ranges::find(executed, *layout) != executed.end();
        if (!options.layouts.empty() && !isKnown) {
            std::vector<std::string> known;
            for (const TensorLayout each : executed)
                known.emplace_back(nameOf(each));
            return unknownValue("--layouts", name, known);
        }
    }
    std::vector<TensorLayout> layouts;
    for (const TensorLayout layout : executed) {
        const bool isNamed =
            std::ranges::any_of(names, [&](const std::string &name) { return tensorLayoutOf(name) == layout; });
        const bool isUsual = !options.joint || channelBlock(layout) == 1; // of two layouts every stage can be measured
        if ((options.layouts.empty() && isUsual) || isNamed || layout == TensorLayout::RowMajor)
            layouts.push_back(layout);
    }
    return layouts;
}

// With --costs, from the file; else from the device.
Result<ProfiledLayouts> costsFor(const LayoutOptions &options, const Model &model, const Device *device,
                                 const std::stop_token &stop)
{
    if (!options.costs.empty()) {
        TRY_AS(const auto text, readTextFile(options.costs));
        auto costs = layoutCostsFrom(text, *model.graph);
        if (!costs)
            return within(options.costs, std::move(costs.error()));
        // Measured by another run, maybe on another machine.
        if (costs->source.provenance != toString(Provenance::Assumed))
            costs->source.provenance = toString(Provenance::Recorded);
        return ProfiledLayouts{std::move(*costs), {}};
    }
    const DeviceInfo info = device->info();
    if (auto can = canChooseLayouts(info.id); !can) {
        can.error().remedy += ", or give the latencies with --costs";
        return tl::unexpected(can.error());
    }
    std::vector<TensorLayout> layouts;
    if (const auto executed = executedLayouts(info.id); !executed.empty()) {
        TRY_AS(auto profiled, layoutsToProfile(options, executed));
        layouts = std::move(profiled);
    }
    auto profiled = layoutCostsOn(
        model, *device, layouts,
        [](std::int64_t done, std::int64_t all) { showProgress({fmt::format("profiling {} of {}", done, all)}); },
        stop);
    endProgress();
    if (!profiled)
        return withinModel(model, std::move(profiled.error()));
    return profiled;
}

// The alternatives, and what was found: what they add up to, and on a device that executes, what they take.
Result<LayoutComparison> compared(const LayoutProblem &problem, const LayoutResult &found, const Model &model,
                                  const Device *device, int rounds, const LayoutSearchOptions &search)
{
    LayoutComparison comparison;
    std::vector<LayoutVariant> variants{{"library", {}}, {"found", found.best}};
    const auto add = [&](const std::string &name, const LayoutProblem &restricted) {
        auto result = searchLayouts(restricted, search);
        comparison.alternatives.push_back({name, {}, {}});
        if (!result)
            return;
        comparison.alternatives.back().sumUs = result->best.latencyUs;
        variants.push_back({name, std::move(result->best)});
    };
    add("all_nchw", allIn(problem, problem.fixed));
    for (std::size_t i = 0; i < problem.layouts.size(); ++i) {
        if (isSameLayout(problem.layouts[i], "NHWC"))
            add("all_nhwc", allIn(problem, static_cast<LayoutIndex>(i)));
    }
    add("per_operator_fastest", fastestEach(problem));
    if (!device || rounds == 0)
        return comparison;
    auto measured = measureVariants(model, *device, problem, variants, rounds, search.stop);
    if (!measured)
        return withinModel(model, std::move(measured.error()));
    comparison.library = (*measured)[0];
    comparison.found = (*measured)[1];
    for (std::size_t i = 2; i < variants.size(); ++i)
        std::ranges::find(comparison.alternatives, variants[i].name, &LayoutAlternative::name)->measured =
            std::move((*measured)[i]);
    return comparison;
}

// The stages and layouts that were found; without --joint, one operator after the other.
Result<Schedule> scheduleWith(const Model &model, const LayoutProblem &problem, const LayoutAssignment &layouts,
                              const JointResult *joint, const LayoutOptions &options)
{
    Schedule schedule = sequentialSchedule(*model.graph, model.blocks);
    if (joint) {
        const SearchOptions search = options.search.options().value_or(SearchOptions{});
        schedule.stages = joint->stages;
        schedule.search = {};
        schedule.search.strategy = toString(kindOf(search.strategies));
        schedule.search.r = search.r;
        schedule.search.s = search.s;
        schedule.search.singleSource = search.singleSource;
        schedule.search.states = joint->states;
        schedule.search.transitions = joint->transitions;
        schedule.search.sumUs = joint->layouts.latencyUs;
        schedule.search.gap = joint->layouts.latencyUs / joint->lowerBoundUs - 1;
    }
    schedule.model = {model.name, model.sha256};
    schedule.batch = model.graph->batch();
    TRY_AS(auto stated, statedLayouts(*model.graph, problem, layouts));
    schedule.layouts = std::move(stated);
    return schedule;
}

// To the file of --output: costs, or a schedule.
Result<void> writeOutput(const LayoutAnswer &answer, const LayoutOptions &options)
{
    if (options.output.empty())
        return {};
    if (!options.output.ends_with(kScheduleEnding))
        return writeTextFile(options.output, toJson(LayoutCosts{answer.problem, answer.source}));
    const auto schedule = scheduleWith(answer.model, answer.problem, answer.layouts(),
                                       answer.joint ? &answer.joint->found.result : nullptr, options);
    if (!schedule)
        return within(options.output, schedule.error());
    return writeTextFile(options.output, toJson(*answer.model.graph, *schedule));
}

// With --joint. The layouts alone, whose search is `alone`, are one of its starting points.
Result<JointAnswer> jointly(const LayoutOptions &options, const Model &model, const LayoutCosts &costs,
                            const Device *device, const std::stop_token &stop)
{
    TRY_AS(auto search, options.search.options());
    JointOptions joint;
    joint.search = std::move(search);
    joint.stop = stop;
    joint.progress = [](const char *step, std::int64_t states) { showProgress({step, counted(states, "state")}); };
    const auto start = std::chrono::steady_clock::now();
    auto found = chooseJointly(model, costs, device, std::move(joint));
    endProgress();
    if (!found)
        return options.costs.empty() ? withinModel(model, found.error()) : within(options.costs, found.error());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return JointAnswer{std::move(*found), seconds};
}

Result<void> layout(const LayoutOptions &options, const CommandLine &line)
{
    TRY_AS(const auto pruning, pruningFrom(options.prune));
    TRY_AS(const auto model, options.model.open());
    std::unique_ptr<Device> device;
    if (options.costs.empty()) {
        auto found = findDevice(options.device.id);
        if (!found)
            return within(options.device.option + " " + options.device.id, std::move(found.error()));
        device = std::move(*found);
    }
    const auto listening = line.listen();
    TRY_AS(const auto profiled, costsFor(options, model, device.get(), line.stop));
    const LayoutCosts &costs = profiled.costs;
    TRY_AS(const auto problem, chosenLayouts(costs.problem, options.layouts));
    LayoutSearchOptions search;
    search.pruning = pruning;
    search.stop = line.stop;
    const auto start = std::chrono::steady_clock::now();
    auto result = searchLayouts(problem, search);
    if (!result && !options.costs.empty())
        return within(options.costs, result.error());
    if (!result)
        return withinModel(model, result.error());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const bool executes = device && costs.source.provenance == toString(Provenance::Measured);
    TRY_AS(const auto comparison,
           compared(problem, *result, model, executes ? device.get() : nullptr, options.rounds, search));
    std::optional<JointAnswer> joint;
    if (options.joint) {
        TRY_AS(auto found, jointly(options, model, {problem, costs.source}, device.get(), line.stop));
        joint = std::move(found);
    }
    const LayoutAnswer answer{model,      problem,       *result, costs.source, profiled.profiles,
                              comparison, options.prune, seconds, joint};
    if (auto written = writeOutput(answer, options); !written)
        return written;
    if (line.json)
        printAnswer("layout", layoutJson(answer));
    else
        std::cout << layoutText(answer);
    return {};
}

} // namespace

void addLayoutCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("layout", "Choose one layout per tensor, of least total latency");
    const auto options = std::make_shared<LayoutOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    command
        ->add_option("--costs", options->costs,
                     "what operators and conversions take in each layout, from this file instead of a device")
        ->type_name("FILE");
    command
        ->add_option(
            "--layouts", options->layouts,
            "only these layouts, NCHW among them; on cpu of nchw, nhwc, nChw8c and nChw16c, on a GPU of nchw and nhwc")
        ->type_name("LAYOUTS");
    command
        ->add_option("--prune", options->prune,
                     "states to leave out: none, dominance (never changes the result) or threshold=FACTOR (those above "
                     "FACTOR times the best; the result is not proved)")
        ->type_name("RULE")
        ->capture_default_str();
    command->add_flag("--joint", options->joint,
                      "choose the stages together with the layouts (where they are measured, without --layouts, NCHW "
                      "and NHWC); --strategy, "
                      "--r and --s say which stages");
    options->search.addStrategyTo(*command, "with --joint, what may be done with a stage: parallel, merge or both");
    options->search.addPruningTo(*command);
    addOutputTo(
        *command, line, options->output,
        "write what operators and conversions take to this file, for --costs; to a file .schedule.json, the "
        "schedule with its layouts, which cpu and GPUs execute",
        [options] { return options->output.ends_with(kScheduleEnding) ? FileKind::Schedule : FileKind::LayoutCosts; });
    command
        ->add_option(
            "--rounds", options->rounds,
            "on a measuring device: time the network in each choice of layouts in this many rounds; 0: not at all")
        ->type_name("N")
        ->check(wholeNumber(0, 1000))
        ->capture_default_str();
    command->callback([&line, options] { line.command = [&line, options] { return layout(*options, line); }; });
}

} // namespace stagecraft
