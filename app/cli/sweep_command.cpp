// sweep: the pruning trade-off, latency against search cost for each (r, s).

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/option_checks.h"
#include "cli/text_table.h"
#include "schedule/schedule_words.h"
#include "services/make_schedule.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

struct SweepOptions {
    ModelOptions model;
    DeviceOption device;
    std::vector<int> r{1, 2, 3};
    std::vector<int> s{3, 8};
};

Result<void> sweep(const SweepOptions &options, const CommandLine &line)
{
    const auto model = options.model.open();
    if (!model)
        return tl::unexpected(model.error());
    const auto listening = line.listen();
    TextTable table({"r, s", "latency", "provenance", "stages", "transitions", "measurements", "search"});
    Json points = Json::array();
    CostBasis basis;
    std::vector<std::pair<int, int>> bounds;
    for (const int r : options.r) {
        for (const int s : options.s)
            bounds.emplace_back(r, s);
    }
    for (const auto &[r, s] : bounds) {
        auto device = options.device.open(*model); // a new session, so that every search does its own measurements
        if (!device)
            return tl::unexpected(std::move(device.error()));
        basis = latencyBasis(*model, device->info);
        const std::string point = "r = " + std::to_string(r) + ", s = " + std::to_string(s);
        SearchOptions search;
        search.r = r;
        search.s = s;
        const auto made = makeSchedule(*model, *device->session, device->info, ScheduleKind::IosBoth, search,
                                       terminalProgress(point, device->info.provenance, basis), line.stop);
        clearProgress();
        if (line.stop.stop_requested())
            break; // show the points that are done
        if (!made)
            return tl::unexpected(made.error());
        tellRefusals(*made, point);
        const SearchRecord &record = made->schedule.search;
        table.add({std::to_string(r) + ", " + std::to_string(s), plainLatency(*made->schedule.latencyUs(), basis),
                   latencyOrigin(made->schedule), std::to_string(made->schedule.stages.size()),
                   grouped(record.transitions), grouped(record.stageMeasurements),
                   plainLatency((record.searchSeconds + record.measureSeconds) * 1e6)});
        points.push_back({{"r", r},
                          {"s", s},
                          {"latency_us", *made->schedule.latencyUs()},
                          {"provenance", toString(device->info.provenance)},
                          {"sum_of_stages", made->schedule.isSumOfStages},
                          {"calibration", device->info.calibration},
                          {"stages", made->schedule.stages.size()},
                          {"search", searchJson(record)}});
    }
    endProgress();
    if (line.stop.stop_requested() && points.empty())
        return fail(ErrorCode::Cancelled, "the sweep was cancelled before its first point");
    if (line.json) {
        Json document{{"model", model->name},
                      {"device", options.device.id},
                      {"batch", model->graph->batch()},
                      {"points", points},
                      {"notes", notesJson(model->report)}};
        addLatencyBasis(document, basis);
        printAnswer("sweep", document);
    } else {
        std::cout << costLines(basis) << table << "\narithmetic in " << basis.precision << '\n';
    }
    if (line.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the sweep was cancelled; the points done before are shown");
    return {};
}

void addBoundsTo(CLI::App &command, const std::string &name, std::vector<int> &bounds, const std::string &description)
{
    command.add_option(name, bounds, description)
        ->type_name("N,N,...")
        ->delimiter(',')
        ->check(wholeNumber(1, kLargestBound))
        ->capture_default_str();
}

} // namespace

void addSweepCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("sweep", "Show latency and search cost for each pruning (r, s)");
    const auto options = std::make_shared<SweepOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    addBoundsTo(*command, "--r", options->r, "at most this many operators per group, for example 1,2,3");
    addBoundsTo(*command, "--s", options->s, "at most this many groups per stage, for example 3,8");
    command->callback([&line, options] { line.command = [&line, options] { return sweep(*options, line); }; });
}

} // namespace stagecraft
