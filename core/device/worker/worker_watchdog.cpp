#include "device/worker/worker_watchdog.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace stagecraft::worker {
namespace {

// At most this much of the time between two looks counts: if more passed, this process was not running either.
constexpr std::chrono::milliseconds kMostAtOnce{200};

Watchdog::Duration processorTime(int pid)
{
    clockid_t clock{};
    timespec used{};
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return {};
    return std::chrono::duration_cast<Watchdog::Duration>(std::chrono::seconds(used.tv_sec) +
                                                          std::chrono::nanoseconds(used.tv_nsec));
}

// The state letters of proc(5), one per thread; empty if they cannot be read.
std::string threadStates(int pid)
{
    std::string states;
    std::error_code error;
    for (const auto &thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
        std::ifstream file(thread.path() / "stat");
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const std::size_t afterName = text.rfind(") ");
        if (afterName != std::string::npos && afterName + 2 < text.size())
            states += text[afterName + 2];
    }
    return states;
}

bool isStopped(const std::string &states)
{
    return !states.empty() && states.find_first_not_of("Tt") == std::string::npos;
}

} // namespace

Watchdog::Watchdog(int pid, Duration deadline, Duration silence)
    : m_pid(pid), m_deadline(deadline), m_silence(silence), m_usedAtStart(processorTime(pid)),
      m_usedWhenHeard(m_usedAtStart)
{
}

void Watchdog::tick()
{
    const auto now = std::chrono::steady_clock::now();
    const Duration passed = std::min<Duration>(now - m_last, kMostAtOnce);
    m_last = now;
    m_spent += passed;
    m_quiet += passed;
}

void Watchdog::heard()
{
    tick();
    m_quiet = {};
    m_usedWhenHeard = processorTime(m_pid);
}

void Watchdog::restart()
{
    m_spent = {};
    m_usedAtStart = processorTime(m_pid);
}

void Watchdog::endWithin(Duration left)
{
    m_isFinal = true;
    m_deadline = std::min(m_deadline, m_spent + left);
}

bool Watchdog::isStarved(Duration before, Duration limit) const
{
    return processorTime(m_pid) - before < limit;
}

Watchdog::Verdict Watchdog::judge()
{
    tick();
    const bool isOverdue = m_spent > m_deadline;
    const bool isSilent = m_quiet > m_silence;
    if (!isOverdue && !isSilent)
        return Verdict::Wait;
    if (m_isFinal)
        return isOverdue ? Verdict::Overdue : Verdict::Silent;
    const std::string states = threadStates(m_pid);
    if (isStopped(states)) {
        restart();
        heard();
        return Verdict::Stopped;
    }
    const bool wantsToRun = states.find('R') != std::string::npos;
    if (isOverdue)
        return wantsToRun && isStarved(m_usedAtStart, m_deadline) ? Verdict::Wait : Verdict::Overdue;
    // A process that is being swapped in, or held by a driver, may use its whole deadline.
    const bool waitsForDisk = states.find('D') != std::string::npos;
    return waitsForDisk || (wantsToRun && isStarved(m_usedWhenHeard, m_silence)) ? Verdict::Wait : Verdict::Silent;
}

} // namespace stagecraft::worker
