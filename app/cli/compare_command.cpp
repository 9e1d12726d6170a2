// compare: the five schedules of the paper side by side.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "engine/error_text.h"
#include "engine/make_schedule.h"
#include "engine/measure_in_turn.h"
#include "schedule/schedule_words.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

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

// Measured devices are timed once more: latencies taken minutes apart, each after its own search, do not compare.
Result<std::vector<InTurn>> timesOf(const std::vector<MadeSchedule> &made, DeviceSession &session, int rounds,
                                    const std::stop_token &stop)
{
    std::vector<Schedule> schedules;
    std::vector<double> madeUs;
    for (const MadeSchedule &one : made) {
        schedules.push_back(one.schedule);
        madeUs.push_back(*one.schedule.latencyUs);
    }
    if (!session.isNoisy() || rounds == 0 || stop.stop_requested())
        return comparedInTurn({madeUs});
    auto compared = measureInTurn(schedules, session, rounds, stop);
    if (!compared && compared.error().code == ErrorCode::Cancelled)
        return comparedInTurn({madeUs});
    return compared;
}

// Recorded latencies end somewhere; what they do have is worth comparing.
bool isMissing(const Error &error, const DeviceInfo &device)
{
    return device.provenance == Provenance::Recorded && error.code == ErrorCode::DeviceFailed;
}

constexpr const char *kAboutSums =
    "a sum of stages leaves out what happens between stages, and is not compared with a schedule timed in one go\n";

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
    std::vector<ScheduleKind> kinds;
    for (const ScheduleKind kind : kScheduleKinds) {
        auto one = makeSchedule(*model, *device->session, device->info, kind, *search,
                                terminalProgress(std::string(title(kind)), device->info.provenance), line.stop);
        clearProgress();
        if (line.stop.stop_requested() && !made.empty())
            break; // those that are done are worth having
        if (!one && isMissing(one.error(), device->info)) {
            std::cerr << "note: " << title(kind) << " is left out: " << errorText(one.error()) << '\n';
            continue;
        }
        if (!one)
            return tl::unexpected(one.error());
        tellRefusals(*one, std::string(title(kind)));
        made.push_back(std::move(*one));
        kinds.push_back(kind);
    }
    if (made.empty())
        return fail(ErrorCode::DeviceFailed, device->info.id + " has the latencies of none of the schedules",
                    "export the latencies again after compare on the device itself");
    const auto inTurn = timesOf(made, *device->session, options.rounds, line.stop);
    if (!inTurn)
        return tl::unexpected(inTurn.error());
    const bool timed = device->session->isNoisy() && options.rounds > 1 && !line.stop.stop_requested();
    std::vector<std::string> columns{"schedule", "latency", "speedup"};
    if (timed)
        columns.emplace_back("95 % interval");
    columns.insert(columns.end(), {"stages", "measurements"});
    TextTable table(std::move(columns));
    Json schedules = Json::object();
    bool hasSums = false;
    for (std::size_t i = 0; i < made.size(); ++i) {
        const InTurn &times = (*inTurn)[i];
        const SearchRecord &record = made[i].schedule.search;
        const std::size_t stages = made[i].schedule.stages.size();
        const bool comparable =
            kinds.front() == ScheduleKind::Sequential && areComparable(made.front().schedule, made[i].schedule);
        const bool isSum = made[i].schedule.isSumOfStages;
        hasSums = hasSums || isSum;
        std::vector<std::string> row{std::string(title(kinds[i])),
                                     latencyText(times.latencyUs) + (isSum ? " (sum of stages)" : ""),
                                     comparable ? speedupText(times.speedup) : "-"};
        if (timed)
            row.push_back(speedupText(times.low) + " to " + speedupText(times.high));
        row.insert(row.end(), {std::to_string(stages), countText(record.stageMeasurements)});
        table.add(std::move(row));
        Json entry{{"latency_us", times.latencyUs},
                   {"stages", stages},
                   {"speedup", comparable ? Json(times.speedup) : Json()},
                   {"sum_of_stages", isSum},
                   {"disturbed_stages", disturbedStages(made[i].schedule)}};
        if (timed)
            entry["speedup_interval"] = {times.low, times.high};
        if (!made[i].blocks.empty())
            entry["search"] = searchJson(record);
        schedules[std::string(toString(kinds[i]))] = std::move(entry);
    }
    if (line.json) {
        printJson({{"model", model->name},
                   {"device", device->info.id},
                   {"calibration", device->info.calibration},
                   {"batch", model->graph->batch()},
                   {"provenance", toString(device->info.provenance)},
                   {"r", search->r},
                   {"s", search->s},
                   {"rounds", timed ? options.rounds : 0},
                   {"schedules", schedules}});
    } else {
        std::cout << model->name << " on " << device->info.id << ", batch " << model->graph->batch() << ", latencies "
                  << toString(device->info.provenance) << ", r = " << search->r << ", s = " << search->s << '\n'
                  << calibrationLine(device->info.calibration) << '\n'
                  << table << (hasSums ? kAboutSums : "");
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (const std::string disturbed = disturbedLine(made[i].schedule); !disturbed.empty())
                std::cout << title(kinds[i]) << ": " << disturbed;
        }
        if (timed)
            std::cout << "whole schedules timed in turn, " << options.rounds << " rounds\n";
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
