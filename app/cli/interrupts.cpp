#include "cli/interrupts.h"

#include "cli/exit_status.h"
#include "support/child_process.h"

#include <string_view>
#include <unistd.h>

namespace stagecraft {
namespace {

constexpr int kEnd = SIGUSR1; // ends the watching thread

bool isIgnored(int signal)
{
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

} // namespace

Interrupts::Interrupts()
{
    sigemptyset(&m_signals);
    sigaddset(&m_signals, kEnd);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        if (!isIgnored(signal))
            sigaddset(&m_signals, signal);
    }
    pthread_sigmask(SIG_BLOCK, &m_signals, nullptr);
    m_thread = std::thread([this] { watch(); });
}

Interrupts::~Interrupts()
{
    pthread_kill(m_thread.native_handle(), kEnd);
    m_thread.join();
}

void Interrupts::watch()
{
    constexpr std::string_view kCancelled = "stagecraft-cli: cancelled\n";
    int signal = 0;
    while (sigwait(&m_signals, &signal) == 0 && signal != kEnd) {
        if (m_listeners > 0 && m_stop.request_stop())
            continue;
        askChildrenToEnd();
        (void)!write(STDERR_FILENO, kCancelled.data(), kCancelled.size());
        _exit(kCancelledStatus);
    }
}

} // namespace stagecraft
