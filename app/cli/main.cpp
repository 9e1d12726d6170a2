// stagecraft-cli: does without a display everything the desktop program does. See DESIGN.md, "Command line".

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/interrupts.h"
#include "cli/output_option.h"
#include "cli/terminal.h"
#include "engine/device_catalog.h"
#include "engine/error_text.h"
#include "support/shown_text.h"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <new>
#include <string>

namespace {

using namespace stagecraft;

int tell(const Error &error)
{
    clearProgress();
    std::cerr << "stagecraft-cli: " << errorText(error) << '\n';
    return exitStatus(error.code);
}

int tellFailure(const std::string &reason)
{
    clearProgress();
    std::cerr << "stagecraft-cli: " << shownText(reason) << '\n';
    return kProgramFailedStatus;
}

int carryOut(int argc, char **argv, Interrupts &interrupts, Terminal &terminal)
{
    tellDeviceNotices([](const std::string &text) {
        clearProgress();
        std::cerr << "stagecraft-cli: " << shownText(text) << '\n';
    });
    CommandLine line;
    line.interrupts = &interrupts;
    line.stop = interrupts.token();

    CLI::App app{"Stagecraft: inter-operator schedules of convolutional networks on GPUs.", "stagecraft-cli"};
    app.set_version_flag("--version", std::string("stagecraft-cli ") + STAGECRAFT_VERSION);
    app.require_subcommand(0, 1);
    app.fallthrough();
    app.add_flag("--json", line.json, "Print one JSON document and nothing else on standard output");
    app.footer("Exit status: 0 done, 2 wrong use, 3 the input was refused, 4 the device failed, 5 the program failed "
               "(no memory, standard output full), 130 cancelled.\n"
               "-o - writes to standard output, and the text for people goes to standard error.");
    addModelsCommand(app, line);
    addDevicesCommand(app, line);
    addInfoCommand(app, line);
    addOptimizeCommand(app, line);
    addMeasureCommand(app, line);
    addCompareCommand(app, line);
    addSweepCommand(app, line);
    addReproduceCommand(app, line);
    addSpecializeCommand(app, line);
    addConvertCommand(app, line);
    addRunCommand(app, line);
    addLatenciesCommand(app, line);
    addTimelineCommand(app, line);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    if (!line.command) {
        std::cerr << app.help() << "\nstagecraft-cli: a subcommand is missing\n";
        return 2;
    }
    const Result<void> done = settleOutput(app, line.json, terminal).and_then([&line] { return line.command(); });
    clearProgress();
    return done ? 0 : tell(done.error());
}

// Nothing ends the program without a word.
int carriedOut(int argc, char **argv, Interrupts &interrupts, Terminal &terminal)
{
    try {
        return carryOut(argc, argv, interrupts, terminal);
    } catch (const std::bad_alloc &) {
        return tellFailure("there is not enough memory. Use a smaller model or batch, or a machine with more.");
    } catch (const std::exception &exception) {
        return tellFailure(std::string("the program failed: ") + exception.what() +
                           ". Please report it, with the command and the file.");
    }
}

} // namespace

int main(int argc, char **argv)
{
    Interrupts interrupts;
    Terminal terminal;
    const int status = carriedOut(argc, argv, interrupts, terminal);
    if (const auto arrived = terminal.finish(); !arrived && status == 0)
        return tellFailure(errorText(arrived.error()));
    return status;
}
