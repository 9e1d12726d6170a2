// stagecraft-cli: does without a display everything the desktop program does. See DESIGN.md, "Command line".

#include "cli/command_line.h"
#include "cli/commands.h"
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

    CLI::App app{"Stagecraft: inter-operator schedules of convolutional networks on GPUs.", "stagecraft-cli"};
    app.set_version_flag("--version", std::string("stagecraft-cli ") + STAGECRAFT_VERSION);
    app.require_subcommand(0, 1);
    app.fallthrough();
    app.add_flag("--json", line.json, "Print one JSON document and nothing else on standard output");
    app.footer("Exit status: 0 done, 2 wrong use, 3 the input was refused, 4 the device failed, 130 cancelled.");
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
    const Result<void> done = line.command();
    clearProgress();
    if (done)
        return 0;
    std::cerr << "stagecraft-cli: " << errorText(done.error()) << '\n';
    return exitStatus(done.error().code);
}
