#pragma once

// What all commands share: output, interruption, and common options. Answers go to standard output (with --json, one
// document and nothing else), progress and messages to standard error.

#include "cli/interrupts.h"
#include "cli/progress_line.h"
#include "device/device.h"
#include "export/drawn_file.h"
#include "export/file_kind.h"
#include "flow/find_schedule.h"
#include "model/model.h"
#include "plan/target_memory.h"
#include "search/stages/search.h"
#include "support/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <map>
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

struct ExportRequest;
using DrawExport = std::function<Result<DrawnFile>(const ExportRequest &)>; // ExportTools::draw
using Json = nlohmann::ordered_json;
// What a command is about to write; empty: a folder, or the command refuses its arguments.
using OutputKind = std::function<std::optional<FileKind>()>;

struct CommandLine {
    bool json = false;
    Interrupts *interrupts = nullptr;
    std::stop_token stop; // Ctrl+C, while the command listens
    std::function<Result<void>()> command;

    // While the returned object lives, Ctrl+C asks the command to stop; otherwise it ends the program.
    [[nodiscard]] Interrupts::Listening listen() const { return interrupts->listen(); }
    DrawExport draw;            // empty: this program does not draw
    char **arguments = nullptr; // of the program
    int status = 0;             // exit status of a command that succeeded with a verdict; see compare --fail-below
    bool force = false;         // --force: an output may take the place of any file
    std::map<const CLI::App *, OutputKind> outputs = {}; // of the commands that write a file
};

void printJson(const Json &document);

// Prints to standard error how many stages the device refused in a search, with the reason for one of them.
void tellRefusals(const std::optional<Error> &refusal, const TimedSchedule &found, const std::string &title);

// Lines that say what a simulated device's numbers are based on, and how far they are from measured kernels, each with
// `indent`; empty for other devices.
[[nodiscard]] std::string simulationLines(const std::string &calibration, const SimulationErrors &errors,
                                          const std::string &indent = {});

// A line that says how many of the schedule's stages have disturbed timings; empty if none has.
[[nodiscard]] std::string disturbedLine(const TimedSchedule &schedule);
// The options of a command that writes a file: -o, --output and --force. What they may replace is checked before the
// command runs (cli/output_option.h).
CLI::Option *addOutputTo(CLI::App &command, CommandLine &line, std::string &file, const std::string &description,
                         OutputKind kind);
// The same for a command with an -o of its own.
void addForceTo(CLI::App &command, CommandLine &line, OutputKind kind);

// --device, opened on a model.
struct OpenDevice {
    DeviceInfo info;
    std::unique_ptr<DeviceSession> session;
};

struct DeviceOption {
    std::string id;
    std::string option = "--device"; // the option that named it, for errors

    void addTo(CLI::App &command);
    [[nodiscard]] Result<OpenDevice> open(const Model &model) const;
};

// WrongUse, in the name of the option, listing what is known.
[[nodiscard]] tl::unexpected<Error> unknownValue(const std::string &option, const std::string &value,
                                                 const std::vector<std::string> &known);
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
    std::string order = "auto";

    void addStrategyTo(CLI::App &command, const std::string &description);
    void addPruningTo(CLI::App &command);
    void addBudgetTo(CLI::App &command);
    // WrongUse for unknown strategies, bounds and orders. `defaultR` and `defaultS` are used without --r and --s.
    [[nodiscard]] Result<SearchOptions> options(std::optional<int> defaultR = 3, std::optional<int> defaultS = 8) const;
};

// --target, a runtime whose memory is counted.
void addMemoryTargetTo(CLI::App &command, std::string &target, const std::string &description);
// Empty: none was given. WrongUse, listing what is known.
[[nodiscard]] Result<std::optional<plan::MemoryTarget>> memoryTargetOption(const std::string &text);

} // namespace stagecraft
