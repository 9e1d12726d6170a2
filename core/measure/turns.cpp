#include "measure/turns.h"

#include <algorithm>

namespace stagecraft {

Turns::Turn::~Turn()
{
    if (m_turns)
        m_turns->giveBack(m_device);
}

bool Turns::isNext(const Waiting &waiting) const
{
    if (waiting.urgency == Urgency::Study && m_pressing > 0)
        return false;
    if (std::ranges::find(m_taken, waiting.device) != m_taken.end())
        return false;
    return std::ranges::none_of(m_waiting, [&](const Waiting &other) {
        return other.device == waiting.device &&
               std::pair(other.urgency, other.ticket) < std::pair(waiting.urgency, waiting.ticket);
    });
}

Turns::Turn Turns::take(const void *device, Urgency urgency, const std::stop_token &stop)
{
    std::unique_lock lock(m_mutex);
    const Waiting waiting{device, urgency, m_tickets++};
    m_waiting.push_back(waiting);
    const bool isMine = m_changed.wait(lock, stop, [&] { return isNext(waiting); });
    std::erase_if(m_waiting, [&](const Waiting &each) { return each.ticket == waiting.ticket; });
    if (!isMine) {
        m_changed.notify_all(); // it may have been in the way of others
        return {};
    }
    m_taken.push_back(device);
    return {this, device};
}

bool Turns::isWantedMore(const void *device, Urgency than) const
{
    const std::scoped_lock lock(m_mutex);
    return std::ranges::any_of(m_waiting,
                               [&](const Waiting &other) { return other.device == device && other.urgency < than; });
}

void Turns::giveBack(const void *device)
{
    {
        const std::scoped_lock lock(m_mutex);
        std::erase(m_taken, device);
    }
    m_changed.notify_all();
}

void Turns::begin(Urgency urgency)
{
    const std::scoped_lock lock(m_mutex);
    m_pressing += urgency == Urgency::Study ? 0 : 1;
}

void Turns::end(Urgency urgency)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_pressing -= urgency == Urgency::Study ? 0 : 1;
    }
    m_changed.notify_all();
}

} // namespace stagecraft
