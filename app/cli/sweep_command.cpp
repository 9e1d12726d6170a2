// sweep: the pruning trade-off, latency against search cost for each strategy, r and s.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/study_runs.h"
#include "cli/text_table.h"
#include "export/pruning_csv.h"
#include "results/schedule_words.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

// In the order of `points`; those that a stop left out are not there.
std::vector<PruningRow> doneOf(const std::vector<PruningPoint> &points, const PruningStudy &study)
{
    std::vector<PruningRow> rows;
    for (const PruningPoint &point : points) {
        if (const StudiedPoint *studied = study.find(point))
            rows.push_back({point, &studied->made.schedule, studied->livePeakBytes});
    }
    markFronts(rows);
    return rows;
}

Json pointJson(const PruningRow &row)
{
    const PruningPoint &point = row.point;
    const Schedule &schedule = *row.schedule;
    Json json{{"strategy", toString(point.strategies)},
              {"r", point.r},
              {"s", point.s},
              {"latency_us", *schedule.latencyUs()},
              {"provenance", toString(*schedule.provenance)},
              {"sum_of_stages", schedule.isSumOfStages},
              {"calibration", schedule.calibration},
              {"stages", schedule.stages.size()},
              {"search", searchJson(schedule.search)},
              {"front", row.isOnFront}};
    if (row.livePeakBytes) {
        json["live_peak_bytes"] = *row.livePeakBytes;
        json["memory_front"] = row.isOnMemoryFront;
    }
    return json;
}

void printTable(const std::vector<PruningRow> &points, const CostBasis &basis, std::int64_t measurements)
{
    TextTable table({"strategy", "r, s", "latency", "provenance", "stages", "transitions", "measurements", "search",
                     "Pareto front", "live peak", "least memory"});
    std::int64_t alone = 0;
    for (const PruningRow &row : points) {
        const PruningPoint &point = row.point;
        const Schedule &schedule = *row.schedule;
        const SearchRecord &record = schedule.search;
        alone += record.stageMeasurements;
        table.add(fmt::format("{}{}", toString(point.strategies), point.singleSource ? ", " + kSingleSource : ""),
                  fmt::format("{}, {}", point.r, point.s), plainLatency(*schedule.latencyUs(), basis),
                  provenanceWords(schedule), schedule.stages.size(), grouped(record.transitions),
                  grouped(record.stageMeasurements), plainLatency((record.searchSeconds + record.measureSeconds) * 1e6),
                  row.isOnFront ? "yes" : "",
                  row.livePeakBytes ? plainBytes(static_cast<double>(*row.livePeakBytes)) : "",
                  row.isOnMemoryFront ? "yes" : "");
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
    TRY_AS(const auto grid, gridOf(options));
    TRY_AS(const auto model, options.model.open());
    const auto listening = line.listen();
    TRY_AS(auto device, options.device.open(model));
    const CostBasis basis = latencyBasis(model, device.info);
    PruningStudy study(model, std::move(device.session), device.info);
    const std::vector<PruningPoint> points = pointsOf(grid);
    if (auto ran = runStudy(study, points, device.info, basis, line); !ran)
        return ran;
    const std::vector<PruningRow> done = doneOf(points, study);
    if (done.empty())
        return fail(ErrorCode::Cancelled, "the sweep was cancelled before its first point");
    if (line.json) {
        Json document{{"model", model.name},
                      {"device", options.device.id},
                      {"batch", model.graph->batch()},
                      {"points", Json::array()},
                      {"totals", {{"stage_measurements", study.stageMeasurements()}}},
                      {"notes", notesJson(model.report)}};
        for (const PruningRow &row : done)
            document["points"].push_back(pointJson(row));
        addLatencyBasis(document, basis);
        printAnswer("sweep", document);
    } else if (options.csv) {
        std::cout << pruningCsv(done);
    } else {
        printTable(done, basis, study.stageMeasurements());
    }
    if (line.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the sweep was cancelled; the points done before are shown");
    return {};
}

} // namespace

void addSweepCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("sweep", "Show latency and search cost for each strategy and pruning (r, s)");
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
    command->callback([&line, options] { line.command = [&line, options] { return sweep(*options, line); }; });
}

} // namespace stagecraft
