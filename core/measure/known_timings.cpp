#include "measure/known_timings.h"

#include <utility>

namespace stagecraft {

void KnownTimings::add(const StageSignature &signature, const Timing &timing)
{
    const std::scoped_lock lock(m_mutex);
    if (timing.isDisturbed())
        m_ofThisRun.erase(signature);
    else
        m_ofThisRun.insert_or_assign(signature, timing);
}

void KnownTimings::setStored(Stored stored)
{
    const std::scoped_lock lock(m_mutex);
    m_stored.swap(stored);
    for (auto &[signature, timing] : m_ofThisRun) {
        if (const auto newer = m_stored.find(signature.toHex()); newer != m_stored.end())
            timing = newer->second;
    }
}

void KnownTimings::clear()
{
    const std::scoped_lock lock(m_mutex);
    m_ofThisRun.clear();
    m_stored.clear();
}

std::optional<Timing> KnownTimings::ofThisRun(const StageSignature &signature) const
{
    const std::scoped_lock lock(m_mutex);
    const auto found = m_ofThisRun.find(signature);
    return found == m_ofThisRun.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Timing> KnownTimings::find(const StageSignature &signature) const
{
    if (auto timing = ofThisRun(signature))
        return timing;
    const std::scoped_lock lock(m_mutex);
    const auto found = m_stored.find(signature.toHex());
    return found == m_stored.end() ? std::nullopt : std::optional(found->second);
}

} // namespace stagecraft
