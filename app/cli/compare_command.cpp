// compare: the five schedules of the paper, compared.

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/cost_text.h"
#include "cli/difference_report.h"
#include "cli/option_checks.h"
#include "cli/schedule_names.h"
#include "cli/text_table.h"
#include "flow/find/timing_in_rounds.h"
#include "flow/make_schedule.h"
#include "results/schedule_words.h"
#include "support/error_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

namespace stagecraft {
namespace {

struct CompareOptions {
    ModelOptions model;
    DeviceOption device;
    SearchFlags search;
    int rounds = kDefaultRounds;
    std::vector<std::string> schedules; // empty: the five of the paper
    std::optional<double> failBelow;    // speed-up of the last over the first
    bool differences = false;
};

struct Compared {
    std::vector<TimingInRounds> times;
    int rounds = 0; // 0: the latencies are from when the schedules were made
};

// On measuring devices all schedules are timed again: latencies taken minutes apart, each after its own search, are not
// comparable. If a baseline is faster, it replaces the result of a search.
Result<Compared> timesOf(std::vector<MadeSchedule> &made, const std::vector<ComparedSchedule> &shown,
                         DeviceSession &session, int rounds, const std::stop_token &stop)
{
    std::vector<Schedule> schedules;
    std::vector<double> madeUs;
    for (const MadeSchedule &one : made) {
        schedules.push_back(one.schedule);
        madeUs.push_back(*one.schedule.latencyUs());
    }
    if (!session.isNoisy())
        return Compared{comparedExactly(madeUs)};
    if (rounds == 0 || stop.stop_requested())
        return Compared{comparedInRounds({madeUs})};
    auto compared = measureSchedulesInRounds(schedules, session, rounds, stop);
    if (!compared && compared.error().code == ErrorCode::Cancelled)
        return Compared{comparedInRounds({madeUs})};
    TRY(compared);
    const auto isBaseline = [](const ComparedSchedule &one) {
        return one.kind == ScheduleKind::Sequential || one.kind == ScheduleKind::Greedy;
    };
    const auto baselines = std::ranges::find_if_not(shown, isBaseline) - shown.begin(); // the leading baselines
    const std::vector<std::size_t> winner =
        keepFasterBaselines(made, *compared, static_cast<std::size_t>(baselines), session.boundaryCost());
    for (std::size_t i = 0; i < winner.size(); ++i) {
        if (winner[i] != i)
            std::cerr << "note: " << shown[i].title << " found nothing faster than " << shown[winner[i]].title
                      << ", which replaces it\n";
    }
    return Compared{std::move(*compared), rounds};
}

Json timesJson(const TimingInRounds &times, std::size_t stages, bool timed)
{
    Json entry{{"latency_us", times.timing.latencyUs}, {"stages", stages}, {"speedup", times.against.speedup}};
    if (timed)
        entry["speedup_interval"] = {times.against.low, times.against.high};
    entry["verdict"] = times.against.verdict == Verdict::None ? Json() : Json(toString(times.against.verdict));
    return entry;
}

// A recording has limited contents; the schedules that it has are still compared.
bool isMissing(const Error &error, const DeviceInfo &device)
{
    return device.provenance == Provenance::Recorded && error.code == ErrorCode::DeviceFailed;
}

constexpr const char *kAboutSums =
    "a sum of stages omits what happens between stages, and is not compared with a schedule timed in one go\n";

// --fail-below: the last schedule against the first.
struct SpeedupWanted {
    double wanted = 1;
    SpeedupEstimate against;
    bool hasInterval = false;

    [[nodiscard]] bool isPassed() const { return against.speedup >= wanted; }

