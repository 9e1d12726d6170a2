#pragma once

// What every command shares: where answers and messages go, how a person stops it, and the options that many commands
// have. Answers go to standard output (with --json one document and nothing else), progress and messages to standard
// error.

#include "cli/interrupts.h"
#include "cli/progress_line.h"
#include "device/device.h"
#include "model/model.h"
#include "search/search.h"
#include "services/make_schedule.h"
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
class Option;
} // namespace CLI

namespace stagecraft {

using Json = nlohmann::ordered_json;

struct CommandLine {
    bool json = false;
    Interrupts *interrupts = nullptr;
    std::stop_token stop; // Ctrl+C, while the command listens
    std::function<Result<void>()> command;

    // From here on, and as long as what is returned lives, Ctrl+C asks the command to stop; before, it ends the
    // program.
    [[nodiscard]] Interrupts::Listening listen() const { return interrupts->listen(); }
    int status = 0; // of a command that did what it was asked to, where that is a verdict; see compare --fail-below
};

void printJson(const Json &document);

// The answer of a command, with its format, "stagecraft-" and the name, and its version in front. Every key of it is
// described in resources/help/json_answers.json.
void printAnswer(const std::string &name, const Json &answer);

// On standard error: how many stages a search had to do without, and of one of them which and why.
void tellRefusals(const MadeSchedule &made, const std::string &title);

// A clock as JSON: null where it is not known.
[[nodiscard]] Json mhzJson(int mhz);

// [1, 64, 56, 56]; null where the shape is not known.
[[nodiscard]] Json dimsJson(const Shape &shape);
[[nodiscard]] Json notesJson(const ImportReport &report);

// What a simulated device's numbers rest on, as a line of its own; empty elsewhere.
[[nodiscard]] std::string calibrationLine(const std::string &calibration);

// How many of the schedule's stages are known from disturbed timings, as a line of its own; empty where none is.
[[nodiscard]] std::string disturbedLine(const Schedule &schedule);
// An option of a command that takes a file to write: -o, --output.
CLI::Option *addOutputTo(CLI::App &command, std::string &file, const std::string &description);

// --schedule of the commands that search none.
void addScheduleTo(CLI::App &command, std::string &schedule);

// MODEL and --batch.
struct ModelOptions {
    std::string spec;
    std::int64_t batch = 0;
    bool keepOrigin = false;           // see OpenOptions
    const CLI::App *command = nullptr; // whose options these are

    void addTo(CLI::App &of);
    // Opens the model; notes of the import go to standard error. WrongUse, naming --batch, where the model opens
    // without, or -o, where that is a file of the model.
    [[nodiscard]] Result<Model> open() const;
};

// --device, opened on a model.
struct OpenDevice {
    DeviceInfo info;
    std::unique_ptr<DeviceSession> session;
};

struct DeviceOption {
    std::string id;
    std::string option = "--device"; // that named it, for errors

    void addTo(CLI::App &command);
    [[nodiscard]] Result<OpenDevice> open(const Model &model) const;
};

// WrongUse, in the name of the option, where there is no such strategy.
[[nodiscard]] Result<StrategySet> strategiesOf(const std::string &option, const std::string &text);

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

    void addStrategyTo(CLI::App &command, const std::string &description);
    void addPruningTo(CLI::App &command);
    void addBudgetTo(CLI::App &command);
    // WrongUse for unknown strategies and bounds. Without r or s: `defaultR`, `defaultS`.
    [[nodiscard]] Result<SearchOptions> options(std::optional<int> defaultR = 3, std::optional<int> defaultS = 8) const;
};

// A model and a schedule of it: "sequential", "greedy" or a schedule file. Unless the person says otherwise, the model
// is opened at the batch that the file was made for; what differs is said on standard error. WrongUse: the model cannot
// be opened at that batch.
struct ScheduledModel {
    Model model;
    Schedule schedule;
    std::optional<Schedule> file; // what the file says: device, batch and precision that it was made for

    // Says where the schedule is for another device or precision than it is measured on.
    void tellOrigin(const DeviceInfo &device) const;
};

[[nodiscard]] Result<ScheduledModel> openScheduled(const ModelOptions &options, const std::string &spec);

// Null for a schedule that is no file.
[[nodiscard]] Json madeForJson(const ScheduledModel &opened);

[[nodiscard]] Json searchJson(const SearchRecord &record);

} // namespace stagecraft
