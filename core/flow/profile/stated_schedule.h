#pragma once

// The schedule that a trace of this program states: each stage, or the streams, as in schedule files, and counters with
// their maxima. So a schedule comes back as it was, where what ran beside each other would only show most of it.

#include "device/recorded/profiles/profile.h"
#include "graph/graph.h"
#include "schedule/schedule.h"
#include "timing/timeline/timeline.h"
#include "timing/timing.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft {

// Null: the trace does not say it, or says something else.
template <typename T>
[[nodiscard]] const T *statedFact(const std::vector<std::pair<std::string, ProfiledFact>> &facts, std::string_view name)
{
    const auto found = std::ranges::find(facts, name, [](const auto &fact) { return std::string_view(fact.first); });
    return found == facts.end() ? nullptr : std::get_if<T>(&found->second);
}

struct StatedSchedule {
    Schedule schedule;           // still to be verified
    std::vector<Timing> timings; // of its stages
};

// Empty: the profile states none, or one of another model.
[[nodiscard]] std::optional<StatedSchedule> statedSchedule(const Graph &graph, const Profile &profile);
// Times as in the profile.
[[nodiscard]] std::vector<CounterSeries> statedCounters(const Profile &profile);

} // namespace stagecraft
