// sweep: the pruning trade-off, latency against search cost for each (r, s).

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "engine/make_schedule.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

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
    const auto tooSmall = [](int bound) { return bound < 1; };
    if (std::ranges::any_of(options.r, tooSmall) || std::ranges::any_of(options.s, tooSmall))
        return fail(ErrorCode::WrongUse, "r and s must be at least 1", "Use, for example, --r 1,2,3 --s 3,8");
    const auto model = options.model.open();
    if (!model)
        return tl::unexpected(model.error());
    TextTable table({"r, s", "latency", "provenance", "stages", "transitions", "measurements", "search"});
    Json points = Json::array();
    CostBasis basis;
    for (const int r : options.r) {
        for (const int s : options.s) {
            auto device = options.device.open(*model); // a fresh session: every search pays for its own measurements
            if (!device)
                return tl::unexpected(std::move(device.error()));
            basis = latencyBasis(*model, device->info);
            SearchOptions search;
            search.r = r;
            search.s = s;
            const auto made = makeSchedule(*model, *device->session, device->info, ScheduleKind::IosBoth, search,
                                           terminalProgress("search", device->info.provenance, basis), line.stop);
            clearProgress();
            if (!made)
                return tl::unexpected(made.error());
            if (line.stop.stop_requested())
                return fail(ErrorCode::Cancelled, "the sweep was cancelled");
            tellRefusals(*made, "r = " + std::to_string(r) + ", s = " + std::to_string(s));
            const SearchRecord &record = made->schedule.search;
            table.add({std::to_string(r) + ", " + std::to_string(s), latencyText(*made->schedule.latencyUs, basis),
                       std::string(toString(device->info.provenance)), std::to_string(made->schedule.stages.size()),
                       countText(record.transitions), countText(record.stageMeasurements),
                       latencyText((record.searchSeconds + record.measureSeconds) * 1e6)});
            points.push_back({{"r", r},
                              {"s", s},
                              {"latency_us", *made->schedule.latencyUs},
                              {"provenance", toString(device->info.provenance)},
                              {"calibration", device->info.calibration},
                              {"stages", made->schedule.stages.size()},
                              {"search", searchJson(record)}});
        }
    }
    if (line.json) {
        Json document{{"model", model->name}, {"device", options.device.id}, {"points", points}};
        addLatencyBasis(document, basis);
        printJson(document);
    } else {
        std::cout << costLines(basis) << table << "\narithmetic in " << basis.precision << '\n';
    }
    return {};
}

} // namespace

void addSweepCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("sweep", "Latency and search cost for each pruning (r, s)");
    const auto options = std::make_shared<SweepOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    command->add_option("--r", options->r, "Bounds on operators per group")->delimiter(',')->capture_default_str();
    command->add_option("--s", options->s, "Bounds on groups per stage")->delimiter(',')->capture_default_str();
    command->callback([&line, options] { line.command = [&line, options] { return sweep(*options, line); }; });
}

} // namespace stagecraft
