// sweep: the pruning trade-off, latency against search cost for each strategy, r and s; or gains by size (--over).

#include "answers/comparison_answers.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/option_checks.h"
#include "cli/print_answer.h"
#include "cli/size_sweep.h"
#include "cli/study_runs.h"
#include "cli/sweep_answer.h"
#include "export/study_tables.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

// The spaces: groups as in the paper, or as in the public implementation.
const std::string kConnected = "connected";
const std::string kSingleSource = "single-source";

struct SweepOptions {
    ModelOptions model;
    DeviceOption device;
    PruningBounds bounds;
    std::vector<std::string> strategies{"both"};
    std::vector<std::string> spaces{kConnected};
    bool csv = false;
    SizeSweepOptions sizes;
};

Result<PruningGrid> gridOf(const SweepOptions &options)
{
    PruningGrid grid = options.bounds.grid();
    grid.strategies.clear();
    grid.singleSource.clear();
    for (const std::string &text : options.strategies) {
        TRY_AS(const auto set, strategiesOf("--strategies", text));
        if (std::ranges::find(grid.strategies, set) == grid.strategies.end())
            grid.strategies.push_back(set);
    }
    for (const std::string &space : options.spaces) {
        if (space != kConnected && space != kSingleSource)
            return unknownValue("--spaces", space, {kConnected, kSingleSource});
        const bool singleSource = space == kSingleSource;
        if (std::ranges::find(grid.singleSource, singleSource) == grid.singleSource.end())
            grid.singleSource.push_back(singleSource);
    }
    TRY(checkSize(grid));
    return grid;
}

Result<void> sweep(const SweepOptions &options, const CommandLine &line)
{
    if (options.csv && line.json)
        return fail(ErrorCode::WrongUse, "--csv and --json exclude each other");
    if (!options.sizes.over.empty())
        return sweepSizes(options.sizes, options.model, options.device, options.csv, line);
    TRY_AS(const auto grid, gridOf(options));
    TRY_AS(const auto model, options.model.open());
    const auto listening = line.listen();
    TRY_AS(auto device, options.device.open(model));
    const CostBasis basis = latencyBasis(model, device.info);
    PruningStudy study(model, std::move(device.session), device.info);
    const std::vector<PruningPoint> points = pointsOf(grid);
    if (auto ran = runStudy(study, points, device.info, basis, line); !ran)
        return ran;
    const std::vector<StudyPoint> done = study.known(points);
    const StudyFronts fronts = frontsOf(done);
    if (done.empty())
        return fail(ErrorCode::Cancelled, "the sweep was cancelled before its first point");
    if (line.json) {
        answers::Sweep answer{.model = model.name,
                              .device = options.device.id,
                              .batch = model.graph->batch(),
                              .totals = {study.stageMeasurements()},
                              .notes = model.report.notes,
                              .basis = basis};
        for (std::size_t i = 0; i < done.size(); ++i)
            answer.points.push_back({done[i].point, *done[i].schedule, fronts.ofMeasurements[i], done[i].livePeakBytes,
                                     fronts.ofMemory[i]});
        printAnswer(answer);
    } else if (options.csv) {
        std::cout << tradeoffCsv(done);
    } else {
        printSweep(done, fronts, basis, study.stageMeasurements());
    }
    if (line.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the sweep was cancelled; the points done before are shown");
    return {};
}

} // namespace

void addSweepCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand(
        "sweep", "Show latency and search cost for each strategy and pruning (r, s), or gains by size");
    const auto options = std::make_shared<SweepOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    options->bounds.addTo(*command);
    command->add_option("--strategies", options->strategies, "which to search with: both, parallel, merge")
        ->type_name("STRATEGY,...")
        ->delimiter(',')
        ->capture_default_str();
    command
        ->add_option("--spaces", options->spaces,
                     "which groups to search: connected, as in the paper, or single-source, as in the public "
                     "implementation")
        ->type_name("SPACE,...")
        ->delimiter(',')
        ->capture_default_str();
    command->add_flag("--csv", options->csv, "print comma-separated values");
    CLI::Option *over =
        command
            ->add_option("--over", options->sizes.over,
                         "instead: what the schedule gains over Sequential at several sizes, and where that begins or "
                         "ends; of a parameter of a generator (see models) or of batch: tokens=1..4096 doubles, "
                         "tokens=1..4096:x4 goes on by a factor, batch=8..64:8 has so many sizes")
            ->type_name("PARAMETER=FROM..TO[:N|:xFACTOR]");
    for (const char *pruning : {"--r", "--s", "--strategies", "--spaces"})
        over->excludes(command->get_option(pruning));
    command
        ->add_option("--rounds", options->sizes.rounds,
                     "with --over on a measuring device: time the schedules of a size in N rounds")
        ->needs(over)
        ->type_name("N")
        ->check(wholeNumber(0, 1000))
        ->capture_default_str();
    command->callback([&line, options] { line.command = [&line, options] { return sweep(*options, line); }; });
}

} // namespace stagecraft
