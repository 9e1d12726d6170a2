// compare: the five schedules of the paper side by side.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "engine/make_schedule.h"
#include "engine/measure_in_turn.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

struct CompareOptions {
    ModelOptions model;
    DeviceOption device;
    SearchFlags search;
    int rounds = kRoundsInTurn;
};

struct Compared {
    std::vector<InTurn> times;
    int rounds = 0; // 0: the latencies are those of when the schedules were made
};

// Measured devices are timed once more: latencies taken minutes apart, each after its own search, do not compare. What
// a search found is not kept where a baseline is faster.
Result<Compared> timesOf(std::vector<MadeSchedule> &made, DeviceSession &session, int rounds,
                         const std::stop_token &stop)
{
    std::vector<Schedule> schedules;
    std::vector<double> madeUs;
    for (const MadeSchedule &one : made) {
        schedules.push_back(one.schedule);
        madeUs.push_back(*one.schedule.latencyUs);
    }
    if (!session.isNoisy())
        return Compared{comparedExactly(madeUs)};
    if (rounds == 0 || stop.stop_requested())
        return Compared{comparedInTurn({madeUs})};
    auto compared = measureInTurn(schedules, session, rounds, stop);
    if (!compared && compared.error().code == ErrorCode::Cancelled)
        return Compared{comparedInTurn({madeUs})};
    if (!compared)
        return tl::unexpected(std::move(compared.error()));
    const std::vector<std::size_t> stands =
        keepFasterBaselines(made, *compared, std::min<std::size_t>(2, made.size()), session.boundaryCost());
    for (std::size_t i = 0; i < stands.size(); ++i) {
        if (stands[i] != i)
            std::cerr << "note: " << title(kScheduleKinds[i]) << " found nothing faster than "
                      << title(kScheduleKinds[stands[i]]) << ", which takes its place\n";
    }
    return Compared{std::move(*compared), rounds};
}

Json timesJson(const InTurn &times, std::size_t stages, bool timed)
{
    Json entry{{"latency_us", times.latencyUs}, {"stages", stages}, {"speedup", times.against.speedup}};
    if (timed)
        entry["speedup_interval"] = {times.against.low, times.against.high};
    entry["verdict"] = times.against.verdict == Verdict::None ? Json() : Json(toString(times.against.verdict));
    return entry;
}

Result<void> compare(const CompareOptions &options, const CommandLine &line)
{
    const auto search = options.search.options();
    if (!search)
        return tl::unexpected(search.error());
    const auto model = options.model.open();
    if (!model)
        return tl::unexpected(model.error());
    auto device = options.device.open(*model);
    if (!device)
        return tl::unexpected(std::move(device.error()));
    std::vector<MadeSchedule> made;
    for (const ScheduleKind kind : kScheduleKinds) {
        auto one = makeSchedule(*model, *device->session, device->info, kind, *search,
                                terminalProgress(std::string(title(kind)), device->info.provenance), line.stop);
        clearProgress();
        if (line.stop.stop_requested() && !made.empty())
            break; // those that are done are worth having
        if (!one)
            return tl::unexpected(one.error());
        tellRefusals(*one, std::string(title(kind)));
        made.push_back(std::move(*one));
    }
    const auto compared = timesOf(made, *device->session, options.rounds, line.stop);
    if (!compared)
        return tl::unexpected(compared.error());
    const bool timed = compared->rounds > 1;
    std::vector<std::string> columns{"schedule", "latency", "speedup"};
    if (timed)
        columns.emplace_back("95 % interval");
    columns.insert(columns.end(), {"stages", "measurements"});
    TextTable table(std::move(columns));
    Json schedules = Json::object();
    std::string verdicts;
    for (std::size_t i = 0; i < made.size(); ++i) {
        const InTurn &times = compared->times[i];
        const SearchRecord &record = made[i].schedule.search;
        const std::size_t stages = made[i].schedule.stages.size();
        std::vector<std::string> row{std::string(title(kScheduleKinds[i])), latencyText(times.latencyUs),
                                     speedupText(times.against.speedup)};
        if (timed)
            row.push_back(speedupText(times.against.low) + " to " + speedupText(times.against.high));
        row.insert(row.end(), {std::to_string(stages), countText(record.stageMeasurements)});
        table.add(std::move(row));
        if (const std::string verdict = verdictText(times.against, times.secondsPerRound); timed && i > 0)
            verdicts += std::string(title(kScheduleKinds[i])) + ": " +
                        (verdict.empty() ? "no verdict from fewer than 8 rounds" : verdict) + '\n';
        Json entry = timesJson(times, stages, timed);
        if (!made[i].blocks.empty())
            entry["search"] = searchJson(record);
        schedules[std::string(toString(kScheduleKinds[i]))] = std::move(entry);
    }
    if (line.json) {
        printJson({{"model", model->name},
                   {"device", device->info.id},
                   {"calibration", device->info.calibration},
                   {"batch", model->graph->batch()},
                   {"provenance", toString(device->info.provenance)},
                   {"r", search->r},
                   {"s", search->s},
                   {"rounds", compared->rounds},
                   {"schedules", schedules}});
    } else {
        std::cout << model->name << " on " << device->info.id << ", batch " << model->graph->batch() << ", latencies "
                  << toString(device->info.provenance) << ", r = " << search->r << ", s = " << search->s << '\n'
                  << calibrationLine(device->info.calibration) << '\n'
                  << table;
        if (timed)
            std::cout << "whole schedules timed in turn, " << compared->rounds << " rounds; against Sequential\n"
                      << verdicts;
    }
    if (line.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the comparison was cancelled; what was done before is shown");
    return {};
}

} // namespace

void addCompareCommand(CLI::App &app, CommandLine &line)
{
    auto *command =
        app.add_subcommand("compare", "Sequential, Greedy, IOS-Merge, IOS-Parallel and IOS-Both side by side");
    const auto options = std::make_shared<CompareOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    options->search.addPruningTo(*command);
    options->search.addBudgetTo(*command);
    command
        ->add_option("--rounds", options->rounds,
                     "On a measured device: time the schedules in turn this many times; 0: as when they were made")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    command->callback([&line, options] { line.command = [&line, options] { return compare(*options, line); }; });
}

} // namespace stagecraft
