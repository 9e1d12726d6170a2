// sweep: the pruning trade-off, latency against search cost for each strategy, r and s.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/option_checks.h"
#include "cli/text_table.h"
#include "schedule/schedule_words.h"
#include "services/pruning_study.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

constexpr std::size_t kMostPoints = 10'000;

struct SweepOptions {
    ModelOptions model;
    DeviceOption device;
    std::vector<std::string> r{"1..3"};
    std::vector<std::string> s{"3", "8"};
    std::vector<std::string> strategies{"both"};
    bool csv = false;
};

// A point that is done, with its place on the Pareto front of measurements and latency.
struct SweptPoint {
    const StudiedPoint *studied = nullptr;
    bool isOnFront = false;
};

Result<std::vector<PruningPoint>> gridOf(const SweepOptions &options)
{
    std::vector<StrategySet> strategies;
    for (const std::string &text : options.strategies) {
        const auto set = strategiesOf("--strategies", text);
        if (!set)
            return tl::unexpected(set.error());
        if (std::ranges::find(strategies, *set) == strategies.end())
            strategies.push_back(*set);
    }
    auto grid = pruningGrid(strategies, numbersOf(options.r), numbersOf(options.s));
    if (grid.size() > kMostPoints)
        return fail(ErrorCode::WrongUse,
                    "the sweep would be " + grouped(static_cast<std::int64_t>(grid.size())) + " searches, more than " +
                        grouped(kMostPoints),
                    "Name fewer values of --r and --s");
    return grid;
}

std::string nameOf(const PruningPoint &point)
{
    return std::string(toString(point.strategies)) + ", r = " + std::to_string(point.r) +
           ", s = " + std::to_string(point.s);
}

// In the order of the grid; those that a stop left out are not there.
std::vector<SweptPoint> doneOf(const std::vector<PruningPoint> &grid, const PruningStudy &study)
{
    std::vector<SweptPoint> points;
    std::vector<CostAndLatency> costs;
    for (const PruningPoint &point : grid) {
        if (const StudiedPoint *studied = study.find(point)) {
            const Schedule &schedule = studied->made.schedule;
            points.push_back({studied});
            costs.push_back({static_cast<double>(schedule.search.stageMeasurements), *schedule.latencyUs()});
        }
    }
    const std::vector<bool> isOnFront = paretoFront(costs);
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i].isOnFront = isOnFront[i];
    return points;
}

Json pointJson(const SweptPoint &swept)
{
    const PruningPoint &point = swept.studied->point;
    const Schedule &schedule = swept.studied->made.schedule;
    return {{"strategy", toString(point.strategies)},
            {"r", point.r},
            {"s", point.s},
            {"latency_us", *schedule.latencyUs()},
            {"provenance", toString(*schedule.provenance)},
            {"sum_of_stages", schedule.isSumOfStages},
            {"calibration", schedule.calibration},
            {"stages", schedule.stages.size()},
            {"search", searchJson(schedule.search)},
            {"front", swept.isOnFront}};
}

void printCsv(const std::vector<SweptPoint> &points)
{
    std::cout << "strategy,r,s,latency_us,provenance,sum_of_stages,stages,transitions,stage_measurements,"
                 "search_seconds,measure_seconds,front\n";
    for (const SweptPoint &swept : points) {
        const PruningPoint &point = swept.studied->point;
        const Schedule &schedule = swept.studied->made.schedule;
        const SearchRecord &record = schedule.search;
        std::cout << toString(point.strategies) << ',' << point.r << ',' << point.s << ','
                  << Json(*schedule.latencyUs()) << ',' << toString(*schedule.provenance) << ','
                  << Json(schedule.isSumOfStages) << ',' << schedule.stages.size() << ',' << record.transitions << ','
                  << record.stageMeasurements << ',' << Json(record.searchSeconds) << ',' << Json(record.measureSeconds)
                  << ',' << Json(swept.isOnFront) << '\n';
    }
}

