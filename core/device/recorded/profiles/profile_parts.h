#pragma once

// What several readers of profiles do alike.

#include "device/recorded/profiles/profile.h"
#include "device/recorded/profiles/trace_events.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace stagecraft::profiles {

// Numbers the streams of a profile as they occur.
class StreamNumbers {
public:
    explicit StreamNumbers(Profile &profile) : m_profile(profile) {}

    std::uint32_t of(std::int64_t device, const std::string &name)
    {
        const auto next = static_cast<std::uint32_t>(m_profile.streams.size());
        const auto [place, isNew] = m_places.try_emplace({device, name}, next);
        if (isNew)
            m_profile.streams.push_back({name, device});
        return place->second;
    }

private:
    Profile &m_profile;
    std::map<std::pair<std::int64_t, std::string>, std::uint32_t> m_places;
};

// Ascending by start; of a profile without starts the order stays.
void sortByStart(Profile &profile);

// The iteration in which a moment on the host lies; kNoPlace: in none. Iterations ascend and do not overlap.
[[nodiscard]] std::uint32_t iterationAt(const Profile &profile, std::int64_t hostNs);

// The start of an event in microseconds; refuses one without, and one that ends out of range.
[[nodiscard]] Result<std::int64_t> startOf(const TraceEvent &event);
[[nodiscard]] Result<std::int64_t> durationOf(const TraceEvent &event); // 0 where it has none

} // namespace stagecraft::profiles