    [[nodiscard]] std::string text(const std::string &last, const std::string &first) const
    {
        const auto interval =
            fmt::format(" (95 % interval {} to {})", speedupText(against.low), speedupText(against.high));
        // With {:g}: 1.0499 must not be shown as 1.05.
        return fmt::format("{} is {:g}x as fast as {}{}, less than the {:g}x of --fail-below", last, against.speedup,
                           first, hasInterval ? interval : "", wanted);
    }
};

// `times` are the latencies to compare.
ScheduleDifference differenceOf(const std::vector<MadeSchedule> &made, const std::vector<TimingInRounds> &times)
{
    std::vector<Schedule> schedules;
    for (std::size_t i = 0; i < made.size(); ++i) {
        schedules.push_back(made[i].schedule);
        schedules.back().timing = times[i].timing;
    }
    std::vector<const Schedule *> all;
    for (const Schedule &schedule : schedules)
        all.push_back(&schedule);
    return scheduleDifference(all);
}

Result<void> compare(const CompareOptions &options, CommandLine &line)
{
    TRY_AS(const auto search, options.search.options());
    TRY_AS(const auto opened, options.model.openWithSchedule(search.maxSeconds));
    const Model &model = opened.model;
    TRY_AS(const auto compared, comparedSchedules(options.schedules, opened));
    if (options.failBelow && compared.size() < 2)
        return fail(ErrorCode::WrongUse,
                    "--fail-below compares the last schedule with the first, and there is only one",
                    "Name another with --schedule");
    TRY_AS(auto device, options.device.open(model));
    const CostBasis basis = latencyBasis(model, device.info);
    const auto listening = line.listen();
    std::vector<MadeSchedule> made;
    std::vector<ComparedSchedule> shown; // those that could be made
    for (const ComparedSchedule &which : compared) {
        auto one = makeCompared(which, model, *device.session, device.info, search, line.stop);
        clearProgress();
        if (line.stop.stop_requested() && !made.empty())
            break; // show those that are done
        if (!one && isMissing(one.error(), device.info)) {
            std::cerr << "note: " << which.title << " is left out: " << errorText(one.error()) << '\n';
            continue;
        }
        TRY(one);
        tellRefusals(one->refusal, one->schedule, which.title);
        made.push_back(std::move(*one));
        shown.push_back(which);
    }
    if (made.empty())
        return fail(ErrorCode::DeviceFailed, device.info.id + " has no latencies for any of the schedules",
                    "run compare on the device itself, then export the latencies again");
    if (options.failBelow && !line.stop.stop_requested() &&
        (made.size() < compared.size() || !areComparable(made.front().schedule, made.back().schedule)))
        return fail(ErrorCode::DeviceFailed,
                    fmt::format("--fail-below: {} has no comparable latencies of the two schedules", device.info.id),
                    "compare them on the device itself, or export latencies that have both");
    TRY_AS(const auto inRounds, timesOf(made, shown, *device.session, options.rounds, line.stop));
    const bool timed = inRounds.rounds > 1;
    std::vector<std::string> columns{"schedule", "latency", speedupTitle(basis)};
    if (timed)
        columns.emplace_back("95 % interval");
    columns.insert(columns.end(), {"stages", "measurements"});
    TextTable table(std::move(columns));
    Json schedules = Json::object();
    bool hasSums = false;
    Json order = Json::array();
    std::string verdicts;
    for (std::size_t i = 0; i < made.size(); ++i) {
        const TimingInRounds &times = inRounds.times[i];
        const SearchRecord &record = made[i].schedule.search;
        const std::size_t stages = made[i].schedule.stages.size();
        const bool comparable =
            shown.front().name == compared.front().name && areComparable(made.front().schedule, made[i].schedule);
        const bool isSum = made[i].schedule.isSumOfStages;
        hasSums = hasSums || isSum;
        std::vector<std::string> row{shown[i].title,
                                     plainLatency(times.timing.latencyUs, basis) + (isSum ? " (sum of stages)" : ""),
                                     comparable ? speedupText(times.against.speedup) : "-"};
        if (timed)
            row.push_back(fmt::format("{} to {}", speedupText(times.against.low), speedupText(times.against.high)));
        row.insert(row.end(), {std::to_string(stages), grouped(record.stageMeasurements)});
        table.add(std::move(row));
        if (const std::string verdict = verdictText(times.against, times.secondsPerRound); timed && i > 0)
            verdicts += fmt::format("{}: {}\n", shown[i].title,
                                    verdict.empty() ? "no verdict from fewer than 8 rounds" : verdict);
        Json entry = timesJson(times, stages, timed);
        if (!comparable)
            entry["speedup"] = nullptr;
        entry["sum_of_stages"] = isSum;
        entry["disturbed_stages"] = disturbedStages(made[i].schedule);
        if (!made[i].blocks.empty())
            entry["search"] = searchJson(record);
        schedules[shown[i].name] = std::move(entry);
        order.push_back(shown[i].name);
    }
    endProgress();
    std::optional<SpeedupWanted> verdict;
    if (options.failBelow && made.size() == compared.size())
        verdict = SpeedupWanted{*options.failBelow, inRounds.times.back().against, timed};
    if (line.json) {
        Json answer{{"model", model.name},
                    {"device", device.info.id},
                    {"calibration", device.info.calibration},
                    {"batch", model.graph->batch()},
                    {"provenance", toString(device.info.provenance)},
                    {"r", search.r.value_or(0)},
                    {"s", search.s.value_or(0)},
                    {"rounds", inRounds.rounds},
                    {"order", order},
                    {"schedules", schedules},
                    {"notes", notesJson(model.report)}};
        if (verdict)
            answer["fail_below"] = {{"wanted_speedup", verdict->wanted},
                                    {"speedup", verdict->against.speedup},
                                    {"passed", verdict->isPassed()}};
        if (options.differences)
            answer["differences"] = differenceJson(differenceOf(made, inRounds.times));
        addLatencyBasis(answer, basis);
        printAnswer("compare", answer);
    } else {
        std::cout << costLines(basis) << model.name << " on " << device.info.id << ", batch " << model.graph->batch()
                  << ", " << basis.precision << ", latencies " << toString(device.info.provenance)
                  << ", r = " << search.r.value_or(0) << ", s = " << search.s.value_or(0) << '\n'
                  << calibrationLine(device.info.calibration) << '\n'
                  << table << (hasSums ? kAboutSums : "");
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (const std::string disturbed = disturbedLine(made[i].schedule); !disturbed.empty())
                std::cout << shown[i].title << ": " << disturbed;
        }
        if (timed)
            std::cout << "whole schedules timed in " << inRounds.rounds << " rounds; against " << shown.front().title
                      << '\n'
                      << verdicts;
        if (options.differences) {
            std::vector<std::string> names;
            for (const ComparedSchedule &one : shown)
                names.push_back(one.title);
            std::cout << differenceText(differenceOf(made, inRounds.times), names);
        }
    }
    if (line.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the comparison was cancelled; what was done before is shown");
    if (verdict && !verdict->isPassed()) {
        std::cerr << "stagecraft-cli: " << verdict->text(compared.back().title, compared.front().title) << '\n';
        line.status = 1;
    }
    return {};
}

} // namespace

void addCompareCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("compare", "Compare schedules: Sequential, Greedy, IOS-Merge, "
                                                  "IOS-Parallel and IOS-Both, or those named");
    const auto options = std::make_shared<CompareOptions>();
    options->model.addTo(*command);
    options->device.addTo(*command);
    command
        ->add_option(
            "--schedule", options->schedules,
            "sequential, greedy, ios-merge, ios-parallel, ios-both, embedded or a schedule file; repeat for each "
            "schedule, in the order to show them. Speed-ups are against the first")
        ->type_name("SCHEDULE")
        ->allow_extra_args(false);
    command
        ->add_option("--fail-below", options->failBelow,
                     "exit with status 1 if the last schedule is less than RATIO times as fast as the first")
        ->type_name("RATIO")
        ->check(numberAbove(0));
    command->add_flag("--differences", options->differences,
                      "also show where they differ: every block, and every span of stages with the same operators");
    options->search.addPruningTo(*command);
    options->search.addBudgetTo(*command);
    command
        ->add_option(
            "--rounds", options->rounds,
            "on a measuring device: time the schedules in N rounds; 0: use the latencies from when they were made")
        ->type_name("N")
        ->check(wholeNumber(0, 1000))
        ->capture_default_str();
    command->footer("In a script: stagecraft-cli compare model.onnx -d cpu --schedule sequential --schedule "
                    "best.schedule.json --fail-below 1.05\n" +
                    command->get_footer());
    command->callback([&line, options] { line.command = [&line, options] { return compare(*options, line); }; });
}

} // namespace stagecraft