void printTable(const std::vector<SweptPoint> &points, const CostBasis &basis, std::int64_t measurements)
{
    TextTable table({"strategy", "r, s", "latency", "provenance", "stages", "transitions", "measurements", "search",
                     "Pareto front"});
    std::int64_t alone = 0;
    for (const SweptPoint &swept : points) {
        const PruningPoint &point = swept.studied->point;
        const Schedule &schedule = swept.studied->made.schedule;
        const SearchRecord &record = schedule.search;
        alone += record.stageMeasurements;
        table.add({std::string(toString(point.strategies)), std::to_string(point.r) + ", " + std::to_string(point.s),
                   plainLatency(*schedule.latencyUs(), basis), latencyOrigin(schedule),
                   std::to_string(schedule.stages.size()), grouped(record.transitions),
                   grouped(record.stageMeasurements),
                   plainLatency((record.searchSeconds + record.measureSeconds) * 1e6), swept.isOnFront ? "yes" : ""});
    }
    std::cout << costLines(basis) << table << '\n'
              << counted(measurements, "stage")
              << " measured for all points together; each by itself: " << grouped(alone) << "\narithmetic in "
              << basis.precision << '\n';
}

Result<void> sweep(const SweepOptions &options, const CommandLine &line)
{
    if (options.csv && line.json)
        return fail(ErrorCode::WrongUse, "--csv and --json exclude each other");
    const auto grid = gridOf(options);
    if (!grid)
        return tl::unexpected(grid.error());
    const auto model = options.model.open();
    if (!model)
        return tl::unexpected(model.error());
    const auto listening = line.listen();
    auto device = options.device.open(*model);
    if (!device)
        return tl::unexpected(std::move(device.error()));
    const CostBasis basis = latencyBasis(*model, device->info);
    PruningStudy study(*model, std::move(device->session), device->info);
    for (const PruningPoint &point : mostInformativeFirst(*grid)) {
        const std::string name = nameOf(point);
        const auto studied = study.study(point, terminalProgress(name, device->info.provenance, basis), line.stop);
        clearProgress();
        if (line.stop.stop_requested())
            break; // the points that are done are worth having
        if (!studied)
            return tl::unexpected(studied.error());
        tellRefusals((*studied)->made, name);
    }
    endProgress();
    const std::vector<SweptPoint> points = doneOf(*grid, study);
    if (points.empty())
        return fail(ErrorCode::Cancelled, "the sweep was cancelled before its first point");
    if (line.json) {
        Json document{{"model", model->name},
                      {"device", options.device.id},
                      {"batch", model->graph->batch()},
                      {"points", Json::array()},
                      {"totals", {{"stage_measurements", study.stageMeasurements()}}},
                      {"notes", notesJson(model->report)}};
        for (const SweptPoint &point : points)
            document["points"].push_back(pointJson(point));
        addLatencyBasis(document, basis);
        printAnswer("sweep", document);
    } else if (options.csv) {
        printCsv(points);
    } else {
        printTable(points, basis, study.stageMeasurements());
    }
    if (line.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the sweep was cancelled; the points done before are shown");
    return {};
}

void addBoundsTo(CLI::App &command, const std::string &name, std::vector<std::string> &bounds,
                 const std::string &description)
{
    command.add_option(name, bounds, description)
        ->type_name("N,N..N,...")
        ->delimiter(',')
        ->check(wholeNumbers(1, kLargestBound))
        ->capture_default_str();
}

} // namespace

void addSweepCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("sweep", "Show latency and search cost for each strategy and pruning (r, s)");
    const auto options = std::make_shared<SweepOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    addBoundsTo(*command, "--r", options->r, "at most so many operators per group, for example 1..5");
    addBoundsTo(*command, "--s", options->s, "at most so many groups per stage, for example 3,8");
    command->add_option("--strategies", options->strategies, "which to search with: both, parallel, merge")
        ->type_name("STRATEGY,...")
        ->delimiter(',')
        ->capture_default_str();
    command->add_flag("--csv", options->csv, "print comma-separated values");
    command->callback([&line, options] { line.command = [&line, options] { return sweep(*options, line); }; });
}

} // namespace stagecraft
