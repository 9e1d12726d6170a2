#include "cli/run_cli.h"

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/help_formatter.h"
#include "cli/interrupts.h"
#include "cli/output_option.h"
#include "cli/terminal.h"
#include "cli/version_text.h"
#include "cli/wrong_use.h"
#include "support/error_text.h"
#include "support/shown_text.h"
#include "support/stop_here.h"
#include "wiring/device_catalog.h"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <new>
#include <string>

namespace stagecraft {
namespace {

int tell(const Error &error)
{
    clearProgress();
    std::cerr << "stagecraft-cli: " << errorText(error) << '\n';
    return exitStatus(error.code);
}

// Adds the options of every command.
void addCommonOptions(CLI::App &app, CommandLine &line)
{
    app.add_flag("--json", line.json, "print one JSON document and nothing else on standard output");
    for (CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; })) {
        command->group("Commands");
        addCommonOptions(*command, line);
    }
}

int tellFailure(const std::string &reason)
{
    clearProgress();
    std::cerr << "stagecraft-cli: " << shownText(reason) << '\n';
    return kProgramFailedStatus;
}

int carryOut(int argc, char **argv, const DrawExport &draw, Interrupts &interrupts, Terminal &terminal)
{
    tellDeviceNotices([](const std::string &text) {
        clearProgress();
        std::cerr << "stagecraft-cli: " << shownText(text) << '\n';
    });
    CommandLine line;
    line.interrupts = &interrupts;
    line.stop = interrupts.token();
    line.draw = draw;
    line.arguments = argv;

    CLI::App app{"Finds out which operators of a neural network should run concurrently on a device, and shows why.",
                 "stagecraft-cli"};
    app.formatter(std::make_shared<HelpFormatter>());
    app.footer(
        "Exit status: 0 done, 1 slower than compare --fail-below allows, or verify found a fault, 2 wrong use, 3 the "
        "input was refused, 4 the device failed, 5 the program failed (no memory, standard output full), 130 "
        "cancelled.\n"
        "-o - writes to standard output, and the text for people goes to standard error. A file that is there is "
        "replaced if it is of the kind that is written; --force replaces any.");
    app.set_help_flag("-h,--help", "print this help");
    app.set_version_flag("--version", versionText(), "print the version and what the program was built with");
    app.require_subcommand(0, 1);
    app.fallthrough();
    addModelsCommand(app, line);
    addDevicesCommand(app, line);
    addInfoCommand(app, line);
    addOptimizeCommand(app, line);
    addKitCommand(app, line);
    addMeasureCommand(app, line);
    addEditCommand(app, line);
    addCompareCommand(app, line);
    addSweepCommand(app, line);
    addReproduceCommand(app, line);
    addSpecializeCommand(app, line);
    addCoRunCommand(app, line);
    addExportCommand(app, line);
    addConvertCommand(app, line);
    addRunCommand(app, line);
    addLayoutCommand(app, line);
    addMemoryCommand(app, line);
    addTuneCommand(app, line);
    addLatenciesCommand(app, line);
    addTimelineCommand(app, line);
    addProfileCommand(app, line);
    addVerifyCommand(app, line);
    addCompletionCommand(app, line);
    addManCommand(app, line);
    addHelpCommand(app, line);
    addCommonOptions(app, line);
    app.footer(app.get_footer() +
               "\n\"stagecraft-cli COMMAND --help\" or \"stagecraft-cli help COMMAND\" lists the options of a command, "
               "\"stagecraft-cli help json\" the keys of the JSON answers.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success &help) { // --help, --version
        return app.exit(help);
    } catch (const CLI::ParseError &error) {
        const std::vector<std::string> arguments(argv + 1, argv + argc);
        std::cerr << "stagecraft-cli: " << errorText(wrongUse(app, error, arguments)) << '\n';
        return exitStatus(ErrorCode::WrongUse);
    }
    if (!line.command) {
        std::cerr << app.help() << "\nstagecraft-cli: a command is missing\n";
        return exitStatus(ErrorCode::WrongUse);
    }
    const Result<void> done = settleOutput(app, line, terminal).and_then([&line] { return line.command(); });
    clearProgress();
    return done ? line.status : tell(done.error());
}

// The program never ends without a message.
int runProgram(int argc, char **argv, const DrawExport &draw, Interrupts &interrupts, Terminal &terminal)
{
    try {
        return carryOut(argc, argv, draw, interrupts, terminal);
    } catch (const std::bad_alloc &) {
        return tellFailure("there is not enough memory. Use a smaller model or batch, or a machine with more.");
    } catch (const std::exception &exception) {
        return tellFailure(std::string("the program failed: ") + exception.what() +
                           ". Please report it, with the command and the file.");
    }
}

} // namespace

int runCli(int argc, char **argv, const DrawExport &draw)
{
    Interrupts interrupts;
    Terminal terminal;
    const StopHere whileOpening(interrupts.token());
    const int status = runProgram(argc, argv, draw, interrupts, terminal);
    if (const auto arrived = terminal.finish(); !arrived && status == 0)
        return tellFailure(errorText(arrived.error()));
    return status;
}

} // namespace stagecraft
