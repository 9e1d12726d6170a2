#pragma once

// The options that say which model a command opens, and how its file is read.

#include "flow/open_model.h"
#include "model/model.h"
#include "support/result.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stagecraft {

// MODEL, --batch and how a file is read.
struct ModelOptions {
    OpenRequest request = {}; // with what the following say once it is complete()
    std::string units = "ios";
    std::vector<std::string> shapes = {}; // "input=1x3x224x224"
    std::vector<std::string> splits = {}; // "conv1:2", "conv1:2:rows"
    Reading madeWith = {};                // of a schedule file: is taken where nothing else is asked for
    const CLI::App *command = nullptr;    // the command with these options

    void addTo(CLI::App &of);
    void addAsOptionTo(CLI::App &of); // --model, which may be left out
    // MODEL and OTHER, which are read in the same way: each is opened by options of its own, with its spec.
    void addPairTo(CLI::App &of, std::string &other);
    // Opens the model; import notes go to standard error. WrongUse: naming --batch if the model opens without it, or
    // naming -o if that is a file of the model. Cancelled: it takes longer than `maxSeconds`.
    [[nodiscard]] Result<OpenedModel> openWithSchedule(std::optional<double> maxSeconds = {}) const;
    [[nodiscard]] Result<Model> open(std::optional<double> maxSeconds = {}) const; // the model alone
    // WrongUse for units that are not known, and what is not written as it should be.
    [[nodiscard]] Result<OpenRequest> complete() const;
    [[nodiscard]] Result<void> readSplits(Reading &reading) const;

private:
    void addReadingTo(CLI::App &of);
};

} // namespace stagecraft
