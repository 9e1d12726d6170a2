#include "cli/co_run_options.h"

#include "cli/option_checks.h"
#include "support/closest_name.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <string_view>
#include <utility>

namespace stagecraft {
namespace {

using ValueOf = std::function<std::optional<double>(std::string_view)>;

// A number above zero and what follows it.
std::optional<std::pair<double, std::string_view>> numberAndUnit(std::string_view text)
{
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || !std::isfinite(value) || value <= 0)
        return std::nullopt;
    return std::pair(value, text.substr(static_cast<std::size_t>(rest - text.data())));
}

std::optional<double> microsecondsFrom(std::string_view text)
{
    const auto number = numberAndUnit(text);
    if (!number)
        return std::nullopt;
    for (const auto &[unit, us] : {std::pair("us", 1.0), std::pair("ms", 1e3), std::pair("s", 1e6)}) {
        if (number->second == unit)
            return number->first * us;
    }
    return std::nullopt;
}

std::optional<double> rateFrom(std::string_view text)
{
    const auto number = numberAndUnit(text);
    return number && number->second.empty() ? std::optional(number->first) : std::nullopt;
}

Result<std::vector<std::optional<double>>> byModel(const std::string &option, const std::vector<std::string> &texts,
                                                   std::span<const std::string> models, const ValueOf &valueOf,
                                                   const std::string &wanted, const std::string &example)
{
    std::vector<std::optional<double>> values(models.size());
    for (const std::string &text : texts) {
        const std::size_t equals = text.rfind('=');
        const std::string name = text.substr(0, equals);
        const auto model = std::ranges::find(models, name);
        const std::string known = "The models are " + listed(models, " and ");
        if (equals == std::string::npos || model == models.end())
            return fail(ErrorCode::WrongUse, fmt::format("{} {}: {} is not one of the models", option, text, name),
                        fmt::format("{}{}. Give MODEL={}", didYouMean(name, models), known, example));
        auto &value = values[static_cast<std::size_t>(model - models.begin())];
        if (value)
            return fail(ErrorCode::WrongUse, fmt::format("{} {}: {} has a value already", option, text, name),
                        "Give one for each model at most");
        value = valueOf(std::string_view(text).substr(equals + 1));
        if (!value)
            return fail(ErrorCode::WrongUse,
                        fmt::format("{} {}: \"{}\" is not {}", option, text, text.substr(equals + 1), wanted),
                        fmt::format("Give {}={}", name, example));
    }
    return values;
}

} // namespace

void CoRunOptions::addTo(CLI::App &command, CommandLine &line)
{
    model.addPairTo(command, other);
    device.addTo(command);
    command
        .add_option("--rate", rates,
                    "requests a second to each model, at random (Poisson): says how long they take with the plan and "
                    "one after another, in a simulated queue")
        ->type_name("MODEL=N,...")
        ->delimiter(',');
    command
        .add_option("--deadline", deadlines,
                    "the model has its result within this time: the other one gets its own as early as that allows")
        ->type_name("MODEL=5ms")
        ->delimiter(',');
    search.addPruningTo(command);
    command
        .add_option("--max-seconds", search.maxSeconds,
                    "of each search: those for the models alone, for stages and for streams over both")
        ->type_name("T")
        ->check(numberAbove(0));
    addOutputTo(command, line, output, "write the schedule of both models, MODEL+MODEL, to this file",
                [] { return std::optional(FileKind::Schedule); });
    command
        .add_option("--rounds", rounds,
                    "on a measuring device: time the plans and each model alone in this many rounds; 0: not at all")
        ->type_name("N")
        ->check(wholeNumber(0, 1000))
        ->capture_default_str();
}

Result<std::vector<std::optional<double>>> deadlinesFrom(const std::vector<std::string> &texts,
                                                         std::span<const std::string> models)
{
    return byModel("--deadline", texts, models, microsecondsFrom, "a time above zero in us, ms or s", "5ms");
}

Result<std::vector<std::optional<double>>> ratesFrom(const std::vector<std::string> &texts,
                                                     std::span<const std::string> models)
{
    return byModel("--rate", texts, models, rateFrom, "a number of requests a second above zero", "100");
}

std::vector<std::string> shapesOf(const std::string &model, std::span<const std::string> models,
                                  const std::vector<std::string> &texts)
{
    std::vector<std::string> own;
    for (const std::string &text : texts) {
        const auto isOf = [&](const std::string &name) { return text.starts_with(name + "/"); };
        if (std::ranges::none_of(models, isOf))
            own.push_back(text);
        else if (isOf(model))
            own.push_back(text.substr(model.size() + 1));
    }
    return own;
}

} // namespace stagecraft
