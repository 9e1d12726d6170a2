// compare: the five schedules of the paper side by side.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/option_checks.h"
#include "cli/schedule_names.h"
#include "cli/text_table.h"
#include "engine/make_schedule.h"
#include "engine/measure_in_turn.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

namespace stagecraft {
namespace {

struct CompareOptions {
    ModelOptions model;
    DeviceOption device;
    SearchFlags search;
    int rounds = kRoundsInTurn;
    std::vector<std::string> schedules; // none: the five of the paper
    std::optional<double> failBelow;    // speed-up of the last against the first
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

// Of --fail-below: the last schedule against the first.
struct SpeedupWanted {
    double wanted = 1;
    InTurn times;
    bool hasInterval = false;

    [[nodiscard]] bool isPassed() const { return times.speedup >= wanted; }

    [[nodiscard]] std::string text(const std::string &last, const std::string &first) const
    {
        const std::string interval =
            " (95 % interval " + speedupText(times.low) + " to " + speedupText(times.high) + ")";
        return last + " is " + exactly(times.speedup) + " as fast as " + first + (hasInterval ? interval : "") +
               ", less than the " + exactly(wanted) + " of --fail-below";
    }

    // 1.0499 is not to be read as 1.05.
    static std::string exactly(double speedup)
    {
        std::ostringstream shown;
        shown << speedup << 'x';
        return shown.str();
    }
};

Result<void> compare(const CompareOptions &options, CommandLine &line)
{
    const auto search = options.search.options();
    if (!search)
        return tl::unexpected(search.error());
    const auto model = options.model.open();
    if (!model)
        return tl::unexpected(model.error());
    const auto compared = comparedSchedules(options.schedules, *model);
    if (!compared)
        return tl::unexpected(compared.error());
    if (options.failBelow && compared->size() < 2)
        return fail(ErrorCode::WrongUse,
                    "--fail-below compares the last schedule with the first, and there is only one",
                    "Name another with --schedule");
    auto device = options.device.open(*model);
    if (!device)
        return tl::unexpected(std::move(device.error()));
    std::vector<MadeSchedule> made;
    for (const ComparedSchedule &which : *compared) {
        auto one = makeCompared(which, *model, *device->session, device->info, *search, line.stop);
        clearProgress();
        if (line.stop.stop_requested() && !made.empty())
            break; // those that are done are worth having
        if (!one)
            return tl::unexpected(one.error());
        tellRefusals(*one, which.title);
        made.push_back(std::move(*one));
    }
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
    Json order = Json::array();
    for (std::size_t i = 0; i < made.size(); ++i) {
        const InTurn &times = (*inTurn)[i];
        const SearchRecord &record = made[i].schedule.search;
        const std::size_t stages = made[i].schedule.stages.size();
        std::vector<std::string> row{(*compared)[i].title, latencyText(times.latencyUs), speedupText(times.speedup)};
        if (timed)
            row.push_back(speedupText(times.low) + " to " + speedupText(times.high));
        row.insert(row.end(), {std::to_string(stages), countText(record.stageMeasurements)});
        table.add(std::move(row));
        Json entry{{"latency_us", times.latencyUs}, {"stages", stages}, {"speedup", times.speedup}};
        if (timed)
            entry["speedup_interval"] = {times.low, times.high};
        if (!made[i].blocks.empty())
            entry["search"] = searchJson(record);
        schedules[(*compared)[i].name] = std::move(entry);
        order.push_back((*compared)[i].name);
    }
    endProgress();
    std::optional<SpeedupWanted> verdict;
    if (options.failBelow && made.size() == compared->size())
        verdict = SpeedupWanted{*options.failBelow, inTurn->back(), timed};
    if (line.json) {
        Json answer{{"model", model->name},
                    {"device", device->info.id},
                    {"calibration", device->info.calibration},
                    {"batch", model->graph->batch()},
                    {"provenance", toString(device->info.provenance)},
                    {"r", search->r},
                    {"s", search->s},
                    {"rounds", timed ? options.rounds : 0},
                    {"order", order},
                    {"schedules", schedules}};
        if (verdict)
            answer["fail_below"] = {{"wanted_speedup", verdict->wanted},
                                    {"speedup", verdict->times.speedup},
                                    {"passed", verdict->isPassed()}};
        printAnswer("compare", answer);
    } else {
        std::cout << model->name << " on " << device->info.id << ", batch " << model->graph->batch() << ", latencies "
                  << toString(device->info.provenance) << ", r = " << search->r << ", s = " << search->s << '\n'
                  << calibrationLine(device->info.calibration) << '\n'
                  << table;
        if (timed)
            std::cout << "whole schedules timed in turn, " << options.rounds << " rounds\n";
    }
    if (line.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the comparison was cancelled; what was done before is shown");
    if (verdict && !verdict->isPassed()) {
        std::cerr << "stagecraft-cli: " << verdict->text((*compared).back().title, compared->front().title) << '\n';
        line.status = 1;
    }
    return {};
}

} // namespace

void addCompareCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("compare", "Set schedules side by side: Sequential, Greedy, IOS-Merge, "
                                                  "IOS-Parallel and IOS-Both, or those that are named");
    const auto options = std::make_shared<CompareOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    command
        ->add_option("--schedule", options->schedules,
                     "compare this one: sequential, greedy, ios-merge, ios-parallel, ios-both or a schedule file; once "
                     "for each, in the order to be shown. Speed-ups are against the first")
        ->type_name("SCHEDULE")
        ->allow_extra_args(false);
    command
        ->add_option("--fail-below", options->failBelow,
                     "end with status 1 where the last schedule is less than RATIO times as fast as the first")
        ->type_name("RATIO")
        ->check(numberAbove(0));
    options->search.addPruningTo(*command);
    options->search.addBudgetTo(*command);
    command
        ->add_option("--rounds", options->rounds,
                     "on a measured device: time the schedules in turn N times; 0: as when they were made")
        ->type_name("N")
        ->check(wholeNumber(0, 1000))
        ->capture_default_str();
    command->footer("In a script: stagecraft-cli compare model.onnx -d cpu --schedule sequential --schedule "
                    "best.schedule.json --fail-below 1.05\n" +
                    command->get_footer());
    command->callback([&line, options] { line.command = [&line, options] { return compare(*options, line); }; });
}

} // namespace stagecraft
