// stagecraft-cli: does without a display everything the desktop program does. See DESIGN.md, "Command line".

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/help_formatter.h"
#include "cli/version_text.h"
#include "cli/wrong_use.h"
#include "engine/device_catalog.h"
#include "engine/error_text.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>
#include <thread>

namespace {

using namespace stagecraft;

int exitStatus(ErrorCode code)
{
    switch (code) {
    case ErrorCode::WrongUse: return 2;
    case ErrorCode::InvalidInput: return 3;
    case ErrorCode::DeviceFailed: return 4;
    case ErrorCode::Cancelled: return 130;
    }
    return 1;
}

// Turns Ctrl+C into a stop request. Signals are blocked in every thread and taken by this one, so that no code runs in
// a signal handler. A second Ctrl+C ends the program at once.
class InterruptWatcher {
public:
    InterruptWatcher()
    {
        sigemptyset(&m_signals);
        for (const int signal : {SIGINT, SIGTERM, SIGUSR1})
            sigaddset(&m_signals, signal);
        pthread_sigmask(SIG_BLOCK, &m_signals, nullptr);
        m_thread = std::thread([this] { watch(); });
    }

    ~InterruptWatcher()
    {
        pthread_kill(m_thread.native_handle(), SIGUSR1);
        m_thread.join();
    }

    InterruptWatcher(const InterruptWatcher &) = delete;
    InterruptWatcher &operator=(const InterruptWatcher &) = delete;

    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }

private:
    void watch()
    {
        int signal = 0;
        while (sigwait(&m_signals, &signal) == 0 && signal != SIGUSR1) {
            if (!m_stop.request_stop())
                _exit(130);
        }
    }

    sigset_t m_signals{};
    std::stop_source m_stop;
    std::thread m_thread;
};

// What every command has.
void addCommonOptions(CLI::App &app, CommandLine &line)
{
    app.add_flag("--json", line.json, "print one JSON document and nothing else on standard output");
    for (CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; })) {
        command->group("Commands");
        addCommonOptions(*command, line);
    }
}

} // namespace

int main(int argc, char **argv)
{
    const InterruptWatcher interrupts;
    tellDeviceNotices([](const std::string &text) {
        clearProgress();
        std::cerr << "stagecraft-cli: " << text << '\n';
    });
    CommandLine line;
    line.stop = interrupts.token();

    CLI::App app{"Finds out which operators of a neural network should run side by side on a device, and shows why.",
                 "stagecraft-cli"};
    app.formatter(std::make_shared<HelpFormatter>());
    app.footer(
        "Exit status: 0 done, 1 slower than compare --fail-below asks for, 2 wrong use, 3 the input was refused, "
        "4 the device failed, 130 cancelled.");
    app.set_help_flag("-h,--help", "print this help");
    app.set_version_flag("--version", versionText(), "print the version and what the program was built with");
    app.require_subcommand(0, 1);
    app.fallthrough();
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
    const Result<void> done = line.command();
    clearProgress();
    if (done)
        return line.status;
    std::cerr << "stagecraft-cli: " << errorText(done.error()) << '\n';
    return exitStatus(done.error().code);
}
