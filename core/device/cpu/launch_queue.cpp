#include "device/cpu/launch_queue.h"

#include "device/cpu/spin_pause.h"

namespace stagecraft::cpu {
namespace {

// About 50 us: longer than most kernels that are worth a stream of their own, and shorter than a thread takes to be
// worth waking.
constexpr int kSpins = 4000;

} // namespace

LaunchQueue::LaunchQueue(std::vector<std::vector<std::uint32_t>> after)
    : m_after(std::move(after)), m_waitsForAtFirst(m_after.size(), 0)
{
    for (const auto &launches : m_after) {
        for (const std::uint32_t launch : launches)
            ++m_waitsForAtFirst[launch];
    }
    begin();
}

void LaunchQueue::begin()
{
    const std::scoped_lock lock(m_mutex);
    m_waitsFor = m_waitsForAtFirst;
    m_isTaken.assign(m_after.size(), false);
    m_first = 0;
    m_running = 0;
    m_left = m_after.size();
}

bool LaunchQueue::isEmpty()
{
    const std::scoped_lock lock(m_mutex);
    return m_left == 0;
}

LaunchQueue::Ready LaunchQueue::ready()
{
    while (m_first < m_isTaken.size() && m_isTaken[m_first])
        ++m_first;
    Ready found;
    for (std::size_t launch = m_first; launch < m_isTaken.size(); ++launch) {
        if (m_isTaken[launch] || m_waitsFor[launch] > 0)
            continue;
        found.isOnlyOne = !found.first;
        if (found.first)
            break;
        found.first = launch;
    }
    return found;
}

void LaunchQueue::take(std::size_t launch)
{
    m_isTaken[launch] = true;
    ++m_running;
}

std::optional<std::size_t> LaunchQueue::takeOnlyOne()
{
    const std::scoped_lock lock(m_mutex);
    const Ready found = ready();
    if (!found.isOnlyOne)
        return std::nullopt;
    take(*found.first);
    return found.first;
}

std::optional<std::size_t> LaunchQueue::take()
{
    for (;;) {
        const std::uint32_t ended = m_ended.load(std::memory_order_acquire);
        {
            const std::scoped_lock lock(m_mutex);
            const Ready found = ready();
            if (m_running == 0 && (!found.first || found.isOnlyOne))
                return std::nullopt;
            if (found.first) {
                take(*found.first);
                return found.first;
            }
        }
        int spins = 0;
        while (m_ended.load(std::memory_order_acquire) == ended && spins < kSpins) {
            spinPause();
            ++spins;
        }
        m_ended.wait(ended, std::memory_order_acquire);
    }
}

} // namespace stagecraft::cpu
