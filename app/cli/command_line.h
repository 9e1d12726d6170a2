#pragma once

// What every command shares: where answers and messages go, how a person stops it, and the options that many commands
// have. Answers go to standard output (with --json one document and nothing else), progress and messages to standard
// error.

#include "device/device.h"
#include "engine/make_schedule.h"
#include "model/model.h"
#include "search/search.h"
#include "support/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stagecraft {

using Json = nlohmann::ordered_json;

struct CommandLine {
    bool json = false;
    std::stop_token stop; // Ctrl+C
    std::function<Result<void>()> command;
};

void printJson(const Json &document);

// Shows progress of a search on a terminal's standard error; silent elsewhere.
[[nodiscard]] SearchProgressCallback terminalProgress(const std::string &title, Provenance provenance,
                                                      const CostBasis &basis);
void clearProgress();

// On standard error: how many stages a search had to do without, and of one of them which and why.
void tellRefusals(const MadeSchedule &made, const std::string &title);

// A clock as JSON: null where it is not known.
[[nodiscard]] Json mhzJson(int mhz);

// What a simulated device's numbers rest on, as a line of its own; empty elsewhere.
[[nodiscard]] std::string calibrationLine(const std::string &calibration);

// MODEL and --batch.
struct ModelOptions {
    std::string spec;
    std::int64_t batch = 0;

    void addTo(CLI::App &command);
    // Opens the model; notes of the import go to standard error.
    [[nodiscard]] Result<Model> open() const;
};

// --device, opened on a model.
struct OpenDevice {
    DeviceInfo info;
    std::unique_ptr<DeviceSession> session;
};

struct DeviceOption {
    std::string id;

    void addTo(CLI::App &command);
    [[nodiscard]] Result<OpenDevice> open(const Model &model) const;
};

// --strategy, --r, --s, --single-source, --exhaustive and budgets.
struct SearchFlags {
    std::string strategy = "both";
    std::optional<int> r;
    std::optional<int> s;
    bool singleSource = false;
    bool exhaustive = false;
    std::optional<std::int64_t> maxMeasurements;
    std::optional<double> maxSeconds;
    std::optional<double> epsilon;
    std::string bounds = "auto";

    void addPruningTo(CLI::App &command);
    void addBudgetTo(CLI::App &command);
    // WrongUse for r or s below 1 and unknown strategies. Without r or s: `defaultR`, `defaultS` (0: no bound).
    [[nodiscard]] Result<SearchOptions> options(int defaultR = 3, int defaultS = 8) const;
};

// "sequential", "greedy" or a schedule file.
[[nodiscard]] Result<Schedule> scheduleNamed(const std::string &spec, const Model &model);

[[nodiscard]] Json searchJson(const SearchRecord &record);

} // namespace stagecraft
