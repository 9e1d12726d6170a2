// layout: one layout per tensor, of least total latency.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/layout_answer.h"
#include "cli/layout_options.h"
#include "cli/option_checks.h"
#include "cli/print_answer.h"
#include "flow/find_schedule.h"
#include "flow/layouts/joint_layouts.h"
#include "flow/layouts/layouts_of_schedule.h"
#include "flow/open_model.h"
#include "results/files/schedule_json.h"
#include "schedule/layouts/stated_layouts.h"
#include "search/stages/baselines.h"
#include "support/text_file.h"
#include "wiring/device_catalog.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

constexpr std::string_view kScheduleEnding = ".schedule.json";

// To the file of --output: costs, or a schedule.
Result<void> writeOutput(const LayoutAnswer &answer, const LayoutOptions &options)
{
    if (options.output.empty())
        return {};
    if (!options.output.ends_with(kScheduleEnding))
        return writeTextFile(options.output, toJson(LayoutCosts{answer.problem, answer.source}));
    const auto schedule = scheduleWith(answer.model, answer.problem, answer.layouts(),
                                       answer.joint ? &answer.joint->found.result : nullptr,
                                       options.search.options().value_or(SearchOptions{}));
    if (!schedule)
        return within(options.output, schedule.error());
    return writeTextFile(options.output, toJson(*answer.model.graph, *schedule));
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
    auto comparison =
        compareAlternatives(problem, *result, model, executes ? device.get() : nullptr, options.rounds, search);
    if (!comparison)
        return withinModel(model, std::move(comparison.error()));
    std::optional<JointAnswer> joint;
    if (options.joint) {
        TRY_AS(auto found, jointly(options, model, {problem, costs.source}, device.get(), line.stop));
        joint = std::move(found);
    }
    const LayoutAnswer answer{model,       problem,       *result, costs.source, profiled.profiles,
                              *comparison, options.prune, seconds, joint};
    if (auto written = writeOutput(answer, options); !written)
        return written;
    if (line.json)
        printAnswer(layoutAnswer(answer));
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
