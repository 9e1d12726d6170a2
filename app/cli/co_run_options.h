#pragma once

// The options of co-run, and the values by model that --rate and --deadline take.

#include "cli/command_line.h"
#include "cli/model_options.h"
#include "support/result.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stagecraft {

struct CoRunOptions {
    ModelOptions model;
    std::string other;
    DeviceOption device;
    SearchFlags search;
    std::vector<std::string> rates;
    std::vector<std::string> deadlines;
    std::string output;
    int rounds = kDefaultRounds;

    void addTo(CLI::App &command, CommandLine &line);
    [[nodiscard]] std::vector<std::string> specs() const { return {model.request.spec, other}; }
};

// "resnet50=5ms" with "us", "ms" or "s", by model, in microseconds. WrongUse, naming the option and what is known: a
// name that is no model's, one that is there twice, a value that is not a time above zero.
[[nodiscard]] Result<std::vector<std::optional<double>>> deadlinesFrom(const std::vector<std::string> &texts,
                                                                       std::span<const std::string> models);
// "resnet50=100": requests a second.
[[nodiscard]] Result<std::vector<std::optional<double>>> ratesFrom(const std::vector<std::string> &texts,
                                                                   std::span<const std::string> models);

// Of "NAME/INPUT=SIZES" those of one model, as it takes them; others where there is no such model. A text without a
// name is of every model.
[[nodiscard]] std::vector<std::string> shapesOf(const std::string &model, std::span<const std::string> models,
                                                const std::vector<std::string> &texts);

} // namespace stagecraft
