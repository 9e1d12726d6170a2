#include "cli/command_line.h"

#include "cli/option_checks.h"
#include "flow/open_model.h"
#include "results/schedule_words.h"
#include "support/closest_name.h"
#include "support/error_text.h"
#include "support/number_text.h"
#include "wiring/device_catalog.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <utility>

namespace stagecraft {

void printJson(const Json &document)
{
    // Names of files and operators are bytes, but JSON is UTF-8.
    std::cout << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void tellRefusals(const std::optional<Error> &refusal, const TimedSchedule &found, const std::string &title)
{
    if (!refusal)
        return;
    const std::int64_t count = found.search.stagesRefused;
    std::cerr << "stagecraft-cli: " << title << ": " << counted(count, "stage")
              << (count == 1 ? " was left out: " : " were left out, for example ") << errorText(*refusal) << '\n';
}

std::string simulationLines(const std::string &calibration, const SimulationErrors &errors, const std::string &indent)
{
    return (calibration.empty() ? "" : indent + "calibrated on: " + calibration + "\n") +
           (errors ? indent + simulatedText(*errors) + "\n" : "");
}

std::string disturbedLine(const TimedSchedule &schedule)
{
    const auto disturbed = static_cast<std::int64_t>(disturbedStages(schedule));
    if (disturbed == 0)
        return {};
    return grouped(disturbed) + " of " + counted(static_cast<std::int64_t>(schedule.stages.size()), "stage") +
           (disturbed == 1 ? " was" : " were") +
           " disturbed every time they were measured: something else used the machine, or its clocks were held down\n";
}

CLI::Option *addOutputTo(CLI::App &command, CommandLine &line, std::string &file, const std::string &description,
                         OutputKind kind)
{
    CLI::Option *output = command.add_option("-o,--output", file, description)->type_name("FILE");
    addForceTo(command, line, std::move(kind));
    return output;
}

void addForceTo(CLI::App &command, CommandLine &line, OutputKind kind)
{
    command.add_flag("--force", line.force,
                     "replace the file of -o whatever it is; without, only a file of the kind that is written");
    line.outputs.emplace(&command, std::move(kind));
}

void DeviceOption::addTo(CLI::App &command)
{
    id = defaultDeviceId();
    command
        .add_option("-d,--device", id,
                    "device (see devices); A,B,C or pool:FILE: equal devices that measure side by side")
        ->type_name("DEVICE")
        ->capture_default_str();
}

Result<OpenDevice> DeviceOption::open(const Model &model) const
{
    auto device = findDevice(id);
    if (!device && device.error().code == ErrorCode::WrongUse)
        return within(option + " " + id, std::move(device.error()));
    TRY(device);
    OpenDevice opened{(*device)->info(), nullptr};
    (*device)->setModelFile(onnxFileOf(model));
    auto session = (*device)->open(model.graph);
    if (!session)
        return withinModel(model, std::move(session.error()));
    opened.session = std::move(*session);
    return opened;
}

void SearchFlags::addPruningTo(CLI::App &command)
{
    command.add_option("--r", r, "at most N operators per group")->type_name("N")->check(wholeNumber(1, kLargestBound));
    command.add_option("--s", s, "at most N groups per stage")->type_name("N")->check(wholeNumber(1, kLargestBound));
    command.add_flag("--single-source", singleSource,
                     "only groups with a single source, as in the public implementation");
}

void SearchFlags::addBudgetTo(CLI::App &command)
{
    command.add_flag("--exhaustive", exhaustive, "measure every stage of the search space");
    command.add_option("--max-measurements", maxMeasurements, "stop after N stage measurements")
        ->type_name("N")
        ->check(wholeNumber(1));
    command.add_option("--max-seconds", maxSeconds, "stop after this many seconds")
        ->type_name("SECONDS")
        ->check(numberAbove(0));
    command
        .add_option(
            "--bounds", bounds,
            "what proofs are based on: safe (a stage takes at least as long as its slowest group), assumed (also, no "
            "stage gets faster with one more operator; the answer says how often that was true) or auto (assumed if "
            "the device "
            "knows no bounds of its own)")
        ->type_name("BOUNDS")
        ->capture_default_str();
    command
        .add_option("--order", order,
                    "which stages are measured next: learned (those that prove the best schedule with the fewest "
                    "measurements, by a model of what is known of the device), bounds (all that the lower bounds leave "
                    "open) or auto (learned if the device measures). What is proved is the same")
        ->type_name("ORDER")
        ->capture_default_str();
    command.add_option("--epsilon", epsilon, "stop when proved to be within this share of the optimum, 0.02 for 2 %")
        ->type_name("SHARE")
        ->check(numberWithin(0, 1));
}

void SearchFlags::addStrategyTo(CLI::App &command, const std::string &description)
{
    command.add_option("--strategy", strategy, description)->type_name("STRATEGY")->capture_default_str();
}

tl::unexpected<Error> unknownValue(const std::string &option, const std::string &value,
                                   const std::vector<std::string> &known)
{
    return fail(ErrorCode::WrongUse, option + ": " + value + " is not known",
                didYouMean(value, known) + "Use " + listed(known, " or "));
}

Result<StrategySet> strategiesOf(const std::string &option, const std::string &text)
{
    if (const auto set = strategySetFromString(text))
        return *set;
    return unknownValue(option, text, {"both", "parallel", "merge", "all"});
}

void addMemoryTargetTo(CLI::App &command, std::string &target, const std::string &description)
{
    command.add_option("--target", target, description + ": onnxruntime, onnxruntime-cuda or pytorch")
        ->type_name("RUNTIME");
}

Result<std::optional<plan::MemoryTarget>> memoryTargetOption(const std::string &text)
{
    if (text.empty())
        return std::nullopt;
    if (const auto target = plan::memoryTargetFrom(text))
        return target;
    std::vector<std::string> known;
    for (const plan::MemoryTargetRow &row : plan::memoryTargets())
        known.emplace_back(row.word);
    return unknownValue("--target", text, known);
}

Result<SearchOptions> SearchFlags::options(std::optional<int> defaultR, std::optional<int> defaultS) const
{
    SearchOptions options;
    TRY_AS(const auto set, strategiesOf("--strategy", strategy));
    options.strategies = set;
    options.r = r ? r : defaultR;
    options.s = s ? s : defaultS;
    options.singleSource = singleSource;
    options.exhaustive = exhaustive;
    options.maxMeasurements = maxMeasurements;
    options.maxSeconds = maxSeconds;
    options.epsilon = epsilon.value_or(0);
    const auto known = searchBoundsFromString(bounds);
    if (!known)
        return unknownValue("--bounds", bounds, {"auto", "safe", "assumed"});
    options.bounds = *known;
    const auto knownOrder = searchOrderFromString(order);
    if (!knownOrder)
        return unknownValue("--order", order, {"auto", "learned", "bounds"});
    options.order = *knownOrder;
    return options;
}

} // namespace stagecraft
